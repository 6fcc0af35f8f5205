//! What the default claims on simulated studies, against the truth: nothing on noise, the loss it expects, few false features,
//! standard deviations.
//!
//!     cargo run --release -p rfvm-studies --bin simulated_claims -- noise|classes|nothing|expected|features|deviations [SETS [FIRST]]
//!
//! FIRST is the seed of the first table of noise: the limit for a signal was set on those from 0 on.
#![allow(clippy::print_stdout)]

use std::ops::ControlFlow;

use rayon::prelude::*;
use rfvm::{
    Dataset, Error, Method, Params, Path, Projected, Simulation, Size, Target, Verdict, metrics,
};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let what = arguments.next().unwrap_or_default();
    let sets = arguments.next().and_then(|count| count.parse().ok());
    let first = arguments.next().and_then(|seed| seed.parse().ok());
    let first = first.unwrap_or(0);
    match what.as_str() {
        "noise" => noise(sets.unwrap_or(200), first),
        "classes" => noise_of_classes(sets.unwrap_or(200), first),
        "nothing" => nothing(sets.unwrap_or(100)),
        "expected" => expected(sets.unwrap_or(40)),
        "features" => features(sets.unwrap_or(5)),
        "deviations" => deviations(sets.unwrap_or(40)),
        _ => {
            println!("say which: noise, classes, nothing, expected, features or deviations");
            Ok(())
        }
    }
}

fn path(simulation: &Simulation, rows: usize) -> Result<(Path, rfvm::SimulatedData), Error> {
    let study = simulation.draw()?;
    let train = study.data.rows(&Vec::from_iter(0..rows))?;
    let params = Params {
        threads: Some(1),
        ..Params::default()
    };
    let path = params.check()?.path(train, |_| ControlFlow::Continue(()))?;
    Ok((path, study))
}

/// How often pure noise gets a model that claims more than the base rate: samples, features, correlation within blocks.
fn noise(sets: usize, first: usize) -> Result<(), Error> {
    for (samples, features, correlation) in [(60, 2000, 0.0), (100, 500, 0.3), (40, 5000, 0.0)] {
        let run = |seed: usize| {
            let simulation = Simulation {
                samples,
                features,
                informative: 1,
                effect: 0.0,
                correlation,
                seed: seed as u64,
                ..Simulation::default()
            };
            let (path, _) = path(&simulation, samples)?;
            let judgement = path.judgement();
            Ok(judgement.is_some_and(|found| found.verdict != Verdict::Nothing))
        };
        let claims: Result<Vec<bool>, Error> =
            (first..first + sets).into_par_iter().map(run).collect();
        let claims = claims?.into_iter().filter(|&claims| claims).count();
        println!(
            "{claims} of {sets} noise sets of {samples} x {features}, correlated {correlation} in blocks, get a model"
        );
    }
    Ok(())
}

/// The same with several classes.
fn noise_of_classes(sets: usize, first: usize) -> Result<(), Error> {
    for (samples, features, classes) in [(60, 500, 4), (90, 1000, 3)] {
        let run = |seed: usize| {
            let simulation = Simulation {
                samples,
                features,
                informative: 1,
                effect: 0.0,
                seed: seed as u64,
                ..Simulation::default()
            };
            let target = Target::Classes {
                names: (0..classes).map(|class| format!("class {class}")).collect(),
                labels: (0..samples).map(|n| n % classes).collect(),
            };
            let data = Dataset::new(simulation.draw()?.data.table().clone(), target)?;
            let params = Params {
                threads: Some(1),
                ..Params::default()
            };
            Ok(params.check()?.fit_classes(data)?.feature_count() > 0)
        };
        let claims: Result<Vec<bool>, Error> =
            (first..first + sets).into_par_iter().map(run).collect();
        let claims = claims?.into_iter().filter(|&claims| claims).count();
        println!(
            "{claims} of {sets} noise sets of {samples} x {features} in {classes} classes get a model"
        );
    }
    Ok(())
}

/// What the full model costs on 500 new samples where nothing was found in 60 of 2000 features, and by itself, where it is
/// not drawn to the base rate.
fn nothing(sets: usize) -> Result<(), Error> {
    println!("effect  nothing found  base rate  full model  by itself  its AUC");
    for effect in [0.0, 0.3, 0.5, 0.7] {
        let run = |seed: usize| {
            let simulation = Simulation {
                samples: 560,
                features: 2000,
                informative: 20,
                effect,
                seed: seed as u64,
                ..Simulation::default()
            };
            let data = simulation.draw()?.data;
            let new = data.rows(&Vec::from_iter(60..560))?;
            let said = |evidence: f64| {
                let method = Projected {
                    evidence,
                    ..Projected::of(Size::Full)
                };
                let params = Params {
                    method: Method::Projected(method),
                    threads: Some(1),
                    ..Params::default()
                };
                let model = params.check()?.fit(data.rows(&Vec::from_iter(0..60))?)?;
                let p = model.predict_probability(new.table())?;
                Ok((model.judgement().map(|found| found.verdict), p))
            };
            let (verdict, p) = said(Projected::default().evidence)?;
            let (_, alone) = said(1.0)?;
            let cost = |p: &[f64]| metrics::log_loss(new.labels(), p);
            let auc = metrics::auc(new.labels(), &p).unwrap_or(0.5);
            let found = [cost(&vec![0.5; p.len()]), cost(&p), cost(&alone), auc];
            Ok((verdict == Some(Verdict::Nothing)).then_some(found))
        };
        let all: Result<Vec<Option<[f64; 4]>>, Error> =
            (0..sets).into_par_iter().map(run).collect();
        let all: Vec<[f64; 4]> = all?.into_iter().flatten().collect();
        let mean = |at: usize| all.iter().map(|own| own[at]).sum::<f64>() / all.len() as f64;
        println!(
            "{effect:6.1}  {:6} of {sets:3}  {:9.4}  {:10.4}  {:9.4}  {:7.3}",
            all.len(),
            mean(0),
            mean(1),
            mean(2),
            mean(3)
        );
    }
    Ok(())
}

