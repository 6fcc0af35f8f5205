//! Batches, sites and the like that hang together with the target: a model may learn the batch and be told apart from one
//! that has learned the disease only where whole batches are held out.

use std::collections::HashMap;
use std::ops::ControlFlow;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::evaluation::{Evaluation, FoldResult};
use super::measures::Estimate;
use crate::data::shuffle::shuffled_rows;
use crate::data::{DataWarning, Dataset, Folds, HeldOut, Target, WarningKind};
use crate::error::Error;
use crate::params::CheckedParams;

/// Shuffled targets by which an association is judged, and the most samples that are shuffled in all.
const SHUFFLES: usize = 999;
const MOST_SHUFFLED: usize = 20_000_000;
/// An association is told from this chance down and from this strength up.
const CHANCE: f64 = 0.01;
const STRONG: f64 = 0.2;
/// The most repeats where there are more batches than folds.
const REPEATS: usize = 3;
/// An AUC that falls by more than this where whole batches are held out is told as a warning.
const FALL: f64 = 0.05;

/// How strongly batches and the target hang together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Association {
    /// Cramér's V of classes, the correlation ratio η of numbers: 0 for nothing, 1 where the batch settles the target.
    pub strength: f64,
    /// Share of shuffled targets that do as well: exact however few samples a batch has.
    pub chance: f64,
    /// How many batches there are.
    pub batches: usize,
}

/// The number of each sample's batch, in order of first appearance; samples without one are a batch of their own.
pub fn batch_numbers(values: &[String]) -> Vec<usize> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let mut of = Vec::with_capacity(values.len());
    for value in values {
        let next = numbers.len();
        of.push(*numbers.entry(value).or_insert(next));
    }
    of
}

/// How strongly batches hang together with a target; `None` where there are fewer than two, or no two samples share one.
pub fn association(batches: &[usize], target: &Target) -> Option<Association> {
    let count = batches.iter().max()? + 1;
    if count < 2 || 2 * count > batches.len() {
        return None;
    }
    let samples = batches.len();
    let strength = |order: &[usize]| match target {
        Target::Classes { names, labels } => cramers_v(batches, count, labels, names.len(), order),
        Target::Values(values) => correlation_ratio(batches, count, values, order),
    };
    let rows: Vec<usize> = (0..samples).collect();
    let found = strength(&rows)?;
    let shuffles = SHUFFLES.min(MOST_SHUFFLED / samples.max(1)).max(99);
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let as_strong = (0..shuffles)
        .filter(|_| {
            let order = shuffled_rows(samples, None, &mut random);
            strength(&order).is_some_and(|by_chance| by_chance >= found - 1e-12)
        })
        .count();
    Some(Association {
        strength: found,
        chance: (1 + as_strong) as f64 / (1 + shuffles) as f64,
        batches: count,
    })
}

/// sqrt(χ² / (n (min(rows, columns) - 1))), the target taken in the order of `order`.
fn cramers_v(
    batches: &[usize],
    count: usize,
    labels: &[usize],
    classes: usize,
    order: &[usize],
) -> Option<f64> {
    let mut cells = vec![0.0; count * classes];
    let (mut rows, mut columns) = (vec![0.0; count], vec![0.0; classes]);
    for (&batch, &n) in batches.iter().zip(order) {
        let class = labels[n];
        cells[batch * classes + class] += 1.0;
        rows[batch] += 1.0;
        columns[class] += 1.0;
    }
    let samples = batches.len() as f64;
    let mut squares = 0.0;
    for (cell, seen) in cells.iter().enumerate() {
        let expected = rows[cell / classes] * columns[cell % classes] / samples;
        if expected > 0.0 {
            squares += (seen - expected) * (seen - expected) / expected;
        }
    }
    let present = columns.iter().filter(|&&column| column > 0.0).count();
    let freedom = count.min(present).checked_sub(1).filter(|&free| free > 0)?;
    Some((squares / (samples * freedom as f64)).sqrt().min(1.0))
}

