//! `rfvm predict`: a model on new samples.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm::{Extrapolation, FarValue, Model, Prediction, Table};
use rfvm_io::load_table;
use serde_json::json;

use crate::args::{ReadArgs, load_model};
use crate::error::Error;
use crate::harmless::cell;
use crate::output::{check_place, print, print_json, tell_notes, write_file};

const EXAMPLES: &str = "\
Examples:
  rfvm predict model.json new.csv -o predictions.csv
  rfvm predict model.json new.gct --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Model file that `rfvm fit` wrote
    model: PathBuf,
    #[command(flatten)]
    read: ReadArgs,
    /// Write the predictions to this file as CSV [default: print them]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object instead of CSV
    #[arg(long)]
    json: bool,
    /// Refuse samples unlike any that the model was trained on, instead of marking them
    #[arg(long)]
    strict: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let inputs = options.read.tables.iter().chain([&options.model]);
    check_place(options.output.as_ref(), inputs)?;
    let model = load_model(&options.model)?;
    let needed = model.needed_features();
    let (table, notes) = load_table(
        &options.read.tables,
        &options.read.options(),
        &needed,
        &model.covariate_names(),
    )?;
    tell_notes(&notes);
    let predictions = model.predict(&table).map_err(options.read.refused())?;
    let unlike = model
        .extrapolation(&table, &predictions)
        .map_err(options.read.refused())?;
    let told = extrapolated(&table, &unlike);
    if let (Some(what), true) = (&told, options.strict) {
        let first = options.read.tables.first();
        let file = first.map_or(String::new(), |path| format!("{}: ", path.display()));
        return Err(Error::Argument(format!(
            "{file}{what}; correct them, or leave out --strict"
        )));
    }
    tell_notes(told.as_slice());
    // Whole before any of it is printed: the writer of CSV hides that a reader has closed the pipe.
    let mut text = Vec::new();
    write_csv(&mut text, &model, &table, &predictions, &unlike).map_err(Error::Output)?;
    if let Some(path) = &options.output {
        write_file(path, &text)?;
    }
    if options.json {
        let rows: Vec<_> = table
            .sample_names()
            .iter()
            .zip(&predictions)
            .zip(&unlike)
            .map(|((sample, p), unlike)| {
                json!({
                    "sample": sample, "class": class(&model, p), "probability": p.probability,
                    "mean": p.mean, "sd": p.variance.sqrt(), "unlike_training": unlike,
                })
            })
            .collect();
        return print_json(&json!({
            "classes": model.classes(), "probability_of": model.classes().get(1), "predictions": rows,
        }));
    }
    match &options.output {
        Some(path) => print(|out| {
            writeln!(
                out,
                "{} predictions written: {}",
                predictions.len(),
                path.display()
            )
        }),
        None => print(|out| out.write_all(&text)),
    }
}

fn class<'m>(model: &'m Model, prediction: &Prediction) -> Option<&'m str> {
    prediction
        .class()
        .and_then(|class| model.classes().get(class))
        .map(String::as_str)
}

/// What to say of samples unlike those that the model was trained on; nothing where there are none.
fn extrapolated(table: &Table, unlike: &[Extrapolation]) -> Option<String> {
    let names = table.sample_names();
    let found: Vec<usize> = (0..unlike.len())
        .filter(|&n| !unlike[n].is_none())
        .collect();
    let &first = found.first()?;
    let example = found
        .iter()
        .find_map(|&n| Some((n, unlike[n].farthest.as_ref()?)));
    let why = match example {
        Some((
            n,
            FarValue {
                feature,
                value,
                range: [low, high],
            },
        )) => format!(
            "{feature} of {} is {value}, where the training rows had {low:.4} to {high:.4}",
            names[n]
        ),
        None => format!(
            "the score of {} is more uncertain than that of any training row",
            names[first]
        ),
    };
    Some(format!(
        "{} of {} sample(s) are unlike those that the model was trained on ({why}): their predictions extrapolate and are marked in `unlike_training`",
        found.len(),
        unlike.len()
    ))
}

/// The same of one sample, in a cell.
fn mark(unlike: &Extrapolation) -> String {
    match (unlike.far, unlike.uncertain) {
        (0, false) => String::new(),
        (0, true) => "uncertain".to_string(),
        (far, _) => format!("{far} value(s) out of range"),
    }
}

/// Sample, class, probability of the positive class by its name, latent mean and standard deviation, and whether the sample is
/// unlike those of the training; neither class nor probability in a regression.
fn write_csv(
    out: &mut dyn Write,
    model: &Model,
    table: &Table,
    predictions: &[Prediction],
    unlike: &[Extrapolation],
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    match model.classes().get(1) {
        None => writer.write_record(["sample", "mean", "sd", "unlike_training"])?,
        Some(positive) => {
            let probability = format!("probability_{positive}");
            writer.write_record([
                "sample",
                "class",
                &probability,
                "mean",
                "sd",
                "unlike_training",
            ])?;
        }
    }
    let rows = table.sample_names().iter().zip(predictions).zip(unlike);
    for ((sample, p), unlike) in rows {
        let (mean, sd) = (p.mean.to_string(), p.variance.sqrt().to_string());
        let mark = mark(unlike);
        match (p.probability, class(model, p)) {
            (Some(probability), Some(class)) => {
                let probability = probability.to_string();
                let cells = [
                    &*cell(sample),
                    &*cell(class),
                    &probability,
                    &mean,
                    &sd,
                    &mark,
                ];
                writer.write_record(cells)?;
            }
            _ => writer.write_record([&*cell(sample), &mean, &sd, &mark])?,
        }
    }
    writer.flush()
}
