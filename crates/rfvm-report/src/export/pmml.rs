//! PMML 4.4, for other programs that score: derived fields up to the log odds, and a regression of one predictor.

use std::fmt::Write;

use rfvm::{Feature, Formula, Model, SignatureFormula, Task, Transform};

use super::words::about;
use crate::svg::is_no_xml;

pub(super) fn pmml(model: &Model) -> String {
    let formula = model.formula();
    let features = || formula.signatures.iter().flat_map(|s| &s.features);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str("<PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n");
    let _ = writeln!(
        out,
        "<Header description=\"{}\"><Application name=\"rfvm\" version=\"{}\"/></Header>",
        escaped(&about(model)),
        env!("CARGO_PKG_VERSION")
    );
    out.push_str("<DataDictionary>\n");
    for feature in features() {
        let _ = writeln!(
            out,
            "<DataField name=\"{}\"{} optype=\"continuous\" dataType=\"double\"/>",
            escaped(&feature.name),
            shown(&model.known().words(&feature.name))
        );
    }
    let target = target(&formula);
    match formula.classes.as_slice() {
        [negative, positive] => {
            let _ = writeln!(
                out,
                "<DataField name=\"{target}\" optype=\"categorical\" dataType=\"string\"><Value value=\"{}\"/><Value value=\"{}\"/></DataField>",
                escaped(negative),
                escaped(positive)
            );
        }
        _ => {
            let _ = writeln!(
                out,
                "<DataField name=\"{target}\" optype=\"continuous\" dataType=\"double\"/>"
            );
        }
    }
    out.push_str("</DataDictionary>\n");
    let function = match formula.task {
        Task::Classification => "functionName=\"classification\" normalizationMethod=\"logit\"",
        Task::Regression => "functionName=\"regression\"",
    };
    let _ = writeln!(
        out,
        "<RegressionModel modelName=\"rfvm\" {function}>\n<MiningSchema>"
    );
    for feature in features() {
        // What the model cannot fill in, no evaluator may.
        let gap = match feature.median {
            Some(_) => "",
            None => " missingValueTreatment=\"returnInvalid\"",
        };
        let name = escaped(&feature.name);
        let _ = writeln!(out, "<MiningField name=\"{name}\"{gap}/>");
    }
    let _ = writeln!(
        out,
        "<MiningField name=\"{target}\" usageType=\"target\"/>\n</MiningSchema>"
    );
    out.push_str("<Output>\n");
    match formula.classes.get(1) {
        Some(positive) => {
            let positive = escaped(positive);
            let _ = writeln!(out, "<OutputField name=\"probability({positive})\" feature=\"probability\" value=\"{positive}\" optype=\"continuous\" dataType=\"double\"/>");
        }
        None => out.push_str("<OutputField name=\"predicted\" feature=\"predictedValue\" optype=\"continuous\" dataType=\"double\"/>\n"),
    }
    out.push_str("</Output>\n<LocalTransformations>\n");
    let mut first = 1;
    for (number, signature) in (1..).zip(&formula.signatures) {
        signature_fields(&mut out, &formula, signature, number, first);
        first += signature.features.len();
    }
    let parts = (1..=formula.signatures.len()).map(|number| field(&format!("rfvm part {number}")));
    let mean = apply(
        "/",
        &[
            apply("sum", &parts.collect::<Vec<_>>()),
            constant(formula.signatures.len() as f64),
        ],
    );
    let (slope, intercept) = (formula.correction.slope, formula.correction.intercept);
    let last = match formula.task {
        Task::Classification => mean,
        Task::Regression => apply(
            "+",
            &[
                constant(formula.target_mean),
                apply("*", &[constant(formula.target_sd), mean]),
            ],
        ),
    };
    derived(
        &mut out,
        "rfvm score",
        &apply(
            "+",
            &[constant(intercept), apply("*", &[constant(slope), last])],
        ),
    );
    out.push_str("</LocalTransformations>\n");
    let predictor = "<NumericPredictor name=\"rfvm score\" coefficient=\"1\"/>";
    match formula.classes.as_slice() {
        [negative, positive] => {
            let _ = writeln!(
                out,
                "<RegressionTable intercept=\"0\" targetCategory=\"{}\">{predictor}</RegressionTable>",
                escaped(positive)
            );
            let _ = writeln!(
                out,
                "<RegressionTable intercept=\"0\" targetCategory=\"{}\"/>",
                escaped(negative)
            );
        }
        _ => {
            let _ = writeln!(
                out,
                "<RegressionTable intercept=\"0\">{predictor}</RegressionTable>"
            );
        }
    }
    out.push_str("</RegressionModel>\n</PMML>\n");
    out
}

/// What other programs show in place of a name.
fn shown(words: &str) -> String {
    match words.is_empty() {
        true => String::new(),
        false => format!(" displayName=\"{}\"", escaped(words)),
    }
}

