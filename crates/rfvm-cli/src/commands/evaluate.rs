//! `rfvm evaluate`: what a fit is worth on samples it has not seen.

use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rfvm::{CheckedParams, Estimate, Evaluation, Folds, Method, Size};

use crate::args::{DataArgs, MethodArgs, TreatmentArgs};
use crate::error::Error;
use crate::output::{check_place, print, print_json, write_file};
use crate::printer::{Align, PrintedTable};
use crate::progress::FoldsBar;

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
  rfvm evaluate expression.csv --target class --batch plate";

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
    /// Write the evaluation to this file as one JSON object, for `rfvm report --evaluation`
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let inputs = options.data.inputs();
    check_place(options.output.as_ref(), inputs.iter().chain(&options.folds))?;
    let params = options.treatment.params(options.method.params()?).check()?;
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
    if selects_nothing(&params) {
        // Every fit uses every feature: to name them all for each fold would say nothing.
        evaluation.selection.clear();
        let results = evaluation.results.iter_mut();
        results.for_each(|result| result.selected.clear());
    }
    if let Some(path) = &options.output {
        let mut text = serde_json::to_vec_pretty(&evaluation)
            .map_err(|reason| Error::file(path)(io::Error::other(reason)))?;
        text.push(b'\n');
        write_file(path, &text)?;
    }
    if options.json {
        return print_json(&evaluation);
    }
    print(|out| {
        write(out, &evaluation)?;
        write_provenance(out, &evaluation)?;
        match &options.output {
            Some(path) => writeln!(out, "\nWritten: {}", path.display()),
            None => Ok(()),
        }
    })
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

fn write(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let Evaluation {
        n,
        d,
        repeats,
        folds,
        ..
    } = evaluation;
    writeln!(
        out,
        "{n} samples, {d} features; {folds} folds, {repeats} repeat(s)"
    )?;
    if let Some(positive) = evaluation.classes.get(1) {
        writeln!(
            out,
            "positive class: {positive}; probabilities are P({positive})"
        )?;
    }
    if evaluation.no_signal > 0 {
        writeln!(
            out,
            "{} of {} fits found no signal",
            evaluation.no_signal,
            folds * repeats
        )?;
    }
    writeln!(out)?;
    per_fold(out, evaluation)?;
    writeln!(out)?;
    overall(out, evaluation)?;
    chance(out, evaluation)?;
    writeln!(out)?;
    selection(out, evaluation)
}

/// The same with shuffled labels, where that was asked for.
fn chance(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let shuffled = &evaluation.permuted;
    let (measure, real, chance): (_, _, Vec<f64>) = match (evaluation.auc, evaluation.rmse) {
        (Some(auc), _) => (
            "AUC",
            auc.mean,
            shuffled.iter().filter_map(|p| p.auc).collect(),
        ),
        (_, Some(rmse)) => (
            "RMSE",
            rmse.mean,
            shuffled.iter().filter_map(|p| p.rmse).collect(),
        ),
        _ => return Ok(()),
    };
    if chance.is_empty() {
        return Ok(());
    }
    let ends = |ends: (f64, f64), v: &f64| (ends.0.min(*v), ends.1.max(*v));
    let (low, high) = chance.iter().fold((f64::INFINITY, f64::NEG_INFINITY), ends);
    writeln!(
        out,
        "\nWith shuffled labels, {} times: {measure} {low:.4} to {high:.4}, against {real:.4}",
        chance.len()
    )
}

fn per_fold(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let regression = evaluation.rmse.is_some();
    let measures = if regression {
        ["RMSE", "R²", ""]
    } else {
        ["accuracy", "AUC", "log loss"]
    };
    let mut table = PrintedTable::new([
        ("repeat", Align::Right),
        ("fold", Align::Right),
        (measures[0], Align::Right),
        (measures[1], Align::Right),
        (measures[2], Align::Right),
        ("features", Align::Right),
        ("vectors", Align::Right),
        ("seconds", Align::Right),
    ]);
    let number = |value: Option<f64>| value.map_or(String::new(), |value| format!("{value:.3}"));
    for result in &evaluation.results {
        let shown = if regression {
            [result.rmse, result.r2, None]
        } else {
            [result.accuracy, result.auc, result.log_loss]
        };
        table.row([
            result.repeat.to_string(),
            result.fold.to_string(),
            number(shown[0]),
            number(shown[1]),
            number(shown[2]),
            result.features.to_string(),
            result.vectors.to_string(),
            format!("{:.3}", result.fit_seconds),
        ]);
    }
    table.write(out)
}

fn overall(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let mut table = PrintedTable::new([
        ("", Align::Left),
        ("mean", Align::Right),
        ("sd", Align::Right),
        ("95 % interval", Align::Left),
    ]);
    let rows: [(&str, Option<Estimate>); 12] = [
        ("accuracy", evaluation.accuracy),
        ("balanced accuracy", evaluation.balanced_accuracy),
        ("AUC", evaluation.auc),
        ("log loss", evaluation.log_loss),
        ("Brier score", evaluation.brier),
        ("RMSE", evaluation.rmse),
        ("R²", evaluation.r2),
        ("features", Some(evaluation.features)),
        ("features, %", Some(evaluation.features_percent)),
        ("vectors", Some(evaluation.vectors)),
        ("vectors, %", Some(evaluation.vectors_percent)),
        ("seconds a fit", Some(evaluation.fit_seconds)),
    ];
    for (name, estimate) in rows {
        if let Some(Estimate {
            mean,
            sd,
            low,
            high,
        }) = estimate
        {
            table.row([
                name.to_string(),
                format!("{mean:.4}"),
                format!("{sd:.4}"),
                format!("{low:.4} to {high:.4}"),
            ]);
        }
    }
    if let Some(slope) = evaluation.calibration_slope {
        table.row([
            "calibration slope".to_string(),
            format!("{slope:.4}"),
            String::new(),
            String::new(),
        ]);
    }
    table.write(out)
}

fn selection(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    let found = &evaluation.selection;
    if found.is_empty() {
        let full = evaluation.features.mean > 0.0;
        return writeln!(
            out,
            "{}",
            match full {
                true => "The full model uses every feature: it selects nothing.",
                false => "No fit selected a feature.",
            }
        );
    }
    let shown = found.len().min(20);
    writeln!(
        out,
        "Selected features, the {shown} most frequent of {}",
        found.len()
    )?;
    let mut table = PrintedTable::new([("feature", Align::Left), ("share of fits", Align::Right)]);
    for selection in &found[..shown] {
        table.row([
            selection.feature.clone(),
            format!("{:.2}", selection.frequency),
        ]);
    }
    table.write(out)
}
