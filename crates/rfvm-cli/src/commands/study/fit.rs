//! `rfvm study fit`: a fit on all waves.

use std::path::PathBuf;
use std::process::ExitCode;
use std::str::FromStr as _;

use clap::Args;
use rfvm::{Model, Size};
use rfvm_study::{FitChoice, Study};
use serde_json::json;

use crate::error::Error;
use crate::interrupt::Writing;
use crate::output::{check_place, print, print_json, write_file};
use crate::progress::Stages;
use crate::report::{Extent, model_json, write_model};

const EXAMPLES: &str = "\
Examples:
  rfvm study fit s.rfvm
  rfvm study fit s.rfvm --size compact -o model.json
  rfvm study fit s.rfvm --cost-prior 1 --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The study file
    study: PathBuf,
    /// How many tests the model uses: compact, balanced, accurate, full, or a number
    #[arg(long, value_name = "SIZE", value_parser = Size::from_str, default_value = "balanced")]
    size: Size,
    /// Disjoint alternative signatures to look for beside the model
    #[arg(long, value_name = "K", default_value_t = 3)]
    signatures: usize,
    /// Let cost enter the prior: a test of mean cost has 1 + STRENGTH times the precision of one that is free
    #[arg(long, value_name = "STRENGTH")]
    cost_prior: Option<f64>,
    /// Leave out tests that fewer than this share of the subjects has a value of
    #[arg(long, value_name = "SHARE", default_value_t = 0.1)]
    coverage: f64,
    /// Repeats of the five-fold cross-validation
    #[arg(long, value_name = "R", default_value_t = 2)]
    repeats: usize,
    /// Write the model to this file too
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Worker threads, which change the time and nothing else [default: OMP_NUM_THREADS, else all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    check_place(options.output.as_ref(), [&options.study])?;
    let mut study = Study::open(&options.study)?;
    let choice = FitChoice {
        size: options.size,
        signatures: options.signatures,
        cost_prior: options.cost_prior,
        coverage: options.coverage,
        repeats: options.repeats,
        threads: options.threads,
        ..FitChoice::default()
    };
    let writing = Writing::begin()?;
    let progress = Stages::new();
    let fitted = study.fit(&choice, &|what, done, of| progress.show(what, done, of))?;
    drop((progress, writing));
    if let Some(path) = &options.output {
        write_file(path, fitted.model.to_json().as_bytes())?;
    }
    if options.json {
        let object = |model: &Model| model_json(model, Extent::Strongest);
        return print_json(&json!({
            "event": fitted.event,
            "summary": fitted.summary,
            "auc": fitted.evaluation.as_ref().and_then(|found| found.auc),
            "log_loss": fitted.evaluation.as_ref().and_then(|found| found.log_loss),
            "model": object(&fitted.model),
            "alternatives": object(&fitted.alternatives),
        }));
    }
    print(|out| {
        let summary = &fitted.summary;
        writeln!(
            out,
            "Fit number {} of the log, waves 1 to {}.",
            fitted.event, summary.wave
        )?;
        write_model(out, &fitted.model)?;
        writeln!(out)?;
        super::worth::write_worth(out, &fitted)?;
        writeln!(
            out,
            "The model's tests cost {:.2} for each subject; all {} in use cost {:.2}.",
            summary.panel_price.cost, summary.tests, summary.price.cost
        )?;
        let start = if summary.warm {
            "the last fit"
        } else {
            "the tests' correlations with the outcome"
        };
        writeln!(
            out,
            "Alternative signatures (started from {start}, {} iterations):",
            summary.iterations
        )?;
        for (number, tests) in (1..).zip(&summary.alternatives) {
            writeln!(out, "  {number}: {}", tests.join(", "))?;
        }
        match &options.output {
            Some(path) => writeln!(out, "\nWritten: {}", path.display()),
            None => Ok(()),
        }
    })
}
