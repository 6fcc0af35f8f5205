//! `rfvm demo`: a simulated study with known truth, fitted, and set against that truth.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use rfvm::{Dataset, Model, Params, Signatures};

use crate::error::Error;
use crate::interrupt;
use crate::output::{Folder, print, print_json};
use crate::progress::Progress;

mod files;
mod study;
mod summary;
mod text;

use study::DemoStudy;
use summary::{ModelSummary, Seconds, Summary};

/// Rounds of the committee, at most.
const COMMITTEE: usize = 5;

const EXAMPLES: &str = "\
Examples:
  rfvm demo
  rfvm demo --seed 7 --out study
  rfvm demo --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Write train.csv, test.csv, truth.csv and model.json to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seed of the simulation; the same seed gives the same study and the same result
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
    /// Worker threads, which change the time and nothing else [default: OMP_NUM_THREADS, else all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let params = |count| Params {
        threads: options.threads,
        ..Params::from(Signatures {
            count,
            ..Signatures::default()
        })
    };
    let (alone, committee) = (params(1).check()?, params(COMMITTEE).check()?);
    let mut folder = options.out.as_deref().map(Folder::open).transpose()?;

    let (study, simulation_seconds) = timed(|| DemoStudy::draw(options.seed))?;
    let fit = |what, params: &rfvm::CheckedParams, data: Dataset| {
        let progress = Progress::new(what);
        let fitted = timed(|| params.fit_with(data, |iteration| progress.show(iteration)))?;
        match interrupt::asked() {
            true => Err(Error::Interrupted),
            false => Ok(fitted),
        }
    };
    let (alone, signature_seconds) = fit("one signature", &alone, study.train.clone())?;
    let (committee, committee_seconds) = fit("committee", &committee, study.train.clone())?;

    let files = match folder.take() {
        Some(folder) => write_files(folder, &study, &alone)?,
        None => Vec::new(),
    };
    let summary = Summary {
        version: env!("CARGO_PKG_VERSION"),
        seed: options.seed,
        study: study.describe(),
        signature: ModelSummary::new(&alone, &study)?,
        committee: ModelSummary::new(&committee, &study)?,
        known_truth: study.scores_of_the_truth(),
        files,
        seconds: Seconds {
            simulation: simulation_seconds,
            signature: signature_seconds,
            committee: committee_seconds,
        },
    };
    if options.json {
        return print_json(&summary);
    }
    print(|out| text::write(out, &summary))
}

fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(T, f64), E> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed().as_secs_f64()))
}

fn write_files(
    mut folder: Folder,
    study: &DemoStudy,
    model: &Model,
) -> Result<Vec<PathBuf>, Error> {
    folder.write("train.csv", |out| files::data(out, &study.train))?;
    folder.write("test.csv", |out| files::data(out, &study.test))?;
    folder.write("truth.csv", |out| files::truth(out, study))?;
    model.save(folder.place("model.json")?)?;
    folder.commit()
}
