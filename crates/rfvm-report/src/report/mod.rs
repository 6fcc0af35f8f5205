//! The report of a model: what it found, on whose evidence, how good it is, and how it was made.

mod alternatives;
mod answer;
mod chance;
mod curves;
mod error;
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
mod words;

use maud::html;

pub use error::ReportError;
pub use facts::Input;
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
