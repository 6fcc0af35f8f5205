//! `rfvm inspect`: everything a model knows.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use crate::args::load_any_model;
use crate::error::Error;
use crate::output::{print, print_json};
use crate::report::Extent;
use crate::several::{any_model_json, write_any_model};

const EXAMPLES: &str = "\
Examples:
  rfvm inspect model.json
  rfvm inspect model.json --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Model file that `rfvm fit` wrote
    model: PathBuf,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let model = load_any_model(&options.model)?;
    if options.json {
        return print_json(&any_model_json(&model, Extent::All));
    }
    print(|out| write_any_model(out, &model))
}
