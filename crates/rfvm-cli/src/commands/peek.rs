//! `rfvm peek`: what the reader understood of a table.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use rfvm::{DataWarning, UnusedColumns};
use rfvm_io::{Annotation, FeatureChoice, Orientation, Source, is_batch_name, open_tables};
use serde::Serialize;

use crate::args::{ReadArgs, TargetArgs};
use crate::error::Error;
use crate::output::{print, print_json};
use crate::printer::{Align, PrintedTable};

const EXAMPLES: &str = "\
Examples:
  rfvm peek expression.csv
  rfvm peek expression.csv --target class
  rfvm peek - --samples rows < expression.csv
  rfvm peek study.h5ad --json";

/// Distinct values up to which a column may be a target.
const MOST_CLASSES: usize = 20;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    read: ReadArgs,
    #[command(flatten)]
    target: TargetArgs,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Peek {
    format: String,
    samples: usize,
    features: usize,
    samples_are: &'static str,
    orientation_certain: bool,
    first_samples: Vec<String>,
    first_features: Vec<String>,
    missing_values: usize,
    features_with_missing: usize,
    constant_features: usize,
    duplicate_features: usize,
    duplicate_names: usize,
    targets: Vec<TargetCandidate>,
    /// Columns of many numbers that are not features.
    regression_targets: Vec<String>,
    notes: Vec<String>,
    /// Columns that are no features, by reason.
    unused: Vec<UnusedColumns>,
    warnings: Vec<DataWarning>,
}

/// A column that may be the target.
#[derive(Debug, Serialize)]
struct TargetCandidate {
    column: String,
    missing: usize,
    classes: BTreeMap<String, usize>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    // As a fit would read it, so that both see the same table.
    let choice = options.target.choice(&[]);
    let read = options.read.options();
    let opened = open_tables(&options.read.tables, &read, &choice)?;
    let mut peek = look(&opened.source);
    peek.unused = opened.source.unused(&read);
    if options.target.is_named() {
        let mut loaded = opened.load(&choice, &FeatureChoice::default())?;
        loaded.examine();
        peek.unused = loaded.provenance.unused;
        peek.warnings = loaded.provenance.warnings;
    } else {
        peek.warnings = batch_warnings(&opened.source, &peek.targets);
    }
    if options.json {
        return print_json(&peek);
    }
    print(|out| write(out, &peek))
}

fn look(source: &Source) -> Peek {
    let matrix = &source.matrix;
    let n = matrix.samples.max(1);
    let columns = || matrix.values.chunks_exact(n);
    let holes = |column: &[f64]| column.iter().filter(|value| value.is_nan()).count();
    let constant = |column: &&[f64]| rfvm::is_constant(column);
    let first = |names: &Option<Vec<String>>| names.iter().flatten().take(5).cloned().collect();
    Peek {
        format: source.format.clone(),
        samples: matrix.samples,
        features: matrix.features,
        samples_are: match source.orientation {
            Orientation::SamplesAsRows => "rows",
            Orientation::FeaturesAsRows => "columns",
        },
        orientation_certain: source.orientation_certain,
        first_samples: first(&source.sample_names),
        first_features: first(&source.feature_names),
        missing_values: columns().map(holes).sum(),
        features_with_missing: columns().filter(|column| holes(column) > 0).count(),
        constant_features: columns().filter(constant).count(),
        duplicate_features: duplicates(
            columns().map(|column| column.iter().map(|v| v.to_bits()).collect::<Vec<_>>()),
        ),
        duplicate_names: duplicates(source.feature_names.iter().flatten()),
        targets: targets(source),
        regression_targets: regression_targets(source),
        notes: source.notes.clone(),
        unused: Vec::new(),
        warnings: Vec::new(),
    }
}

/// What batches have to do with each column that may be the target.
fn batch_warnings(source: &Source, targets: &[TargetCandidate]) -> Vec<DataWarning> {
    let columns = source.annotations.iter();
    let columns = columns.filter(|column| !is_batch_name(&column.name));
    columns
        .filter_map(|column| {
            let target = targets.iter().find(|target| target.column == column.name)?;
            let number = |value: &String| target.classes.keys().position(|class| class == value);
            let classes: Vec<Option<usize>> = column.values.iter().map(number).collect();
            Some(source.batch_warnings(&column.name, &classes))
        })
        .flatten()
        .collect()
}

/// How many items repeat an earlier one.
fn duplicates<T: std::hash::Hash + Eq>(items: impl Iterator<Item = T>) -> usize {
    use std::hash::{BuildHasher, RandomState};
    // Only hashes are kept: a copy of every column would double the memory.
    let state = RandomState::new();
    let mut seen: HashMap<u64, ()> = HashMap::new();
    items
        .filter(|item| seen.insert(state.hash_one(item), ()).is_some())
        .count()
}

