//! `rfvm fit`: from a table to a model file.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm::AnyModel;

use crate::args::{DataArgs, MethodArgs, TreatmentArgs};
use crate::error::Error;
use crate::output::{check_place, print, print_json, write_file};
use crate::progress::FitBar;
use crate::report::Extent;
use crate::several::{any_model_json, has_several, write_any_model};

const EXAMPLES: &str = "\
Examples:
  rfvm fit expression.csv --target class -o model.json
  rfvm fit golub.gct --labels golub.cls --positive AML --size compact -o model.json
  rfvm fit expression.csv --target class --share 0.9 -o model.json
  rfvm fit expression.csv --target class --size full -o model.json
  rfvm fit counts.tsv.gz --labels clinic.csv --target outcome --log2 --method signatures --signatures 5 -o model.json";

/// Columns that are not used, named for each reason in a model file at most: the count tells of the others.
const MOST_NAMED: usize = 1000;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    data: DataArgs,
    #[command(flatten)]
    method: MethodArgs,
    #[command(flatten)]
    treatment: TreatmentArgs,
    /// Write the model to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    check_place(options.output.as_ref(), &options.data.inputs())?;
    let params = options.treatment.params(options.method.params()?).check()?;
    let mut loaded = options.data.load()?;
    for columns in &mut loaded.provenance.unused {
        columns.columns.truncate(MOST_NAMED);
    }
    let data = options
        .treatment
        .weighted(loaded.data)
        .map_err(options.data.refused())?;
    let progress = FitBar::new("fit");
    let refused = options.data.refused();
    let model = match has_several(&data) {
        true => params
            .fit_classes_with(data, |iteration| progress.show(iteration))
            .map(|model| AnyModel::Several(model.with_provenance(loaded.provenance))),
        false => params
            .fit_with(data, |iteration| progress.show(iteration))
            .map(|model| AnyModel::Single(model.with_provenance(loaded.provenance))),
    };
    let model = model.map_err(refused)?;
    drop(progress);
    if let Some(path) = &options.output {
        write_file(path, model.to_json().as_bytes())?;
    }
    if options.json {
        return print_json(&any_model_json(&model, Extent::Strongest));
    }
    print(|out| {
        write_any_model(out, &model)?;
        match &options.output {
            Some(path) => writeln!(out, "\nWritten: {}", path.display()),
            None => writeln!(out, "\nNothing was written; -o FILE keeps the model."),
        }
    })
}
