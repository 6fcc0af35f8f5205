//! What is claimed of features beside a covariate whose effect is known, against what is true.
//!
//!     cargo run --release -p rfvm-studies --bin added_value -- [SEEDS] [repeats|adds]
//!
//! Studies of 120 samples with one covariate of strong effect (a standard deviation moves the logit by 1.5) and 300 features.
//! In the first kind ten features repeat the covariate with noise and the rest are noise: nothing is to be added. In the second
//! three features have an effect of their own. Told is how often a fit and an evaluation claim that the features add
//! something, and how often the 95 % intervals of what they add hold what the very fits of the folds add on 4000 new samples.
#![allow(clippy::print_stdout)]

use std::ops::ControlFlow;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rfvm::{
    AddedVerdict, Covariate, CovariateValues, Dataset, Error, Folds, Params, Table, Target,
    Verdict, metrics, standard_normal,
};

const SAMPLES: usize = 120;
const FEATURES: usize = 300;
const NEW: usize = 4000;
const FOLDS: usize = 5;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Ten features repeat the covariate.
    Repeats,
    /// Three have an effect of their own.
    Adds,
}

fn draw(kind: Kind, samples: usize, random: &mut ChaCha8Rng) -> Result<Dataset, Error> {
    let normal = |random: &mut ChaCha8Rng| standard_normal(random);
    let age: Vec<f64> = (0..samples).map(|_| normal(random)).collect();
    let mut values = Vec::with_capacity(samples * FEATURES);
    for d in 0..FEATURES {
        let own = (0..samples).map(|_| normal(random)).collect::<Vec<f64>>();
        let repeats = kind == Kind::Repeats && d < 10;
        values.extend((0..samples).map(|n| {
            if repeats {
                age[n] + 0.5 * own[n]
            } else {
                own[n]
            }
        }));
    }
    let labels = (0..samples).map(|n| {
        let own: f64 = match kind {
            Kind::Repeats => 0.0,
            Kind::Adds => (0..3).map(|d| values[d * samples + n]).sum(),
        };
        let logit = 1.5 * age[n] + own;
        let uniform = rfvm::special::ndtr(normal(random));
        usize::from(uniform < rfvm::special::sigmoid(logit))
    });
    let labels: Vec<usize> = labels.collect();
    let table = Table::unnamed(values, samples)?.with_covariates(vec![Covariate {
        name: "age".to_string(),
        values: CovariateValues::Numbers(age.iter().map(|age| 50.0 + 10.0 * age).collect()),
    }])?;
    let names = vec!["well".to_string(), "ill".to_string()];
    Dataset::new(table, Target::Classes { names, labels })
}

/// What one study showed.
struct Shown {
    fit_claims: bool,
    evaluation_claims: bool,
    /// Whether the interval holds the truth: of the log loss, of the AUC.
    held: [bool; 2],
    truth: [f64; 2],
    told: [f64; 2],
}

fn study(kind: Kind, seed: u64) -> Result<Shown, Error> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let data = draw(kind, SAMPLES, &mut random)?;
    let new = draw(kind, NEW, &mut random)?;
    let params = Params {
        threads: Some(1),
        ..Params::default()
    }
    .check()?;
    let model = params.fit(data.clone())?;
    let found = model.judgement().map(|judgement| judgement.verdict);
    let folds = Folds::stratified(data.labels(), None, FOLDS, 1, seed)?;
    let go_on = |_, _| ControlFlow::Continue(());
    let evaluation = params.evaluate(&data, &folds, go_on)?;
    let added = evaluation.and_then(|evaluation| evaluation.added_value);
    let added = added.ok_or(Error::Evaluation("has no added value".to_string()))?;
    let mut truth = [0.0; 2];
    for fold in 0..FOLDS {
        let (train, _) = folds.split(0, fold);
        let model = params.fit(data.rows(&train)?)?;
        let p = model.predict_probability(new.table())?;
        let alone = model
            .predict_covariates_alone(new.table())?
            .unwrap_or_default();
        let loss = |p: &[f64]| metrics::log_loss(new.labels(), p);
        let auc = |p: &[f64]| metrics::auc(new.labels(), p).unwrap_or(0.5);
        truth[0] += (loss(&alone) - loss(&p)) / FOLDS as f64;
        truth[1] += (auc(&p) - auc(&alone)) / FOLDS as f64;
    }
    let of = |at: usize| added.measures[at].better_by;
    Ok(Shown {
        fit_claims: found.is_some_and(|verdict| verdict != Verdict::Nothing),
        evaluation_claims: added.verdict == AddedVerdict::Adds,
        held: [0, 1].map(|at| of(at).low <= truth[at] && truth[at] <= of(at).high),
        truth,
        told: [0, 1].map(|at| of(at).mean),
    })
}

fn main() -> Result<(), Error> {
    let seeds = std::env::args().nth(1).and_then(|word| word.parse().ok());
    let seeds: u64 = seeds.unwrap_or(200);
    let only = std::env::args().nth(2);
    println!(
        "| features | fits that see a signal | evaluations that claim added value | log loss saved: told | true | interval holds it | AUC gained: told | true | interval holds it |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (kind, name, words) in [
        (Kind::Repeats, "repeats", "repeat the covariate"),
        (Kind::Adds, "adds", "add to it"),
    ] {
        if only.as_ref().is_some_and(|only| only != name) {
            continue;
        }
        let shown: Vec<Shown> = (0..seeds)
            .into_par_iter()
            .map(|seed| study(kind, seed))
            .collect::<Result<_, _>>()?;
        let count = |of: &dyn Fn(&Shown) -> bool| shown.iter().filter(|s| of(s)).count();
        let mean = |of: &dyn Fn(&Shown) -> f64| shown.iter().map(of).sum::<f64>() / seeds as f64;
        let percent = |of: &dyn Fn(&Shown) -> bool| 100.0 * count(of) as f64 / seeds as f64;
        println!(
            "| {words} | {} of {seeds} | {} of {seeds} | {:.4} | {:.4} | {:.1} % | {:.4} | {:.4} | {:.1} % |",
            count(&|s| s.fit_claims),
            count(&|s| s.evaluation_claims),
            mean(&|s| s.told[0]),
            mean(&|s| s.truth[0]),
            percent(&|s| s.held[0]),
            mean(&|s| s.told[1]),
            mean(&|s| s.truth[1]),
            percent(&|s| s.held[1]),
        );
    }
    Ok(())
}
