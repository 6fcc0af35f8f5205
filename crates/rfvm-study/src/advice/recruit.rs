//! Whom to recruit next: where the model is unsure, how the cohort is balanced, and what more subjects would bring.

use std::collections::BTreeMap;

use rfvm::stats::wilson;
use serde::Serialize;

use super::curve::{LearningCurve, learning_curve};
use super::evidence::Evidence;
use crate::error::Error;
use crate::performance::{QUANTILE, Uncertain, mean_over};

/// Regions that are named.
const NAMED: usize = 8;
/// Fewer subjects than this make no region.
const LEAST: usize = 8;
/// Columns of words with more values than this describe nobody in particular.
const MOST_WORDS: usize = 12;

/// Subjects alike in one of the study's own variables, about whom the model is less sure than about others.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Region {
    /// In words: `site is north`, `crp above 12.4`.
    pub description: String,
    /// Subjects with a known outcome in it.
    pub subjects: usize,
    /// Mean standard deviation of the predicted probability in it.
    pub uncertainty: f64,
    /// How much that is above the mean of all others.
    pub excess: Uncertain,
}

/// How many subjects there are of a kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stratum {
    /// `class`, or the column of sites or groups.
    pub variable: String,
    /// The value.
    pub value: String,
    /// Subjects of the negative and of the positive class.
    pub counts: [usize; 2],
    /// Share of the positive class, with the limits of Wilson's interval.
    pub positive: Uncertain,
    /// Mean log loss of out-of-fold predictions, of those of them that performance is measured on.
    pub log_loss: Option<Uncertain>,
}

/// Whom to recruit next.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Recruitment {
    /// Where the model is unsure, most of all first.
    pub regions: Vec<Region>,
    /// How the cohort is made up.
    pub balance: Vec<Stratum>,
    /// Groups of subjects (families, wards), and how many the largest has.
    pub groups: Option<(usize, usize)>,
    /// One sentence each on what is missing.
    pub wanted: Vec<String>,
    /// What more subjects would bring; `None` in quick advice.
    pub curve: Option<LearningCurve>,
}

pub(crate) fn recruitment(evidence: &Evidence) -> Result<Recruitment, Error> {
    let unsure = uncertainty(evidence)?;
    let balance = balance(evidence);
    let regions = regions(evidence, &unsure);
    let groups = evidence.cohort.groups.as_ref().map(|groups| {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        groups
            .iter()
            .for_each(|&group| *counts.entry(group).or_default() += 1);
        (counts.len(), counts.values().copied().max().unwrap_or(0))
    });
    Ok(Recruitment {
        wanted: wanted(&balance, &regions),
        regions,
        balance,
        groups,
        curve: (!evidence.choice.quick)
            .then(|| learning_curve(evidence))
            .transpose()?,
    })
}

/// The standard deviation of every subject's predicted probability: that of its score, times p (1 - p).
fn uncertainty(evidence: &Evidence) -> Result<Vec<f64>, Error> {
    let cohort = evidence.cohort;
    let Some(model) = evidence.models.last() else {
        return Ok(vec![0.0; cohort.len()]);
    };
    let table = cohort.table(&cohort.all_rows(), &cohort.all_tests())?;
    let predictions = model.predict(&table)?;
    let of = |p: &rfvm::Prediction| {
        let probability = p.probability.unwrap_or(0.5);
        probability * (1.0 - probability) * p.variance.sqrt()
    };
    Ok(predictions.iter().map(of).collect())
}

/// Thirds of every test of the model, and every value of every column of words.
fn regions(evidence: &Evidence, unsure: &[f64]) -> Vec<Region> {
    let (state, cohort) = (evidence.state, evidence.cohort);
    let mut parts: Vec<(String, Vec<bool>)> = Vec::new();
    for &test in &evidence.panel {
        let column = &cohort.columns[test];
        let mut known: Vec<f64> = column
            .iter()
            .copied()
            .filter(|value| !value.is_nan())
            .collect();
        known.sort_by(f64::total_cmp);
        if known.len() < 3 * LEAST {
            continue;
        }
        let (low, high) = (known[known.len() / 3], known[known.len() * 2 / 3]);
        let name = &cohort.tests[test];
        parts.push((
            format!("{name} below {low:.3}"),
            column.iter().map(|&x| x < low).collect(),
        ));
        parts.push((
            format!("{name} from {low:.3} to {high:.3}"),
            column.iter().map(|&x| low <= x && x <= high).collect(),
        ));
        parts.push((
            format!("{name} above {high:.3}"),
            column.iter().map(|&x| x > high).collect(),
        ));
        parts.push((
            format!("{name} not measured"),
            column.iter().map(|x| x.is_nan()).collect(),
        ));
    }
    for (column, texts) in state
        .attributes
        .iter()
        .filter(|(column, _)| **column != state.terms.outcome)
    {
        let mut values: Vec<&String> = cohort
            .rows
            .iter()
            .map(|&n| &texts[n])
            .filter(|text| !text.is_empty())
            .collect();
        values.sort();
        values.dedup();
        if values.len() > MOST_WORDS {
            continue;
        }
        for value in values {
            let inside = cohort.rows.iter().map(|&n| &texts[n] == value).collect();
            parts.push((format!("{column} is {value}"), inside));
        }
    }
    let all = cohort.all_rows();
    let excess = |inside: &[bool], rows: &[usize]| {
        let (inner, outer): (Vec<usize>, Vec<usize>) = rows.iter().partition(|&&n| inside[n]);
        (!inner.is_empty() && !outer.is_empty())
            .then(|| mean_over(unsure, &inner) - mean_over(unsure, &outer))
    };
    let mut regions: Vec<Region> = parts
        .into_iter()
        .filter_map(|(description, inside)| {
            let members: Vec<usize> = all.iter().copied().filter(|&n| inside[n]).collect();
            if members.len() < LEAST || members.len() + LEAST > all.len() {
                return None;
            }
            Some(Region {
                description,
                subjects: members.len(),
                uncertainty: mean_over(unsure, &members),
                excess: Uncertain::of(&evidence.bootstrap, |rows| excess(&inside, rows), &all)?,
            })
        })
        .filter(|region| region.excess.low > 0.0)
        .collect();
    regions.sort_by(|a, b| b.excess.value.total_cmp(&a.excess.value));
    regions.truncate(NAMED);
    regions
}

