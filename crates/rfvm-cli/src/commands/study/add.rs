//! `rfvm study add`: a wave.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm_study::{Added, Catalogue, Ruling, Study, Wave};

use crate::args::{ReadArgs, names};
use crate::error::Error;
use crate::interrupt::Writing;
use crate::output::{print, print_json, tell_notes};

const EXAMPLES: &str = "\
Examples:
  rfvm study add s.rfvm wave1.csv
  rfvm study add s.rfvm wave3.csv --tests new_tests.csv
  rfvm study add s.rfvm corrections.csv --update
  rfvm study add s.rfvm wave5.csv --free ferritin --keep crp";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The study file
    study: PathBuf,
    #[command(flatten)]
    read: ReadArgs,
    /// Rows of subjects that are in the study already complete and correct what is known of them; the old values stay in
    /// the file
    #[arg(long)]
    update: bool,
    /// CSV file with tests that are new or have new prices
    #[arg(long, value_name = "FILE", help_heading = "Tests")]
    tests: Option<PathBuf>,
    /// From now on never to be retired: names separated by commas, or @FILE with one a line
    #[arg(long, value_name = "LIST", help_heading = "Tests")]
    keep: Option<String>,
    /// From now on not to be used by any fit (a list as for --keep)
    #[arg(long, value_name = "LIST", help_heading = "Tests")]
    never: Option<String>,
    /// From now on neither kept nor excluded nor retired (a list as for --keep)
    #[arg(long, value_name = "LIST", help_heading = "Tests")]
    free: Option<String>,
    /// Print one JSON object instead of sentences
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    if options
        .read
        .tables
        .iter()
        .any(|path| path.as_os_str() == "-")
    {
        return Err(Error::Argument(
            "a wave cannot come from standard input, for the study keeps the digest of its file; name the file"
                .to_string(),
        ));
    }
    let mut study = Study::open(&options.study)?;
    let mut decisions = Vec::new();
    for (list, verdict) in [
        (&options.keep, Ruling::Keep),
        (&options.never, Ruling::Never),
        (&options.free, Ruling::Free),
    ] {
        let listed = list.as_deref().map(names).transpose()?.unwrap_or_default();
        decisions.extend(listed.into_iter().map(|name| (name, verdict)));
    }
    let wave = Wave {
        tables: options.read.tables.clone(),
        options: options.read.options(),
        update: options.update,
        catalogue: options.tests.as_deref().map(Catalogue::read).transpose()?,
        decisions,
    };
    let _writing = Writing::begin()?;
    let added = study.add(&wave)?;
    tell_notes(&added.notes);
    if options.json {
        return print_json(&added);
    }
    print(|out| write(out, &added))
}

pub(super) fn write(out: &mut dyn Write, added: &Added) -> io::Result<()> {
    writeln!(
        out,
        "Wave {}: {} row(s), {} new subject(s), {} known one(s).",
        added.wave, added.rows, added.new_subjects, added.known_subjects
    )?;
    if added.known_subjects > 0 {
        writeln!(
            out,
            "  {} value(s) completed, {} corrected; what they replace stays in the file.",
            added.completed, added.corrected
        )?;
    }
    if !added.new_tests.is_empty() {
        writeln!(
            out,
            "  Measured for the first time: {}",
            super::text::list(&added.new_tests)
        )?;
    }
    if added.new_subjects > 0 && !added.not_measured.is_empty() {
        writeln!(
            out,
            "  In use but not measured: {}",
            super::text::list(&added.not_measured)
        )?;
    }
    if added.without_outcome > 0 {
        writeln!(
            out,
            "  The outcome of {} subject(s) of the study is not known yet.",
            added.without_outcome
        )?;
    }
    Ok(())
}
