//! `rfvm study advise`: what to retire, what replaces what, which subjects define the model, whom to recruit.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm_study::{AdviceChoice, Study};

use crate::error::Error;
use crate::interrupt::Writing;
use crate::output::{print, print_json};
use crate::progress::Stages;

const EXAMPLES: &str = "\
Examples:
  rfvm study advise s.rfvm
  rfvm study advise s.rfvm --budget 150 --margin 0.01
  rfvm study advise s.rfvm --accept
  rfvm study advise s.rfvm --quick --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The study file
    study: PathBuf,
    /// Log loss, in nats a subject, that may be lost to a retirement (with 95 % confidence)
    #[arg(long, value_name = "NATS", default_value_t = 0.02)]
    margin: f64,
    /// AUC that may be lost to a retirement (with 95 % confidence)
    #[arg(long, value_name = "AUC", default_value_t = 0.02)]
    auc_margin: f64,
    /// The most that the tests of one subject may cost: names the best panel within it
    #[arg(long, value_name = "COST")]
    budget: Option<f64>,
    /// Let cost enter the prior: a test of mean cost has 1 + STRENGTH times the precision of one that is free
    #[arg(long, value_name = "STRENGTH")]
    cost_prior: Option<f64>,
    /// Tests in a model, at most
    #[arg(long, value_name = "N", default_value_t = 21)]
    size: usize,
    /// Leave out tests that fewer than this share of the subjects has a value of
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    coverage: f64,
    /// Number of folds
    #[arg(long, value_name = "K", default_value_t = 5)]
    folds: usize,
    /// Repeats of the folds
    #[arg(long, value_name = "R", default_value_t = 4)]
    repeats: usize,
    /// Retire the tests that are advised for it; performance is from then on measured on later subjects alone
    #[arg(long)]
    accept: bool,
    /// Leave out what takes longest: the loss of each single test, replacements, the learning curve
    #[arg(long)]
    quick: bool,
    /// Seed of the resampling
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Worker threads, which change the time and nothing else [default: OMP_NUM_THREADS, else all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let mut study = Study::open(&options.study)?;
    let choice = AdviceChoice {
        size: options.size,
        margin: options.margin,
        auc_margin: options.auc_margin,
        budget: options.budget,
        cost_prior: options.cost_prior,
        coverage: options.coverage,
        folds: options.folds,
        repeats: options.repeats,
        quick: options.quick,
        accept: options.accept,
        seed: options.seed,
        threads: options.threads,
    };
    let writing = Writing::begin()?;
    let progress = Stages::new();
    let advice = study.advise(&choice, &|what, done, of| progress.show(what, done, of))?;
    drop((progress, writing));
    if options.json {
        return print_json(&advice);
    }
    print(|out| super::text::write_advice(out, &advice, &choice))
}
