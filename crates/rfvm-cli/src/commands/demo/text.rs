//! The summary as text and tables.

use std::io::{self, Write};

use rfvm::StopReason;

use super::summary::{ModelSummary, Scores, SignatureSummary, StudySummary, Summary};
use crate::printer::{Align, Table};

pub(super) fn write(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    study(out, &summary.study, summary.seed)?;
    writeln!(out)?;
    signature(out, &summary.signature, summary.study.features)?;
    writeln!(out)?;
    committee(out, &summary.committee)?;
    writeln!(out)?;
    evidence(out, &summary.committee, summary.study.features)?;
    writeln!(out)?;
    against_the_truth(out, summary)?;
    writeln!(out)?;
    unseen(out, summary)?;
    writeln!(out)?;
    let seconds = &summary.seconds;
    writeln!(
        out,
        "Seconds: {:.2} to simulate, {:.2} to fit the signature, {:.2} to fit the committee.",
        seconds.simulation, seconds.signature, seconds.committee
    )?;
    if !summary.files.is_empty() {
        writeln!(out, "Written:")?;
        for file in &summary.files {
            writeln!(out, "  {}", file.display())?;
        }
    }
    Ok(())
}

fn study(out: &mut dyn Write, study: &StudySummary, seed: u64) -> io::Result<()> {
    let classes: Vec<String> = study
        .classes
        .iter()
        .map(|class| format!("{} {}", class.subjects, class.name))
        .collect();
    let StudySummary {
        subjects,
        features,
        block,
        correlation,
        effect,
        informative,
        test_subjects,
        ..
    } = study;
    writeln!(out, "A simulated study with known truth (seed {seed})")?;
    writeln!(
        out,
        "  {subjects} subjects ({}), {features} features in blocks of {block} with correlation {correlation}.",
        classes.join(", ")
    )?;
    writeln!(
        out,
        "  The classes differ in {} features, by {effect} standard deviations each:",
        informative.len()
    )?;
    writeln!(out, "  {}.", informative.join(", "))?;
    writeln!(
        out,
        "  {test_subjects} further subjects, kept from every fit, are there to test on."
    )
}

fn signature(out: &mut dyn Write, model: &ModelSummary, all: usize) -> io::Result<()> {
    if model.no_signal() {
        writeln!(out, "One signature")?;
        return no_signal(out);
    }
    for signature in &model.signatures {
        writeln!(
            out,
            "One signature: {} of {all} features ({})",
            signature.features.len(),
            ending(signature)
        )?;
        features(out, [(1, signature)].into_iter())?;
        writeln!(out)?;
        writeln!(out, "Relevance vectors: the subjects that define it")?;
        vectors(out, signature)?;
    }
    writeln!(
        out,
        "  The other subjects are redundant for this classifier; that is no reason to leave them out of a study."
    )
}

fn committee(out: &mut dyn Write, model: &ModelSummary) -> io::Result<()> {
    if model.no_signal() {
        writeln!(out, "Committee of signatures")?;
        return no_signal(out);
    }
    let count = model.signatures.len();
    if count == 1 {
        return writeln!(out, "Committee: no second signature was found.");
    }
    writeln!(
        out,
        "Committee: {count} signatures that share no feature; the first is the one above, the others are"
    )?;
    features(out, (1..).zip(&model.signatures).skip(1))
}

/// How far each signature is to be trusted.
fn evidence(out: &mut dyn Write, model: &ModelSummary, all: usize) -> io::Result<()> {
    let by_chance = (all as f64).ln();
    writeln!(
        out,
        "Evidence against the base rate, in nats; the best of {all} features that know nothing reaches up to about {by_chance:.1}"
    )?;
    let mut table = Table::new([
        ("signature", Align::Right),
        ("evidence", Align::Right),
        ("", Align::Left),
    ]);
    for (number, signature) in (1..).zip(&model.signatures) {
        if let Some(evidence) = signature.evidence {
            let note = if evidence < by_chance {
                "may be chance"
            } else {
                ""
            };
            table.row([
                number.to_string(),
                format!("{evidence:.1}"),
                note.to_string(),
            ]);
        }
    }
    table.write(out)
}

fn no_signal(out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "  No feature carries enough signal: the model holds none and predicts every subject at the base rate."
    )
}

