//! Everything that can go wrong on the user's side, each as one sentence that carries the values.

use std::path::PathBuf;

/// A mistake in the input, the parameters or a file. Internal mistakes panic; these never do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A vector or matrix has another length than its neighbours.
    #[error("expected {expected} {what}, got {got}")]
    Length {
        /// What was counted.
        what: &'static str,
        /// How many there should be.
        expected: usize,
        /// How many there are.
        got: usize,
    },
    /// The table has no rows or no columns.
    #[error("the table is empty: {samples} samples by {features} features")]
    Empty {
        /// Number of rows.
        samples: usize,
        /// Number of columns.
        features: usize,
    },
    /// A value is NaN or infinite.
    #[error(
        "feature '{feature}' of sample '{sample}' is {value}; impute or drop missing values first"
    )]
    NotFinite {
        /// Name of the column.
        feature: String,
        /// Name of the row.
        sample: String,
        /// The offending value.
        value: f64,
    },
    /// A value so far from the training samples that no score can be computed.
    #[error(
        "feature '{feature}' of sample '{sample}' is {value}, too far from all training samples for any prediction; check its unit, and codes that stand for missing values"
    )]
    OutOfProportion {
        /// Name of the column.
        feature: String,
        /// Name of the row.
        sample: String,
        /// The offending value.
        value: f64,
    },
    /// A covariate that cannot be allowed for.
    #[error("covariate '{name}': {what}")]
    Covariate {
        /// Its name.
        name: String,
        /// What is wrong with it, and what to do.
        what: String,
    },
    /// Prices, panels, blocks or annotation of features that make no sense.
    #[error("{0}")]
    Facts(String),
    /// A model that nobody can compute by hand.
    #[error("{}", match .0 {
        0 => "a model without features has nothing to enter or to add up; it says the same of every sample".to_string(),
        count => format!("{count} features are too many to enter or to add up by hand; fit a smaller model, with --size balanced or compact"),
    })]
    ByHand(usize),
    /// Missing values where none are allowed.
    #[error(
        "{count} values are missing, most of them in {worst}; impute the median or drop such features"
    )]
    Missing {
        /// How many.
        count: usize,
        /// The worst features with their counts.
        worst: String,
    },
    /// A value whose logarithm was asked for and does not exist.
    #[error(
        "feature '{feature}' of sample '{sample}' is {value}; log2(1 + x) needs values above -1"
    )]
    NoLogarithm {
        /// Name of the column.
        feature: String,
        /// Name of the row.
        sample: String,
        /// The offending value.
        value: f64,
    },
    /// Two columns or two rows carry the same name.
    #[error("{what} '{name}' appears twice (positions {first} and {second}); names must be unique")]
    Duplicate {
        /// "feature" or "sample".
        what: &'static str,
        /// The repeated name.
        name: String,
        /// Position of the first one, from 1.
        first: usize,
        /// Position of the second one, from 1.
        second: usize,
    },
    /// A target value of a regression is NaN or infinite.
    #[error("the target of sample '{sample}' is {value}; it must be a finite number")]
    TargetNotFinite {
        /// Name of the row.
        sample: String,
        /// The offending value.
        value: f64,
    },
    /// A regression target that never varies.
    #[error("the target is {value} for every sample; there is nothing to predict")]
    TargetConstant {
        /// The only value.
        value: f64,
    },
    /// A regression target in a unit in which its variance is no number.
    #[error(
        "the target has a standard deviation of {0:?}, and its variance is no number; give it in another unit"
    )]
    TargetUnit(f64),
    /// A label points outside the list of classes.
    #[error(
        "the label of sample '{sample}' is class number {label}, but only {classes} classes are named"
    )]
    LabelOutOfRange {
        /// Name of the row.
        sample: String,
        /// The label, from 0.
        label: usize,
        /// How many classes there are.
        classes: usize,
    },
    /// Fewer than two classes.
    #[error("the target needs at least two classes, found {0}")]
    TooFewClasses(usize),
    /// More than two classes where a method tells two apart.
    #[error(
        "the method {method} tells two classes apart, found {found} ({names}); set one class against the rest, or fit all of them by the method projected"
    )]
    TooManyClasses {
        /// The method.
        method: &'static str,
        /// How many there are.
        found: usize,
        /// Their names, joined.
        names: String,
    },
    /// A class with fewer than two rows.
    #[error("class '{class}' has {rows} row(s); every class needs at least two")]
    ClassTooSmall {
        /// Name of the class.
        class: String,
        /// Its number of rows.
        rows: usize,
    },
    /// A class name that the data does not have.
    #[error("there is no class '{class}'; the classes are {known}")]
    UnknownClass {
        /// The name asked for.
        class: String,
        /// The names there are, joined.
        known: String,
    },
    /// Groups that cannot be held back whole.
    #[error(
        "the groups cannot be held back: {0}; give finer groups, or leave them out if the samples are independent"
    )]
    Groups(&'static str),
    /// Every column is constant on the training rows.
    #[error("all {0} features are constant on the training rows; nothing is left to fit")]
    AllConstant(usize),
    /// A fit whose numbers ran away.
    #[error("the fit gave no usable model ({0}); look for extreme values and weights")]
    Unusable(String),
    /// A parameter outside its range.
    #[error("parameter {name} is {value}; it must be {rule}")]
    Parameter {
        /// Name of the parameter.
        name: &'static str,
        /// Its value as given.
        value: String,
        /// What is allowed.
        rule: &'static str,
    },
    /// A fit that does not suit the kind of target.
    #[error("{0}")]
    Target(&'static str),
    /// Data whose target is not the model's.
    #[error("{0}; give the target that it was fitted on")]
    OtherTarget(String),
    /// New samples that a correction cannot be learned on.
    #[error("the model cannot be recalibrated on these samples: {0}")]
    Recalibration(String),
    /// An evaluation that is not of the data, or lacks what is needed of it.
    #[error("the evaluation {0}")]
    Evaluation(String),
    /// Features that the model needs and the table lacks.
    #[error("the table lacks {count} feature(s) that the model needs: {names}")]
    MissingFeatures {
        /// How many are missing.
        count: usize,
        /// The first few names.
        names: String,
    },
    /// A value is missing, and the model does not know how its features hang together.
    #[error(
        "the model was fitted by an older version and does not know how its features hang together, so that what is missing cannot be integrated over; fit it again"
    )]
    NoCompanions,
    /// A row index outside the table.
    #[error("row {row} does not exist: the table has {samples} samples")]
    RowOutOfRange {
        /// The index asked for, from 0.
        row: usize,
        /// How many rows there are.
        samples: usize,
    },
    /// The worker threads could not be started.
    #[error("could not start {threads} worker threads: {reason}")]
    Threads {
        /// How many were asked for.
        threads: usize,
        /// The system's reason.
        reason: String,
    },
    /// A file that could not be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A model file that is damaged, foreign or from a newer version.
    #[error("{}: {reason}", path.display())]
    ModelFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
}

/// Joins at most the first ten names and says how many more there are.
pub(crate) fn join_names<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let total = names.len();
    let mut text = names
        .take(10)
        .map(|name| format!("'{name}'"))
        .collect::<Vec<_>>()
        .join(", ");
    if total > 10 {
        text.push_str(&format!(" and {} more", total - 10));
    }
    text
}

/// A parameter out of its range.
pub(crate) fn require(
    fine: bool,
    name: &'static str,
    value: impl ToString,
    rule: &'static str,
) -> Result<(), Error> {
    let wrong = || Error::Parameter {
        name,
        value: value.to_string(),
        rule,
    };
    fine.then_some(()).ok_or_else(wrong)
}

/// A weight or a factor: beyond these limits sums of rows lose all but the heaviest.
pub(crate) fn factor(name: &'static str, value: f64) -> Result<(), Error> {
    let fine = (1e-9..=1e9).contains(&value);
    // A number with a hundred zeros is written short.
    require(fine, name, format!("{value:?}"), "between 1e-9 and 1e9")
}

/// A parameter that must be above 0.
pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    let fine = value > 0.0 && value.is_finite();
    require(fine, name, value, "a finite number above 0")
}
