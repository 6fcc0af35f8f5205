//! `rfvm evaluate`: what a fit is worth on samples it has not seen.

mod classes;
mod text;

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rfvm::{CheckedParams, Dataset, Folds, Method, Provenance, Size, Wanted};
use serde::Serialize;

use crate::args::{DataArgs, MethodArgs, TreatmentArgs, check_level};
use crate::error::Error;
use crate::figures::{Figures, write_figures};
use crate::output::{check_place, print, print_json, write_file};
use crate::progress::FoldsBar;
use crate::several::has_several;

mod batches;

use batches::{hold_out, write_provenance};

const EXAMPLES: &str = "\
Examples:
  rfvm evaluate expression.csv --target class
  rfvm evaluate expression.csv --target class --cv 10 --repeats 5 --size compact
  rfvm evaluate expression.csv --target class --size full
  rfvm evaluate expression.csv --target class --share 0.9
  rfvm evaluate colon.mat --target Y --positive 1 --folds colon.csv --json
  rfvm evaluate metabolome.npz --target y --group groups
  rfvm evaluate expression.csv --target class --batch plate
  rfvm evaluate expression.csv --target class --threshold 0.3
  rfvm evaluate expression.csv --target class --repeats 2 --sensitivity 0.9
  rfvm evaluate expression.csv --target class --figures figures -o a.json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    treatment: TreatmentArgs,
    /// Number of folds
    #[arg(long, value_name = "K", default_value_t = 5, help_heading = "Folds")]
    cv: usize,
    /// Number of repeats, each with folds of its own [default: 10, or all columns of --folds]
    #[arg(long, value_name = "R", help_heading = "Folds")]
    repeats: Option<usize>,
    /// File with the test fold of each sample, one column a repeat, one line a sample, after a line of names
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "cv",
        help_heading = "Folds"
    )]
    folds: Option<PathBuf>,
    /// Seed by which the samples are dealt to folds, and the labels shuffled for --permuted
    #[arg(long, value_name = "N", default_value_t = 1, help_heading = "Folds")]
    seed: u64,
    /// Cross-validate this many times with the labels shuffled too: how good is chance here?
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = "Folds")]
    permuted: usize,
    /// Leave out the second cross-validation, which holds whole batches out where there is a column of batches (--batch)
    #[arg(long, help_heading = "Folds")]
    no_batch_check: bool,
    /// Take samples with a probability above this for the positive class
    #[arg(
        long,
        value_name = "P",
        default_value_t = 0.5,
        help_heading = "Threshold"
    )]
    threshold: f64,
    /// Also choose a threshold for this sensitivity in every fold, by five more fits to its training samples, and tell what
    /// it reaches on the others
    #[arg(long, value_name = "SHARE", help_heading = "Threshold")]
    sensitivity: Option<f64>,
    /// The same for a specificity
    #[arg(long, value_name = "SHARE", help_heading = "Threshold")]
    specificity: Option<f64>,
    /// Tell what is left, and how much of it is right, when samples are abstained on whose interval of this level holds both
    /// classes (as `rfvm predict --reject` does)
    #[arg(
        long,
        value_name = "LEVEL",
        default_value_t = 0.95,
        help_heading = "Threshold"
    )]
    reject: f64,
    /// Write the ROC, precision-recall, calibration and decision curves to this folder, each as an SVG and as a
    /// PNG file (6 inches wide, 300 dots an inch)
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Write the evaluation to this file as one JSON object, for `rfvm report --evaluation` and `rfvm compare`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let inputs = options.data.inputs();
    check_place(options.output.as_ref(), inputs.iter().chain(&options.folds))?;
    check_shares(options)?;
    check_level(options.reject)?;
    let params = options.treatment.params(options.method.params()?).check()?;
    // What is wrong without the data is told before they are read.
    if options.figures.is_some() && options.data.is_regression() {
        return Err(Error::Argument(
            "a regression has no curves to draw; leave --figures out".to_string(),
        ));
    }
    if let Some(path) = &options.folds {
        std::fs::File::open(path).map_err(Error::read(path))?;
    }
    let loaded = options.data.load()?;
    let data = options
        .treatment
        .weighted(loaded.data)
        .map_err(options.data.refused())?;
    let samples = data.table().samples();
    let folds = match &options.folds {
        Some(path) => {
            let assignment = read_folds(path, options.repeats, samples)?;
            Folds::given(assignment, samples).map_err(Error::about(path))?
        }
        None => {
            let strata = if data.labels().is_empty() {
                vec![0; samples]
            } else {
                data.labels().to_vec()
            };
            let repeats = options.repeats.unwrap_or(10);
            Folds::stratified(&strata, data.groups(), options.cv, repeats, options.seed)?
        }
    };
    if has_several(&data) {
        return of_classes(options, &params, &data, &folds, loaded.provenance);
    }
    let bar = FoldsBar::new(folds.count() * folds.repeats());
    let evaluation = params
        .evaluate(&data, &folds, |done, _| {
            bar.show(done);
            ControlFlow::Continue(())
        })
        .map_err(options.data.refused())?;
    drop(bar);
    let Some(mut evaluation) = evaluation else {
        return Err(Error::Interrupted);
    };
    if options.permuted > 0 {
        let bar = FoldsBar::new(folds.count() * options.permuted);
        let seed = options.seed;
        params
            .evaluate_permuted(&data, &mut evaluation, options.permuted, seed, |done, _| {
                bar.show(done);
                ControlFlow::Continue(())
            })
            .map_err(options.data.refused())?;
    }
    evaluation.provenance = loaded.provenance;
    if let (Some(batch), false) = (loaded.batches.first(), options.no_batch_check) {
        hold_out(&params, &data, batch, &mut evaluation, options.seed)
            .map_err(options.data.refused())?;
    }
    evaluation = evaluation.with_threshold(options.threshold)?;
    evaluation = evaluation.with_rejection(options.reject)?;
    let sensitivity = options.sensitivity.map(Wanted::Sensitivity);
    let specificity = options.specificity.map(Wanted::Specificity);
    let wanted: Vec<Wanted> = sensitivity.into_iter().chain(specificity).collect();
    if !wanted.is_empty() {
        let bar = FoldsBar::new(evaluation.results.len());
        params
            .evaluate_thresholds(&data, &mut evaluation, &wanted, options.seed, |done, _| {
                bar.show(done);
                ControlFlow::Continue(())
            })
            .map_err(options.data.refused())?;
    }
    if selects_nothing(&params) {
        // Every fit uses every feature: to name them all for each fold would say nothing.
        evaluation.selection.clear();
        let results = evaluation.results.iter_mut();
        results.for_each(|result| result.selected.clear());
    }
    if let Some(path) = &options.output {
        write_evaluation(path, &evaluation)?;
    }
    let figures = match &options.figures {
        Some(folder) => write_figures(folder, &Figures::of(&evaluation))?,
        None => Vec::new(),
    };
    if options.json {
        return print_json(&evaluation);
    }
    print(|out| {
        text::write(out, &evaluation)?;
        write_provenance(out, &evaluation)?;
        let written: Vec<&PathBuf> = options.output.iter().chain(&figures).collect();
        if !written.is_empty() {
            writeln!(out)?;
        }
        for path in written {
            writeln!(out, "Written: {}", path.display())?;
        }
        Ok(())
    })
}

