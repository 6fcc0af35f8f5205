//! `rfvm predict`: a model on new samples.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm::{Model, Prediction, Table};
use rfvm_io::load_table;
use serde_json::json;

use crate::args::{ReadArgs, load_model};
use crate::error::Error;
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
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    check_place(options.output.as_ref())?;
    let model = load_model(&options.model)?;
    let needed = model.needed_features();
    let (table, notes) = load_table(&options.read.tables, &options.read.options(), &needed)?;
    tell_notes(&notes);
    let predictions = model.predict(&table).map_err(options.read.refused())?;
    if let Some(path) = &options.output {
        let mut text = Vec::new();
        write_csv(&mut text, &model, &table, &predictions).map_err(Error::file(path))?;
        write_file(path, &text)?;
    }
    if options.json {
        let rows: Vec<_> = table
            .sample_names()
            .iter()
            .zip(&predictions)
            .map(|(sample, p)| {
                json!({
                    "sample": sample, "class": class(&model, p), "probability": p.probability,
                    "mean": p.mean, "sd": p.variance.sqrt(),
                })
            })
            .collect();
        return print_json(&json!({"classes": model.classes(), "predictions": rows}));
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
        None => print(|out| write_csv(out, &model, &table, &predictions)),
    }
}

fn class<'m>(model: &'m Model, prediction: &Prediction) -> Option<&'m str> {
    prediction
        .class()
        .and_then(|class| model.classes().get(class))
        .map(String::as_str)
}

/// Sample, class, probability of the positive class, latent mean and standard deviation; the last two alone in a
/// regression.
fn write_csv(
    out: &mut dyn Write,
    model: &Model,
    table: &Table,
    predictions: &[Prediction],
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let regression = model.classes().is_empty();
    if regression {
        writer.write_record(["sample", "mean", "sd"])?;
    } else {
        writer.write_record(["sample", "class", "probability", "mean", "sd"])?;
    }
    for (sample, p) in table.sample_names().iter().zip(predictions) {
        let (mean, sd) = (p.mean.to_string(), p.variance.sqrt().to_string());
        match (p.probability, class(model, p)) {
            (Some(probability), Some(class)) => {
                writer.write_record([sample, class, &probability.to_string(), &mean, &sd])?;
            }
            _ => writer.write_record([sample, &mean, &sd])?,
        }
    }
    writer.flush()
}
