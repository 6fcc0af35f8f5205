//! `rfvm report`: a model, its data and its evaluation as one page.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rfvm::summary::ClassesSummary;
use rfvm::{AnyModel, ClassesEvaluation, Evaluation, MulticlassModel, Summary};
use rfvm_report::{classes_report, report};
use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use crate::args::{DataArgs, load_any_model};
use crate::error::Error;
use crate::figures::{Figures, write_figures};
use crate::output::{check_place, print, print_json, write_file};

const EXAMPLES: &str = "\
Examples:
  rfvm report model.json expression.csv --target class -o report.html
  rfvm report model.json golub.gct --labels golub.cls --positive AML --evaluation golub.json -o golub.html
  rfvm report model.json expression.csv --target class --json > summary.json
  rfvm report model.json expression.csv --target class --evaluation a.json --figures figures";

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
    #[arg(short, long, value_name = "FILE", required_unless_present_any = ["json", "figures"])]
    output: Option<PathBuf>,
    /// Write the figures to this folder, each as an SVG and as a PNG file (6 inches wide, 300 dots an inch)
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
    /// Print all that the page shows as one JSON object, with or without the page itself
    #[arg(long)]
    json: bool,
}

/// The summary, and where its page is.
#[derive(Serialize)]
struct Printed<'s> {
    #[serde(flatten)]
    page: Option<Written<'s>>,
    #[serde(flatten)]
    summary: &'s Summary,
}

/// A page that was written.
#[derive(Serialize)]
struct Written<'s> {
    #[serde(rename = "written")]
    path: &'s Path,
    bytes: usize,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let inputs = options.data.inputs();
    let others = [&options.model].into_iter().chain(&options.evaluation);
    check_place(options.output.as_ref(), inputs.iter().chain(others))?;
    let model = match load_any_model(&options.model)? {
        AnyModel::Single(model) => model,
        AnyModel::Several(model) => return of_classes(options, &model),
    };
    let evaluation = options.evaluation.as_deref().map(read_evaluation);
    let evaluation = evaluation.transpose()?;
    let loaded = options
        .data
        .load_as(model.classes(), &model.covariate_names())?;
    let mut summary = Summary::of(
        &model,
        &loaded.data,
        evaluation.as_ref(),
        &options.data.name(),
        &loaded.notes,
    )
    .map_err(|error| match (error, &options.evaluation) {
        (error @ rfvm::Error::Evaluation(_), Some(path)) => about(path, &error),
        (error, _) => options.data.refused()(error),
    })?;
    summary.data.provenance.merge(&loaded.provenance);
    let page = match options.output.as_deref() {
        Some(path) => {
            let page = report(&summary);
            write_file(path, page.as_bytes())?;
            let bytes = page.len();
            Some(Written { path, bytes })
        }
        None => None,
    };
    let figures = match &options.figures {
        Some(folder) => write_figures(folder, &Figures::of_report(&summary))?,
        None => Vec::new(),
    };
    if options.json {
        let summary = &summary;
        return print_json(&Printed { page, summary });
    }
    print(|out| {
        if let Some(Written { path, bytes }) = page {
            let size = bytes.div_ceil(1000);
            writeln!(out, "Written: {} ({size} kB)", path.display())?;
        }
        for path in &figures {
            writeln!(out, "Written: {}", path.display())?;
        }
        Ok(())
    })
}

/// The report of a model of several classes.
fn of_classes(options: &Options, model: &MulticlassModel) -> Result<ExitCode, Error> {
    if options.figures.is_some() {
        return Err(Error::Argument(
            "--figures is for models of two classes; leave it out, the page has tables of all classes"
                .to_string(),
        ));
    }
    let evaluation: Option<ClassesEvaluation> =
        options.evaluation.as_deref().map(read_json).transpose()?;
    let loaded = options.data.load_as(model.classes(), &[])?;
    let (name, notes) = (options.data.name(), &loaded.notes);
    let summary = ClassesSummary::of(model, &loaded.data, evaluation.as_ref(), &name, notes);
    let summary = summary.map_err(|error| match (error, &options.evaluation) {
        (error @ rfvm::Error::Evaluation(_), Some(path)) => about(path, &error),
        (error, _) => options.data.refused()(error),
    })?;
    let page = classes_report(&summary);
    if let Some(path) = &options.output {
        write_file(path, page.as_bytes())?;
    }
    if options.json {
        return print_json(&summary);
    }
    print(|out| match &options.output {
        Some(path) => {
            let size = page.len().div_ceil(1000);
            writeln!(out, "Written: {} ({size} kB)", path.display())
        }
        None => Ok(()),
    })
}

pub(super) fn about(path: &Path, what: &impl ToString) -> Error {
    Error::Argument(format!("{}: {}", path.display(), what.to_string()))
}

pub(super) fn read_evaluation(path: &Path) -> Result<Evaluation, Error> {
    if read_json::<ClassesProbe>(path).is_ok_and(|probe| probe.confusion.is_some()) {
        let what = "this is an evaluation of several classes, and this needs one of two classes or of a number; evaluate with one class against the rest (--positive)";
        return Err(about(path, &what));
    }
    read_json(path)
}

/// What only an evaluation of several classes has.
#[derive(Deserialize)]
struct ClassesProbe {
    confusion: Option<IgnoredAny>,
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let bytes = std::fs::read(path).map_err(Error::read(path))?;
    serde_json::from_slice(&bytes).map_err(|reason| {
        // What the parser says may quote the file, line ends and all.
        let reason = reason.to_string().replace(char::is_control, " ");
        let what = format!("this is not what rfvm evaluate --json prints ({reason})");
        about(path, &what)
    })
}