/// sqrt of the share of the target's variance that lies between the batches.
fn correlation_ratio(
    batches: &[usize],
    count: usize,
    values: &[f64],
    order: &[usize],
) -> Option<f64> {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let mut sums = vec![(0.0, 0.0); count];
    for (&batch, &n) in batches.iter().zip(order) {
        sums[batch].0 += values[n] - mean;
        sums[batch].1 += 1.0;
    }
    let between: f64 = (sums.iter())
        .map(|(sum, count)| sum * sum / f64::max(*count, 1.0))
        .sum();
    let all: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (all > 0.0).then(|| (between / all).sqrt().min(1.0))
}

/// What to say of a column of batches: nothing where it does not hang together with the target.
pub fn batch_warning(name: &str, values: &[String], target: &Target) -> Option<DataWarning> {
    let found = association(&batch_numbers(values), target)?;
    if found.chance > CHANCE || found.strength < STRONG {
        return None;
    }
    let Association {
        strength,
        chance,
        batches,
    } = found;
    let (what, measure) = match target {
        Target::Classes { .. } => ("the classes", "Cramér's V"),
        Target::Values(_) => ("the target", "correlation ratio"),
    };
    let settled = strength > 1.0 - 1e-9 && matches!(target, Target::Classes { .. });
    let means = match settled {
        true => {
            "each batch holds one class alone, so that no analysis can tell the class from the batch"
        }
        false => {
            "a model may learn the batch; an evaluation that holds whole batches out shows whether it has"
        }
    };
    Some(DataWarning {
        kind: WarningKind::Batch,
        columns: vec![name.to_string()],
        strength: Some(strength),
        chance: Some(chance),
        message: format!(
            "{what} and '{name}' ({batches} values) hang together ({measure} {strength:.2}, p {}{chance:.3}): {means}",
            if chance > 0.0011 { "= " } else { "<= " }
        ),
    })
}

impl CheckedParams {
    /// Cross-validates again with whole batches held out (as many folds as `evaluation` had, or as there are batches) and puts
    /// what that gave into it, with a warning where it is clearly worse. `on_fold` as in [`CheckedParams::evaluate`]; after
    /// a break nothing is put in.
    pub fn evaluate_held_out(
        &self,
        data: &Dataset,
        evaluation: &mut Evaluation,
        (column, batches): (&str, &[usize]),
        seed: u64,
        on_fold: impl Fn(usize, usize) -> ControlFlow<()> + Sync,
    ) -> Result<(), Error> {
        let count = batches.iter().max().map_or(0, |last| last + 1);
        let mut found = HeldOut {
            column: column.to_string(),
            batches: count,
            judged: 0,
            auc: None,
            rmse: None,
            message: format!(
                "'{column}' was not held out: it has {count} value(s), where at least two are needed"
            ),
        };
        if count >= 2 {
            let folds = batch_folds(data, batches, evaluation, seed)?;
            match cannot_learn(data, &folds) {
                Some(why) => found.message = format!("'{column}' was not held out: {why}"),
                None => {
                    let Some(held) = self.evaluate(data, &folds, on_fold)? else {
                        return Ok(());
                    };
                    judge(&mut found, &held, evaluation);
                }
            }
        }
        if let (Some([held, plain]), Some(estimate)) = (found.auc, evaluation.auc)
            && plain - held > FALL
            && held < estimate.low
        {
            evaluation.provenance.warnings.push(DataWarning {
                kind: WarningKind::BatchHeldOut,
                columns: vec![found.column.clone()],
                strength: Some(plain - held),
                chance: None,
                message: found.message.clone(),
            });
        }
        evaluation.held_out = Some(found);
        Ok(())
    }
}

