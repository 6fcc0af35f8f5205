//! What a fifth of a model's values cost where new samples lack them: integrated over, told by a stand-in, or the median.
//!
//!     nice cargo run --release -p rfvm-studies --bin missing_values -- [SET ...]
//!
//! One line a set of the table in `docs/missing.md`: on the fixed folds of the first repeat a model of size balanced is fitted, a
//! fifth of its features' values in the test rows is deleted at random (seed 1), and the log loss of all test rows is taken.
//! Coverage is the share of the rows with gaps whose score without them lies within 1.96 deviations of the score that was given,
//! the deviation being that of the missing values alone. The data lie beside the project in `../shared`.
//!
//!     nice cargo run --release -p rfvm-studies --bin missing_values -- training [SET ...]
//!
//! A fifth of all values of the training rows is deleted instead, test rows are whole, and the log loss is that of models fitted to
//! the complete rows, and to those with gaps under `--impute conditional` and `--impute median`; beside it how many of the folds'
//! models found nothing. Sets of more than 25,000 features take hours of that and are asked for by name.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::Path;

use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rfvm::{Dataset, FilledPredictions, Gaps, Missing, Params, Prediction, Size, Table, metrics};

mod sets;

use sets::{BinarySet, SETS, fold_of_rows, load};

const FOLDS: usize = 5;
const DELETED: f64 = 0.2;

/// Of all test rows of a set: summed log losses without gaps, integrated, substituted, by medians; rows; rows with gaps, and how
/// many of them the intervals hold, integrated and substituted.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    losses: [f64; 4],
    rows: f64,
    gaps: f64,
    held: [f64; 2],
}

impl Sums {
    fn add(mut self, other: Self) -> Self {
        for (sum, value) in self.losses.iter_mut().zip(other.losses) {
            *sum += value;
        }
        for (sum, value) in self.held.iter_mut().zip(other.held) {
            *sum += value;
        }
        self.rows += other.rows;
        self.gaps += other.gaps;
        self
    }

