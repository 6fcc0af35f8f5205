//! What a prediction does about values that the model needs and a sample lacks.

use clap::{Args, ValueEnum};
use rfvm::{FilledPredictions, Gaps};

/// Features named in a note or a cell at most.
const MOST_NAMED: usize = 10;

/// What is done about a value that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum MissingArg {
    /// Integrate over it, given the other features of the model
    Integrate,
    /// The same, given also the feature that stands in for it, where the table has that
    Substitute,
}

#[derive(Debug, Args)]
pub(crate) struct MissingArgs {
    /// What is done about a feature of the model that the table lacks, or a gap in it [default: it is refused, or filled with the
    /// median where the model was fitted with --impute median, or integrated over where with --impute conditional]
    #[arg(long, value_name = "HOW", help_heading = "Missing values")]
    missing: Option<MissingArg>,
}

impl MissingArgs {
    pub(crate) fn gaps(&self) -> Gaps {
        match self.missing {
            None => Gaps::Refuse,
            Some(MissingArg::Integrate) => Gaps::Integrate,
            Some(MissingArg::Substitute) => Gaps::Substitute,
        }
    }
}

/// What to say of samples that lacked something; nothing where none did.
pub(crate) fn told(found: &FilledPredictions) -> Option<String> {
    let rows = found.rows_filled();
    let features: Vec<String> = found.features().iter().map(ToString::to_string).collect();
    (rows > 0).then(|| {
        format!(
            "{rows} of {} sample(s) lack values that the model needs, which were integrated over ({}): their predictions are less certain and are marked in `filled`",
            found.predictions.len(),
            listed(&features)
        )
    })
}

/// What one sample lacked, in a cell.
pub(crate) fn cell_of(found: &FilledPredictions, row: usize) -> String {
    let features = found.filled(row).iter().map(ToString::to_string);
    listed(&features.collect::<Vec<_>>())
}

fn listed(features: &[String]) -> String {
    let shown = features[..features.len().min(MOST_NAMED)].join("; ");
    match features.len().checked_sub(MOST_NAMED) {
        Some(more @ 1..) => format!("{shown} and {more} more"),
        _ => shown,
    }
}
