//! The report of a model: what it found, on whose evidence, how good it is, and how it was made.

mod alternatives;
mod answer;
mod chance;
mod classes;
mod explained;
mod figures;
mod making;
mod path;
mod performance;
mod signature;
mod stability;
mod subjects;
mod tables;
mod trace;
mod tripod;
mod validated;
mod validation;
mod view;
mod words;

use rfvm::Summary;

pub use classes::classes_report;
pub use figures::{FigureFile, evaluation_figures, report_figures};
pub use path::{path_charts, path_picture};
pub use validated::validated;
pub use validation::{validation_figures, validation_page};

use crate::page::Page;
use words::footer;

/// The report as one HTML file.
pub fn report(summary: &Summary) -> String {
    let model = &summary.model;
    let subtitle = format!(
        "A model of {} features and {} relevance vectors, fitted on {} samples and {} features",
        model.feature_count, model.vector_count, model.training.samples, model.training.features
    );
    let mut page = Page::new(format!("Report: {}", summary.data.name), subtitle);
    page.lead = answer::lead(summary);
    page.sections = vec![
        signature::section(summary),
        signature::heat_section(summary),
        subjects::section(summary),
        explained::section(summary),
        performance::section(summary),
        stability::section(summary),
        chance::section(summary),
        path::section(summary),
        alternatives::section(summary),
        trace::section(summary),
        tables::features(summary),
        tables::samples(summary),
        making::section(summary),
        tripod::section(summary),
    ];
    page.footer = footer();
    page.render()
}