/// The same with several classes.
fn of_classes(
    options: &Options,
    params: &CheckedParams,
    data: &Dataset,
    folds: &Folds,
    provenance: Provenance,
) -> Result<ExitCode, Error> {
    refuse_what_is_for_two(options)?;
    let bar = FoldsBar::new(folds.count() * folds.repeats());
    let evaluation = params
        .evaluate_classes(data, folds, |done, _| {
            bar.show(done);
            ControlFlow::Continue(())
        })
        .map_err(options.data.refused())?;
    drop(bar);
    let mut evaluation = evaluation.ok_or(Error::Interrupted)?;
    evaluation.provenance = provenance;
    if selects_nothing(params) {
        evaluation.selection.clear();
        let results = evaluation.results.iter_mut();
        results.for_each(|result| result.selected.clear());
    }
    if let Some(path) = &options.output {
        write_evaluation(path, &evaluation)?;
    }
    if options.json {
        return print_json(&evaluation);
    }
    print(|out| {
        classes::write(out, &evaluation)?;
        match &options.output {
            Some(path) => writeln!(out, "\nWritten: {}", path.display()),
            None => Ok(()),
        }
    })
}

fn refuse_what_is_for_two(options: &Options) -> Result<(), Error> {
    let asked = [
        ("--permuted", options.permuted > 0),
        ("--threshold", options.threshold != 0.5),
        ("--sensitivity", options.sensitivity.is_some()),
        ("--specificity", options.specificity.is_some()),
        ("--reject", options.reject != 0.95),
        ("--figures", options.figures.is_some()),
    ];
    match asked.into_iter().find(|(_, asked)| *asked) {
        None => Ok(()),
        Some((option, _)) => Err(Error::Argument(format!(
            "{option} is for two classes, and these are more; leave it out, or set one class against the rest (--positive)"
        ))),
    }
}

