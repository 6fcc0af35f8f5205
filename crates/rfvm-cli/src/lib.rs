//! The `rfvm` command as a library: arguments, commands, tables, progress and exit codes.
//!
//! Exit codes: 0 for success (a reader that closes the pipe early included), 2 for a mistake in the arguments, the
//! input or the place of the output, told in one sentence on standard error.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

mod commands;
mod error;
mod output;
mod printer;
mod progress;

pub use error::Error;

/// Rust code in the read-me is compiled and run as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

const EXAMPLES: &str = "\
Examples:
  rfvm demo                      simulate a study with known truth, fit it, compare
  rfvm demo --seed 7 --json      another study, the result as one JSON object
  rfvm demo --out study          also write the study and the model to the folder 'study'";

/// Relevance Feature and Vector Machine: finds the few features and the few samples that matter, in one fit.
#[derive(Debug, Parser)]
#[command(name = "rfvm", version, after_help = EXAMPLES, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a study with known truth, fit it, and set what was found against the truth
    Demo(commands::demo::Options),
}

/// Runs the command that the arguments (the program's name first) ask for.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> Result<ExitCode, Error> {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(answer) => {
            // Help and version are answers too; only mistakes go to standard error.
            answer.print().map_err(Error::Output)?;
            return Ok(match answer.use_stderr() {
                true => ExitCode::from(error::USER_MISTAKE),
                false => ExitCode::SUCCESS,
            });
        }
    };
    match cli.command {
        Command::Demo(options) => commands::demo::run(&options),
    }
}
