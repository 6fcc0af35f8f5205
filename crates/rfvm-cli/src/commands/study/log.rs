//! `rfvm study log`: everything that was ever done.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm_study::{Event, Study};
use serde_json::Value;

use crate::error::Error;
use crate::output::{print, print_json};
use crate::printer::{Align, PrintedTable};

const EXAMPLES: &str = "\
Examples:
  rfvm study log s.rfvm
  rfvm study log s.rfvm --json";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The study file
    study: PathBuf,
    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    let study = Study::open(&options.study)?;
    let log = study.log()?;
    if options.json {
        return print_json(&serde_json::json!({"study": options.study, "log": log}));
    }
    let mut table = PrintedTable::new([
        ("number", Align::Right),
        ("time (UTC)", Align::Left),
        ("what", Align::Left),
        ("wave", Align::Right),
        ("data", Align::Left),
        ("seal", Align::Left),
        ("rfvm", Align::Left),
        ("result", Align::Left),
    ]);
    for event in &log {
        table.row([
            event.id.to_string(),
            event.at.replace('T', " ").chars().take(19).collect(),
            event.kind.clone(),
            event.wave.to_string(),
            event.data_hash.chars().take(12).collect(),
            event.seal.chars().take(12).collect(),
            event.version.clone(),
            result(event),
        ]);
    }
    print(|out| table.write(out))
}

/// What a fit claims to be worth, and whom that is measured on.
fn claim(summary: &Value) -> String {
    let basis = &summary["basis"];
    let on = match basis["judged_on"].as_str() {
        Some("all_subjects") => "all subjects".to_string(),
        Some("later_subjects") => format!("{} later subjects", basis["subjects"]),
        Some(_) => return "AUC not known yet".to_string(),
        None => "subjects that were not recorded".to_string(),
    };
    match summary["auc"]["mean"].as_f64() {
        Some(auc) => format!("AUC {auc:.3} on {on}"),
        None => "AUC not known".to_string(),
    }
}

/// What came of an event, in a few words.
fn result(event: &Event) -> String {
    let summary = &event.summary;
    let count = |value: &Value| value.as_array().map_or(0, Vec::len);
    let number = |value: &Value| value.as_f64().map_or(String::new(), |x| format!("{x:.3}"));
    match event.kind.as_str() {
        "init" => format!("{} tests", summary["tests"]),
        "wave" => format!(
            "{} new subjects, {} corrected",
            summary["new_subjects"], summary["corrected"]
        ),
        "fit" => format!(
            "{} subjects, {} tests in the model, {}",
            summary["subjects"],
            count(&summary["panel"]),
            claim(summary)
        ),
        _ => {
            let done = if summary["retired"] == Value::Bool(true) {
                "retired"
            } else {
                "advised to retire"
            };
            format!(
                "{} tests {done}, {} saved a subject",
                count(&summary["retire"]),
                number(&summary["saved"]["cost"])
            )
        }
    }
}