fn write_evaluation(path: &Path, evaluation: &impl Serialize) -> Result<(), Error> {
    let mut text = serde_json::to_vec_pretty(evaluation)
        .map_err(|reason| Error::file(path)(io::Error::other(reason)))?;
    text.push(b'\n');
    write_file(path, &text)
}

/// Refuses percentages and the like before an hour of fits.
fn check_shares(options: &Options) -> Result<(), Error> {
    for (name, share) in [
        ("threshold", Some(options.threshold)),
        ("sensitivity", options.sensitivity),
        ("specificity", options.specificity),
    ] {
        if let Some(share) = share.filter(|share| !(*share > 0.0 && *share < 1.0)) {
            return Err(Error::Argument(format!(
                "--{name} {share} is no share; give a number between 0 and 1, 0.9 for 90 %"
            )));
        }
    }
    if options.folds.is_none() && (options.cv < 2 || options.repeats == Some(0)) {
        return Err(Error::Argument(format!(
            "--cv {} and --repeats {} make no cross-validation; give 2 folds and 1 repeat at least",
            options.cv,
            options.repeats.unwrap_or(10)
        )));
    }
    Ok(())
}

/// Whether the fits are full models.
fn selects_nothing(params: &CheckedParams) -> bool {
    matches!(&params.get().method, Method::Projected(own) if own.size == Size::Full)
}

/// One column a repeat, one line a sample; the first line holds names.
fn read_folds(
    path: &Path,
    repeats: Option<usize>,
    samples: usize,
) -> Result<Vec<Vec<usize>>, Error> {
    let text = std::fs::read_to_string(path).map_err(Error::read(path))?;
    let wrong = |what: String| Error::Argument(format!("{}: {what}", path.display()));
    let names = text.lines().next().unwrap_or_default().split(',').count();
    let mut assignment: Vec<Vec<usize>> = vec![Vec::new(); names];
    for (number, line) in text
        .lines()
        .enumerate()
        .skip(1)
        .filter(|(_, line)| !line.trim().is_empty())
    {
        let line_number = number + 1;
        let cells = line.split(',').count();
        if cells != names {
            return Err(wrong(format!(
                "line {line_number}: it has {cells} cells where the first line has {names}; correct the file there"
            )));
        }
        for (repeat, (cell, folds)) in line.split(',').zip(&mut assignment).enumerate() {
            let fold = cell.trim().parse().map_err(|_| {
                wrong(format!(
                    "line {line_number}, column {}: '{cell}' is no fold number; write 0, 1, 2, ...",
                    repeat + 1
                ))
            })?;
            folds.push(fold);
        }
    }
    let lines = assignment.first().map_or(0, Vec::len);
    if lines != samples {
        return Err(wrong(format!(
            "it has the folds of {lines} samples, but the table has {samples}; give the folds of this table, one line a sample below a line of names"
        )));
    }
    if let Some(repeats) = repeats {
        assignment.truncate(repeats);
    }
    Ok(assignment)
}
