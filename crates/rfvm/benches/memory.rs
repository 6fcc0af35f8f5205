//! Peak memory of a whole fit at (500, 100000), as a multiple of the data matrix (Linux only).
//!
//!     cargo bench -p rfvm --bench memory
#![allow(clippy::unwrap_used, clippy::print_stdout)]

use rfvm::{Params, Simulation};

fn main() {
    let (samples, features) = (500, 100_000);
    let simulation = Simulation {
        samples,
        features,
        ..Simulation::default()
    };
    let data = simulation.draw().unwrap().data;
    let model = Params::signatures().check().unwrap().fit(data).unwrap();
    let matrix = (samples * features * 8) as f64;
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else {
        println!("SKIPPED: this system does not report a process's peak memory in /proc");
        return;
    };
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .unwrap();
    let peak: f64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    println!(
        "{samples} x {features}: peak {:.0} MB, data matrix {:.0} MB, ratio {:.2} ({} features, {:?})",
        peak * 1024.0 / 1e6,
        matrix / 1e6,
        peak * 1024.0 / matrix,
        model.feature_count(),
        model.stop_reason(),
    );
}