/// A name for the target that no feature has.
fn target(formula: &Formula) -> String {
    let mut name = "class".to_string();
    if formula.task == Task::Regression {
        name = "value".to_string();
    }
    let taken = |name: &String| {
        (formula.signatures.iter()).any(|s| s.features.iter().any(|f| f.name == *name))
    };
    while taken(&name) {
        name.push('_');
    }
    name
}

/// Standardised values, score and variance of one signature, and its part of the log odds or of the value.
fn signature_fields(
    out: &mut String,
    formula: &Formula,
    signature: &SignatureFormula,
    number: usize,
    first: usize,
) {
    let x = |d: usize| field(&format!("rfvm x{}", first + d));
    for (d, feature) in signature.features.iter().enumerate() {
        let name = format!("rfvm v{}", first + d);
        derived(out, &name, &known(feature, formula.transform));
        let bent = match feature.scale.bend {
            None => field(&name),
            Some(bend) => {
                let name = format!("rfvm t{}", first + d);
                let raw = field(&format!("rfvm v{}", first + d));
                derived(
                    out,
                    &name,
                    &apply(
                        "/",
                        &[
                            apply("-", &[raw, constant(bend.centre)]),
                            constant(bend.unit),
                        ],
                    ),
                );
                asinh(&field(&name))
            }
        };
        let scaled = apply(
            "/",
            &[
                apply("-", &[bent, constant(feature.scale.mean)]),
                constant(feature.scale.sd),
            ],
        );
        derived(out, &format!("rfvm x{}", first + d), &scaled);
    }
    let product = |d: usize, factor: f64| apply("*", &[constant(factor), x(d)]);
    let weights = signature.features.iter().map(|feature| feature.weight);
    let mut terms = vec![constant(signature.bias)];
    terms.extend(weights.enumerate().map(|(d, weight)| product(d, weight)));
    let mean = format!("rfvm mean {number}");
    derived(out, &mean, &apply("sum", &terms));
    let part = match formula.task {
        Task::Regression => field(&mean),
        Task::Classification => {
            let mut terms = vec![constant(signature.bias_variance + signature.noise)];
            match &signature.covariance {
                Some(rows) => terms.extend(rows.iter().enumerate().map(|(i, row)| {
                    let row: Vec<String> = row
                        .iter()
                        .enumerate()
                        .map(|(j, &c)| product(j, c))
                        .collect();
                    apply("*", &[x(i), apply("sum", &row)])
                })),
                None => terms.extend(
                    (signature.variances.iter().enumerate())
                        .map(|(d, &variance)| apply("*", &[x(d), product(d, variance)])),
                ),
            }
            let variance = format!("rfvm variance {number}");
            derived(out, &variance, &apply("sum", &terms));
            let spread = apply(
                "*",
                &[constant(std::f64::consts::FRAC_PI_8), field(&variance)],
            );
            apply(
                "/",
                &[
                    field(&mean),
                    apply("sqrt", &[apply("+", &[constant(1.0), spread])]),
                ],
            )
        }
    };
    derived(out, &format!("rfvm part {number}"), &part);
}

/// A value after the transform, a gap filled where the model knows with what.
fn known(feature: &Feature, transform: Transform) -> String {
    let raw = field(&feature.name);
    let value = match transform {
        Transform::None => raw.clone(),
        Transform::Log2 => apply(
            "*",
            &[
                apply("ln1p", std::slice::from_ref(&raw)),
                constant(std::f64::consts::LOG2_E),
            ],
        ),
    };
    match feature.median {
        Some(median) => apply("if", &[apply("isMissing", &[raw]), constant(median), value]),
        None => value,
    }
}

/// ln(|t| + sqrt(t² + 1)) with the sign of t: PMML has no asinh.
fn asinh(t: &str) -> String {
    let size = || apply("abs", &[t.to_string()]);
    let root = apply(
        "sqrt",
        &[apply(
            "+",
            &[apply("*", &[t.to_string(), t.to_string()]), constant(1.0)],
        )],
    );
    let value = apply("ln", &[apply("+", &[size(), root])]);
    let negative = apply("lessThan", &[t.to_string(), constant(0.0)]);
    apply(
        "if",
        &[
            negative,
            apply("*", &[constant(-1.0), value.clone()]),
            value,
        ],
    )
}

fn derived(out: &mut String, name: &str, expression: &str) {
    let _ = writeln!(
        out,
        "<DerivedField name=\"{}\" optype=\"continuous\" dataType=\"double\">{expression}</DerivedField>",
        escaped(name)
    );
}

fn apply(function: &str, arguments: &[String]) -> String {
    format!(
        "<Apply function=\"{function}\">{}</Apply>",
        arguments.concat()
    )
}

fn constant(value: f64) -> String {
    format!("<Constant dataType=\"double\">{value:e}</Constant>")
}

fn field(name: &str) -> String {
    format!("<FieldRef field=\"{}\"/>", escaped(name))
}

fn escaped(text: &str) -> String {
    let text = text.replace(is_no_xml, "\u{fffd}");
    let text = text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    text.replace('"', "&quot;")
        .replace('\n', "&#10;")
        .replace('\t', "&#9;")
        .replace('\r', "&#13;")
}
