//! `rfvm path`: models of growing size, and what each should cost on new samples.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm::{Params, Path, Size, Task, Verdict};
use rfvm_report::{path_chart, standalone};
use serde_json::{Value, json};

use crate::args::{DataArgs, TreatmentArgs, size};
use crate::error::Error;
use crate::output::{check_place, print, print_json, write_file};
use crate::printer::{Align, Table};
use crate::progress::Progress;

const EXAMPLES: &str = "\
Examples:
  rfvm path expression.csv --target class
  rfvm path golub.gct --labels golub.cls --positive AML --plot golub.svg
  rfvm path expression.csv --target class --size 12 --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    data: DataArgs,
    /// Sizes up to this number of features [default: the usual ones, up to 89]
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = size,
        default_value = "balanced",
        hide_default_value = true,
        help_heading = "Fit"
    )]
    size: Size,
    #[command(flatten)]
    treatment: TreatmentArgs,
    /// Draw size against expected loss, with the chosen points marked, to this SVG file
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// The sizes that have names.
const NAMED: [(Size, &str); 3] = [
    (Size::Compact, "compact"),
    (Size::Balanced, "balanced"),
    (Size::Accurate, "accurate"),
];

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    check_place(options.plot.as_ref())?;
    let params = options.treatment.params(Params::projected(options.size));
    let params = params.check()?;
    let data = options.data.load()?.data;
    let data = options
        .treatment
        .weighted(data)
        .map_err(options.data.refused())?;
    let progress = Progress::new("path");
    let path = params
        .path(data, |iteration| progress.show(iteration))
        .map_err(options.data.refused())?;
    drop(progress);
    if let Some(file) = &options.plot {
        let task = path
            .points()
            .first()
            .map_or(Task::Classification, |point| point.model.task());
        write_file(
            file,
            standalone(&path_chart(&path.sizes(), task)).as_bytes(),
        )?;
    }
    if options.json {
        return print_json(&path_json(&path));
    }
    print(|out| {
        write(out, &path)?;
        match &options.plot {
            Some(file) => writeln!(out, "\nWritten: {}", file.display()),
            None => Ok(()),
        }
    })
}

/// The names of the sizes whose point this is.
fn marks(path: &Path, position: usize) -> Vec<&'static str> {
    let here = NAMED
        .iter()
        .filter(|(size, _)| path.position(*size) == position);
    here.map(|(_, name)| *name).collect()
}

fn write(out: &mut dyn Write, path: &Path) -> io::Result<()> {
    let Some(first) = path.points().first() else {
        return writeln!(
            out,
            "Too few samples to hold some back: nothing can be said of any size."
        );
    };
    let measure = match first.model.task() {
        Task::Classification => "expected log loss",
        Task::Regression => "expected error",
    };
    let mut table = Table::new([
        ("features", Align::Right),
        ("vectors", Align::Right),
        ("bound", Align::Right),
        (measure, Align::Right),
        ("se", Align::Right),
        ("behind the best", Align::Right),
        ("se", Align::Right),
        ("", Align::Left),
    ]);
    for (position, point) in path.points().iter().enumerate() {
        let bound = point.model.signatures()[0].bound();
        table.row([
            point.model.feature_count().to_string(),
            point.model.vector_count().to_string(),
            bound.map_or(String::new(), |bound| format!("{bound:.2}")),
            format!("{:.4}", point.expected.loss),
            format!("{:.4}", point.expected.se),
            format!("{:.4}", point.behind.0),
            format!("{:.4}", point.behind.1),
            marks(path, position).join(", "),
        ]);
    }
    table.write(out)?;
    writeln!(
        out,
        "\n  The base rate costs {:.4}. {}",
        first.expected.base,
        verdict(path.verdict())
    )
}

fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Signal => "The best point beats it by more than one standard error.",
        Verdict::Weak => {
            "The best point beats it by less than one standard error: as far as these samples tell, there is nothing to find."
        }
        Verdict::Nothing => {
            "No point beats it: there is nothing to find here, and a fit gives the base rate."
        }
    }
}

fn path_json(path: &Path) -> Value {
    let points = path.points().iter().enumerate().map(|(position, point)| {
        let signature = &point.model.signatures()[0];
        let names = signature.features().iter().map(|f| f.name.as_str());
        let samples = signature.vectors().iter().map(|v| v.sample.as_str());
        json!({
            "size": point.model.feature_count(),
            "features": names.collect::<Vec<_>>(),
            "vectors": samples.collect::<Vec<_>>(),
            "bound": signature.bound(),
            "log_loss": point.expected.loss,
            "se": point.expected.se,
            "behind": point.behind.0,
            "behind_se": point.behind.1,
            "precision": point.precision,
            "chosen_as": marks(path, position),
        })
    });
    let size = |size: Size| {
        path.points()
            .get(path.position(size))
            .map(|point| point.model.feature_count())
    };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "verdict": path.verdict(),
        "base_log_loss": path.points().first().map(|point| point.expected.base),
        "compact": size(Size::Compact),
        "balanced": size(Size::Balanced),
        "accurate": size(Size::Accurate),
        "points": points.collect::<Vec<_>>(),
    })
}
