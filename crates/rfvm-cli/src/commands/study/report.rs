//! `rfvm study report`: one page over all waves.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm_study::Study;
use serde_json::json;

use crate::error::Error;
use crate::output::{check_place, print, print_json, write_file};

const EXAMPLES: &str = "\
Examples:
  rfvm study report s.rfvm -o s.html
  rfvm study report s.rfvm -o s.html --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The study file
    study: PathBuf,
    /// Write the page to this file
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Print one JSON object instead of a sentence
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    check_place(Some(&options.output), [&options.study])?;
    let page = Study::open(&options.study)?.report()?;
    write_file(&options.output, page.as_bytes())?;
    if options.json {
        return print_json(
            &json!({"study": options.study, "report": options.output, "bytes": page.len()}),
        );
    }
    print(|out| writeln!(out, "Written: {}", options.output.display()))
}
