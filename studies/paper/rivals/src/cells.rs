//! Runs the cells of a job.

use std::collections::HashSet;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use rfvm::{
    Dataset, Folds, Iteration, MeanField, Model, Params, Scaling, Signatures, Size, Standardizer,
    StopReason, Table,
};
use rfvm_io::{FeatureChoice, Loaded, ReadOptions, TargetChoice, load_dataset};

use crate::job::{Cell, Job, ModelName, Rows};
use crate::{Linear, PFCVM_ROUNDS, Problem, Xolon, pfcvm, srvm, xolon};

/// Signatures of a committee.
const COMMITTEE: usize = 5;
/// Most steps of SRVM.
const SRVM_STEPS: usize = 3000;
/// Steps of Adam; the paper names no number.
const XOLON_STEPS: usize = 500;
const XOLON_FOLDS: usize = 3;
const RATES: [f64; 4] = [0.2, 0.1, 0.01, 0.001];
/// Large penalties first: of equally accurate settings the sparsest is taken.
const PENALTIES: [f64; 7] = [10.0, 1.0, 0.1, 1e-2, 1e-3, 1e-4, 1e-5];

/// Runs every cell of the job and hands each over as soon as it is finished.
pub fn run(
    job: &Job,
    mut done: impl FnMut(Cell) -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let target = TargetChoice {
        column: Some("y".to_string()),
        positive: (!job.regression).then(|| vec!["1".to_string()]),
        regression: job.regression,
        group: job.grouped.then(|| "groups".to_string()),
        ..TargetChoice::default()
    };
    let paths = [job.table.clone()];
    let loaded = load_dataset(
        &paths,
        &ReadOptions::default(),
        &target,
        &FeatureChoice::default(),
    )?;
    job.cells
        .iter()
        .try_for_each(|rows| done(cell(job, &loaded, rows)?))
}

fn cell(job: &Job, loaded: &Loaded, rows: &Rows) -> Result<Cell, Box<dyn Error>> {
    match job.model {
        ModelName::One
        | ModelName::Committee
        | ModelName::Balanced
        | ModelName::Full
        | ModelName::Paper => own(job, loaded, rows),
        _ => rival(job, loaded, rows),
    }
}

