//! A model of several classes on new samples.

use std::io::{self, Write};
use std::process::ExitCode;

use rfvm::{ClassPrediction, Extrapolation, Gaps, MulticlassModel, Table};
use rfvm_io::load_table;
use serde_json::json;

use super::{Options, extrapolated, mark, too_far};
use crate::error::Error;
use crate::harmless::cell;
use crate::output::{print, print_json, tell_notes, write_file};

pub(super) fn run(options: &Options, model: &MulticlassModel) -> Result<ExitCode, Error> {
    check(options, model)?;
    let needed = model.needed_features();
    let read = options.read.options();
    let (table, notes) = load_table(&options.read.tables, &read, &needed, &[])?;
    tell_notes(&notes);
    let said = model.predict(&table).map_err(options.read.refused())?;
    let unlike = (model.extrapolation(&table, &said)).map_err(options.read.refused())?;
    let far = extrapolated(&table, &unlike);
    too_far(options, far.as_deref())?;
    let mut text = Vec::new();
    write_csv(&mut text, model, &table, &said, &unlike).map_err(Error::Output)?;
    if let Some(path) = &options.output {
        write_file(path, &text)?;
    }
    if options.json {
        let rows = (0..said.len()).map(|n| {
            let (means, variances): (Vec<f64>, Vec<f64>) = said[n].scores.iter().copied().unzip();
            let sds: Vec<f64> = variances.iter().map(|variance| variance.sqrt()).collect();
            json!({
                "sample": table.sample_names()[n], "class": model.classes()[said[n].class()],
                "probability": said[n].probability, "means": means, "sds": sds,
                "unlike_training": unlike[n],
            })
        });
        return print_json(&json!({
            "classes": model.classes(), "probability_of": model.classes(),
            "predictions": rows.collect::<Vec<_>>(),
        }));
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

/// What is there for two classes alone.
fn check(options: &Options, model: &MulticlassModel) -> Result<(), Error> {
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

/// Sample, likeliest class, probability of every class by its name, and whether the sample is unlike those of the training.
fn write_csv(
    out: &mut dyn Write,
    model: &MulticlassModel,
    table: &Table,
    said: &[ClassPrediction],
    unlike: &[Extrapolation],
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let mut header = vec!["sample".to_string(), "class".to_string()];
    header.extend(
        model
            .classes()
            .iter()
            .map(|class| format!("probability_{class}")),
    );
    header.push("unlike_training".to_string());
    writer.write_record(header)?;
    for ((sample, said), unlike) in table.sample_names().iter().zip(said).zip(unlike) {
        let class = &model.classes()[said.class()];
        let mut cells = vec![cell(sample).into_owned(), cell(class).into_owned()];
        cells.extend(said.probability.iter().map(f64::to_string));
        cells.push(mark(unlike));
        writer.write_record(cells)?;
    }
    writer.flush()
}