fn ending(signature: &SignatureSummary) -> String {
    let iterations = signature.iterations;
    match signature.stop_reason {
        StopReason::Converged => format!("converged after {iterations} iterations"),
        StopReason::IterationLimit => format!("stopped at the limit of {iterations} iterations"),
        StopReason::Interrupted => format!("interrupted after {iterations} iterations"),
        StopReason::NoSignal => "no signal".to_string(),
        StopReason::Breakdown => {
            format!("the arithmetic broke down after {iterations} iterations")
        }
    }
}

fn features<'s>(
    out: &mut dyn Write,
    signatures: impl Iterator<Item = (usize, &'s SignatureSummary)>,
) -> io::Result<()> {
    let mut table = Table::new([
        ("signature", Align::Right),
        ("feature", Align::Left),
        ("weight", Align::Right),
        ("sd", Align::Right),
        ("relevance", Align::Right),
        ("speaks for", Align::Left),
        ("truth", Align::Left),
    ]);
    for (number, signature) in signatures {
        for feature in &signature.features {
            table.row([
                number.to_string(),
                feature.name.clone(),
                format!("{:.3}", feature.weight),
                format!("{:.3}", feature.sd),
                format!("{:.3}", feature.relevance),
                feature.speaks_for.clone(),
                feature.truth.to_string(),
            ]);
        }
    }
    table.write(out)
}

fn vectors(out: &mut dyn Write, signature: &SignatureSummary) -> io::Result<()> {
    let mut table = Table::new([
        ("subject", Align::Left),
        ("class", Align::Left),
        ("coefficient", Align::Right),
    ]);
    for vector in &signature.vectors {
        table.row([
            vector.sample.clone(),
            vector.class.clone(),
            format!("{:.3}", vector.coefficient),
        ]);
    }
    table.write(out)
}

fn against_the_truth(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    writeln!(out, "Found, against the truth")?;
    let mut table = Table::new([
        ("", Align::Left),
        ("informative", Align::Right),
        ("correlated", Align::Right),
        ("false", Align::Right),
    ]);
    for (name, model) in models(summary) {
        let found = &model.found;
        table.row([
            name,
            format!("{} of {}", found.informative, found.informative_of),
            found.correlated.to_string(),
            found.false_findings.to_string(),
        ]);
    }
    table.write(out)
}

fn unseen(out: &mut dyn Write, summary: &Summary) -> io::Result<()> {
    writeln!(
        out,
        "On the {} unseen subjects",
        summary.study.test_subjects
    )?;
    let mut table = Table::new([
        ("", Align::Left),
        ("accuracy", Align::Right),
        ("AUC", Align::Right),
        ("log loss", Align::Right),
    ]);
    let mut row = |name: String, scores: &Scores| {
        table.row([
            name,
            format!("{:.3}", scores.accuracy),
            scores
                .auc
                .map_or("-".to_string(), |auc| format!("{auc:.3}")),
            format!("{:.3}", scores.log_loss),
        ]);
    };
    for (name, model) in models(summary) {
        row(name, &model.test);
    }
    row(
        "informative features, true weights".to_string(),
        &summary.known_truth,
    );
    table.write(out)
}

fn models(summary: &Summary) -> [(String, &ModelSummary); 2] {
    let committee = summary.committee.signatures.len();
    [
        ("one signature".to_string(), &summary.signature),
        (format!("committee of {committee}"), &summary.committee),
    ]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::super::summary::Found;
    use super::*;

    #[test]
    fn a_study_without_signal_is_told_plainly() {
        let empty = ModelSummary {
            signatures: vec![SignatureSummary {
                stop_reason: StopReason::NoSignal,
                iterations: 12,
                bound: None,
                evidence: None,
                features: Vec::new(),
                vectors: Vec::new(),
            }],
            found: Found {
                informative: 0,
                informative_of: 5,
                correlated: 0,
                false_findings: 0,
            },
            test: Scores {
                accuracy: 0.5,
                auc: Some(0.5),
                log_loss: 0.693,
            },
        };
        for print in [
            |out: &mut dyn Write, model: &ModelSummary| signature(out, model, 5000),
            committee,
        ] {
            let mut out = Vec::new();
            print(&mut out, &empty).unwrap();
            let text = String::from_utf8(out).unwrap();
            assert!(text.contains("No feature carries enough signal"), "{text}");
            assert!(!text.contains("coefficient"), "{text}");
        }
    }
}
