//! How the time of a whole default fit grows with the number of features: the paper's figure 2.
//!
//!     cargo bench -p rfvm --bench growth
//!
//! N = 300, D from 50 to 13500 on a log scale, 10 % of the features informative, ten runs each.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use std::time::Instant;

use rfvm::{Params, Simulation};

const FEATURES: [usize; 9] = [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 13_500];
const RUNS: u64 = 10;

fn main() {
    println!("      D      mean        sd   features");
    let mut points = Vec::new();
    for features in FEATURES {
        let runs: Vec<(f64, usize)> = (1..=RUNS).map(|seed| run(features, seed)).collect();
        let mean =
            |of: &dyn Fn(&(f64, usize)) -> f64| runs.iter().map(of).sum::<f64>() / RUNS as f64;
        let seconds = mean(&|run| run.0);
        let sd = mean(&|run| (run.0 - seconds).powi(2)).sqrt();
        let kept = mean(&|run| run.1 as f64);
        println!("{features:7} {seconds:8.4} s {sd:8.4} s {kept:10.1}");
        points.push(((features as f64).ln(), seconds.ln()));
    }
    println!(
        "time grows as D^{:.2} over the whole range, as D^{:.2} from 400 on",
        slope(&points),
        slope(&points[3..])
    );
}

fn run(features: usize, seed: u64) -> (f64, usize) {
    let simulation = Simulation {
        samples: 300,
        features,
        informative: features / 10,
        effect: 0.5,
        block: 10,
        seed,
        ..Simulation::default()
    };
    let data = simulation.draw().unwrap().data;
    let start = Instant::now();
    let model = Params::default().check().unwrap().fit(data).unwrap();
    (start.elapsed().as_secs_f64(), model.feature_count())
}

/// Least-squares slope.
fn slope(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let (x, y) = points
        .iter()
        .fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    covariance / points.iter().map(|p| (p.0 - x).powi(2)).sum::<f64>()
}
