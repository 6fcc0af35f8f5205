//! What the default claims on simulated studies, against the truth: nothing on noise, the loss it expects, few false features.
//!
//!     cargo run --release -p rfvm --example simulated_claims -- noise|expected|features [SETS]
#![allow(clippy::print_stdout)]

use std::ops::ControlFlow;

use rayon::prelude::*;
use rfvm::{Error, Params, Path, Simulation, Size, Verdict, metrics};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let sets = arguments.next().and_then(|count| count.parse().ok());
    match what.as_str() {
        "noise" => noise(sets.unwrap_or(200)),
        "expected" => expected(sets.unwrap_or(40)),
        "features" => features(sets.unwrap_or(5)),
        _ => {
            println!("say which: noise, expected or features");
            Ok(())
        }
    }
}

fn path(simulation: &Simulation, rows: usize) -> Result<(Path, rfvm::Study), Error> {
    let study = simulation.draw()?;
    let train = study.data.rows(&Vec::from_iter(0..rows))?;
    let params = Params {
        threads: Some(1),
        ..Params::default()
    };
    let path = params.check()?.path(train, |_| ControlFlow::Continue(()))?;
    Ok((path, study))
}

/// How often pure noise (60 x 2000) gets a model that claims more than the base rate.
fn noise(sets: usize) -> Result<(), Error> {
    let run = |seed: usize| {
        let simulation = Simulation {
            samples: 60,
            features: 2000,
            informative: 1,
            effect: 0.0,
            correlation: 0.0,
            seed: seed as u64,
            ..Simulation::default()
        };
        let (path, _) = path(&simulation, 60)?;
        Ok((path.detection(), path.verdict() != Verdict::Nothing))
    };
    let found: Result<Vec<(f64, bool)>, Error> = (0..sets).into_par_iter().map(run).collect();
    let mut found = found?;
    let claims = found.iter().filter(|(_, claims)| *claims).count();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    let quantile = |share: f64| found[((sets - 1) as f64 * share) as usize].0;
    println!(
        "{claims} of {sets} noise sets get a model; detection has median {:.2}, 90 % {:.2}, 95 % {:.2}, 97.5 % {:.2}",
        quantile(0.5),
        quantile(0.9),
        quantile(0.95),
        quantile(0.975)
    );
    Ok(())
}

/// The loss expected of the chosen size against that on 2000 new samples.
fn expected(sets: usize) -> Result<(), Error> {
    println!("size      expected  on new samples  difference  its standard error");
    for size in [Size::Compact, Size::Balanced, Size::Full] {
        let run = |seed: usize| {
            let simulation = Simulation {
                samples: 2100,
                features: 1000,
                informative: 6,
                effect: 1.0,
                seed: seed as u64,
                ..Simulation::default()
            };
            let study = simulation.draw()?;
            let train = study.data.rows(&Vec::from_iter(0..100))?;
            let test = study.data.rows(&Vec::from_iter(100..2100))?;
            let params = Params {
                threads: Some(1),
                ..Params::projected(size)
            };
            let model = params.check()?.fit(train)?;
            let p = model.predict_probability(test.table())?;
            let said = model.expected().map_or(f64::NAN, |e| e.loss);
            Ok((said, metrics::log_loss(test.labels(), &p)))
        };
        let pairs: Result<Vec<(f64, f64)>, Error> = (0..sets).into_par_iter().map(run).collect();
        let pairs: Vec<(f64, f64)> = pairs?
            .into_iter()
            .filter(|pair| pair.0.is_finite())
            .collect();
        let n = pairs.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / n;
        let (said, new) = (mean(&|p| p.0), mean(&|p| p.1));
        let spread = mean(&|p| (p.0 - p.1 - (said - new)).powi(2)).sqrt();
        println!(
            "{size:<9} {said:8.3}  {new:14.3}  {:10.3}  {:18.3}",
            said - new,
            spread / n.sqrt()
        );
    }
    Ok(())
}

/// Share of false features in the balanced model.
fn features(sets: usize) -> Result<(), Error> {
    println!("samples  features  informative  effect  chosen  found  correlated  false");
    for (samples, features, informative, effect) in [
        (100, 5000, 3, 1.5),
        (100, 5000, 5, 1.2),
        (100, 5000, 10, 1.0),
        (200, 5000, 10, 0.8),
        (300, 5000, 20, 0.7),
        (200, 50_000, 10, 1.0),
    ] {
        let run = |seed: usize| {
            let simulation = Simulation {
                samples,
                features,
                informative,
                effect,
                seed: seed as u64,
                ..Simulation::default()
            };
            let (path, study) = path(&simulation, samples)?;
            let model = path.into_model(Size::Balanced);
            let chosen = study.data.table().find_features(&model.needed_features())?;
            let block = |d: &usize| d / simulation.block;
            let blocks: Vec<usize> = study.truth.iter().map(block).collect();
            let found = chosen.iter().filter(|d| study.truth.contains(d)).count();
            let near = chosen.iter().filter(|d| blocks.contains(&block(d))).count() - found;
            Ok([chosen.len(), found, near, chosen.len() - found - near])
        };
        let counts: Result<Vec<[usize; 4]>, Error> = (0..sets).into_par_iter().map(run).collect();
        let counts = counts?;
        let mean = |i: usize| counts.iter().map(|c| c[i] as f64).sum::<f64>() / sets as f64;
        println!(
            "{samples:7}  {features:8}  {informative:11}  {effect:6.1}  {:6.1}  {:5.1}  {:10.1}  {:5.1}",
            mean(0),
            mean(1),
            mean(2),
            mean(3)
        );
    }
    Ok(())
}