/// The loss expected of the chosen size against that on 2000 new samples.
fn expected(sets: usize) -> Result<(), Error> {
    println!(
        "size      expected  on new samples  difference  its standard error  standard error said"
    );
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
            let said = model.expected().map(|said| (said.loss, said.se));
            Ok(said.map(|(loss, se)| (loss, metrics::log_loss(test.labels(), &p), se)))
        };
        type Claims = Vec<Option<(f64, f64, f64)>>;
        let claims: Result<Claims, Error> = (0..sets).into_par_iter().map(run).collect();
        let claims: Vec<(f64, f64, f64)> = claims?.into_iter().flatten().collect();
        let n = claims.len() as f64;
        let mean = |of: &dyn Fn(&(f64, f64, f64)) -> f64| claims.iter().map(of).sum::<f64>() / n;
        let (said, new) = (mean(&|p| p.0), mean(&|p| p.1));
        let spread = mean(&|p| (p.0 - p.1 - (said - new)).powi(2)).sqrt();
        println!(
            "{:<9} {said:8.3}  {new:14.3}  {:10.3}  {:18.3}  {:19.3}",
            size.to_string(),
            said - new,
            spread / n.sqrt(),
            mean(&|p| p.2)
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
            let model = path.into_model(Size::Balanced)?;
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

/// Standard deviations of weights and of new samples' scores as a model gives them, against those over studies of the same
/// population.
fn deviations(sets: usize) -> Result<(), Error> {
    const ROWS: usize = 100;
    let simulation = Simulation {
        samples: sets * ROWS + 200,
        features: 500,
        informative: 6,
        effect: 1.0,
        ..Simulation::default()
    };
    let study = simulation.draw()?;
    let new = study.data.rows(&Vec::from_iter(0..200))?;
    println!("           weight: said  over studies    score: said  over studies");
    for size in [Size::Features(6), Size::Balanced, Size::Full] {
        let run = |set: usize| {
            let train = study
                .data
                .rows(&Vec::from_iter((0..ROWS).map(|n| 200 + set * ROWS + n)))?;
            let params = Params {
                threads: Some(1),
                ..Params::projected(size)
            };
            let model = params.check()?.fit(train)?;
            let weights: Vec<Option<(f64, f64)>> = (study.truth.iter())
                .map(|&d| {
                    let name = study.data.table().feature_names().iter().nth(d)?;
                    let signature = model.signatures().first()?;
                    let found = signature.features().iter().find(|f| f.name == name)?;
                    Some((found.weight, found.sd))
                })
                .collect();
            let scores = model.predict(new.table())?;
            let scores: Vec<Option<(f64, f64)>> = (scores.iter())
                .map(|said| Some((said.mean, said.variance.sqrt())))
                .collect();
            Ok((weights, scores))
        };
        type Said = Vec<Option<(f64, f64)>>;
        let said: Result<Vec<(Said, Said)>, Error> = (0..sets).into_par_iter().map(run).collect();
        let said = said?;
        // Of every weight or score that at least half of the studies give: what they say of it and how they differ.
        let compare = |of: &dyn Fn(&(Said, Said)) -> Said| {
            let all: Vec<Said> = said.iter().map(of).collect();
            let (mut claimed, mut seen, mut count) = (0.0, 0.0, 0.0);
            for i in 0..all[0].len() {
                let given: Vec<(f64, f64)> = all.iter().filter_map(|said| said[i]).collect();
                if 2 * given.len() >= sets {
                    let n = given.len() as f64;
                    let mean = given.iter().map(|(value, _)| value).sum::<f64>() / n;
                    claimed += given.iter().map(|(_, sd)| sd * sd).sum::<f64>() / n;
                    seen += given.iter().map(|(v, _)| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
                    count += 1.0;
                }
            }
            let root = |sum: f64| (sum / count).sqrt();
            (root(claimed), root(seen))
        };
        let (weight, score) = (compare(&|s| s.0.clone()), compare(&|s| s.1.clone()));
        println!(
            "{:<9}  {:12.3}  {:12.3}    {:11.3}  {:12.3}",
            size.to_string(),
            weight.0,
            weight.1,
            score.0,
            score.1
        );
    }
    Ok(())
}
