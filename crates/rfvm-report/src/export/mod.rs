//! A model that travels: its score as a formula, as points, for other programs, and as a page that computes.
//!
//! ```text
//! words.rs       what several formats say in the same way
//! text.rs        the formula with all its numbers, as plain text
//! latex.rs       the same for a paper
//! points.rs      a score of whole points, with what rounding costs
//! pmml.rs        PMML 4.4
//! calculator.rs  one page: values in, probability out
//! ```

mod calculator;
mod latex;
mod pmml;
mod points;
mod text;
mod words;

use rfvm::{Error, Model, PointLoss};

/// What a model is exported as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// The formula as plain text, with all digits.
    Text,
    /// The formula as a piece of LaTeX.
    Latex,
    /// A score of whole points, as plain text.
    Points,
    /// PMML 4.4.
    Pmml,
    /// A page that computes.
    Html,
}

impl ExportFormat {
    /// All of them.
    pub const ALL: [Self; 5] = [
        Self::Text,
        Self::Latex,
        Self::Points,
        Self::Pmml,
        Self::Html,
    ];

    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Latex => "latex",
            Self::Points => "points",
            Self::Pmml => "pmml",
            Self::Html => "html",
        }
    }
}

/// The text of the file. `loss` is for points alone: what rounding costs on some samples. Points and the page are refused for
/// models of more than 200 features, and of none; models with covariates are refused altogether.
pub fn export(
    model: &Model,
    format: ExportFormat,
    loss: Option<&PointLoss>,
) -> Result<String, Error> {
    if let Some(name) = model.covariate_names().into_iter().next() {
        return Err(Error::Covariate {
            name,
            what: "a score that travels takes no covariates; fit the model without them"
                .to_string(),
        });
    }
    match format {
        ExportFormat::Text => Ok(text::text(model)),
        ExportFormat::Latex => Ok(latex::latex(model)),
        ExportFormat::Points => Ok(points::points(model, &model.point_score()?, loss)),
        ExportFormat::Pmml => Ok(pmml::pmml(model)),
        ExportFormat::Html => {
            model.check_by_hand()?;
            Ok(calculator::calculator(model))
        }
    }
}
