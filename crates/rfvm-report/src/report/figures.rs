//! The report's pictures as files of their own.

use rfvm::summary::Curves;
use rfvm::{Estimate, Summary};

use super::view::side;
use super::{explained, path, performance, signature};
use crate::svg::standalone;

/// A picture that stands alone: colours and fonts are written into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FigureFile {
    /// What to call the file, without an ending.
    pub name: String,
    /// The picture.
    pub svg: String,
}

impl FigureFile {
    pub(super) fn new(name: &str, picture: &impl maud::Render) -> Self {
        Self {
            name: name.to_string(),
            svg: standalone(picture),
        }
    }
}

/// The ROC, precision-recall, calibration and decision curves of an evaluation.
pub fn evaluation_figures(
    curves: &Curves,
    auc: Option<Estimate>,
    positive: &str,
) -> Vec<FigureFile> {
    let charts = performance::charts(curves, auc, positive, performance::REPEATED);
    let files = charts
        .iter()
        .map(|(name, chart)| FigureFile::new(name, chart));
    files.collect()
}

/// The same from a report, as far as it was evaluated, with the signature's weights, a few explained samples and the path of sizes.
pub fn report_figures(summary: &Summary) -> Vec<FigureFile> {
    let evaluation = summary.evaluation.as_ref();
    let curves =
        evaluation.and_then(|evaluation| Some((evaluation.curves.as_ref()?, evaluation.auc)));
    let mut files = curves.map_or(Vec::new(), |(curves, auc)| {
        evaluation_figures(curves, auc, side(summary, 1))
    });
    if let Some(weights) = signature::weights(summary) {
        files.push(FigureFile::new("weights", &weights));
    }
    for (number, chart) in (1..).zip(explained::waterfalls(summary)) {
        files.push(FigureFile::new(&format!("explanation-{number}"), &chart));
    }
    let model = &summary.model;
    if !model.sizes.is_empty() {
        let picture = path::path_picture(&model.sizes, model.full, model.task);
        files.push(FigureFile::new("path", &picture));
    }
    files
}
