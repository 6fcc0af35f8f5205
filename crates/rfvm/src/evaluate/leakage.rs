//! Columns that tell the target too well: copies of it, single features that leave nothing to learn, gaps in one class
//! alone.
//!
//! Strong markers do so as well as mistakes, so that what is found is for someone to check who knows the data. It is told
//! only where chance would not do the same: where the best of as many columns that know nothing would be so good with a
//! chance of less than [`CHANCE`].

use std::collections::HashMap;

use super::metrics::auc;
use super::separation::{chance_of_order, chance_of_pure_groups};
use crate::data::{DataWarning, Dataset, Target, WarningKind};
use crate::numerics::parallel::{side_by_side, threads};
use crate::numerics::special::log_ndtr;
use crate::numerics::stats::{correlation, median};

/// What chance may do no more often, for a warning.
pub const CHANCE: f64 = 0.05;
/// A single feature with this AUC tells the classes nearly without fault.
const NEARLY: f64 = 0.99;
/// A feature with this correlation tells a number nearly without fault.
const NEARLY_EQUAL: f64 = 0.99;
/// A feature of at most so many values may be a code.
const MOST_CODES: usize = 10;
/// Names in a message.
const NAMED: usize = 5;

/// How a column tells the target, and the chance that it would if it knew nothing.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Tell {
    /// Each of its values belongs to one class.
    Codes(f64),
    /// With this AUC or correlation.
    Nearly(f64, f64),
    /// It is missing in one class and in no other.
    Gaps(f64),
}

impl Tell {
    fn chance(self) -> f64 {
        match self {
            Self::Codes(chance) | Self::Nearly(_, chance) | Self::Gaps(chance) => chance,
        }
    }
}

/// Features that tell the target too well: a warning for those of each kind, the most telling first.
pub fn telling_features(data: &Dataset) -> Vec<DataWarning> {
    let table = data.table();
    let features = table.features();
    let workers = threads(None).clamp(1, features);
    let part = features.div_ceil(workers);
    let parts = (0..features.div_ceil(part)).map(|at| at * part..(at * part + part).min(features));
    let found = side_by_side(parts.collect::<Vec<_>>().into_iter(), |part| {
        let tell = |d: usize| Some((d, tell(table.feature(d), data.target())?));
        part.filter_map(tell).collect::<Vec<_>>()
    });
    let told = |(d, tell): (usize, Tell)| {
        let chance = (tell.chance() * features as f64).min(1.0);
        (chance < CHANCE).then(|| (table.feature_names()[d].to_string(), tell, chance))
    };
    let found: Vec<(String, Tell, f64)> = found.into_iter().flatten().filter_map(told).collect();
    let names = |is: fn(&Tell) -> bool| -> Vec<String> {
        let found = found.iter().filter(|(_, tell, _)| is(tell));
        found.map(|(name, ..)| name.clone()).collect()
    };
    let chance = |is: fn(&Tell) -> bool| {
        let found = found.iter().filter(|(_, tell, _)| is(tell));
        found.map(|(.., chance)| *chance).reduce(f64::max)
    };
    let warning = |kind, columns: Vec<String>, strength, chance, message: String| {
        (!columns.is_empty()).then_some(DataWarning {
            kind,
            columns,
            strength,
            chance,
            message,
        })
    };
    let codes = |tell: &Tell| matches!(tell, Tell::Codes(_));
    let gaps = |tell: &Tell| matches!(tell, Tell::Gaps(_));
    let nearly = |tell: &Tell| matches!(tell, Tell::Nearly(..));
    let copied = names(codes);
    let copied = warning(
        WarningKind::CopyOfTarget,
        copied.clone(),
        Some(1.0),
        chance(codes),
        format!(
            "{} what the target says: each value belongs to one class; check whether this was known before the outcome, and leave it out if not",
            subject(&copied, "says", "say")
        ),
    );
    let missing = names(gaps);
    let missing = warning(
        WarningKind::MissingTellsTarget,
        missing.clone(),
        Some(1.0),
        chance(gaps),
        format!(
            "{} missing in one class and in no other: what was measured in one class alone tells the class",
            subject(&missing, "is", "are")
        ),
    );
    let mut strong: Vec<(&String, f64)> = found
        .iter()
        .filter_map(|(name, tell, _)| match tell {
            Tell::Nearly(strength, _) => Some((name, *strength)),
            _ => None,
        })
        .collect();
    strong.sort_by(|a, b| b.1.total_cmp(&a.1));
    let alone: Vec<String> = strong.iter().map(|(name, _)| (*name).clone()).collect();
    let best = strong.first().map(|(_, strength)| *strength);
    let (target, measure) = match data.target() {
        Target::Classes { .. } => ("tells the classes apart", "AUC"),
        Target::Values(_) => ("tells the target", "correlation"),
    };
    let single = warning(
        WarningKind::SingleFeature,
        alone.clone(),
        best,
        chance(nearly),
        format!(
            "{}, alone and nearly without fault ({measure} {:.3}): a strong marker does, and so does what was recorded with the outcome or after it; check which",
            subject(&alone, target, &target.replacen("tells", "each tell", 1)),
            best.unwrap_or(1.0)
        ),
    );
    copied.into_iter().chain(missing).chain(single).collect()
}

