//! `rfvm compare`: two evaluations on the same folds, and whether one is better.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use rfvm::{ComparedBy, ComparedMeasure, Comparison};

use crate::commands::report::{about, read_evaluation};
use crate::error::Error;
use crate::output::{print, print_json};
use crate::printer::{Align, PrintedTable};

const EXAMPLES: &str = "\
Examples:
  rfvm compare full.json compact.json
  rfvm compare full.json compact.json --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Evaluation that `rfvm evaluate -o FILE` wrote
    first: PathBuf,
    /// Another one of the same samples, target and folds
    second: PathBuf,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let first = read_evaluation(&options.first)?;
    let second = read_evaluation(&options.second)?;
    let found = Comparison::of(&first, &second).map_err(|error| about(&options.second, &error))?;
    if options.json {
        return print_json(&found);
    }
    print(|out| write(out, &found, &options.first, &options.second))
}

fn write(out: &mut dyn Write, found: &Comparison, first: &Path, second: &Path) -> io::Result<()> {
    let Comparison {
        n, folds, repeats, ..
    } = found;
    let (a, b) = (first.display(), second.display());
    writeln!(
        out,
        "{a} against {b}: {n} samples, {folds} folds, {repeats} repeat(s)"
    )?;
    if let Some(positive) = &found.positive {
        writeln!(out, "positive class: {positive}")?;
    }
    if !found.same_table {
        writeln!(
            out,
            "The tables differ, in features or values; samples, target and folds are the same."
        )?;
    }
    writeln!(out)?;
    let mut table = PrintedTable::new([
        ("", Align::Left),
        ("first", Align::Right),
        ("second", Align::Right),
        ("difference", Align::Right),
        ("95 % interval", Align::Left),
        ("p", Align::Right),
        ("test", Align::Left),
    ]);
    for measure in &found.measures {
        table.row([
            measure.measure.clone(),
            format!("{:.4}", measure.first),
            format!("{:.4}", measure.second),
            format!("{:+.4}", measure.difference),
            format!("{:+.4} to {:+.4}", measure.low, measure.high),
            measure.p.map_or("-".to_string(), p_value),
            match (measure.test, found.grouped) {
                (ComparedBy::CorrectedT, _) => "corrected resampled t",
                (ComparedBy::DeLong, false) => "DeLong",
                (ComparedBy::DeLong, true) => "DeLong, by groups",
            }
            .to_string(),
        ]);
    }
    table.write(out)?;
    writeln!(out)?;
    let better = |is_first: bool| -> Vec<String> {
        let sure = (found.measures.iter()).filter(|m| m.first_is_better() == Some(is_first));
        sure.map(named).collect()
    };
    for (path, measures) in [(&a, better(true)), (&b, better(false))] {
        if !measures.is_empty() {
            writeln!(out, "{path} is better in {}.", measures.join(", "))?;
        }
    }
    let unclear = found
        .measures
        .iter()
        .filter(|m| m.first_is_better().is_none());
    let unclear: Vec<String> = unclear.map(named).collect();
    if !unclear.is_empty() {
        writeln!(
            out,
            "No difference is shown in {}; that is not to say that there is none.",
            unclear.join(", ")
        )?;
    }
    if found.measures.len() > 1 {
        writeln!(
            out,
            "Several measures are several chances to find a difference: name the one that decides before you look."
        )?;
    }
    Ok(())
}

fn named(measure: &ComparedMeasure) -> String {
    match measure.test {
        ComparedBy::CorrectedT => measure.measure.clone(),
        ComparedBy::DeLong => format!("{} (DeLong)", measure.measure),
    }
}

fn p_value(p: f64) -> String {
    match p < 0.001 {
        true => "< 0.001".to_string(),
        false => format!("{p:.3}"),
    }
}
