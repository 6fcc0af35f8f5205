//! How often the 95 % intervals of an evaluation hold what they should: AUCs of drawn scores, and every measure of real
//! fits, whose truth is what the very fits of the folds reach on many new samples.
//!
//! `cargo run --release -p rfvm-studies --bin interval_coverage -- [REPLICATIONS] [FITTED STUDIES] [GROUP %]`, the last
//! the share of a score's variance that is its group's.

#![allow(clippy::print_stdout)]

use std::ops::ControlFlow;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rfvm::delong::{self, ScoreBlock};
use rfvm::{Dataset, Estimate, Evaluation, Folds, Params, Simulation, metrics, standard_normal};

/// Who belongs together.
#[derive(Clone, Copy, PartialEq)]
enum Grouping {
    None,
    /// Groups of three of one class.
    OfAClass,
    /// Groups of three of any classes.
    Mixed,
}

const REPEATS: usize = 10;
const FOLDS: usize = 5;
/// New samples by which the truth of a fit is known.
const NEW: usize = 2000;

fn main() -> Result<(), rfvm::Error> {
    let mut arguments = std::env::args().skip(1).map(|word| word.parse());
    let mut number = |usual: usize| arguments.next().and_then(Result::ok).unwrap_or(usual);
    let (replications, studies, alike) = (number(2000), number(200), number(50));
    let alike = alike as f64 / 100.0;
    println!(
        "| groups | samples | positive | AUC .6 | AUC .8 | AUC .95 |\n|---|---|---|---|---|---|"
    );
    for (grouping, words) in [
        (Grouping::None, "none"),
        (Grouping::OfAClass, "three of a class"),
        (Grouping::Mixed, "three of any"),
    ] {
        for samples in [30, 99, 300] {
            for share in [0.5, 0.2] {
                // The gap between the classes' means that gives these areas, √2 Φ⁻¹(AUC).
                let areas = [(0.6, 0.358_287), (0.8, 1.190_232), (0.95, 2.326_174)];
                let mut cells = Vec::new();
                for (area, gap) in areas {
                    cells.push(drawn(
                        grouping,
                        (samples, share),
                        (area, gap),
                        alike,
                        replications,
                    )?);
                }
                let cells = cells.iter().map(|held| format!("{:.1} %", 100.0 * held));
                let cells: Vec<String> = cells.collect();
                println!("| {words} | {samples} | {share} | {} |", cells.join(" | "));
            }
        }
    }
    match studies {
        0 => Ok(()),
        _ => fitted(studies),
    }
}

/// The share of replications whose interval holds the AUC.
fn drawn(
    grouping: Grouping,
    (samples, share): (usize, f64),
    (area, gap): (f64, f64),
    alike: f64,
    replications: usize,
) -> Result<f64, rfvm::Error> {
    let every = (1.0 / share).round() as usize;
    let labels: Vec<usize> = (0..samples)
        .map(|n| match grouping {
            Grouping::OfAClass => usize::from(n / 3 % every == 0),
            Grouping::None | Grouping::Mixed => usize::from(n % every == 0),
        })
        .collect();
    let groups: Vec<usize> = (0..samples).map(|n| n / 3).collect();
    let groups = (grouping != Grouping::None).then_some(groups.as_slice());
    let folds = Folds::stratified(&labels, groups, FOLDS, REPEATS, 1)?;
    let one = |seed: usize| {
        let mut random = ChaCha8Rng::seed_from_u64(seed as u64);
        let mut normal = || standard_normal(&mut random);
        let effects: Vec<f64> = (0..samples).map(|_| normal()).collect();
        let score: Vec<f64> = (0..samples)
            .map(|n| {
                let noise = match grouping {
                    Grouping::None => normal(),
                    _ => alike.sqrt() * effects[n / 3] + (1.0 - alike).sqrt() * normal(),
                };
                gap * labels[n] as f64 + noise
            })
            .collect();
        let dealt = (0..REPEATS).flat_map(|r| (0..FOLDS).map(move |f| (r, f)));
        let blocks: Vec<Vec<usize>> = dealt.map(|(r, f)| folds.split(r, f).1).collect();
        let both = |rows: &Vec<usize>| {
            let positive = rows.iter().filter(|&&n| labels[n] == 1).count();
            positive > 0 && positive < rows.len()
        };
        // As an evaluation does it: a repeat in which a fold lacks a class is one block.
        let mut compared = Vec::new();
        for repeat in blocks.chunks(FOLDS) {
            let parts = match repeat.iter().all(both) {
                true => repeat.to_vec(),
                false => vec![repeat.concat()],
            };
            let weight = 1.0 / parts.len() as f64;
            compared.extend(parts.into_iter().map(|rows| ScoreBlock {
                score: rows.iter().map(|&n| score[n]).collect(),
                rows,
                weight,
            }));
        }
        delong::auc(&labels, groups, &compared).is_some_and(|found| {
            let (low, high) = found.interval();
            low <= area && area <= high
        })
    };
    let held = (0..replications).into_par_iter().filter(|&seed| one(seed));
    Ok(held.count() as f64 / replications as f64)
}