/// Names with their verb, in a sentence.
fn subject(names: &[String], one: &str, several: &str) -> String {
    let shown: Vec<String> = (names.iter().take(NAMED))
        .map(|name| format!("'{name}'"))
        .collect();
    match names.len() {
        1 => format!("feature {} {one}", shown[0]),
        all if all > NAMED => format!("{all} features ({}, ...) {several}", shown.join(", ")),
        all => format!("{all} features ({}) {several}", shown.join(", ")),
    }
}

fn tell(values: &[f64], target: &Target) -> Option<Tell> {
    match target {
        Target::Values(numbers) => tells_number(values, numbers),
        Target::Classes { names, labels } if names.len() == 2 => tells_class(values, labels),
        Target::Classes { .. } => None,
    }
}

fn tells_number(values: &[f64], numbers: &[f64]) -> Option<Tell> {
    let known = values.iter().copied().zip(numbers.iter().copied());
    let pairs: Vec<(f64, f64)> = known.filter(|(value, _)| !value.is_nan()).collect();
    let strength = correlation(&pairs)?.abs();
    if strength < NEARLY_EQUAL || pairs.len() < 4 {
        return None;
    }
    // Fisher's transformation of a correlation of nothing.
    let z = strength.min(1.0 - 1e-12).atanh() * (pairs.len() as f64 - 3.0).sqrt();
    Some(Tell::Nearly(strength, 2.0 * log_ndtr(-z).exp()))
}

fn tells_class(values: &[f64], labels: &[usize]) -> Option<Tell> {
    let of = |class: usize| -> Vec<f64> {
        let rows = values.iter().zip(labels);
        rows.filter(|(value, label)| **label == class && !value.is_nan())
            .map(|(value, _)| *value)
            .collect()
    };
    let (negative, mut positive) = (of(0), of(1));
    let (n0, n1) = (negative.len(), positive.len());
    if n0 == 0 || n1 == 0 {
        // Known in one class alone, and there throughout.
        let all = labels.iter().filter(|&&label| label == 1).count();
        let whole = n0 + n1 == if n0 == 0 { all } else { labels.len() - all };
        let sizes = [n0 + n1, labels.len() - n0 - n1];
        return (whole && n0 + n1 > 0).then(|| Tell::Gaps(chance_of_pure_groups(&sizes, all)));
    }
    if let Some(sizes) = pure_codes(values, labels) {
        return Some(Tell::Codes(chance_of_pure_groups(&sizes, n1)));
    }
    // Half of one class lies on either side of its median, so that where more than this share of the other does too, more
    // pairs are in the wrong order than may be: most features need no sorting.
    let most = 2.0 * (1.0 - NEARLY) * n0 as f64;
    let middle = median(&mut positive)?;
    let above = negative.iter().filter(|&&value| value > middle).count() as f64;
    let below = negative.iter().filter(|&&value| value < middle).count() as f64;
    if above > most && below > most {
        return None;
    }
    let (known, truth): (Vec<f64>, Vec<usize>) = (values.iter().zip(labels))
        .filter(|(value, _)| !value.is_nan())
        .map(|(value, label)| (*value, *label))
        .unzip();
    let area = auc(&truth, &known)?;
    let strength = area.max(1.0 - area);
    let discordant = (1.0 - strength) * (n0 * n1) as f64;
    (strength >= NEARLY).then(|| Tell::Nearly(strength, chance_of_order(n0, n1, discordant)))
}

