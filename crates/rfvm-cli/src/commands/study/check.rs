//! `rfvm study check`: whether a study is what it was when it was written.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm_study::Study;

use crate::error::Error;
use crate::output::{print, print_json};

const EXAMPLES: &str = "\
Examples:
  rfvm study check s.rfvm
  rfvm study check s.rfvm --seal 3f9a0c41d2b7    is it still the study that this seal was noted of?";

/// As many characters of a seal as must be given: fewer might be another's by chance.
const FEWEST: usize = 12;

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The study file
    study: PathBuf,
    /// A seal that was noted before, whole or its first twelve characters or more: the study must still have it
    #[arg(long, value_name = "SEAL")]
    seal: Option<String>,
    /// Print one JSON object instead of sentences
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    // Opening follows the chain, and refuses a study that was changed.
    let study = Study::open(&options.study)?;
    let problems = study.problems()?;
    let file = options.study.display();
    if let Some(problem) = problems.first() {
        return Err(Error::Argument(format!(
            "{file}: {problem}; take the last copy that is sound"
        )));
    }
    let log = study.log()?;
    let noted = match &options.seal {
        None => None,
        Some(seal) if seal.len() < FEWEST => {
            return Err(Error::Argument(format!(
                "--seal '{seal}' is too short; give {FEWEST} characters of it or more"
            )));
        }
        Some(seal) => match log
            .iter()
            .find(|event| event.seal.starts_with(seal.as_str()))
        {
            Some(event) => Some(event),
            None => {
                return Err(Error::Argument(format!(
                    "{file}: no event has the seal '{seal}': it is another study, or its rows and seals were made anew"
                )));
            }
        },
    };
    let last = log.last().map_or("", |event| event.seal.as_str());
    if options.json {
        return print_json(&serde_json::json!({
            "study": options.study, "events": log.len(), "seal": last, "noted": noted.map(|event| event.id),
        }));
    }
    print(|out| {
        writeln!(
            out,
            "{file} is sound: {} events, each as it was written.",
            log.len()
        )?;
        if let Some(event) = noted {
            writeln!(
                out,
                "The seal that was given is that of event {} ({} of {} UTC): nothing up to it has changed since.",
                event.id,
                event.kind,
                event
                    .at
                    .replace('T', " ")
                    .chars()
                    .take(19)
                    .collect::<String>()
            )?;
        }
        writeln!(out, "Its seal now: {last}")?;
        writeln!(
            out,
            "Note the seal elsewhere (a protocol, a mail): it shows later that nobody has made the study anew."
        )
    })
}