/// Columns with 2 to 20 distinct values: those that are not features, and whole-numbered features.
fn targets(source: &Source) -> Vec<TargetCandidate> {
    let mut found: Vec<TargetCandidate> = source
        .annotations
        .iter()
        .filter_map(|annotation| {
            candidate(
                &annotation.name,
                annotation.values.iter().map(String::as_str),
            )
        })
        .collect();
    let n = source.matrix.samples.max(1);
    let names = source.feature_names.iter().flatten();
    // Only where a few columns stand out; in a table of genotypes every column would.
    let columns: Vec<TargetCandidate> = names
        .zip(source.matrix.values.chunks_exact(n))
        .filter(|(_, column)| {
            column
                .iter()
                .all(|value| value.is_nan() || value.fract() == 0.0)
        })
        .filter_map(|(name, column)| {
            let texts: Vec<String> = column
                .iter()
                .map(|v| {
                    if v.is_nan() {
                        String::new()
                    } else {
                        v.to_string()
                    }
                })
                .collect();
            candidate(name, texts.iter().map(String::as_str))
        })
        .take(11)
        .collect();
    if columns.len() <= 10 {
        found.extend(columns);
    }
    found
}

fn regression_targets(source: &Source) -> Vec<String> {
    let measured = |annotation: &&Annotation| {
        let values = annotation.values.iter().filter(|value| !value.is_empty());
        let different: HashSet<&String> = values.clone().collect();
        different.len() > MOST_CLASSES && values.into_iter().all(|v| v.parse::<f64>().is_ok())
    };
    let found = source.annotations.iter().filter(measured);
    found.map(|annotation| annotation.name.clone()).collect()
}

fn candidate<'s>(name: &str, values: impl Iterator<Item = &'s str>) -> Option<TargetCandidate> {
    let (mut classes, mut missing) = (BTreeMap::new(), 0);
    for value in values {
        if value.is_empty() {
            missing += 1;
            continue;
        }
        *classes.entry(value.to_string()).or_insert(0) += 1;
        if classes.len() > MOST_CLASSES {
            return None;
        }
    }
    (classes.len() >= 2).then(|| TargetCandidate {
        column: name.to_string(),
        missing,
        classes,
    })
}

fn write(out: &mut dyn Write, peek: &Peek) -> io::Result<()> {
    let guess = if peek.orientation_certain {
        ""
    } else {
        " (a guess from the shape; --samples settles it)"
    };
    writeln!(
        out,
        "{}: {} samples, {} features; samples are {}{guess}",
        peek.format, peek.samples, peek.features, peek.samples_are
    )?;
    let list = |names: &[String]| {
        if names.is_empty() {
            "none in the file".to_string()
        } else {
            names.join(", ")
        }
    };
    writeln!(out, "  samples: {} ...", list(&peek.first_samples))?;
    writeln!(out, "  features: {} ...", list(&peek.first_features))?;
    writeln!(
        out,
        "  missing values: {} in {} features",
        peek.missing_values, peek.features_with_missing
    )?;
    writeln!(out, "  constant features: {}", peek.constant_features)?;
    writeln!(
        out,
        "  features equal to an earlier one: {}; names used twice: {}",
        peek.duplicate_features, peek.duplicate_names
    )?;
    for note in &peek.notes {
        writeln!(out, "  note: {note}")?;
    }
    for columns in &peek.unused {
        writeln!(out, "  no feature: {}", columns.sentence())?;
    }
    for warning in &peek.warnings {
        writeln!(out, "  to be checked: {}", warning.message)?;
    }
    writeln!(out)?;
    if !peek.regression_targets.is_empty() {
        let names = peek.regression_targets.join(", ");
        writeln!(
            out,
            "Columns of numbers that a regression may predict (--task regression): {names}"
        )?;
        if peek.targets.is_empty() {
            return Ok(());
        }
    }
    if peek.targets.is_empty() {
        return writeln!(
            out,
            "No column looks like a target; labels can come from a file (--labels)."
        );
    }
    writeln!(out, "Columns that may be the target")?;
    let mut table = PrintedTable::new([
        ("column", Align::Left),
        ("values", Align::Left),
        ("missing", Align::Right),
    ]);
    for target in &peek.targets {
        let classes: Vec<String> = target
            .classes
            .iter()
            .map(|(class, count)| format!("{class} ({count})"))
            .collect();
        table.row([
            target.column.clone(),
            classes.join(", "),
            target.missing.to_string(),
        ]);
    }
    table.write(out)
}
