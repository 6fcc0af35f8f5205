//! The summary as text and tables.

use std::io::{self, Write};

use rfvm::{Expected, Size};
use rfvm_report::{percent, thousands};

use super::study::{DemoScores, StudySummary};
use super::summary::{DemoFeature, DemoSummary, ModelSummary, PathSummary, VectorSummary};
use crate::printer::{Align, PrintedTable};

pub(super) fn write(out: &mut dyn Write, summary: &DemoSummary) -> io::Result<()> {
    study(out, &summary.study, summary.seed)?;
    writeln!(out)?;
    model(out, &summary.balanced, summary.study.features)?;
    writeln!(out)?;
    path(out, &summary.path, summary.study.features)?;
    writeln!(out)?;
    against_the_truth(out, summary)?;
    writeln!(out)?;
    unseen(out, summary)?;
    writeln!(out)?;
    let seconds = &summary.seconds;
    writeln!(
        out,
        "Seconds: {:.2} to simulate, {:.2} to fit the full model and the path of smaller ones.",
        seconds.simulation, seconds.fit
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
        "  {subjects} subjects ({}), {} features in blocks of {block} with correlation {correlation}.",
        classes.join(", "),
        thousands(*features)
    )?;
    writeln!(
        out,
        "  The classes differ in {} features, by {effect} standard deviations each:",
        informative.len()
    )?;
    writeln!(out, "  {}.", informative.join(", "))?;
    writeln!(
        out,
        "  {} further subjects, kept from every fit, are there to test on.",
        thousands(*test_subjects)
    )
}

/// The balanced model: its features, who defines it, and what it is worth.
fn model(out: &mut dyn Write, model: &ModelSummary, all: usize) -> io::Result<()> {
    if model.no_signal() {
        writeln!(
            out,
            "The balanced model\n  No feature carries enough signal: the model holds none and predicts every subject at the base rate."
        )?;
    } else {
        writeln!(
            out,
            "The balanced model: {} of {} features",
            model.feature_count,
            thousands(all)
        )?;
        features(out, &model.features)?;
        writeln!(out, "\nRelevance vectors: the subjects that define it")?;
        vectors(out, &model.vectors)?;
        writeln!(
            out,
            "  The other subjects are redundant for this classifier; that is no reason to leave them out of a study."
        )?;
    }
    match &model.worth {
        Some(words) => writeln!(out, "\n{}", words.replace(". ", ".\n")),
        None => Ok(()),
    }
}

/// The sizes that have a name, the smallest, and the full model.
fn path(out: &mut dyn Write, path: &PathSummary, all: usize) -> io::Result<()> {
    writeln!(out, "The path in short (rfvm path shows all of it)")?;
    let mut table = PrintedTable::new([
        ("features", Align::Right),
        ("explained share", Align::Right),
        ("expected log loss", Align::Right),
        ("chosen as", Align::Left),
    ]);
    let mut row = |features, share, expected: &Expected, names: String| {
        table.row([
            thousands(features),
            percent(share),
            format!("{:.3} ± {:.3}", expected.loss, expected.se),
            names,
        ]);
    };
    for (at, size) in path.sizes.iter().enumerate() {
        if at == 0 || !size.chosen_as.is_empty() {
            let names: Vec<String> = size.chosen_as.iter().map(Size::to_string).collect();
            row(size.features, size.share, &size.expected, names.join(", "));
        }
    }
    if let Some(full) = &path.full {
        row(all, 1.0, full, Size::Full.to_string());
    }
    table.write(out)
}

fn features(out: &mut dyn Write, features: &[DemoFeature]) -> io::Result<()> {
    let mut table = PrintedTable::new([
        ("feature", Align::Left),
        ("weight", Align::Right),
        ("sd", Align::Right),
        ("speaks for", Align::Left),
        ("truth", Align::Left),
    ]);
    for feature in features {
        table.row([
            feature.name.clone(),
            format!("{:.3}", feature.weight),
            format!("{:.3}", feature.sd),
            feature.speaks_for.clone(),
            feature.truth.to_string(),
        ]);
    }
    table.write(out)
}

fn vectors(out: &mut dyn Write, vectors: &[VectorSummary]) -> io::Result<()> {
    let mut table = PrintedTable::new([
        ("subject", Align::Left),
        ("class", Align::Left),
        ("coefficient", Align::Right),
    ]);
    for vector in vectors {
        table.row([
            vector.sample.clone(),
            vector.class.clone(),
            format!("{:.3}", vector.coefficient),
        ]);
    }
    table.write(out)
}

fn against_the_truth(out: &mut dyn Write, summary: &DemoSummary) -> io::Result<()> {
    writeln!(out, "Found, against the truth")?;
    let mut table = PrintedTable::new([
        ("", Align::Left),
        ("informative", Align::Right),
        ("correlated", Align::Right),
        ("false", Align::Right),
    ]);
    for (name, model) in models(summary) {
        let Some(found) = &model.found else {
            continue;
        };
        table.row([
            name.to_string(),
            format!("{} of {}", found.informative, found.informative_of),
            found.correlated.to_string(),
            found.false_findings.to_string(),
        ]);
    }
    table.write(out)
}

fn unseen(out: &mut dyn Write, summary: &DemoSummary) -> io::Result<()> {
    writeln!(
        out,
        "On the {} unseen subjects",
        thousands(summary.study.test_subjects)
    )?;
    let mut table = PrintedTable::new([
        ("", Align::Left),
        ("features", Align::Right),
        ("accuracy", Align::Right),
        ("AUC", Align::Right),
        ("log loss", Align::Right),
    ]);
    let mut row = |name: &str, features: usize, scores: &DemoScores| {
        table.row([
            name.to_string(),
            thousands(features),
            format!("{:.3}", scores.accuracy),
            scores
                .auc
                .map_or("-".to_string(), |auc| format!("{auc:.3}")),
            format!("{:.3}", scores.log_loss),
        ]);
    };
    for (name, model) in models(summary) {
        row(name, model.feature_count, &model.test);
    }
    row(
        "informative features, true weights",
        summary.study.informative.len(),
        &summary.known_truth,
    );
    table.write(out)
}

fn models(summary: &DemoSummary) -> [(&'static str, &ModelSummary); 3] {
    [
        ("compact", &summary.compact),
        ("balanced", &summary.balanced),
        ("full", &summary.full),
    ]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rfvm::StopReason;

    use super::*;

    #[test]
    fn a_study_without_signal_is_told_plainly() {
        let empty = ModelSummary {
            stop_reason: StopReason::NoSignal,
            feature_count: 0,
            vector_count: 0,
            features: Vec::new(),
            vectors: Vec::new(),
            expected: None,
            share: None,
            worth: Some("The full model should cost 0.7. It tells nothing.".to_string()),
            found: None,
            test: DemoScores {
                accuracy: 0.5,
                auc: Some(0.5),
                log_loss: 0.693,
            },
        };
        let mut out = Vec::new();
        model(&mut out, &empty, 5000).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains("No feature carries enough signal"), "{text}");
        assert!(text.ends_with("0.7.\nIt tells nothing.\n"), "{text}");
        assert!(!text.contains("coefficient"), "{text}");
    }
}
