//! One iteration against the bare products of the same shapes, on the same threads, in one run.
//!
//!     cargo bench -p rfvm --bench iteration [-- THREADS]
//!
//! The bare products are what the linear-algebra crate needs for the same sums, called on the whole matrix: lower
//! triangles of X Y' for the weighted Gram matrices, lower triangular L X for the quadratic forms. A
//! simultaneous mean-field iteration is two of each; a wide structured iteration three and two.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use products::{Shape, products};
use rfvm::{Dataset, MeanField, Params, Phase, Pruning, Signatures, Simulation};

mod products;

const SHAPES: [(usize, usize); 4] = [(60, 7_000), (100, 20_000), (300, 13_500), (500, 100_000)];
const ROUNDS: usize = 3;

fn main() {
    let threads = std::env::args().skip(1).find_map(|arg| arg.parse().ok());
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().unwrap().get());
    println!("{threads} threads; best of {ROUNDS} alternating rounds");
    println!("   N       D   method        iteration      products   ratio");
    for (samples, features) in SHAPES {
        let data = draw(samples, features);
        for (name, params, grams, forms) in
            [("mean-field", mean_field(), 2, 2), ("wide", wide(), 3, 2)]
        {
            let shape = Shape {
                samples,
                features,
                grams,
                forms,
            };
            let mut best = [Duration::MAX; 2];
            for _ in 0..ROUNDS {
                best[0] = best[0].min(iteration(&params, &data, threads));
                best[1] = best[1].min(products(shape, threads, 3));
            }
            let ratio = best[0].as_secs_f64() / best[1].as_secs_f64();
            println!(
                "{samples:4} {features:7}   {name:10} {:>10.2?} ms {:>10.2?} ms   {ratio:5.2}",
                ms(best[0]),
                ms(best[1])
            );
        }
    }
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn draw(samples: usize, features: usize) -> Dataset {
    let simulation = Simulation {
        samples,
        features,
        ..Simulation::default()
    };
    simulation.draw().unwrap().data
}

/// Nothing is pruned, so that all iterations are alike.
const NEVER: Pruning = Pruning {
    features: 1e-2,
    vectors: 1e-3,
    after: 100,
};

fn mean_field() -> Params {
    Params::from(MeanField {
        pruning: NEVER,
        ..MeanField::default()
    })
}

fn wide() -> Params {
    Params::from(Signatures {
        pruning: NEVER,
        narrow_at: 1,
        ..Signatures::default()
    })
}

/// The fastest of the iterations 2 to 5 of a fit in which nothing is pruned.
fn iteration(params: &Params, data: &Dataset, threads: usize) -> Duration {
    let params = Params {
        threads: Some(threads),
        ..params.clone()
    };
    let (mut last, mut best) = (Instant::now(), Duration::MAX);
    let fitted = params.check().unwrap().fit_with(data.clone(), |iteration| {
        // A stopped fit ends with one narrow iteration, which is not what is timed here.
        if iteration.number > 1 && iteration.phase != Phase::Narrow {
            best = best.min(last.elapsed());
        }
        last = Instant::now();
        if iteration.number == 5 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    assert!(fitted.is_ok());
    best
}
