//! Why there is no report.

/// Why there is no report; each message is one sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// The engine refused the data.
    #[error("{0}")]
    Engine(#[from] rfvm::Error),
    /// The data are of another kind than the model's.
    #[error("{0}")]
    Data(String),
    /// The evaluation is of other data.
    #[error("the evaluation {0}")]
    Evaluation(String),
}
