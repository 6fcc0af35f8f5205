//! Pictures as files of their own, for papers and slides.

use std::io;
use std::path::{Path, PathBuf};

use rfvm::summary::Curves;
use rfvm::{Evaluation, Summary, Validation};
use rfvm_report::{FigureFile, evaluation_figures, report_figures, validation_figures};

use crate::error::Error;
use crate::output::{tell_notes, write_file};

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

    /// The curves of a validation, and the shifts of its features.
    pub(crate) fn of_validation(validation: &Validation) -> Self {
        Self(validation_figures(validation))
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
        if let Some(bytes) = pixels(&figure.svg) {
            let path = folder.join(format!("{}.png", figure.name));
            write_file(&path, &bytes.map_err(Error::file(&path))?)?;
            written.push(path);
        }
    }
    if cfg!(not(feature = "png")) {
        tell_notes(&[format!("the figures are SVG files alone: {NO_PNG}")]);
    }
    Ok(written)
}

/// What to say of PNG files where there are none.
const NO_PNG: &str = "this program was built without the feature png";

/// The picture as a PNG file; `None` from a program that was built without.
#[cfg(feature = "png")]
fn pixels(svg: &str) -> Option<io::Result<Vec<u8>>> {
    Some(rfvm_report::to_png(svg))
}

#[cfg(not(feature = "png"))]
fn pixels(_: &str) -> Option<io::Result<Vec<u8>>> {
    None
}

fn is_png(path: &Path) -> bool {
    (path.extension()).is_some_and(|end| end.eq_ignore_ascii_case("png"))
}

/// Refuses a picture whose name says that it is neither SVG nor PNG, before any work is done for it.
pub(crate) fn check_picture(path: &Path) -> Result<(), Error> {
    let is_svg = (path.extension()).is_some_and(|end| end.eq_ignore_ascii_case("svg"));
    let file = path.display();
    let refused = match (is_svg, is_png(path)) {
        (true, _) => return Ok(()),
        (_, true) if cfg!(feature = "png") => return Ok(()),
        (_, true) => format!("cannot draw {file}: {NO_PNG}; end its name with .svg"),
        _ => format!(
            "--plot draws an SVG or PNG file, but {file} is neither by its name; end it with .svg or .png"
        ),
    };
    Err(Error::Argument(refused))
}

/// Writes one picture in the format that its name says.
pub(crate) fn write_picture(path: &Path, svg: &str) -> Result<(), Error> {
    match is_png(path).then(|| pixels(svg)).flatten() {
        Some(bytes) => write_file(path, &bytes.map_err(Error::file(path))?),
        None => write_file(path, svg.as_bytes()),
    }
}
