//! The formula with all its numbers, as plain text.

use std::fmt::Write;

use rfvm::{Formula, KnownFeatures, Model, SignatureFormula, Task, Transform};

use super::words::{about, bends};

pub(super) fn text(model: &Model) -> String {
    let formula = model.formula();
    let mut out = format!("{}\n\n", about(model));
    let mut steps = Vec::new();
    if formula.transform == Transform::Log2 {
        steps.push("Replace every value v by log2(1 + v).".to_string());
    }
    steps.push(match bends(model) {
        true => "Standardise: x = (asinh((v - centre) / unit) - mean) / sd, or x = (v - mean) / sd where there is no centre; in place of a missing value take `missing` as v.".to_string(),
        false => "Standardise: x = (v - mean) / sd; in place of a missing value take `missing` as v.".to_string(),
    });
    steps.push("Score: m = bias + sum of weight x.".to_string());
    if formula.task == Task::Classification {
        steps.push(
            "Its variance: s = sum over all pairs of features of covariance(i, j) x(i) x(j), plus the variances of bias and noise."
                .to_string(),
        );
    }
    steps.push(last_step(&formula));
    for (number, step) in (1..).zip(&steps) {
        let _ = writeln!(out, "{number}. {step}");
    }
    let several = formula.signatures.len() > 1;
    for (number, signature) in (1..).zip(&formula.signatures) {
        if several {
            let _ = write!(out, "\nSignature {number}");
        }
        let _ = writeln!(out, "\n{}", numbers(signature, model.known()));
    }
    out
}

fn last_step(formula: &Formula) -> String {
    let (slope, intercept) = (formula.correction.slope, formula.correction.intercept);
    let of_all = match formula.signatures.len() {
        1 => String::new(),
        count => format!(" (the mean of that over the {count} signatures)"),
    };
    match formula.task {
        Task::Classification => format!(
            "Log odds: {intercept} + {slope} m / sqrt(1 + pi / 8 s){of_all}; probability: 1 / (1 + exp(-log odds)). The 95 % interval of the log odds is 1.959963984540054 * {slope} sqrt(s) / sqrt(1 + pi / 8 s) to each side."
        ),
        Task::Regression => format!(
            "Value: {intercept} + {slope} ({} + {} m){of_all}.",
            formula.target_mean, formula.target_sd
        ),
    }
}

/// Columns that a spreadsheet takes, and the covariance below.
fn numbers(signature: &SignatureFormula, known: &KnownFeatures) -> String {
    let SignatureFormula {
        features,
        bias,
        bias_variance,
        noise,
        variances,
        covariance,
    } = signature;
    let mut out = format!("bias\t{bias}\nvariance of bias\t{bias_variance}\nnoise\t{noise}\n\n");
    let plain = |text: &str| text.replace(['\t', '\n', '\r'], " ");
    out.push_str("feature\tcentre\tunit\tmean\tsd\tmissing\tweight");
    for column in &known.columns {
        let _ = write!(out, "\t{}", plain(column));
    }
    out.push('\n');
    let shown = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    for feature in features {
        let bend = feature.scale.bend;
        let cells = [
            plain(&feature.name),
            shown(bend.map(|bend| bend.centre)),
            shown(bend.map(|bend| bend.unit)),
            feature.scale.mean.to_string(),
            feature.scale.sd.to_string(),
            shown(feature.median),
            feature.weight.to_string(),
        ];
        let _ = write!(out, "{}", cells.join("\t"));
        for at in 0..known.columns.len() {
            let _ = write!(out, "\t{}", plain(known.text(&feature.name, at)));
        }
        out.push('\n');
    }
    match covariance {
        Some(rows) => {
            out.push_str("\ncovariance of the weights (symmetric; row i, columns 1 to i)\n");
            for (i, row) in rows.iter().enumerate() {
                let row: Vec<String> = row[..=i].iter().map(f64::to_string).collect();
                let _ = writeln!(out, "{}", row.join("\t"));
            }
        }
        None => {
            out.push_str("\nvariance of each weight (covariances are 0)\n");
            for variance in variances {
                let _ = writeln!(out, "{variance}");
            }
        }
    }
    out
}
