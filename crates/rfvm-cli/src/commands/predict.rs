//! `rfvm predict`: a model on new samples.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm::{Extrapolation, FarValue, FilledPredictions, Gaps, Model, Prediction, Table};
use rfvm_io::load_table;
use serde_json::json;

use crate::args::missing::{cell_of, told};
use crate::args::{MissingArgs, ReadArgs, load_model};
use crate::error::Error;
use crate::harmless::cell;
use crate::output::{check_place, print, print_json, tell_notes, write_file};

const EXAMPLES: &str = "\
Examples:
  rfvm predict model.json new.csv -o predictions.csv
  rfvm predict model.json new.gct --json
  rfvm predict model.json new.csv --missing integrate
  rfvm predict model.json new.csv --missing substitute -o predictions.csv";

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
    #[command(flatten)]
    missing: MissingArgs,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let inputs = options.read.tables.iter().chain([&options.model]);
    check_place(options.output.as_ref(), inputs)?;
    let model = load_model(&options.model)?;
    let mut needed = model.needed_features();
    needed.extend(model.stand_ins());
    let (mut table, notes) = load_table(&options.read.tables, &options.read.options(), &needed)?;
    tell_notes(&notes);
    let gaps = options.missing.gaps();
    if gaps != Gaps::Refuse {
        table = model.with_gaps(&table).map_err(options.read.refused())?;
    }
    let filled = (model.predict_with(&table, gaps)).map_err(options.read.refused())?;
    tell_notes(told(&filled).as_slice());
    let predictions = &filled.predictions;
    let unlike = model
        .extrapolation(&table, predictions)
        .map_err(options.read.refused())?;
    let far = extrapolated(&table, &unlike);
    if let (Some(what), true) = (&far, options.strict) {
        let first = options.read.tables.first();
        let file = first.map_or(String::new(), |path| format!("{}: ", path.display()));
        return Err(Error::Argument(format!(
            "{file}{what}; correct them, or leave out --strict"
        )));
    }
    tell_notes(far.as_slice());
    // Whole before any of it is printed: the writer of CSV hides that a reader has closed the pipe.
    let mut text = Vec::new();
    write_csv(&mut text, &model, &table, (&filled, gaps), &unlike).map_err(Error::Output)?;
    if let Some(path) = &options.output {
        write_file(path, &text)?;
    }
    if options.json {
        let rows: Vec<_> = table
            .sample_names()
            .iter()
            .zip(predictions)
            .zip(&unlike)
            .enumerate()
            .map(|(n, ((sample, p), unlike))| {
                let mut row = json!({
                    "sample": sample, "class": class(&model, p), "probability": p.probability,
                    "mean": p.mean, "sd": p.variance.sqrt(), "unlike_training": unlike,
                });
                if gaps != Gaps::Refuse {
                    row["filled"] = json!(filled.filled(n));
                }
                row
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

/// Sample, class, probability of the positive class by its name, latent mean and standard deviation, whether the sample is
/// unlike those of the training and, where gaps were allowed, what it lacked; neither class nor probability in a regression.
fn write_csv(
    out: &mut dyn Write,
    model: &Model,
    table: &Table,
    (filled, gaps): (&FilledPredictions, Gaps),
    unlike: &[Extrapolation],
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    // Files without the option stay as they were.
    let marked = (gaps != Gaps::Refuse).then_some("filled");
    let mut header = vec!["sample"];
    let probability = (model.classes().get(1)).map(|positive| format!("probability_{positive}"));
    if let Some(probability) = &probability {
        header.extend(["class", probability]);
    }
    header.extend(["mean", "sd", "unlike_training"]);
    header.extend(marked);
    writer.write_record(header)?;
    let rows = table.sample_names().iter().zip(&filled.predictions);
    for (n, ((sample, p), unlike)) in rows.zip(unlike).enumerate() {
        let mut cells = vec![cell(sample).into_owned()];
        if let (Some(probability), Some(class)) = (p.probability, class(model, p)) {
            cells.extend([cell(class).into_owned(), probability.to_string()]);
        }
        cells.extend([p.mean, p.variance.sqrt()].map(|number| number.to_string()));
        cells.push(mark(unlike));
        cells.extend(marked.map(|_| cell(&cell_of(filled, n)).into_owned()));
        writer.write_record(cells)?;
    }
    writer.flush()
}
