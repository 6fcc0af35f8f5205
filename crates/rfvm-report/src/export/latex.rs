//! The formula for a paper: a piece of LaTeX that needs amsmath, booktabs and longtable.

use std::fmt::Write;

use rfvm::{Formula, KnownFeatures, Model, SignatureFormula, Task, Transform};

use super::words::{about, bends};

pub(super) fn latex(model: &Model) -> String {
    let formula = model.formula();
    let mut out = String::from(
        "% Needs the packages amsmath, booktabs and longtable. Numbers have six digits; `rfvm export --format text` has all.\n",
    );
    let _ = writeln!(out, "{}\n", escaped(&about(model)));
    let v = match formula.transform {
        Transform::None => "v_d",
        Transform::Log2 => "\\log_2(1 + v_d)",
    };
    let x = match bends(model) {
        true => {
            format!(
                "\\left(\\operatorname{{asinh}}\\frac{{{v} - c_d}}{{u_d}} - \\mu_d\\right) / \\sigma_d"
            )
        }
        false => format!("({v} - \\mu_d) / \\sigma_d"),
    };
    let _ = writeln!(
        out,
        "\\begin{{align*}}\n  x_d &= {x} \\\\\n  m &= b + \\sum_d w_d x_d \\\\\n{}\\end{{align*}}",
        last_steps(&formula)
    );
    let several = formula.signatures.len() > 1;
    if several {
        let _ = writeln!(
            out,
            "\nThe fraction before slope and intercept is the mean over {} signatures.",
            formula.signatures.len()
        );
    }
    for (number, signature) in (1..).zip(&formula.signatures) {
        if several {
            let _ = writeln!(out, "\n\\paragraph{{Signature {number}}}");
        }
        out.push_str(&numbers(signature, formula.task, model.known()));
    }
    out
}

fn last_steps(formula: &Formula) -> String {
    let slope = short(formula.correction.slope);
    let intercept = short(formula.correction.intercept);
    match (formula.task, formula.classes.get(1)) {
        (Task::Classification, Some(positive)) => format!(
            "  s &= x^\\top C x + \\operatorname{{var}} b + 1/\\tau \\\\\n  P(\\text{{{}}}) &= \\frac{{1}}{{1 + \\exp\\left(-\\left({intercept} + {slope} \\frac{{m}}{{\\sqrt{{1 + \\pi s / 8}}}}\\right)\\right)}}\n",
            escaped(positive)
        ),
        _ => format!(
            "  y &= {intercept} + {slope} \\left({} + {} m\\right)\n",
            short(formula.target_mean),
            short(formula.target_sd)
        ),
    }
}

fn numbers(signature: &SignatureFormula, task: Task, known: &KnownFeatures) -> String {
    let mut out = format!("\n$b = {}$", short(signature.bias));
    if task == Task::Classification {
        let (b, noise) = (short(signature.bias_variance), short(signature.noise));
        let _ = write!(
            out,
            ", $\\operatorname{{var}} b = {b}$, $1/\\tau = {noise}$"
        );
    }
    out.push_str(".\n\n\\begin{longtable}{lrrrrrr}\n\\toprule\nfeature & $c_d$ & $u_d$ & $\\mu_d$ & $\\sigma_d$ & missing & $w_d$ \\\\\n\\midrule\n");
    let shown =
        |value: Option<f64>| value.map_or("--".to_string(), |value| format!("${}$", short(value)));
    for feature in &signature.features {
        let bend = feature.scale.bend;
        let cells = [
            escaped(&known.named(&feature.name)),
            shown(bend.map(|bend| bend.centre)),
            shown(bend.map(|bend| bend.unit)),
            shown(Some(feature.scale.mean)),
            shown(Some(feature.scale.sd)),
            shown(feature.median),
            shown(Some(feature.weight)),
        ];
        let _ = writeln!(out, "{} \\\\", cells.join(" & "));
    }
    out.push_str("\\bottomrule\n\\end{longtable}\n");
    if task == Task::Classification {
        out.push_str("\nLower triangle of $C$, row by row, in the order of the table: ");
        let row = |(i, row): (usize, &Vec<f64>)| {
            let cells: Vec<String> = row[..=i].iter().map(|&c| short(c)).collect();
            format!("$({})$", cells.join(", "))
        };
        let rows: Vec<String> = match &signature.covariance {
            Some(rows) => rows.iter().enumerate().map(row).collect(),
            None => {
                out.push_str("all zero but the diagonal, ");
                let each = signature.variances.iter();
                each.map(|&variance| format!("${}$", short(variance)))
                    .collect()
            }
        };
        let _ = writeln!(out, "{}.", rows.join("; "));
    }
    out
}

/// Six digits, with the power of ten as mathematics has it.
fn short(value: f64) -> String {
    if value == 0.0 {
        return "0".to_string();
    }
    let text = format!("{value:.5e}");
    let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    match power {
        -4..=5 => {
            let decimals = usize::try_from(5 - power).unwrap_or(0);
            let plain = format!("{value:.decimals$}");
            match plain.contains('.') {
                true => plain
                    .trim_end_matches('0')
                    .trim_end_matches('.')
                    .to_string(),
                false => plain,
            }
        }
        _ => format!("{digits} \\cdot 10^{{{power}}}"),
    }
}

/// Names as LaTeX prints them.
fn escaped(text: &str) -> String {
    let letter = |c: char| match c {
        '\\' => "\\textbackslash{}".to_string(),
        '~' => "\\textasciitilde{}".to_string(),
        '^' => "\\textasciicircum{}".to_string(),
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{c}"),
        c if c.is_control() => " ".to_string(),
        c => c.to_string(),
    };
    text.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_printed_as_they_are_meant() {
        assert_eq!(short(0.5), "0.5");
        assert_eq!(short(-1234.5678), "-1234.57");
        assert_eq!(short(100_000.0), "100000");
        assert_eq!(short(1.5e-9), "1.50000 \\cdot 10^{-9}");
        assert_eq!(escaped("IL_6 & 50%"), "IL\\_6 \\& 50\\%");
        assert_eq!(escaped("\\input{x}"), "\\textbackslash{}input\\{x\\}");
    }
}