/// Folds of whole batches. As many folds as batches are always the same, so that one repeat is enough.
fn batch_folds(
    data: &Dataset,
    batches: &[usize],
    evaluation: &Evaluation,
    seed: u64,
) -> Result<Folds, Error> {
    let strata = match data.labels() {
        [] => vec![0; data.table().samples()],
        labels => labels.to_vec(),
    };
    let count = batches.iter().max().map_or(0, |last| last + 1);
    let folds = evaluation.folds.min(count);
    let repeats = match folds == count {
        true => 1,
        false => REPEATS.min(evaluation.repeats),
    };
    Folds::stratified(&strata, Some(batches), folds, repeats, seed)
}

/// Why fits without some batches have too little to learn from.
fn cannot_learn(data: &Dataset, folds: &Folds) -> Option<String> {
    let Target::Classes { names, labels } = data.target() else {
        return None;
    };
    let all = (0..folds.repeats()).flat_map(|r| (0..folds.count()).map(move |fold| (r, fold)));
    for (repeat, fold) in all {
        let (train, _) = folds.split(repeat, fold);
        for (class, name) in names.iter().enumerate() {
            if train.iter().filter(|&&n| labels[n] == class).count() < 2 {
                return Some(format!(
                    "without some of its values hardly any '{name}' is left, so that what is the class and what is the batch cannot be told apart"
                ));
            }
        }
    }
    None
}

