//! XOLON: p = sigmoid(x' diag(v²) X'a + b) by gradient descent with l1 penalties on v and a.
//!
//! Many settings run side by side, one column each, so that a step is four matrix products over the same rows instead
//! of four passes over them for every setting.

use std::time::Instant;

use faer::{Mat, MatRef};

use crate::{Linear, Problem, kept, sigmoid};

/// Settings of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Xolon {
    /// Adam's learning rate.
    pub rate: f64,
    /// Penalty on Σ|v|.
    pub penalty_v: f64,
    /// Penalty on Σ|a|.
    pub penalty_a: f64,
}

const KEEP_FIRST: f64 = 0.9;
const KEEP_SECOND: f64 = 0.999;
const TINY: f64 = 1e-8;

/// v, a and b of every setting, a column each; a gradient and Adam's moments have the same shape.
#[derive(Clone)]
struct Batch {
    v: Mat<f64>,
    a: Mat<f64>,
    b: Mat<f64>,
}

impl Batch {
    /// v = 1/√D, a = (2t - 1)/N, b = 0 in every column.
    fn start(problem: &Problem, settings: usize) -> Self {
        let (n, d) = (problem.samples(), problem.features);
        let a = |i: usize, _: usize| (2.0 * problem.t[i] - 1.0) / n as f64;
        Self {
            v: Mat::from_fn(d, settings, |_, _| (d as f64).powf(-0.5)),
            a: Mat::from_fn(n, settings, a),
            b: Mat::zeros(1, settings),
        }
    }

    fn zeros(like: &Self) -> Self {
        let zeros = |m: &Mat<f64>| Mat::zeros(m.nrows(), m.ncols());
        Self {
            v: zeros(&like.v),
            a: zeros(&like.a),
            b: zeros(&like.b),
        }
    }

    /// x diag(v²) X'a + b, from X'a
    fn scores(&self, x: MatRef<'_, f64>, combined: &Mat<f64>) -> Mat<f64> {
        let mut weights = combined.clone();
        for s in 0..weights.ncols() {
            let pairs = weights.col_as_slice_mut(s).iter_mut();
            let pairs = pairs.zip(self.v.col_as_slice(s));
            pairs.for_each(|(weight, v)| *weight *= v * v);
        }
        let mut f = x * weights;
        for s in 0..f.ncols() {
            let b = self.b[(0, s)];
            f.col_as_slice_mut(s).iter_mut().for_each(|f| *f += b);
        }
        f
    }

    /// The gradient of mean cross entropy + penalties; sign(0) = 0.
    fn gradient(&self, problem: &Problem, settings: &[Xolon]) -> Self {
        let x = problem.matrix();
        let n = problem.samples() as f64;
        let mut v = x.transpose() * &self.a;
        let mut residual = self.scores(x, &v);
        let mut b = Mat::zeros(1, settings.len());
        for s in 0..settings.len() {
            let column = residual.col_as_slice_mut(s);
            let pairs = column.iter_mut().zip(&problem.t);
            pairs.for_each(|(f, t)| *f = (sigmoid(*f) - t) / n);
            b[(0, s)] = column.iter().sum();
        }
        let mut through = x.transpose() * &residual;
        let sign = |v: f64| if v == 0.0 { 0.0 } else { v.signum() };
        for (s, setting) in settings.iter().enumerate() {
            let own = self.v.col_as_slice(s);
            let (slopes, pulls) = (v.col_as_slice_mut(s), through.col_as_slice_mut(s));
            for ((slope, pull), &v) in slopes.iter_mut().zip(pulls).zip(own) {
                // The column held X'a until here.
                *slope = 2.0 * v * *slope * *pull + setting.penalty_v * sign(v);
                *pull *= v * v;
            }
        }
        let mut a = x * &through;
        for (s, setting) in settings.iter().enumerate() {
            let pairs = a.col_as_slice_mut(s).iter_mut().zip(self.a.col_as_slice(s));
            pairs.for_each(|(slope, &a)| *slope += setting.penalty_a * sign(a));
        }
        Self { v, a, b }
    }

    fn parts(&mut self) -> [&mut Mat<f64>; 3] {
        [&mut self.v, &mut self.a, &mut self.b]
    }
}

/// Fits all settings with `steps` steps of Adam and prunes as the paper does. Past the deadline it ends with what there is.
pub fn xolon(
    problem: &Problem,
    settings: &[Xolon],
    steps: usize,
    deadline: Option<Instant>,
) -> Vec<Linear> {
    let mut now = Batch::start(problem, settings.len());
    let (mut first, mut second) = (Batch::zeros(&now), Batch::zeros(&now));
    let mut cut_short = false;
    for step in 1..=steps {
        if deadline.is_some_and(|end| Instant::now() > end) {
            cut_short = true;
            break;
        }
        let mut gradient = now.gradient(problem, settings);
        let fix_first = 1.0 - KEEP_FIRST.powi(step as i32);
        let fix_second = 1.0 - KEEP_SECOND.powi(step as i32);
        let all = now.parts().into_iter().zip(gradient.parts());
        let moments = first.parts().into_iter().zip(second.parts());
        for ((values, slopes), (means, squares)) in all.zip(moments) {
            for (s, setting) in settings.iter().enumerate() {
                let values = values.col_as_slice_mut(s).iter_mut();
                let means = means.col_as_slice_mut(s).iter_mut();
                let squares = squares.col_as_slice_mut(s).iter_mut();
                let slopes = slopes.col_as_slice(s);
                for (((value, mean), square), slope) in values.zip(means).zip(squares).zip(slopes) {
                    *mean = KEEP_FIRST * *mean + (1.0 - KEEP_FIRST) * slope;
                    *square = KEEP_SECOND * *square + (1.0 - KEEP_SECOND) * slope * slope;
                    *value -=
                        setting.rate * (*mean / fix_first) / ((*square / fix_second).sqrt() + TINY);
                }
            }
        }
    }
    (0..settings.len())
        .map(|s| pruned(problem, &now, s, cut_short))
        .collect()
}

