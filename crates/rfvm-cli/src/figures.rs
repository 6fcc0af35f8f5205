//! Pictures as files of their own, for papers and slides.

use std::path::{Path, PathBuf};

use rfvm::summary::Curves;
use rfvm::{Evaluation, Summary};
use rfvm_report::{FigureFile, evaluation_figures, report_figures};

use crate::error::Error;
use crate::output::write_file;

/// What can be drawn.
pub(crate) struct Figures(Vec<FigureFile>);

impl Figures {
    /// The curves of an evaluation; none of a regression.
    pub(crate) fn of(evaluation: &Evaluation) -> Self {
        let positive = evaluation.classes.get(1).map_or("", String::as_str);
        let curves = Curves::of(evaluation);
        let figures = curves.map(|curves| evaluation_figures(&curves, evaluation.auc, positive));
        Self(figures.unwrap_or_default())
    }

    /// Those of a report.
    pub(crate) fn of_report(summary: &Summary) -> Self {
        Self(report_figures(summary))
    }
}

/// Writes every figure to a folder, which is made where there is none, and tells the files.
pub(crate) fn write_figures(folder: &Path, figures: &Figures) -> Result<Vec<PathBuf>, Error> {
    if figures.0.is_empty() {
        return Err(Error::Argument(
            "there is nothing to draw for --figures: a regression has no such curves; leave the option out".to_string(),
        ));
    }
    std::fs::create_dir_all(folder).map_err(Error::file(folder))?;
    let mut written = Vec::new();
    for figure in &figures.0 {
        let path = folder.join(format!("{}.svg", figure.name));
        write_file(&path, figure.svg.as_bytes())?;
        written.push(path);
    }
    Ok(written)
}