fn judge(found: &mut HeldOut, held: &Evaluation, plain: &Evaluation) {
    let mean = |estimate: Option<Estimate>| estimate.map(|estimate| estimate.mean);
    let both = |held: Option<f64>, plain: Option<f64>| Some([held?, plain?]);
    found.auc = both(mean(held.auc), mean(plain.auc));
    found.rmse = both(mean(held.rmse), mean(plain.rmse));
    let measured = |result: &&FoldResult| result.auc.is_some() || result.rmse.is_some();
    found.judged = held.results.iter().filter(measured).count();
    let HeldOut {
        column, batches, ..
    } = &*found;
    let whole = format!("when whole batches ('{column}', {batches} values) are held out");
    found.message = match (found.auc, found.rmse) {
        (Some([held, plain]), _) if plain - held > FALL => format!(
            "AUC {plain:.2}, but {held:.2} {whole}: what the model has learned may be the batch"
        ),
        (Some([held, plain]), _) => format!("AUC {plain:.2}, and {held:.2} {whole}"),
        (_, Some([held, plain])) => format!("RMSE {plain:.3}, and {held:.3} {whole}"),
        _ => format!(
            "'{column}' was held out, but none of its values has both classes: what is the class and what is the batch cannot be told apart"
        ),
    };
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::Table;
    use crate::params::{Params, Projected};
    use crate::simulate::Simulation;

    fn classes(labels: Vec<usize>) -> Target {
        let names = vec!["a".to_string(), "b".to_string()];
        Target::Classes { names, labels }
    }

    #[test]
    fn the_strength_is_cramers_v_and_chance_is_exact() {
        // 2 x 2: 8, 2 / 3, 7: χ² = 20 (8·7 - 2·3)² / (10·10·11·9).
        let batches: Vec<usize> = (0..20).map(|n| n / 10).collect();
        let labels = [vec![0; 8], vec![1; 2], vec![0; 3], vec![1; 7]].concat();
        let found = association(&batches, &classes(labels.clone())).unwrap();
        let square = 20.0 * 50.0f64.powi(2) / (10.0 * 10.0 * 11.0 * 9.0);
        assert!((found.strength - (square / 20.0f64).sqrt()).abs() < 1e-12);
        // Fisher's exact test, two-sided: 0.0698.
        assert!((found.chance - 0.0698).abs() < 0.02, "{}", found.chance);
        // Numbers 0 and 1 have the same strength.
        let values = labels.iter().map(|&label| label as f64).collect();
        let number = association(&batches, &Target::Values(values)).unwrap();
        assert!((number.strength - found.strength).abs() < 1e-12);
        let alone: Vec<usize> = (0..20).collect();
        assert_eq!(association(&alone, &classes(labels)), None);
    }

    #[test]
    fn only_batches_that_hang_together_with_the_classes_are_told() {
        let texts = |of: &dyn Fn(usize) -> usize| -> Vec<String> {
            (0..60).map(|n| format!("b{}", of(n))).collect()
        };
        let target = classes((0..60).map(|n| n % 2).collect());
        assert_eq!(batch_warning("site", &texts(&|n| n / 2 % 3), &target), None);
        let same = batch_warning("site", &texts(&|n| n % 2), &target).unwrap();
        assert!(same.message.contains("one class alone"), "{}", same.message);
        let lean = |n: usize| {
            if n.is_multiple_of(5) {
                1 - n % 2
            } else {
                n % 2
            }
        };
        let lean = batch_warning("site", &texts(&lean), &target).unwrap();
        assert!(
            lean.message.contains("may learn the batch"),
            "{}",
            lean.message
        );
        // Four samples cannot tell.
        let four: Vec<String> = texts(&|n| n % 2)[..4].to_vec();
        assert_eq!(
            batch_warning("site", &four, &classes(vec![0, 1, 0, 1])),
            None
        );
    }

    /// Ten batches that shift all features, three quarters of each of one class: the batch tells the class, and nothing else does.
    fn confounded() -> (Dataset, Vec<usize>) {
        let simulation = Simulation {
            samples: 120,
            features: 60,
            effect: 0.0,
            ..Simulation::default()
        };
        let drawn = simulation.draw().unwrap().data;
        let table = drawn.table();
        let batches: Vec<usize> = (0..120).map(|n| n / 12).collect();
        let labels: Vec<usize> = (0..120)
            .map(|n| (n / 12 + usize::from(n % 6 == 0)) % 2)
            .collect();
        let shift = |batch: usize, d: usize| ((batch * 37 + d * 101) % 17) as f64 / 4.0;
        let values = (0..60).flat_map(|d| {
            let rows = table.feature(d).iter().zip(&batches);
            rows.map(move |(x, &batch)| x + shift(batch, d))
                .collect::<Vec<f64>>()
        });
        let names = table.feature_names().to_vec();
        let table = Table::new(values.collect(), names, table.sample_names().to_vec()).unwrap();
        (Dataset::new(table, classes(labels)).unwrap(), batches)
    }

    #[test]
    fn what_holding_batches_out_gives_stands_beside_the_evaluation() {
        let (data, batches) = confounded();
        let quick = Projected {
            folds: 3,
            most_repeats: 1,
            ..Projected::default()
        };
        let params = Params::from(quick).check().unwrap();
        let go_on = |_, _| ControlFlow::Continue(());
        let folds = Folds::stratified(data.labels(), None, 5, 1, 1).unwrap();
        let plain = params.evaluate(&data, &folds, go_on).unwrap().unwrap();
        let hold = |batches: &[usize]| {
            let mut evaluation = plain.clone();
            params
                .evaluate_held_out(&data, &mut evaluation, ("plate", batches), 1, go_on)
                .unwrap();
            evaluation
        };
        let found = hold(&batches);
        let held_out = found.held_out.as_ref().unwrap();
        let [held, whole] = held_out.auc.unwrap();
        assert!(whole > 0.75 && held < whole - 0.15, "{whole} {held}");
        assert_eq!((held_out.batches, held_out.judged), (10, 5));
        assert!(
            held_out.message.contains("may be the batch"),
            "{}",
            held_out.message
        );
        assert_eq!(found.provenance.warnings[0].kind, WarningKind::BatchHeldOut);
        // Batches of one class each cannot be held out, and one batch is none.
        let same = hold(data.labels());
        let message = &same.held_out.as_ref().unwrap().message;
        assert!(message.contains("cannot be told apart"), "{message}");
        assert_eq!(same.provenance.warnings, []);
        assert!(
            hold(&[0; 120])
                .held_out
                .unwrap()
                .message
                .contains("1 value(s)")
        );
        // Through JSON and back.
        let text = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<Evaluation>(&text).unwrap(), found);
    }
}
