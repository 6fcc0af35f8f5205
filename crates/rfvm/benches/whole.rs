//! A whole default fit at 500 x 100,000: its time against the bare products of its sweeps, its peak memory against the data.
//!
//!     cargo bench -p rfvm --bench whole [-- FEATURES [THREADS]]
//!
//! The fit counts all that it does: scaling, the full posterior with all rows and without those of each of five folds, tests
//! for a signal, order of entry, small models of all sizes. Its four sweeps take eleven lower triangles of X Y' and seven
//! lower triangular L X each time (a kernel and a spread at the start; those, the dual, two quadratic forms in every sweep but
//! the last; one more form for the variances). Memory is the process's own peak, data generation included (Linux only).
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::{Duration, Instant};

use products::{Shape, products};
use rfvm::{Params, Simulation};

mod products;

const SAMPLES: usize = 500;
const FOLDS: u32 = 5;

fn main() {
    let mut numbers = std::env::args().skip(1).filter_map(|arg| arg.parse().ok());
    let features = numbers.next().unwrap_or(100_000);
    let threads = numbers.next();
    let threads = threads.unwrap_or_else(|| std::thread::available_parallelism().unwrap().get());
    let simulation = Simulation {
        samples: SAMPLES,
        features,
        informative: 10,
        ..Simulation::default()
    };
    let study = simulation.draw().unwrap();
    let params = Params {
        threads: Some(threads),
        ..Params::default()
    };
    let truth: Vec<String> = (study.truth.iter())
        .map(|&d| study.data.table().feature_names()[d].to_string())
        .collect();
    let start = Instant::now();
    let model = params.check().unwrap().fit(study.data).unwrap();
    let fit = start.elapsed();
    let chosen = model.needed_features();
    let found = chosen.iter().filter(|name| truth.contains(name)).count();
    println!(
        "{SAMPLES} x {features} on {threads} threads: {:.1} s, {} features, {found} of the {} informative ones",
        fit.as_secs_f64(),
        chosen.len(),
        truth.len(),
    );
    match peak() {
        None => println!("SKIPPED: this system does not report a process's peak memory in /proc"),
        Some(peak) => {
            let matrix = (SAMPLES * features * 8) as f64;
            println!(
                "peak {:.0} MB, data matrix {:.0} MB, ratio {:.2}",
                peak / 1e6,
                matrix / 1e6,
                peak / matrix
            );
        }
    }
    let bare = bare(features, threads);
    println!(
        "bare products {:.1} s, ratio {:.2}",
        bare.as_secs_f64(),
        fit.as_secs_f64() / bare.as_secs_f64()
    );
}

/// Bytes.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: f64 = peak.trim().trim_end_matches(" kB").parse().ok()?;
    Some(kilobytes * 1024.0)
}

fn bare(features: usize, threads: usize) -> Duration {
    let sweeps = |samples| {
        let shape = Shape {
            samples,
            features,
            grams: 11,
            forms: 7,
        };
        products(shape, threads, 1)
    };
    sweeps(SAMPLES) + FOLDS * sweeps(SAMPLES / 5 * 4)
}