/// A measure of an evaluation.
type Told = fn(&Evaluation) -> Option<Estimate>;
/// The same of labels and probabilities.
type True = fn(&[usize], &[f64]) -> f64;

fn fitted(studies: usize) -> Result<(), rfvm::Error> {
    let measures: [(&str, Told, True); 4] = [
        ("AUC", |e| e.auc, |l, p| metrics::auc(l, p).unwrap_or(0.5)),
        ("accuracy", |e| e.accuracy, metrics::accuracy),
        ("log loss", |e| e.log_loss, metrics::log_loss),
        ("Brier score", |e| e.brier, metrics::brier),
    ];
    println!(
        "\n| samples | effect | {} |",
        measures.map(|m| m.0).join(" | ")
    );
    println!("|---|---|---|---|---|---|");
    for (samples, effect) in [(40, 0.6), (40, 2.0), (100, 0.6), (100, 2.0)] {
        let one = |seed: usize| -> Result<[bool; 4], rfvm::Error> {
            let simulation = Simulation {
                samples: samples + NEW,
                features: 60,
                informative: 3,
                effect,
                seed: seed as u64 + 1,
                ..Simulation::default()
            };
            let drawn = simulation.draw()?.data;
            let data = drawn.rows(&Vec::from_iter(0..samples))?;
            let new = drawn.rows(&Vec::from_iter(samples..samples + NEW))?;
            held(&data, &new, &measures)
        };
        let all: Result<Vec<[bool; 4]>, rfvm::Error> =
            (0..studies).into_par_iter().map(one).collect();
        let all = all?;
        let share = |i: usize| {
            let held = all.iter().filter(|held| held[i]).count();
            format!("{:.1} %", 100.0 * held as f64 / studies as f64)
        };
        println!(
            "| {samples} | {effect} | {} |",
            [0, 1, 2, 3].map(share).join(" | ")
        );
    }
    Ok(())
}

/// Whether each measure's interval holds what the folds' own fits reach on new samples.
fn held(
    data: &Dataset,
    new: &Dataset,
    measures: &[(&str, Told, True); 4],
) -> Result<[bool; 4], rfvm::Error> {
    let params = Params {
        threads: Some(1),
        ..Params::default()
    }
    .check()?;
    let folds = Folds::stratified(data.labels(), None, FOLDS, 1, 1)?;
    let go_on = |_, _| ControlFlow::Continue(());
    let mut reached = [0.0; 4];
    for fold in 0..FOLDS {
        let model = params.fit(data.rows(&folds.split(0, fold).0)?)?;
        let probability = model.predict_probability(new.table())?;
        for (sum, measure) in reached.iter_mut().zip(measures) {
            *sum += (measure.2)(new.labels(), &probability) / FOLDS as f64;
        }
    }
    let told = params.evaluate(data, &folds, go_on)?;
    Ok(std::array::from_fn(|i| {
        let told = told.as_ref().and_then(measures[i].1);
        told.is_some_and(|told| told.low <= reached[i] && reached[i] <= told.high)
    }))
}
