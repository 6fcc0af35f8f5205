//! `rfvm demo`: a simulated study with known truth, fitted, and set against that truth.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use rfvm::{Model, Params, Size};

use crate::error::Error;
use crate::interrupt;
use crate::output::{Folder, print, print_json};
use crate::progress::Progress;

mod files;
mod study;
mod summary;
mod text;

use study::DemoStudy;
use summary::{ModelSummary, PathSummary, Seconds, Summary};

const EXAMPLES: &str = "\
Examples:
  rfvm demo
  rfvm demo --seed 7 --out study
  rfvm demo --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Write train.csv, test.csv, truth.csv and model.json (the balanced model) to this folder
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
    let params = |size| Params {
        threads: options.threads,
        ..Params::projected(size)
    };
    let (usual, all) = (params(Size::Balanced).check()?, params(Size::Full).check()?);
    let mut folder = options.out.as_deref().map(Folder::open).transpose()?;

    let (study, simulation) = timed(|| DemoStudy::draw(options.seed))?;
    let path = |what, params: &rfvm::CheckedParams| {
        let progress = Progress::new(what);
        let data = study.train.clone();
        let fitted = timed(|| params.path(data, |iteration| progress.show(iteration)))?;
        match interrupt::asked() {
            true => Err(Error::Interrupted),
            false => Ok(fitted),
        }
    };
    let (few, few_seconds) = path("few features", &usual)?;
    let (every, full_seconds) = path("all features", &all)?;
    let balanced = few.clone().into_model(Size::Balanced);

    let files = match folder.take() {
        Some(folder) => write_files(folder, &study, &balanced)?,
        None => Vec::new(),
    };
    let summary = Summary {
        version: env!("CARGO_PKG_VERSION"),
        seed: options.seed,
        study: study.describe(),
        balanced: ModelSummary::new(&balanced, &study)?,
        compact: ModelSummary::new(&few.clone().into_model(Size::Compact), &study)?,
        full: ModelSummary::new(&every.into_model(Size::Full), &study)?,
        path: PathSummary::new(&few),
        known_truth: study.scores_of_the_truth(),
        files,
        seconds: Seconds {
            simulation,
            balanced: few_seconds,
            full: full_seconds,
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
