//! `rfvm demo`: a simulated study with known truth, fitted, and set against that truth.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Args;
use rfvm::{Model, Params, Size};

use crate::error::Error;
use crate::interrupt;
use crate::output::{Folder, print, print_json};
use crate::progress::FitBar;

mod files;
mod study;
mod summary;
mod text;

use study::DemoStudy;
use summary::{DemoSummary, ModelSummary, PathSummary, Seconds};

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
    let params = Params {
        threads: options.threads,
        ..Params::projected(Size::Full)
    };
    let params = params.check()?;
    let mut folder = options.out.as_deref().map(Folder::open).transpose()?;

    let (study, simulation) = timed(|| DemoStudy::draw(options.seed))?;
    let progress = FitBar::new("path");
    let data = study.train.clone();
    let (path, fit) = timed(|| params.path(data, |iteration| progress.show(iteration)))?;
    drop(progress);
    if interrupt::asked() {
        return Err(Error::Interrupted);
    }
    let model = |size| path.clone().into_model(size);
    let balanced = model(Size::Balanced)?;

    let files = match folder.take() {
        Some(folder) => write_files(folder, &study, &balanced)?,
        None => Vec::new(),
    };
    let summary = DemoSummary {
        version: env!("CARGO_PKG_VERSION"),
        seed: options.seed,
        study: study.describe(),
        balanced: ModelSummary::new(&balanced, &study)?,
        compact: ModelSummary::new(&model(Size::Compact)?, &study)?,
        full: ModelSummary::new(&model(Size::Full)?, &study)?,
        path: PathSummary::new(&path),
        known_truth: study.scores_of_the_truth(),
        files,
        seconds: Seconds { simulation, fit },
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