fn balance(evidence: &Evidence) -> Vec<Stratum> {
    let (state, cohort) = (evidence.state, evidence.cohort);
    let losses = evidence.full.losses(&cohort.labels);
    let all = cohort.all_rows();
    let cell = |variable: &str, value: &str, members: Vec<usize>| {
        let positive = members.iter().filter(|&&n| cohort.labels[n] == 1).count();
        let judged = &evidence.judged;
        let inside: Vec<bool> = judged.rows.iter().map(|n| members.contains(n)).collect();
        let mean = |at: &[usize]| {
            let rows = at.iter().filter(|&&at| inside[at]);
            let rows: Vec<usize> = rows.map(|&at| judged.rows[at]).collect();
            (!rows.is_empty()).then(|| mean_over(&losses, &rows))
        };
        let log_loss = Uncertain::of(
            &judged.bootstrap,
            mean,
            &Vec::from_iter(0..judged.rows.len()),
        );
        Stratum {
            variable: variable.to_string(),
            value: value.to_string(),
            counts: [members.len() - positive, positive],
            positive: share_of(positive, members.len()),
            log_loss,
        }
    };
    let mut cells: Vec<Stratum> = (0..2)
        .map(|class| {
            cell(
                "class",
                &cohort.classes[class],
                all.iter()
                    .copied()
                    .filter(|&n| cohort.labels[n] == class)
                    .collect(),
            )
        })
        .collect();
    for column in [&state.terms.site, &state.terms.group]
        .into_iter()
        .flatten()
    {
        let texts = state.attribute(column);
        let mut of: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, &n) in cohort.rows.iter().enumerate() {
            of.entry(texts[n].as_str()).or_default().push(at);
        }
        if of.len() <= MOST_WORDS {
            cells.extend(of.into_iter().map(|(value, members)| {
                cell(
                    column,
                    if value.is_empty() { "unknown" } else { value },
                    members,
                )
            }));
        }
    }
    cells
}

/// What the tables say, in sentences.
fn wanted(balance: &[Stratum], regions: &[Region]) -> Vec<String> {
    let mut sentences = Vec::new();
    let total = |cell: &Stratum| cell.counts[0] + cell.counts[1];
    let classes: Vec<&Stratum> = balance
        .iter()
        .filter(|cell| cell.variable == "class")
        .collect();
    if let [a, b] = classes[..] {
        let (few, many) = if total(a) < total(b) { (a, b) } else { (b, a) };
        if 3 * total(few) < 2 * total(many) {
            let gap = total(many) - total(few);
            sentences.push(format!(
                "{gap} more of class {} would even out the classes ({} against {}).",
                few.value,
                total(few),
                total(many)
            ));
        }
    }
    let others: Vec<&Stratum> = balance
        .iter()
        .filter(|cell| cell.variable != "class")
        .collect();
    let overall = classes.iter().map(|cell| cell.counts[1]).sum::<usize>() as f64
        / classes.iter().map(|c| total(c)).sum::<usize>().max(1) as f64;
    for cell in others {
        if cell.positive.high < overall || cell.positive.low > overall {
            sentences.push(format!(
                "{} {} has {} of {} in the positive class ({:.0} % against {:.0} % over all): recruit there for balance.",
                cell.variable, cell.value, cell.counts[1], total(cell), 100.0 * cell.positive.value, 100.0 * overall
            ));
        }
    }
    if let Some(region) = regions.first() {
        sentences.push(format!(
            "The model is least sure where {}: {} subjects so far, predicted probability uncertain by {:.2} on average.",
            region.description, region.subjects, region.uncertainty
        ));
    }
    if sentences.is_empty() {
        sentences.push("Nobody in particular: the cohort is balanced, and the model equally sure everywhere it can tell.".to_string());
    }
    sentences
}

/// A share with Wilson's limits.
fn share_of(hits: usize, of: usize) -> Uncertain {
    let n = of.max(1) as f64;
    let share = hits as f64 / n;
    let (low, high) = wilson(share, n, QUANTILE);
    Uncertain {
        value: share,
        se: (share * (1.0 - share) / n).sqrt(),
        low,
        high,
    }
}
