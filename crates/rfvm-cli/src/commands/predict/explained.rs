//! Why samples have their scores, as a long table.

use std::io::{self, Write};

use rfvm::{Contribution, Explanation, KnownFeatures, ScorePart, Table};

use crate::harmless::cell;

/// A row for every feature of every sample, largest first, then the sum of what is not listed, then the base; a sample's
/// contributions add up to its score.
pub(super) fn write_csv(
    out: &mut dyn Write,
    table: &Table,
    explanations: &[Explanation],
    known: &KnownFeatures,
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let own = [
        "sample",
        "feature",
        "value",
        "contribution",
        "95 % from",
        "to",
    ];
    let columns = known.columns.iter().map(|name| cell(name).into_owned());
    writer.write_record(own.map(str::to_owned).into_iter().chain(columns))?;
    for (sample, explanation) in table.sample_names().iter().zip(explanations) {
        for part in &explanation.contributions {
            let own = [
                cell(sample).into_owned(),
                cell(&named(part)).into_owned(),
                part.value.map_or(String::new(), |value| value.to_string()),
                part.contribution.to_string(),
                part.low.to_string(),
                part.high.to_string(),
            ];
            let texts = (0..known.columns.len()).map(|at| known.text(&part.feature, at));
            let texts = texts.map(|text| cell(text).into_owned());
            writer.write_record(own.into_iter().chain(texts))?;
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