/// How often each value occurs, where there are few and each belongs to one class.
fn pure_codes(values: &[f64], labels: &[usize]) -> Option<Vec<usize>> {
    let mut codes: Vec<(f64, usize, usize)> = Vec::new();
    for (&value, &label) in values
        .iter()
        .zip(labels)
        .filter(|(value, _)| !value.is_nan())
    {
        match codes.iter().position(|(code, ..)| *code == value) {
            Some(at) if codes[at].1 != label => return None,
            Some(at) => codes[at].2 += 1,
            None if codes.len() == MOST_CODES => return None,
            None => codes.push((value, label, 1)),
        }
    }
    Some(codes.into_iter().map(|(.., count)| count).collect())
}

/// What a column of text (empty where missing), one of so many, says of the classes, where each of its values belongs to
/// one of them; a gap counts as a value. The column is no feature and does no harm as it is.
pub fn telling_text(
    name: &str,
    values: &[String],
    columns: usize,
    target: &Target,
) -> Option<DataWarning> {
    let Target::Classes { names, labels } = target else {
        return None;
    };
    let mut groups: HashMap<&str, (usize, usize)> = HashMap::new();
    for (value, &label) in values.iter().zip(labels) {
        let (class, count) = groups.entry(value).or_insert((label, 0));
        if *class != label {
            return None;
        }
        *count += 1;
    }
    let sizes: Vec<usize> = groups.values().map(|(_, count)| *count).collect();
    // Of more classes than two, that one can be told from the others.
    let positive = |class: usize| labels.iter().filter(|&&label| label == class).count();
    let chance = (1..names.len())
        .map(|class| chance_of_pure_groups(&sizes, positive(class)))
        .fold(1.0, f64::min)
        * columns as f64;
    if chance >= CHANCE || groups.len() < 2 {
        return None;
    }
    let different = groups.len();
    let subjects = different > MOST_CODES && 4 * different > labels.len();
    let (kind, message) = match subjects && !groups.contains_key("") {
        true => (
            WarningKind::RepeatedSubjects,
            format!(
                "column '{name}' has {different} values for {} samples, and those with the same value are always of one class: if these are subjects or families, name the column as the group, so that none is split between folds",
                labels.len()
            ),
        ),
        false => (
            WarningKind::TextTellsTarget,
            format!(
                "column '{name}' (text, no feature) says what the target says: each of its {different} values{} belongs to one class; it is not to be coded as a feature unless it was known before the outcome",
                if groups.contains_key("") {
                    ", gaps among them,"
                } else {
                    ""
                }
            ),
        ),
    };
    Some(DataWarning {
        kind,
        columns: vec![name.to_string()],
        strength: Some(1.0),
        chance: Some(chance),
        message,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::simulate::Simulation;

    fn noise(samples: usize, features: usize, seed: u64) -> Dataset {
        let simulation = Simulation {
            samples,
            features,
            effect: 0.0,
            seed,
            ..Simulation::default()
        };
        simulation.draw().unwrap().data
    }

    /// The data with one more column.
    fn with_column(data: &Dataset, column: impl Fn(usize, usize) -> f64) -> Dataset {
        let table = data.table();
        let mut names = table.feature_names().to_vec();
        names.push("added".to_string());
        let values = (0..table.features()).flat_map(|d| table.feature(d).to_vec());
        let added = data.labels().iter().enumerate();
        let added = added.map(|(n, &label)| column(n, label));
        let values = values.chain(added).collect();
        let table = Table::with_missing(values, names, table.sample_names().to_vec()).unwrap();
        Dataset::new(table, data.target().clone()).unwrap()
    }

    fn kinds(data: &Dataset) -> Vec<WarningKind> {
        let found = telling_features(data);
        assert!(
            found.iter().all(|one| one.columns == ["added"]),
            "{found:?}"
        );
        found.iter().map(|one| one.kind).collect()
    }

    #[test]
    fn copies_markers_and_gaps_are_told_apart() {
        let data = noise(60, 300, 1);
        assert_eq!(kinds(&data), []);
        let copy = with_column(&data, |_, label| [7.0, 2.0][label]);
        assert_eq!(kinds(&copy), [WarningKind::CopyOfTarget]);
        // Codes in no order: 1 and 3 are of one class, 2 of the other.
        let codes = with_column(&data, |n, label| [1.0 + 2.0 * (n % 3) as f64, 2.0][label]);
        assert_eq!(kinds(&codes), [WarningKind::CopyOfTarget]);
        let marker = with_column(&data, |n, label| label as f64 * 5.0 + n as f64 / 20.0);
        assert_eq!(kinds(&marker), [WarningKind::SingleFeature]);
        // One pair in the wrong order still is nearly without fault; the message asks to check.
        let nearly = with_column(&data, |n, label| match n {
            0 => 2.95 + 2.5,
            _ => label as f64 * 5.0 + n as f64 / 20.0,
        });
        let found = telling_features(&nearly);
        assert!(
            found[0].message.contains("check which"),
            "{}",
            found[0].message
        );
        let gaps = with_column(&data, |n, label| [f64::NAN, n as f64][label]);
        assert_eq!(kinds(&gaps), [WarningKind::MissingTellsTarget]);
        let strong = with_column(&data, |n, label| label as f64 * 2.0 + (n % 7) as f64 / 2.0);
        assert_eq!(kinds(&strong), [], "a marker that errs is a marker");
    }

    #[test]
    fn what_chance_does_is_not_told() {
        // Twelve samples and very many features: some separate the classes.
        let data = noise(12, 20_000, 3);
        let perfect = |d: &usize| matches!(tell(data.table().feature(*d), data.target()), Some(Tell::Nearly(area, _)) if area == 1.0);
        assert!((0..20_000).any(|d| perfect(&d)), "chance separates");
        assert_eq!(telling_features(&data), []);
        // The same column is told where few others were looked at and there are more samples.
        let few = with_column(&noise(24, 20, 3), |n, label| label as f64 * 50.0 + n as f64);
        assert_eq!(kinds(&few), [WarningKind::SingleFeature]);
    }

    #[test]
    fn a_number_that_is_the_target_is_told() {
        let data = noise(40, 50, 2);
        let target: Vec<f64> = (0..40).map(|n| (n as f64 * 1.7).sin()).collect();
        let of = |factor: f64| {
            let table = with_column(&data, |n, _| factor * target[n] + (n % 3) as f64)
                .table()
                .clone();
            Dataset::new(table, Target::Values(target.clone())).unwrap()
        };
        assert_eq!(kinds(&of(-30.0)), [WarningKind::SingleFeature]);
        assert_eq!(kinds(&of(1.0)), []);
    }

    #[test]
    fn texts_that_say_what_the_target_says_are_told() {
        let data = noise(40, 5, 1);
        let say = |text: &dyn Fn(usize, usize) -> String| {
            let labels = data.labels().iter().enumerate();
            let values: Vec<String> = labels.map(|(n, &label)| text(n, label)).collect();
            telling_text("column", &values, 3, data.target()).map(|found| found.kind)
        };
        let told = Some(WarningKind::TextTellsTarget);
        assert_eq!(say(&|_, label| ["sound", "ill"][label].into()), told);
        assert_eq!(say(&|n, label| format!("{label}{}", n % 4)), told);
        // A date that only one class has.
        let dates = |n: usize, label: usize| ["".into(), format!("2020-01-{n}")][label].clone();
        assert_eq!(say(&dates), told);
        let subjects = |n: usize, label: usize| format!("{label}-{}", n / 4);
        assert_eq!(say(&subjects), Some(WarningKind::RepeatedSubjects));
        // Names of samples say nothing, nor does what is in both classes.
        assert_eq!(say(&|n, _| format!("p{n}")), None);
        assert_eq!(say(&|n, _| format!("{}", n % 3)), None);
    }
}