fn own(job: &Job, loaded: &Loaded, rows: &Rows) -> Result<Cell, Box<dyn Error>> {
    let mut params = match job.model {
        ModelName::Balanced => Params::projected(Size::Balanced),
        ModelName::Full => Params::projected(Size::Full),
        ModelName::Paper => {
            let mut method = MeanField::default();
            let limit = &mut method.stopping.max_iterations;
            *limit = job.max_iterations.unwrap_or(*limit);
            Params::from(method)
        }
        _ => {
            let mut method = Signatures::default();
            if job.model == ModelName::Committee {
                method.count = COMMITTEE;
            }
            let limit = &mut method.stopping.max_iterations;
            *limit = job.max_iterations.unwrap_or(*limit);
            Params::from(method)
        }
    };
    params.threads = Some(1);
    let (data, test) = split(&loaded.data, rows)?;
    let start = Instant::now();
    let end = deadline(job, start);
    let mut trace = Vec::new();
    let watch = |now: &Iteration| {
        if job.trace {
            trace.push((now.number, now.bound, now.features, now.vectors));
        }
        match end.is_some_and(|end| Instant::now() > end) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let model = params.check()?.fit_with(data, watch)?;
    let seconds = start.elapsed().as_secs_f64();
    let features = model.signatures().iter().flat_map(|s| s.features());
    let (names, weights): (Vec<String>, Vec<f64>) =
        features.map(|f| (f.name.clone(), f.weight)).unzip();
    let positions = loaded.data.table().find_features(&names)?;
    let predictions = model.predict(&test)?;
    Ok(Cell {
        scores: predictions
            .iter()
            .map(|p| p.probability.unwrap_or(p.mean))
            .collect(),
        selected: positions.into_iter().zip(weights).collect(),
        vectors: rows_of(&loaded.data, &model),
        seconds,
        setting: format!("{:?}", model.stop_reason()),
        cut_short: model.stop_reason() == StopReason::Interrupted,
        trace,
    })
}

/// The rows of the table that are relevance vectors.
fn rows_of(data: &Dataset, model: &Model) -> Vec<usize> {
    let names: HashSet<&str> = (model.signatures().iter())
        .flat_map(|signature| signature.vectors())
        .map(|vector| vector.sample.as_str())
        .collect();
    let samples = data.table().sample_names().iter().enumerate();
    samples
        .filter(|(_, name)| names.contains(name.as_str()))
        .map(|(row, _)| row)
        .collect()
}

fn rival(job: &Job, loaded: &Loaded, rows: &Rows) -> Result<Cell, Box<dyn Error>> {
    let (data, test) = split(&loaded.data, rows)?;
    let start = Instant::now();
    let scaled = Scaled::new(&data)?;
    let problem = &scaled.problem;
    let end = deadline(job, start);
    let (model, setting) = match job.model {
        ModelName::Srvm => (srvm(problem, SRVM_STEPS, end), String::new()),
        ModelName::Pfcvm => {
            let rounds = job.max_iterations.unwrap_or(PFCVM_ROUNDS);
            (pfcvm(problem, rounds, end), String::new())
        }
        _ => tuned_xolon(job, &data, data.groups(), problem, end)?,
    };
    let seconds = start.elapsed().as_secs_f64();
    Ok(Cell {
        scores: model.probabilities(&scaled.apply(&test)),
        selected: model
            .features
            .iter()
            .map(|&d| (scaled.standardizer.kept()[d], model.weights[d]))
            .collect(),
        vectors: model.vectors.iter().map(|&m| rows.train[m]).collect(),
        seconds,
        setting,
        cut_short: model.cut_short,
        trace: Vec::new(),
    })
}

/// The most accurate setting over three inner folds, fitted again on all rows. A learning rate that the deadline cuts
/// short is out of the running.
fn tuned_xolon(
    job: &Job,
    data: &Dataset,
    groups: Option<&[usize]>,
    problem: &Problem,
    end: Option<Instant>,
) -> Result<(Linear, String), Box<dyn Error>> {
    let rates = if job.quick { &RATES[2..3] } else { &RATES[..] };
    let penalties = if job.quick {
        &PENALTIES[3..5]
    } else {
        &PENALTIES[..]
    };
    let (mut best, mut cut_short) = (None, false);
    let folds = match job.xolon {
        Some(_) => None,
        None => Some(Folds::stratified(data.labels(), groups, XOLON_FOLDS, 1, 0)?),
    };
    for &rate in rates {
        let Some(folds) = &folds else { break };
        let setting = |penalty_v, penalty_a| Xolon {
            rate,
            penalty_v,
            penalty_a,
        };
        let settings: Vec<Xolon> = penalties
            .iter()
            .flat_map(|&v| penalties.iter().map(move |&a| setting(v, a)))
            .collect();
        let mut right = vec![0; settings.len()];
        for fold in 0..XOLON_FOLDS {
            let (train, test) = folds.split(0, fold);
            let inner = Scaled::new(&data.rows(&train)?)?;
            let held_back = inner.apply(&data.table().rows(&test)?);
            let models = xolon(&inner.problem, &settings, XOLON_STEPS, end);
            for (right, model) in right.iter_mut().zip(&models) {
                let found = model.probabilities(&held_back);
                let hit = |(p, n): &(f64, &usize)| (*p > 0.5) == (data.labels()[**n] == 1);
                *right += found.into_iter().zip(&test).filter(hit).count();
                cut_short |= model.cut_short;
            }
        }
        if cut_short {
            break;
        }
        for (right, setting) in right.into_iter().zip(settings) {
            if best.is_none_or(|(most, _)| right > most) {
                best = Some((right, setting));
            }
        }
    }
    let fixed = job.xolon.map(|[rate, penalty_v, penalty_a]| Xolon {
        rate,
        penalty_v,
        penalty_a,
    });
    let chosen = fixed
        .or(best.map(|(_, setting)| setting))
        .ok_or("the budget ended before XOLON's first learning rate was tried; give it more")?;
    let mut model = xolon(problem, &[chosen], XOLON_STEPS, None)
        .pop()
        .ok_or("XOLON gave no model")?;
    model.cut_short = cut_short;
    let Xolon {
        rate,
        penalty_v,
        penalty_a,
    } = chosen;
    Ok((model, format!("rate {rate} v {penalty_v} a {penalty_a}")))
}

/// Standardised training rows, and what brings new rows to the same scale.
struct Scaled {
    standardizer: Standardizer,
    problem: Problem,
}

impl Scaled {
    fn new(data: &Dataset) -> Result<Self, rfvm::Error> {
        let standardizer = Standardizer::fit(data.table(), Scaling::Plain)?;
        let mut scaled = Self {
            problem: Problem {
                x: Vec::new(),
                features: standardizer.kept().len(),
                t: data.labels().iter().map(|&t| t as f64).collect(),
            },
            standardizer,
        };
        scaled.problem.x = scaled.apply(data.table());
        Ok(scaled)
    }

    /// Row by row.
    fn apply(&self, table: &Table) -> Vec<f64> {
        let (n, d) = (table.samples(), self.problem.features);
        let mut x = vec![0.0; n * d];
        let kept = self.standardizer.kept().iter();
        for (to, (&from, scale)) in kept.zip(self.standardizer.scales()).enumerate() {
            for (row, &value) in table.feature(from).iter().enumerate() {
                x[row * d + to] = scale.apply(value);
            }
        }
        x
    }
}

fn split(data: &Dataset, rows: &Rows) -> Result<(Dataset, Table), rfvm::Error> {
    Ok((data.rows(&rows.train)?, data.table().rows(&rows.test)?))
}

fn deadline(job: &Job, start: Instant) -> Option<Instant> {
    job.budget
        .map(|seconds| start + Duration::from_secs_f64(seconds))
}
