//! The `rfvm` command as a library: arguments, commands, tables, progress and exit codes.
//!
//! Exit codes: 0 for success (a reader that closes the pipe early included), 2 for a mistake in the arguments, the
//! input or the place of the output, told in one sentence on standard error, 130 for Ctrl-C.
//!
//! Cargo features, all on by default: `study`, the command of that name, which brings SQLite, and the formats of
//! [`rfvm_io`] by its own names for them.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

mod args;
mod commands;
mod error;
mod figures;
mod harmless;
mod interrupt;
mod known;
mod measures;
mod output;
mod printer;
mod progress;
mod report;
mod several;

pub use error::Error;
pub use interrupt::tidy_up_when_interrupted;

const EXAMPLES: &str = "\
Examples:
  rfvm demo                                         simulate a study with known truth, fit it, compare
  rfvm peek expression.csv                          what the reader understands of a table
  rfvm fit expression.csv --target class -o m.json  fit, print the signature, keep the model
  rfvm path expression.csv --target class           how many features are worth having
  rfvm predict m.json new.csv -o predictions.csv    predict new samples
  rfvm evaluate expression.csv --target class       cross-validate
  rfvm compare full.json compact.json               is one evaluation better than another?
  rfvm validate m.json other.csv --target class     a model on labelled data from elsewhere
  rfvm report m.json expression.csv -o report.html  one page about a model and its data
  rfvm export m.json --format html -o score.html    a page that computes the model's probability";

#[cfg(feature = "study")]
const STUDY_EXAMPLE: &str =
    "\n  rfvm study demo --out study                       play a prospective study of six waves";
#[cfg(not(feature = "study"))]
const STUDY_EXAMPLE: &str = "";

/// Relevance Feature and Vector Machine: finds the few features and the few samples that matter, in one fit.
#[derive(Debug, Parser)]
#[command(name = "rfvm", version, after_help = format!("{EXAMPLES}{STUDY_EXAMPLE}"), arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// Tell mistakes alone: no notes, no progress
    #[arg(long, short, global = true)]
    quiet: bool,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Simulate a study with known truth, fit it, and set what was found against the truth
    Demo(commands::demo::Options),
    /// Show what the reader understands of a table
    Peek(commands::peek::Options),
    /// Fit a model and print its signature
    Fit(commands::fit::Options),
    /// Show models of growing size and what each should cost on new samples
    Path(commands::path::Options),
    /// Predict new samples with a model
    Predict(commands::predict::Options),
    /// Show everything a model knows
    Inspect(commands::inspect::Options),
    /// Cross-validate: what a fit is worth on samples it has not seen
    Evaluate(commands::evaluate::Options),
    /// Compare two evaluations on the same folds: is one better?
    Compare(commands::compare::Options),
    /// Validate a model on labelled new samples, and recalibrate it there
    Validate(commands::validate::Options),
    /// Write a page about a model, its data and its evaluation
    Report(commands::report::Options),
    /// Write a model's score as a formula, points, PMML or a calculator, for those without this program
    Export(commands::export::Options),
    /// Manage a prospective study: waves of subjects, fits and advice in one file that only grows
    #[cfg(feature = "study")]
    Study(commands::study::Options),
    /// Print a completion script for a shell
    Completions(commands::shell::Completions),
    /// Print the manual page
    #[command(after_help = commands::shell::MAN_EXAMPLES)]
    Man,
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
    if cli.quiet {
        output::be_quiet();
    }
    rfvm_io::tell_of_waiting(|what| output::tell_notes(&[what.to_string()]));
    match cli.command {
        Command::Demo(options) => commands::demo::run(&options),
        Command::Peek(options) => commands::peek::run(&options),
        Command::Fit(options) => commands::fit::run(&options),
        Command::Path(options) => commands::path::run(&options),
        Command::Predict(options) => commands::predict::run(&options),
        Command::Inspect(options) => commands::inspect::run(&options),
        Command::Evaluate(options) => commands::evaluate::run(&options),
        Command::Compare(options) => commands::compare::run(&options),
        Command::Validate(options) => commands::validate::run(&options),
        Command::Report(options) => commands::report::run(&options),
        Command::Export(options) => commands::export::run(&options),
        #[cfg(feature = "study")]
        Command::Study(options) => commands::study::run(&options),
        Command::Completions(options) => commands::shell::completions(&options, Cli::command()),
        Command::Man => commands::shell::man(Cli::command()),
    }
}
