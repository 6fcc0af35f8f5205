//! Twenty simulated studies of six waves, each advised after every wave and followed: how often was a retirement right,
//! what does the retained panel cost, and what does its model lose on subjects that no wave had?
//!
//! `cargo run --release -p rfvm-studies --bin acceptance [seeds] [file.json]` prints a table, writes the figures where a
//! file is named, and fails where one of the three limits is missed.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use rfvm::{Missing, Params, Signatures, metrics};
use rfvm_study::{AdviceChoice, FitChoice, SimulatedStudy, unwatched};
use serde::Serialize;

#[derive(Debug, Serialize)]
struct Played {
    seed: u64,
    retired: usize,
    right: usize,
    retained: usize,
    /// Cost of the retained tests over that of all, per subject.
    cost_share: f64,
    auc_everything: f64,
    auc_retained: f64,
    /// Tests retired after each wave.
    by_wave: Vec<usize>,
    /// Iterations of the alternative signatures on the last wave: from the fit before, and from nothing.
    warm_iterations: usize,
    cold_iterations: usize,
}

fn play(seed: u64) -> Result<Played, Box<dyn std::error::Error>> {
    let simulated = SimulatedStudy::draw(seed);
    let folder = tempfile::tempdir()?;
    let write = |name: &str, text: &str| -> Result<PathBuf, Box<dyn std::error::Error>> {
        let path = folder.path().join(name);
        fs::write(&path, text)?;
        Ok(path)
    };
    let mut study = simulated.begin(&folder.path().join("study.rfvm"), write)?;
    let mut retired: BTreeSet<String> = BTreeSet::new();
    let mut by_wave = Vec::new();
    let fit = FitChoice {
        repeats: 1,
        folds: 2,
        signatures: 3,
        ..FitChoice::default()
    };
    for wave in 1..=simulated.waves() {
        if wave == simulated.waves() {
            // The fit that the last one starts from.
            study.fit(&fit, &unwatched)?;
        }
        simulated.join(&mut study, wave, &retired, write)?;
        let choice = AdviceChoice {
            repeats: 1,
            quick: true,
            accept: true,
            ..AdviceChoice::default()
        };
        let advice = study.advise(&choice, &unwatched)?;
        by_wave.push(advice.retirement.tests.len());
        retired.extend(advice.retirement.tests);
    }
    let fitted = study.fit(&fit, &unwatched)?;

    let state = study.state()?;
    let all: Vec<usize> = (0..state.catalogue.tests.len())
        .filter(|&t| !simulated.never().contains(&state.catalogue.tests[t].name))
        .collect();
    let kept: BTreeSet<String> = state
        .active()
        .into_iter()
        .map(|test| state.catalogue.tests[test].name.clone())
        .collect();
    let cohort = state.cohort(fit.coverage)?;
    let mut cold = Params::from(Signatures {
        count: fit.signatures,
        ..Signatures::default()
    });
    cold.preprocessing.missing = Missing::Median;
    let cold = cold
        .check()?
        .fit(cohort.dataset(&cohort.all_rows(), &cohort.all_tests())?)?;
    let fresh = simulated.fresh()?;
    let mut params = Params::default();
    params.preprocessing.missing = Missing::Median;
    let everything = params.check()?.fit(simulated.everything()?)?;
    let auc = |model: &rfvm::Model| -> Result<f64, rfvm::Error> {
        let probability = model.predict_probability(fresh.table())?;
        Ok(metrics::auc(fresh.labels(), &probability).unwrap_or(0.5))
    };
    Ok(Played {
        seed,
        retired: retired.len(),
        right: retired
            .iter()
            .filter(|test| simulated.right_to_retire(test, &kept))
            .count(),
        retained: kept.len(),
        cost_share: state.price(&state.active()).cost / state.price(&all).cost,
        auc_everything: auc(&everything)?,
        auc_retained: auc(&fitted.model)?,
        by_wave,
        warm_iterations: fitted.summary.iterations,
        cold_iterations: cold.signatures().iter().map(|s| s.trace().len()).sum(),
    })
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let seeds: u64 = arguments.next().map_or(Ok(20), |text| text.parse())?;
    let start = Instant::now();
    let mut all = Vec::new();
    println!(
        "seed  retired  right  retained  cost share  AUC with everything  AUC retained  retired by wave"
    );
    for seed in 1..=seeds {
        let played = play(seed)?;
        println!(
            "{:>4}  {:>7}  {:>5}  {:>8}  {:>10.3}  {:>19.4}  {:>12.4}  {:?}",
            played.seed,
            played.retired,
            played.right,
            played.retained,
            played.cost_share,
            played.auc_everything,
            played.auc_retained,
            played.by_wave
        );
        all.push(played);
    }
    let count = all.len() as f64;
    let (retired, right) = all
        .iter()
        .fold((0, 0), |sum, p| (sum.0 + p.retired, sum.1 + p.right));
    let right_share = right as f64 / retired as f64;
    let most_cost = all.iter().map(|p| p.cost_share).fold(0.0, f64::max);
    let lost: Vec<f64> = all
        .iter()
        .map(|p| p.auc_everything - p.auc_retained)
        .collect();
    let mean_lost = lost.iter().sum::<f64>() / count;
    let most_lost = lost.iter().copied().fold(f64::MIN, f64::max);
    let iterations = all.iter().fold((0, 0), |sum, p| {
        (sum.0 + p.warm_iterations, sum.1 + p.cold_iterations)
    });
    println!(
        "retired rightly: {right} of {retired} ({:.1} %)",
        100.0 * right_share
    );
    println!(
        "cost of the retained panel: at most {most_cost:.3} of all tests, {:.3} on average",
        all.iter().map(|p| p.cost_share).sum::<f64>() / count
    );
    println!("AUC lost on fresh subjects: {mean_lost:.4} on average, {most_lost:.4} at most");
    println!(
        "iterations of the signatures: {} warm, {} cold",
        iterations.0, iterations.1
    );
    println!("seconds: {:.0}", start.elapsed().as_secs_f64());
    if let Some(file) = arguments.next() {
        let text = serde_json::to_string_pretty(&serde_json::json!({
            "retired": retired, "right": right, "right_share": right_share, "most_cost_share": most_cost,
            "mean_auc_lost": mean_lost, "most_auc_lost": most_lost,
            "warm_iterations": iterations.0, "cold_iterations": iterations.1, "studies": all,
        }))?;
        fs::write(file, text + "\n")?;
    }
    let held = right_share >= 0.95 && most_cost <= 1.0 / 3.0 && most_lost <= 0.02;
    Ok(if held {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
