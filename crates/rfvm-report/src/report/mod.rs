//! The report of a model: what it found, on whose evidence, how good it is, and how it was made.

mod alternatives;
mod answer;
mod chance;
mod curves;
mod facts;
mod making;
mod path;
mod performance;
mod scan;
mod signature;
mod stability;
mod subjects;
mod tables;
mod trace;
mod tripod;

use maud::html;

pub use facts::{Input, ReportError};
pub use path::{path_charts, path_picture};

use crate::page::Page;
use facts::Facts;

/// The report as one HTML file.
pub fn report(input: &Input<'_>) -> Result<String, ReportError> {
    let facts = Facts::gather(input)?;
    let training = input.model.training();
    let subtitle = format!(
        "A model of {} features and {} relevance vectors, fitted on {} samples and {} features",
        input.model.feature_count(),
        input.model.vector_count(),
        training.samples,
        training.features
    );
    let mut page = Page::new(format!("Report: {}", input.name), subtitle);
    page.lead = answer::lead(&facts);
    page.sections = vec![
        signature::section(&facts),
        signature::heat_section(&facts),
        subjects::section(&facts),
        performance::section(&facts),
        stability::section(&facts),
        chance::section(&facts),
        path::section(&facts),
        alternatives::section(&facts),
        trace::section(&facts),
        tables::features(&facts),
        tables::samples(&facts),
        making::section(&facts),
        tripod::section(&facts),
    ];
    page.footer = html! {
        "Made by rfvm " (env!("CARGO_PKG_VERSION"))
        ". This page is one file: it asks nothing of any network. It describes a model; it is no medical advice."
    };
    Ok(page.render())
}

/// How `rfvm evaluate` is asked for what a section lacks.
const EVALUATE: &str = "Run rfvm evaluate on the same table with the same options and --json, keep what it prints, and give that file to rfvm report as --evaluation.";

/// Words for a number of things.
fn count(n: usize, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        _ => format!("{n} {one}s"),
    }
}

/// Names in a sentence, at most so many of them.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let total = names.len();
    let mut shown: Vec<String> = names.take(most).map(str::to_string).collect();
    if total > most {
        shown.push(format!("{} more", total - most));
    }
    match shown.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(listed(["a"].into_iter(), 3), "a");
        assert_eq!(listed(["a", "b", "c"].into_iter(), 3), "a, b and c");
        assert_eq!(
            listed(["a", "b", "c", "d"].into_iter(), 2),
            "a, b and 2 more"
        );
        assert_eq!(count(1, "sample"), "1 sample");
    }
}
