//! Why samples have their scores, as a long table.

use std::io::{self, Write};

use rfvm::{Contribution, Explanation, ScorePart, Table};

use crate::harmless::cell;

/// A row for every feature of every sample, largest first, then the sum of what is not listed, then the base; a sample's
/// contributions add up to its score.
pub(super) fn write_csv(
    out: &mut dyn Write,
    table: &Table,
    explanations: &[Explanation],
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record([
        "sample",
        "feature",
        "value",
        "contribution",
        "95 % from",
        "to",
    ])?;
    for (sample, explanation) in table.sample_names().iter().zip(explanations) {
        for part in &explanation.contributions {
            writer.write_record([
                &*cell(sample),
                &*cell(&named(part)),
                &part.value.map_or(String::new(), |value| value.to_string()),
                &part.contribution.to_string(),
                &part.low.to_string(),
                &part.high.to_string(),
            ])?;
        }
    }
    writer.flush()
}

/// In brackets what is no feature.
fn named(part: &Contribution) -> String {
    match part.part {
        ScorePart::Feature | ScorePart::Covariate => part.feature.clone(),
        ScorePart::Others | ScorePart::Base => format!("({})", part.feature),
    }
}
