//! `rfvm report`: a model, its data and its evaluation as one page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rfvm::Evaluation;
use rfvm_report::{Input, ReportError, report};
use serde_json::json;

use crate::args::{DataArgs, load_model};
use crate::error::Error;
use crate::output::{check_place, print, print_json, write_file};

const EXAMPLES: &str = "\
Examples:
  rfvm report model.json expression.csv --target class -o report.html
  rfvm report model.json golub.gct --labels golub.cls --positive AML --evaluation golub.json -o golub.html";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Model file that `rfvm fit` wrote
    model: PathBuf,
    #[command(flatten)]
    data: DataArgs,
    /// What `rfvm evaluate --json` printed for the same table and options; without it the page has no curves of unseen
    /// samples
    #[arg(long, value_name = "FILE")]
    evaluation: Option<PathBuf>,
    /// Write the page to this file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON object instead of a sentence
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    check_place(Some(&options.output))?;
    let model = load_model(&options.model)?;
    let evaluation = options.evaluation.as_deref().map(read_evaluation);
    let evaluation = evaluation.transpose()?;
    let loaded = options.data.load()?;
    let name = options.data.name();
    let input = Input {
        model: &model,
        data: &loaded.data,
        evaluation: evaluation.as_ref(),
        name: &name,
        notes: &loaded.notes,
    };
    let page = report(&input).map_err(|error| match (error, &options.evaluation) {
        (ReportError::Engine(error), _) => options.data.refused()(error),
        (error @ ReportError::Evaluation(_), Some(path)) => about(path, &error),
        (error, _) => Error::Argument(format!("{name}: {error}")),
    })?;
    write_file(&options.output, page.as_bytes())?;
    if options.json {
        return print_json(&json!({"written": options.output, "bytes": page.len()}));
    }
    print(|out| {
        let (path, size) = (options.output.display(), page.len().div_ceil(1000));
        writeln!(out, "Written: {path} ({size} kB)")
    })
}

fn about(path: &Path, what: &impl ToString) -> Error {
    Error::Argument(format!("{}: {}", path.display(), what.to_string()))
}

fn read_evaluation(path: &Path) -> Result<Evaluation, Error> {
    let bytes = std::fs::read(path).map_err(Error::read(path))?;
    serde_json::from_slice(&bytes).map_err(|reason| {
        // What the parser says may quote the file, line ends and all.
        let reason = reason.to_string().replace(char::is_control, " ");
        let what = format!("this is not what rfvm evaluate --json prints ({reason})");
        about(path, &what)
    })
}
