//! What a report costs beside its fit: 1000 samples with 20,000 features, and the page of 10,000 features.

use std::io::Write;
use std::time::Instant;

use rfvm::{Params, Simulation, Summary};
use rfvm_report::report;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut out = std::io::stdout().lock();
    for (samples, features) in [(1000, 20_000), (100, 10_000)] {
        let simulation = Simulation {
            samples,
            features,
            ..Simulation::default()
        };
        let data = simulation.draw()?.data;
        let start = Instant::now();
        let model = Params::default().check()?.fit(data.clone())?;
        let fit = start.elapsed().as_secs_f64();
        let start = Instant::now();
        let page = report(&Summary::of(&model, &data, None, "simulated", &[])?);
        let made = start.elapsed().as_secs_f64();
        writeln!(
            out,
            "{samples} x {features}: fit {fit:.2} s, report {made:.2} s ({:.2} of the fit), page {:.2} MB",
            made / fit,
            page.len() as f64 / 1e6
        )?;
    }
    Ok(())
}
