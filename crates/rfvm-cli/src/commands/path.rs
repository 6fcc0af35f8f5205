//! `rfvm path`: models of growing size beside the full one: what each keeps of it, and what each should cost.

mod classes;
mod sizes;
mod words;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm::{Params, Path, PathPoint, Size, Task};
use rfvm_report::{path_picture, standalone};
use serde_json::{Value, json};

use crate::args::{DataArgs, TreatmentArgs, share, size};
use crate::error::Error;
use crate::figures::{check_picture, write_picture};
use crate::output::{check_place, print, print_json};
use crate::progress::FitBar;
use crate::several::has_several;
use sizes::{size_json, sizes_table, whole_json};
use words::{not_kept, verdict};

const EXAMPLES: &str = "\
Examples:
  rfvm path expression.csv --target class
  rfvm path golub.gct --labels golub.cls --positive AML --plot golub.svg
  rfvm path expression.csv --target class --share 0.9
  rfvm path expression.csv --target class --size 12 --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    data: DataArgs,
    /// Sizes up to this number of features [default: the usual ones, up to 55]
    #[arg(
        long,
        value_name = "SIZE",
        value_parser = size,
        default_value = "balanced",
        hide_default_value = true,
        help_heading = "Fit"
    )]
    size: Size,
    /// Show which size has the fewest features that keep this share of what the full model tells, from 0 to 1
    #[arg(
        long,
        value_name = "S",
        value_parser = share,
        conflicts_with = "size",
        help_heading = "Fit"
    )]
    share: Option<f64>,
    #[command(flatten)]
    treatment: TreatmentArgs,
    /// Draw explained share and expected loss against size, with the chosen points marked, to this file, SVG or PNG
    /// by its name
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

impl Options {
    fn size(&self) -> Size {
        self.share.map_or(self.size, Size::Share)
    }
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    check_place(options.plot.as_ref(), &options.data.inputs())?;
    if let Some(file) = &options.plot {
        check_picture(file)?;
    }
    let params = options.treatment.params(Params::projected(options.size()));
    let params = params.check()?;
    let data = options.data.load()?.data;
    let data = options
        .treatment
        .weighted(data)
        .map_err(options.data.refused())?;
    let progress = FitBar::new("path");
    if has_several(&data) {
        let all = (data.table().features(), data.table().samples());
        let path = params
            .path_classes(data, |iteration| progress.show(iteration))
            .map_err(options.data.refused())?;
        drop(progress);
        if let Some(file) = &options.plot {
            let picture = path_picture(&path.sizes(), path.full(), Task::Classification);
            write_picture(file, &standalone(&picture))?;
        }
        if options.json {
            return print_json(&classes::json(&path, all));
        }
        return print(|out| {
            classes::write(out, &path, all, options.size())?;
            written(out, options)
        });
    }
    let path = params
        .path(data, |iteration| progress.show(iteration))
        .map_err(options.data.refused())?;
    drop(progress);
    if let Some(file) = &options.plot {
        let picture = path_picture(&path.sizes(), path.full(), task(&path));
        write_picture(file, &standalone(&picture))?;
    }
    if options.json {
        return print_json(&path_json(&path));
    }
    print(|out| {
        write(out, &path, options.size())?;
        written(out, options)
    })
}

fn written(out: &mut dyn Write, options: &Options) -> io::Result<()> {
    match &options.plot {
        Some(file) => writeln!(out, "\nWritten: {}", file.display()),
        None => Ok(()),
    }
}

fn task(path: &Path) -> Task {
    let first = path.points().first();
    first.map_or(Task::Classification, |point| point.model.task())
}

/// Features and samples of the full model.
fn all(point: &PathPoint) -> (usize, usize) {
    let training = point.model.training();
    let features = training.features.saturating_sub(training.constant_features);
    (features, training.samples)
}

fn write(out: &mut dyn Write, path: &Path, size: Size) -> io::Result<()> {
    let (Some(first), Some(full)) = (path.points().first(), path.full()) else {
        return writeln!(
            out,
            "Too few samples to hold some back: nothing can be said of any size."
        );
    };
    let measure = match task(path) {
        Task::Classification => "expected log loss",
        Task::Regression => "expected error",
    };
    let vectors = path.points().iter().map(|point| point.model.vector_count());
    sizes_table(&path.sizes(), vectors, measure, (full, all(first))).write(out)?;
    writeln!(
        out,
        "\n  The base rate costs {:.4}. {}",
        full.base,
        path.judgement().map_or("", |found| verdict(found.verdict))
    )?;
    match missed(path, size) {
        Some(words) => writeln!(out, "  {words}"),
        None => Ok(()),
    }
}

/// What there is to say where no size keeps the share that was asked for.
fn missed(path: &Path, size: Size) -> Option<String> {
    let given = &path.points()[path.position(size)?];
    not_kept(size, given.share, given.model.feature_count())
}

fn path_json(path: &Path) -> Value {
    let points = path.points().iter().zip(path.sizes()).map(|(point, size)| {
        let signature = &point.model.signatures()[0];
        let names = signature.features().iter().map(|f| f.name.as_str());
        let samples = signature.vectors().iter().map(|v| v.sample.as_str());
        let mut object = size_json(&size, names.collect());
        object["vectors"] = json!(samples.collect::<Vec<_>>());
        object
    });
    let size = |size: Size| {
        let point = path.points().get(path.position(size)?)?;
        Some(point.model.feature_count())
    };
    let data = path.points().first().map(all);
    whole_json(
        path.judgement(),
        path.full().zip(data),
        size,
        points.collect(),
    )
}
