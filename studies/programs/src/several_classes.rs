//! The default method on three sets of several classes: one panel for all classes, and one model a class against the rest. One
//! line of JSON a fold and model, with what it says of the fold's rows.
//!
//!     python studies/several_classes/folds.py
//!     cargo run --release -p rfvm-studies --bin several_classes -- studies/several_classes/results [SET ...]
//!
//! It writes to `rfvm.jsonl` in that folder and does not run again what is there. The data lie beside the project in `../shared`;
//! without them the program says so and stops.
#![allow(clippy::print_stdout)]

use std::collections::{BTreeSet, HashSet};
use std::error::Error;
use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use rfvm::{Dataset, Params, Size, Table, Target};
use rfvm_io::{FeatureChoice, ReadOptions, TargetChoice, load_dataset};
use serde::{Deserialize, Serialize};

const SETS: [(&str, &str, &str); 3] = [
    ("khan_srbct", "khan_srbct.npz", "y"),
    ("su_tissue", "su_tissue.npz", "y"),
    ("lymphoma", "lymphoma.mat", "Y"),
];
const SIZES: [Size; 4] = [Size::Full, Size::Accurate, Size::Balanced, Size::Compact];

/// What a model says of a fold's rows.
#[derive(Serialize, Deserialize)]
struct Said {
    set: String,
    repeat: usize,
    fold: usize,
    model: String,
    /// Distinct features in all.
    features: usize,
    seconds: f64,
    rows: Vec<usize>,
    /// By row, then by class.
    probability: Vec<Vec<f64>>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("name the folder of the folds")?);
    let asked: Vec<String> = arguments.collect();
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    if !shared.exists() {
        return Err("the data sets are not there: ../shared/data".into());
    }
    let file = folder.join("rfvm.jsonl");
    let mut done = HashSet::new();
    for line in fs::read_to_string(&file).unwrap_or_default().lines() {
        let said: Said = serde_json::from_str(line)?;
        done.insert((said.set, said.repeat, said.fold));
    }
    for (set, data, column) in SETS {
        if !asked.is_empty() && !asked.iter().any(|name| name == set) {
            continue;
        }
        let target = TargetChoice {
            column: Some(column.to_string()),
            ..TargetChoice::default()
        };
        let read = (ReadOptions::default(), FeatureChoice::default());
        let data = load_dataset(&[shared.join(data)], &read.0, &target, &read.1)?.data;
        let text = fs::read_to_string(folder.join(format!("folds_{set}.csv")))?;
        let rows = text.lines().skip(1);
        let fold_of: Vec<Vec<usize>> = rows
            .map(|row| row.split(',').map(str::parse).collect())
            .collect::<Result<_, _>>()?;
        for repeat in 0..fold_of[0].len() {
            for fold in 0..5 {
                if done.contains(&(set.to_string(), repeat, fold)) {
                    continue;
                }
                let is_test = |n: &usize| fold_of[*n][repeat] == fold;
                let (test, train): (Vec<usize>, Vec<usize>) = (0..fold_of.len()).partition(is_test);
                let unseen = data.table().rows(&test)?;
                let training = data.rows(&train)?;
                let mut lines = String::new();
                for found in [
                    one_panel(&training, &unseen)?,
                    against_the_rest(&training, &unseen)?,
                ] {
                    for (model, features, seconds, probability) in found {
                        let said = Said {
                            set: set.to_string(),
                            repeat,
                            fold,
                            model,
                            features,
                            seconds: (10.0 * seconds).round() / 10.0,
                            rows: test.clone(),
                            probability: probability.iter().map(|row| rounded(row)).collect(),
                        };
                        lines += &serde_json::to_string(&said)?;
                        lines.push('\n');
                    }
                }
                let mut open = fs::OpenOptions::new()
                    .create(true)
                    .append(true)
                    .open(&file)?;
                open.write_all(lines.as_bytes())?;
                println!("{set} {repeat} {fold}");
            }
        }
    }
    Ok(())
}

/// Six digits are more than any measure shows.
fn rounded(row: &[f64]) -> Vec<f64> {
    row.iter().map(|p| (p * 1e6).round() / 1e6).collect()
}

/// Model, distinct features, seconds, probabilities.
type Found = Vec<(String, usize, f64, Vec<Vec<f64>>)>;

/// The model of several classes at every size.
fn one_panel(training: &Dataset, unseen: &Table) -> Result<Found, Box<dyn Error>> {
    let start = Instant::now();
    let params = Params::projected(Size::Full).check()?;
    let path = params.path_classes(training.clone(), |_| ControlFlow::Continue(()))?;
    let seconds = start.elapsed().as_secs_f64();
    let of = |size: Size| -> Result<_, Box<dyn Error>> {
        let model = path.model(size)?;
        let said = model.predict(unseen)?;
        let probability = said.into_iter().map(|said| said.probability).collect();
        Ok((
            format!("one panel, {size}"),
            model.feature_count(),
            seconds,
            probability,
        ))
    };
    SIZES.into_iter().map(of).collect()
}

/// A model of two classes for each class at every size, the probabilities scaled to one.
fn against_the_rest(training: &Dataset, unseen: &Table) -> Result<Found, Box<dyn Error>> {
    let Target::Classes { names, labels } = training.target() else {
        return Err("a target of classes".into());
    };
    let start = Instant::now();
    let mut paths = Vec::new();
    for (class, name) in names.iter().enumerate() {
        let rows = labels.iter().filter(|&&label| label == class).count();
        let path = match training.clone().one_against_rest(&[name]) {
            Ok(data) => {
                let params = Params::projected(Size::Full).check()?;
                Some(params.path(data, |_| ControlFlow::Continue(()))?)
            }
            // Too few rows of the class for a model of its own: its share is all there is to say.
            Err(_) => None,
        };
        paths.push((path, (rows as f64 + 0.5) / (labels.len() as f64 + 1.0)));
    }
    let seconds = start.elapsed().as_secs_f64();
    let of = |size: Size| -> Result<_, Box<dyn Error>> {
        let mut probability = vec![Vec::new(); unseen.samples()];
        let mut features = BTreeSet::new();
        for (path, share) in &paths {
            let said = match path {
                Some(path) => {
                    let model = path.clone().into_model(size)?;
                    features.extend(model.needed_features());
                    model.predict_probability(unseen)?
                }
                None => vec![*share; unseen.samples()],
            };
            for (row, p) in probability.iter_mut().zip(said) {
                row.push(p);
            }
        }
        for row in &mut probability {
            let total: f64 = row.iter().sum::<f64>().max(f64::MIN_POSITIVE);
            row.iter_mut().for_each(|p| *p /= total);
        }
        Ok((
            format!("one against the rest, {size}"),
            features.len(),
            seconds,
            probability,
        ))
    };
    SIZES.into_iter().map(of).collect()
}
