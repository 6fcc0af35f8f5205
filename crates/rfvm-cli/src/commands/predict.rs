//! `rfvm predict`: a model on new samples.

mod classes;
mod explained;
mod unlike;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm::{
    AnyModel, Extrapolation, FilledPredictions, Gaps, Model, MulticlassModel, Prediction, Table,
};
use rfvm_io::load_table;
use serde_json::json;

use crate::args::missing::{cell_of, told};
use crate::args::{MissingArgs, ReadArgs, check_level, load_any_model};
use crate::error::Error;
use crate::harmless::cell;
use crate::known::known_json;
use crate::output::{check_place, print, print_json, tell_notes, write_file};
use unlike::{extrapolated, mark};

const EXAMPLES: &str = "\
Examples:
  rfvm predict model.json new.csv -o predictions.csv
  rfvm predict model.json new.gct --json
  rfvm predict model.json new.csv --explain -o why.csv
  rfvm predict model.json new.csv --reject
  rfvm predict model.json new.csv --reject 0.9 -o predictions.csv
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
    /// Write why instead: what every feature adds to the score (mean) of each sample against the average training sample, with
    /// its 95 % interval, largest first; of a model of more than 100 features the 20 largest and the sum of the others. With
    /// --json beside the predictions
    #[arg(long, conflicts_with = "missing")]
    explain: bool,
    /// Also give the interval of the probability that holds it with this probability [0.95 where none is given], and say
    /// `abstain` where it holds both classes; the class stays
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "0.95")]
    reject: Option<f64>,
    /// Refuse samples unlike any that the model was trained on, instead of marking them
    #[arg(long)]
    strict: bool,
    #[command(flatten)]
    missing: MissingArgs,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let inputs = options.read.tables.iter().chain([&options.model]);
    check_place(options.output.as_ref(), inputs)?;
    if let Some(level) = options.reject {
        check_level(level)?;
    }
    let model = match load_any_model(&options.model)? {
        AnyModel::Single(model) => model,
        AnyModel::Several(model) => return of_classes(options, &model),
    };
    if options.reject.is_some() && model.classes().is_empty() {
        return Err(Error::Argument(
            "a regression has no classes to abstain from; leave --reject out".to_string(),
        ));
    }
    let mut needed = model.needed_features();
    needed.extend(model.stand_ins());
    let (mut table, notes) = load_table(
        &options.read.tables,
        &options.read.options(),
        &needed,
        &model.covariate_names(),
    )?;
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
    too_far(options, far.as_deref())?;
    let why = match options.explain {
        true => Some(model.explain(&table).map_err(options.read.refused())?),
        false => None,
    };
    // Whole before any of it is printed: the writer of CSV hides that a reader has closed the pipe.
    let mut text = Vec::new();
    match &why {
        Some(why) => explained::write_csv(&mut text, &table, why, model.known()),
        None => write_csv(
            &mut text,
            &model,
            &table,
            (&filled, gaps),
            &unlike,
            options.reject,
        ),
    }
    .map_err(Error::Output)?;
    if let Some(path) = &options.output {
        write_file(path, &text)?;
    }
    if options.json {
        let rows = (0..predictions.len()).map(|n| {
            let p = &predictions[n];
            let mut row = json!({
                "sample": table.sample_names()[n], "class": class(&model, p), "probability": p.probability,
                "mean": p.mean, "sd": p.variance.sqrt(), "unlike_training": unlike[n],
            });
            if let Some(level) = options.reject {
                row["interval"] = json!(p.interval(level));
                row["abstain"] = json!(p.abstains(level));
            }
            if gaps != Gaps::Refuse {
                row["filled"] = json!(filled.filled(n));
            }
            if let Some(why) = &why {
                let parts = why[n].contributions.iter().map(|part| {
                    let mut object = json!(part);
                    known_json(model.known(), &part.feature, &mut object);
                    object
                });
                row["explanation"] = parts.collect();
            }
            row
        });
        let mut printed = json!({
            "classes": model.classes(), "probability_of": model.classes().get(1),
            "predictions": rows.collect::<Vec<_>>(),
        });
        if let Some(level) = options.reject {
            printed["level"] = json!(level);
        }
        return print_json(&printed);
    }
    match &options.output {
        Some(path) => print(|out| {
            let what = match why {
                Some(_) => "explanations",
                None => "predictions",
            };
            writeln!(
                out,
                "{} {what} written: {}",
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

/// A model of several classes on new samples.
fn of_classes(options: &Options, model: &MulticlassModel) -> Result<ExitCode, Error> {
    refuse_what_is_for_two(options, model)?;
    let (tables, read) = (&options.read.tables, options.read.options());
    let (table, notes) = load_table(tables, &read, &model.needed_features(), &[])?;
    tell_notes(&notes);
    let said = model.predict(&table).map_err(options.read.refused())?;
    let unlike = (model.extrapolation(&table, &said)).map_err(options.read.refused())?;
    too_far(options, extrapolated(&table, &unlike).as_deref())?;
    let mut text = Vec::new();
    classes::write_csv(&mut text, model, &table, &said, &unlike).map_err(Error::Output)?;
    if let Some(path) = &options.output {
        write_file(path, &text)?;
    }
    if options.json {
        return print_json(&classes::json(model, &table, &said, &unlike));
    }
    print(|out| match &options.output {
        Some(path) => writeln!(
            out,
            "{} predictions written: {}",
            said.len(),
            path.display()
        ),
        None => out.write_all(&text),
    })
}

fn refuse_what_is_for_two(options: &Options, model: &MulticlassModel) -> Result<(), Error> {
    let asked = [
        ("--explain", options.explain),
        ("--reject", options.reject.is_some()),
        ("--missing", options.missing.gaps() != Gaps::Refuse),
    ];
    match asked.into_iter().find(|(_, asked)| *asked) {
        None => Ok(()),
        Some((option, _)) => Err(Error::Argument(format!(
            "{option} is for models of two classes or of a number, and this one tells {} classes apart; leave it out, or fit one class against the rest (--positive)",
            model.classes().len()
        ))),
    }
}

/// Tells of such samples, or refuses them where that was asked for.
fn too_far(options: &Options, what: Option<&str>) -> Result<(), Error> {
    let Some(what) = what else {
        return Ok(());
    };
    if options.strict {
        let first = options.read.tables.first();
        let file = first.map_or(String::new(), |path| format!("{}: ", path.display()));
        return Err(Error::Argument(format!(
            "{file}{what}; correct them, or leave out --strict"
        )));
    }
    tell_notes(&[what.to_string()]);
    Ok(())
}

/// Sample, class, probability of the positive class by its name, latent mean and standard deviation, and whether the sample is
/// unlike those of the training; neither class nor probability in a regression. Where the model may abstain, the interval of the
/// probability, and whether it does; where gaps were allowed, what the sample lacked.
fn write_csv(
    out: &mut dyn Write,
    model: &Model,
    table: &Table,
    (filled, gaps): (&FilledPredictions, Gaps),
    unlike: &[Extrapolation],
    reject: Option<f64>,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    // Files without the option stay as they were.
    let marked = (gaps != Gaps::Refuse).then_some("filled");
    let probability = (model.classes().get(1)).map(|positive| format!("probability_{positive}"));
    let mut header = vec!["sample"];
    header.extend(probability.iter().flat_map(|name| ["class", name]));
    header.extend(["mean", "sd", "unlike_training"]);
    if reject.is_some() {
        header.extend(["probability_from", "probability_to", "abstain"]);
    }
    header.extend(marked);
    writer.write_record(header)?;
    let rows = table.sample_names().iter().zip(&filled.predictions);
    for (n, ((sample, p), unlike)) in rows.zip(unlike).enumerate() {
        let mut cells = vec![cell(sample).into_owned()];
        if let (Some(probability), Some(class)) = (p.probability, class(model, p)) {
            cells.extend([cell(class).into_owned(), probability.to_string()]);
        }
        cells.extend([
            p.mean.to_string(),
            p.variance.sqrt().to_string(),
            mark(unlike),
        ]);
        if let Some((level, [low, high])) = reject.and_then(|l| Some((l, p.interval(l)?))) {
            let abstains = p.abstains(level) == Some(true);
            let word = if abstains { "yes" } else { "no" };
            cells.extend([low.to_string(), high.to_string(), word.to_string()]);
        }
        cells.extend(marked.map(|_| cell(&cell_of(filled, n)).into_owned()));
        writer.write_record(cells)?;
    }
    writer.flush()
}