/// One column as a model. v² takes the place of the paper's v: it is what multiplies a feature.
fn pruned(problem: &Problem, batch: &Batch, s: usize, cut_short: bool) -> Linear {
    let squares: Vec<f64> = batch.v.col_as_slice(s).iter().map(|v| v * v).collect();
    let mut a = batch.a.col_as_slice(s).to_vec();
    let (features, vectors) = (kept(&squares, 1e-2), kept(&a, 1e-3));
    for n in (0..a.len()).filter(|n| vectors.binary_search(n).is_err()) {
        a[n] = 0.0;
    }
    let g = problem.combine(&a);
    let mut weights = vec![0.0; problem.features];
    features
        .iter()
        .for_each(|&d| weights[d] = squares[d] * g[d]);
    Linear {
        weights,
        bias: batch.b[(0, s)],
        features,
        vectors,
        cut_short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{example, log1p_exp};

    const SETTINGS: [Xolon; 2] = [
        Xolon {
            rate: 0.01,
            penalty_v: 0.02,
            penalty_a: 0.03,
        },
        Xolon {
            rate: 0.1,
            penalty_v: 0.001,
            penalty_a: 0.2,
        },
    ];

    /// Mean cross entropy and the penalties of one column.
    fn loss(batch: &Batch, problem: &Problem, s: usize) -> f64 {
        let x = problem.matrix();
        let f = batch.scores(x, &(x.transpose() * &batch.a));
        let rows = f.col_as_slice(s).iter().zip(&problem.t);
        let entropy: f64 = rows.map(|(f, t)| log1p_exp(*f) - t * f).sum();
        let size = |m: &Mat<f64>| m.col_as_slice(s).iter().map(|v| v.abs()).sum::<f64>();
        entropy / problem.samples() as f64
            + SETTINGS[s].penalty_v * size(&batch.v)
            + SETTINGS[s].penalty_a * size(&batch.a)
    }

    #[test]
    fn the_gradient_is_the_slope_of_the_loss() {
        let problem = example(12, 5);
        let at = Batch {
            v: Mat::from_fn(5, 2, |d, s| [0.3, -0.5, 0.8, 0.1, -0.9][(d + s) % 5]),
            a: Mat::from_fn(12, 2, |n, s| 0.1 * (n + 2 * s) as f64 - 0.55),
            b: Mat::from_fn(1, 2, |_, s| 0.2 - 0.5 * s as f64),
        };
        let mut gradient = at.gradient(&problem, &SETTINGS);
        for s in 0..2 {
            for part in 0..3 {
                for i in 0..gradient.parts()[part].nrows() {
                    let moved = |by: f64| {
                        let mut p = at.clone();
                        p.parts()[part][(i, s)] += by;
                        loss(&p, &problem, s)
                    };
                    let slope = gradient.parts()[part][(i, s)];
                    let difference = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                    assert!(
                        (slope - difference).abs() < 1e-8,
                        "{part} {i} {s}: {slope} {difference}"
                    );
                }
            }
        }
    }

    #[test]
    fn settings_side_by_side_are_settings_alone() {
        let problem = example(20, 7);
        let together = xolon(&problem, &SETTINGS, 50, None);
        assert_eq!(together.len(), SETTINGS.len());
        for (setting, model) in SETTINGS.iter().zip(&together) {
            let alone = &xolon(&problem, &[*setting], 50, None)[0];
            assert_eq!(alone.weights.len(), model.weights.len());
            for (x, y) in alone.weights.iter().zip(&model.weights) {
                assert!((x - y).abs() < 1e-9 * x.abs().max(1.0), "{x} {y}");
            }
            assert_eq!(alone.features, model.features);
        }
    }

    #[test]
    fn it_learns_what_tells_the_classes_apart() {
        let problem = example(40, 6);
        let model = &xolon(&problem, &SETTINGS[..1], 300, None)[0];
        assert!(
            model.features.contains(&0) && model.features.contains(&1),
            "{model:?}"
        );
        assert!(model.weights[0] > 0.0 && model.weights[1] < 0.0);
        let right = model
            .probabilities(&problem.x)
            .iter()
            .zip(&problem.t)
            .filter(|(p, t)| (**p > 0.5) == (**t > 0.5))
            .count();
        assert!(right > 32, "{right}");
    }
}
