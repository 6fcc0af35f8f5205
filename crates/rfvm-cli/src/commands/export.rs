//! `rfvm export`: a model's score for those who do not have this program.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum};
use rfvm::{Model, PointLoss};
use rfvm_io::{TargetChoice, load_labelled, load_table};
use rfvm_report::{ExportFormat, export};
use serde_json::json;

use crate::args::{ReadArgs, TargetArgs, load_model};
use crate::error::Error;
use crate::output::{check_place, print, print_json, tell_notes, write_file};

const EXAMPLES: &str = "\
Examples:
  rfvm export model.json --format text
  rfvm export model.json --format latex -o score.tex
  rfvm export model.json --format html -o calculator.html
  rfvm export model.json --format pmml -o model.pmml
  rfvm export model.json --format points -o points.txt
  rfvm export model.json --format points -o points.txt test.csv --target class";

/// What to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FormatArg {
    /// The scoring formula with all its numbers, to compute the model's probabilities anywhere
    Text,
    /// The same for a paper, rounded to six digits
    Latex,
    /// A score of whole points, with what rounding costs on the samples of TABLE where one is given
    Points,
    /// PMML 4.4, for programs that score
    Pmml,
    /// One page that computes without any network: probability, interval, contributions, abstention
    Html,
}

#[derive(Debug, Args)]
// Only points are set against the model on samples.
#[command(after_help = EXAMPLES, mut_arg("tables", |tables| tables.required(false)))]
pub(crate) struct Options {
    /// Model file that `rfvm fit` wrote
    model: PathBuf,
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// What to write
    #[arg(short, long, value_name = "FORMAT")]
    format: FormatArg,
    /// Write to this file [default: print]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object: the numbers of the formula, or the points
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let tables = &options.read.tables;
    let inputs = tables
        .iter()
        .chain(options.target.file())
        .chain([&options.model]);
    check_place(options.output.as_ref(), inputs)?;
    let format = match options.format {
        FormatArg::Text => ExportFormat::Text,
        FormatArg::Latex => ExportFormat::Latex,
        FormatArg::Points => ExportFormat::Points,
        FormatArg::Pmml => ExportFormat::Pmml,
        FormatArg::Html => ExportFormat::Html,
    };
    if !tables.is_empty() && format != ExportFormat::Points {
        return Err(Error::Argument(format!(
            "--format {} takes no table: only a score of points is set against the model on samples",
            format.name()
        )));
    }
    let model = load_model(&options.model)?;
    let loss = match tables.is_empty() {
        true => None,
        false => Some(rounding_cost(&model, &options.read, &options.target)?),
    };
    let text = export(&model, format, loss.as_ref())?;
    if let Some(path) = &options.output {
        write_file(path, text.as_bytes())?;
    }
    if options.json {
        return match format {
            ExportFormat::Points => {
                print_json(&json!({ "points": model.point_score()?, "loss": loss }))
            }
            _ => print_json(&model.formula()),
        };
    }
    match &options.output {
        Some(path) => print(|out| writeln!(out, "Written: {}", path.display())),
        None => print(|out| out.write_all(text.as_bytes())),
    }
}

/// What rounding costs on the samples of a table, by their classes too where it has them.
fn rounding_cost(model: &Model, read: &ReadArgs, target: &TargetArgs) -> Result<PointLoss, Error> {
    let points = model.point_score()?;
    let (loss, notes) = if target.is_named() {
        let choice = TargetChoice {
            regression: model.classes().is_empty(),
            ..target.choice(model.classes())
        };
        let (data, notes) = load_labelled(&read.tables, &read.options(), &choice)?;
        let loss = PointLoss::of(model, &points, data.table(), Some(data.target()));
        (loss, notes)
    } else {
        let needed = model.needed_features();
        let (table, notes) = load_table(&read.tables, &read.options(), &needed, &[])?;
        (PointLoss::of(model, &points, &table, None), notes)
    };
    tell_notes(&notes);
    loss.map_err(read.refused())
}
