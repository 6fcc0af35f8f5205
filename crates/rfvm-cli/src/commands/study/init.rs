//! `rfvm study init`: a new study.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use rfvm_study::{Catalogue, Study, Terms};
use serde_json::json;

use crate::args::names;
use crate::error::Error;
use crate::interrupt::Writing;
use crate::output::{check_place, print, print_json};

const EXAMPLES: &str = "\
Examples:
  rfvm study init s.rfvm --tests tests.csv --outcome relapse
  rfvm study init s.rfvm --tests tests.csv --outcome relapse --positive yes --site clinic --group family
  rfvm study init s.rfvm --tests tests.csv --outcome relapse --keep age,sex --never @leaks.txt";

#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The study file to make
    study: PathBuf,
    /// CSV file with the tests and what they cost: columns test, cost, minutes, burden and panel, all but the first may be
    /// left out. A row with a panel and no test is the price of the panel itself, paid once whatever number of its tests
    /// is measured
    #[arg(long, value_name = "FILE")]
    tests: PathBuf,
    /// Column of the waves that is to be predicted
    #[arg(long, value_name = "COL")]
    outcome: String,
    /// The class that counts as positive [default: the one whose name says so (case, yes, tumour, 1), else the last in order]
    #[arg(long, value_name = "CLASS")]
    positive: Option<String>,
    /// Column with the site of each subject
    #[arg(long, value_name = "COL")]
    site: Option<String>,
    /// Column with the group of each subject (a family, a ward); no group is split between folds
    #[arg(long, value_name = "COL")]
    group: Option<String>,
    /// Tests that are never to be retired: names separated by commas, or @FILE with one a line
    #[arg(long, value_name = "LIST")]
    keep: Option<String>,
    /// Tests that no fit may use (a list as for --keep)
    #[arg(long, value_name = "LIST")]
    never: Option<String>,
    /// Print one JSON object instead of sentences
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode, Error> {
    check_place(Some(&options.study), [&options.tests])?;
    let list = |given: &Option<String>| given.as_deref().map(names).transpose();
    let (keep, never) = (list(&options.keep)?, list(&options.never)?);
    let (keep, never) = (keep.unwrap_or_default(), never.unwrap_or_default());
    let catalogue = Catalogue::read(&options.tests)?;
    let terms = Terms {
        outcome: options.outcome.clone(),
        positive: options.positive.clone(),
        site: options.site.clone(),
        group: options.group.clone(),
    };
    let _writing = Writing::begin()?;
    let study = Study::create(&options.study, &terms, &catalogue, &keep, &never)?;
    let state = study.state()?;
    let price = state.price(&state.active());
    if options.json {
        return print_json(&json!({
            "study": options.study, "terms": terms, "tests": catalogue.tests.len(),
            "panels": catalogue.panels, "keep": keep, "never": never, "price": price,
        }));
    }
    // Also those that cost nothing beyond their tests.
    let panels: BTreeSet<&String> = (catalogue.tests.iter())
        .filter_map(|test| test.panel.as_ref())
        .collect();
    print(|out| {
        writeln!(
            out,
            "A study of {} tests in {} panel(s): {:.2} in money, {:.0} minutes and a burden of {:.0} for each subject.",
            catalogue.tests.len(),
            panels.len(),
            price.cost,
            price.minutes,
            price.burden
        )?;
        writeln!(
            out,
            "To be predicted: {}. Must be kept: {}; must not be used: {}.",
            terms.outcome,
            keep.len(),
            never.len()
        )?;
        writeln!(out, "\nWritten: {}", options.study.display())
    })
}