    fn losses(&self) -> [f64; 4] {
        self.losses.map(|loss| loss / self.rows)
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    if !shared.join("data").is_dir() {
        println!("SKIPPED: the data sets are not there (../shared/data)");
        return Ok(());
    }
    let mut wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.first().is_some_and(|word| word == "training") {
        wanted.remove(0);
        return training(&shared, &wanted);
    }
    let asked = |set: &&BinarySet| wanted.is_empty() || wanted.iter().any(|name| name == set.0);
    println!(
        "| set | complete | integrate | substitute | median | held, integrate | held, substitute |"
    );
    println!("|---|---|---|---|---|---|---|");
    let mut all = Vec::new();
    for set in SETS.iter().filter(asked) {
        let sums = run(&shared, set)?;
        line(set.0, sums.losses(), sums.gaps, sums.held);
        all.push(sums);
    }
    let mean = |of: &dyn Fn(&Sums) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
    let losses = [0, 1, 2, 3].map(|at| mean(&|sums| sums.losses()[at]));
    let total = all.iter().fold(Sums::default(), |sum, &one| sum.add(one));
    line("mean", losses, total.gaps, total.held);
    Ok(())
}

/// Gaps in the training rows.
fn training(shared: &Path, wanted: &[String]) -> Result<(), Box<dyn Error>> {
    println!("| set | complete | conditional | median | nothing found |");
    println!("|---|---|---|---|---|");
    let mut all: Vec<[f64; 3]> = Vec::new();
    for set in SETS
        .iter()
        .filter(|set| wanted.is_empty() || wanted.iter().any(|name| name == set.0))
    {
        let data = load(shared, set)?;
        if wanted.is_empty() && data.table().features() > 25_000 {
            continue;
        }
        let fold_of = fold_of_rows(shared, set.0, 0)?;
        let folds: Result<Vec<[(f64, bool); 3]>, rfvm::Error> = (0..FOLDS)
            .into_par_iter()
            .map(|fold| trained(&data, &fold_of, fold))
            .collect();
        let folds = folds?;
        let loss =
            |at: usize| folds.iter().map(|fold| fold[at].0).sum::<f64>() / fold_of.len() as f64;
        let nothing = |at: usize| folds.iter().filter(|fold| fold[at].1).count();
        let losses = [loss(0), loss(1), loss(2)];
        let [complete, conditional, median] = losses;
        println!(
            "| {} | {complete:.4} | {conditional:.4} | {median:.4} | {}, {}, {} of {FOLDS} |",
            set.0,
            nothing(0),
            nothing(1),
            nothing(2)
        );
        all.push(losses);
    }
    let mean = |at: usize| all.iter().map(|losses| losses[at]).sum::<f64>() / all.len() as f64;
    println!(
        "| mean | {:.4} | {:.4} | {:.4} | |",
        mean(0),
        mean(1),
        mean(2)
    );
    Ok(())
}

/// Summed log loss of the test rows and whether nothing was found: complete, conditional, median.
fn trained(
    data: &Dataset,
    fold_of: &[usize],
    fold: usize,
) -> Result<[(f64, bool); 3], rfvm::Error> {
    let (test, train): (Vec<usize>, Vec<usize>) =
        (0..fold_of.len()).partition(|&n| fold_of[n] == fold);
    let complete = data.rows(&train)?;
    let names = complete.table().feature_names().to_vec();
    let lacking = deleted(complete.table(), &names, fold as u64 + 1)?;
    let lacking = Dataset::new(lacking, complete.target().clone())?;
    let new = data.rows(&test)?;
    let one = |rows: &Dataset, missing: Missing| -> Result<(f64, bool), rfvm::Error> {
        let mut params = Params::projected(Size::Balanced);
        params.threads = Some(1);
        params.preprocessing.missing = missing;
        let model = params.check()?.fit(rows.clone())?;
        let loss = total_loss(new.labels(), &model.predict(new.table())?);
        Ok((loss, model.feature_count() == 0))
    };
    Ok([
        one(&complete, Missing::Median)?,
        one(&lacking, Missing::Conditional)?,
        one(&lacking, Missing::Median)?,
    ])
}

fn line(name: &str, losses: [f64; 4], gaps: f64, held: [f64; 2]) {
    let [complete, integrate, substitute, median] = losses;
    let share = |held: f64| match gaps > 0.0 {
        true => format!("{:.1} %", 100.0 * held / gaps),
        false => "no feature".to_string(),
    };
    println!(
        "| {name} | {complete:.4} | {integrate:.4} | {substitute:.4} | {median:.4} | {} | {} |",
        share(held[0]),
        share(held[1])
    );
}

fn run(shared: &Path, set: &BinarySet) -> Result<Sums, Box<dyn Error>> {
    let data = load(shared, set)?;
    let fold_of = fold_of_rows(shared, set.0, 0)?;
    let folds: Result<Vec<Sums>, rfvm::Error> = (0..FOLDS)
        .into_par_iter()
        .map(|fold| of_fold(&data, &fold_of, fold))
        .collect();
    Ok(folds?.into_iter().fold(Sums::default(), Sums::add))
}

fn of_fold(data: &Dataset, fold_of: &[usize], fold: usize) -> Result<Sums, rfvm::Error> {
    let (test, train): (Vec<usize>, Vec<usize>) =
        (0..fold_of.len()).partition(|&n| fold_of[n] == fold);
    let mut params = Params::projected(Size::Balanced);
    params.threads = Some(1);
    // So that the same model can fill in medians; without gaps in the training rows the fit is the same.
    params.preprocessing.missing = Missing::Median;
    let model = params.check()?.fit(data.rows(&train)?)?;
    let new = data.rows(&test)?;
    let table = new.table();
    let needed = model.needed_features();
    if needed.is_empty() {
        // The base rate loses nothing.
        let loss = total_loss(new.labels(), &model.predict(table)?);
        return Ok(Sums {
            losses: [loss; 4],
            rows: test.len() as f64,
            ..Sums::default()
        });
    }
    let lacking = deleted(table, &needed, fold as u64 + 1)?;
    let complete = model.predict_with(table, Gaps::Integrate)?;
    let filled = [Gaps::Integrate, Gaps::Substitute].map(|gaps| model.predict_with(&lacking, gaps));
    let [integrated, substituted] = filled;
    let (integrated, substituted) = (integrated?, substituted?);
    let median = model.predict(&lacking)?;
    let loss = |predictions: &[Prediction]| total_loss(new.labels(), predictions);
    let held = |filled: &FilledPredictions| -> f64 {
        let within = (0..test.len()).filter(|&n| {
            let apart = filled.predictions[n].mean - complete.predictions[n].mean;
            let lacked = filled.filled(n).len() > complete.filled(n).len();
            lacked && apart.abs() <= 1.96 * filled.spread(n).sqrt()
        });
        within.count() as f64
    };
    let lacked = |n: &usize| integrated.filled(*n).len() > complete.filled(*n).len();
    Ok(Sums {
        losses: [
            loss(&complete.predictions),
            loss(&integrated.predictions),
            loss(&substituted.predictions),
            loss(&median),
        ],
        rows: test.len() as f64,
        gaps: (0..test.len()).filter(lacked).count() as f64,
        held: [held(&integrated), held(&substituted)],
    })
}

fn total_loss(labels: &[usize], predictions: &[Prediction]) -> f64 {
    let probability: Vec<f64> = predictions.iter().filter_map(|p| p.probability).collect();
    labels.len() as f64 * metrics::log_loss(labels, &probability)
}

/// The table with a share of the values of some features deleted.
fn deleted(table: &Table, names: &[String], seed: u64) -> Result<Table, rfvm::Error> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let samples = table.samples();
    let mut values: Vec<f64> = (0..table.features())
        .flat_map(|d| table.feature(d))
        .copied()
        .collect();
    for d in table.find_features(names)? {
        for value in &mut values[d * samples..(d + 1) * samples] {
            if random.random::<f64>() < DELETED {
                *value = f64::NAN;
            }
        }
    }
    let features = table.feature_names().clone();
    Table::with_missing(values, features, table.sample_names().to_vec())
}
