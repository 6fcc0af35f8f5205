//! What the study's driver asks for and what it gets: one JSON object in, one JSON line a cell out.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Cells of one model on one table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Job {
    /// An `.npz` file with `X`, `y` and, for sets with families, `groups`.
    pub table: PathBuf,
    /// Whether `y` is a number to predict rather than 0 or 1.
    #[serde(default)]
    pub regression: bool,
    /// Whether the table has `groups`.
    #[serde(default)]
    pub grouped: bool,
    /// Which model.
    pub model: ModelName,
    /// Seconds a cell may take; a cell that reaches them says so.
    #[serde(default)]
    pub budget: Option<f64>,
    /// Few settings instead of the whole grid.
    #[serde(default)]
    pub quick: bool,
    /// Iterations after which a fit of RFVM or PFCVM ends, instead of its own limit.
    #[serde(default)]
    pub max_iterations: Option<usize>,
    /// XOLON with this one setting (rate, penalty on v, penalty on a) instead of its grid.
    #[serde(default)]
    pub xolon: Option<[f64; 3]>,
    /// Whether every iteration of an RFVM fit is reported.
    #[serde(default)]
    pub trace: bool,
    /// Training and test rows of each cell.
    pub cells: Vec<Rows>,
}

/// Rows of the table, by position.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    /// Learned from.
    pub train: Vec<usize>,
    /// Predicted; at least one.
    pub test: Vec<usize>,
}

/// The native models under the names of the result files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub enum ModelName {
    /// One signature, the method's defaults.
    #[serde(rename = "RFVM one")]
    One,
    /// Five disjoint signatures.
    #[serde(rename = "RFVM committee")]
    Committee,
    /// The default of the program: the projected model of balanced size.
    #[serde(rename = "RFVM balanced")]
    Balanced,
    /// The full posterior that it is projected from.
    #[serde(rename = "RFVM full")]
    Full,
    /// The paper's model and settings.
    #[serde(rename = "RFVM paper")]
    Paper,
    /// Tipping and Faul's sequential algorithm.
    #[serde(rename = "SRVM")]
    Srvm,
    /// Both vectors non-negative.
    #[serde(rename = "PFCVM")]
    Pfcvm,
    /// RFVM's model without a prior, by gradient descent.
    #[serde(rename = "XOLON")]
    Xolon,
}

/// One finished cell.
#[derive(Debug, Serialize)]
pub struct Cell {
    /// Probability of the positive class (or the value) of every test row.
    pub scores: Vec<f64>,
    /// Position and weight of every feature the model uses.
    pub selected: Vec<(usize, f64)>,
    /// The samples that define the model, as rows of the table.
    pub vectors: Vec<usize>,
    /// How long the fit took, tuning included.
    pub seconds: f64,
    /// What tuning chose, or why the fit ended.
    pub setting: String,
    /// Whether the budget ended it.
    pub cut_short: bool,
    /// Number, bound (absent in the wide phase), active features and active candidates of every iteration asked for.
    pub trace: Vec<(usize, Option<f64>, usize, usize)>,
}
