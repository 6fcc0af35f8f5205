//! Bare matrix products: what the linear-algebra crate needs for the sums of a fit, called on the whole matrix.

use std::time::{Duration, Instant};

use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::{Accum, Mat, Par};

/// How many products of which size: lower triangles of X Y', and lower triangular L X.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) samples: usize,
    pub(crate) features: usize,
    pub(crate) grams: usize,
    pub(crate) forms: usize,
}

/// The fastest of some rounds. Each thread takes an equal share of the features and the products of its share at once:
/// nothing is scaled, copied, added up or waited for.
pub(crate) fn products(shape: Shape, threads: usize, rounds: usize) -> Duration {
    let share = shape.features.div_ceil(threads);
    let mut shares: Vec<Share> = (0..shape.features)
        .step_by(share)
        .map(|start| Share::new(shape.samples, share.min(shape.features - start)))
        .collect();
    let mut best = Duration::MAX;
    for _ in 0..rounds {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for share in &mut shares {
                scope.spawn(|| share.run(shape.grams, shape.forms));
            }
        });
        best = best.min(start.elapsed());
    }
    best
}

struct Share {
    x: Mat<f64>,
    gram: Mat<f64>,
    out: Mat<f64>,
}

impl Share {
    fn new(samples: usize, features: usize) -> Self {
        Self {
            x: Mat::from_fn(samples, features, |i, j| {
                ((i * 31 + j * 17) % 1013) as f64 / 500.0 - 1.0
            }),
            gram: Mat::zeros(samples, samples),
            out: Mat::zeros(samples, features),
        }
    }

    fn run(&mut self, grams: usize, forms: usize) {
        use BlockStructure::{Rectangular, TriangularLower};
        let x = self.x.as_ref();
        for _ in 0..grams {
            let gram = self.gram.as_mut();
            triangular::matmul(
                gram,
                TriangularLower,
                Accum::Replace,
                x,
                Rectangular,
                x.transpose(),
                Rectangular,
                1.0,
                Par::Seq,
            );
        }
        for _ in 0..forms {
            let lower = self.gram.as_ref();
            triangular::matmul(
                self.out.as_mut(),
                Rectangular,
                Accum::Replace,
                lower,
                TriangularLower,
                x,
                Rectangular,
                1.0,
                Par::Seq,
            );
        }
    }
}
