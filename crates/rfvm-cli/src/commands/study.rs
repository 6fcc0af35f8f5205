//! `rfvm study`: a prospective study in one file.

use std::process::ExitCode;

use clap::{Args, Subcommand};

use crate::error::Error;

mod add;
mod advise;
mod check;
mod demo;
mod fit;
mod init;
mod log;
mod report;
mod text;
mod worth;

const EXAMPLES: &str = "\
Examples:
  rfvm study init s.rfvm --tests tests.csv --outcome relapse --site clinic --group family
  rfvm study add s.rfvm wave1.csv               a wave of subjects
  rfvm study fit s.rfvm                         fit on all waves
  rfvm study advise s.rfvm                      what to retire, what replaces what, whom to recruit
  rfvm study report s.rfvm -o s.html            one page over all waves
  rfvm study log s.rfvm                         everything that was ever done
  rfvm study check s.rfvm                       is it what it was when it was written?
  rfvm study demo --out study                   a simulated study of six waves";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, arg_required_else_help = true)]
pub(crate) struct Options {
    #[command(subcommand)]
    command: StudyCommand,
}

#[derive(Debug, Subcommand)]
enum StudyCommand {
    /// Make a study: its tests with their prices, its outcome, its sites and groups
    Init(init::Options),
    /// Add a wave: new subjects, new tests, corrections
    Add(add::Options),
    /// Fit on all waves and record it
    Fit(fit::Options),
    /// Advise: which tests to retire, what replaces what, which subjects define the model, whom to recruit
    Advise(advise::Options),
    /// Write one HTML page over all waves
    Report(report::Options),
    /// Show everything that was ever done
    Log(log::Options),
    /// Check that a study is what it was when it was written
    Check(check::Options),
    /// Play a simulated study of six waves with known truth
    Demo(demo::Options),
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    match &options.command {
        StudyCommand::Init(options) => init::run(options),
        StudyCommand::Add(options) => add::run(options),
        StudyCommand::Fit(options) => fit::run(options),
        StudyCommand::Advise(options) => advise::run(options),
        StudyCommand::Report(options) => report::run(options),
        StudyCommand::Log(options) => log::run(options),
        StudyCommand::Check(options) => check::run(options),
        StudyCommand::Demo(options) => demo::run(options),
    }
}
