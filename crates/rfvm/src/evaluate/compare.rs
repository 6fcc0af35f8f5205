//! Two evaluations on the same folds, compared row by row and fold by fold.

use serde::{Deserialize, Serialize};

use super::delong::{self, DeLong};
use super::evaluation::{Evaluation, FoldResult};
use super::measures::Estimate;
use super::unseen_rows::UnseenRows;
use crate::error::Error;
use crate::numerics::student::t_p_value;

/// How two evaluations of the same rows in the same folds differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Comparison {
    pub n: usize,
    pub folds: usize,
    pub repeats: usize,
    /// The positive class; `None` in a regression.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positive: Option<String>,
    /// Whether rows hang together in groups, which DeLong's test then knows.
    pub grouped: bool,
    /// Whether both had the same table; else its features or values differ, and the samples are the same.
    pub same_table: bool,
    pub measures: Vec<ComparedMeasure>,
}

/// One measure of the two, and their difference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ComparedMeasure {
    /// Its name.
    pub measure: String,
    /// By which test.
    pub test: ComparedBy,
    /// Of the first evaluation, the mean over folds.
    pub first: f64,
    /// Of the second.
    pub second: f64,
    /// First less second.
    pub difference: f64,
    /// Lower end of its 95 % interval.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
    /// Two-sided; `None` where the two do not vary against each other.
    pub p: Option<f64>,
    /// Whether the smaller is the better one.
    pub less_is_better: bool,
}

/// How a difference is tested.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparedBy {
    /// The corrected resampled t test of Nadeau and Bengio (2003) over the folds' differences.
    CorrectedT,
    /// DeLong's test of two AUCs of the same rows, whole groups being what was drawn.
    DeLong,
}

impl ComparedMeasure {
    /// Whether the first is the better one, where the interval of the difference excludes 0.
    pub fn first_is_better(&self) -> Option<bool> {
        let sure = self.low > 0.0 || self.high < 0.0;
        sure.then_some((self.difference > 0.0) != self.less_is_better)
    }

    fn delong(first: f64, second: f64, found: &DeLong) -> Self {
        let (low, high) = found.difference_interval();
        Self {
            measure: "AUC".to_string(),
            test: ComparedBy::DeLong,
            first,
            second,
            difference: found.value,
            low: low.max(-1.0),
            high: high.min(1.0),
            p: found.p_value(),
            less_is_better: false,
        }
    }
}

impl Comparison {
    /// Compares two evaluations; refused where they are not of the same samples, target and folds. The features may differ.
    pub fn of(first: &Evaluation, second: &Evaluation) -> Result<Self, Error> {
        check(first, second)?;
        let overlap = 1.0 / (first.folds as f64 - 1.0);
        type Measured = fn(&FoldResult) -> Option<f64>;
        let all: [(&str, bool, Measured); 6] = [
            ("accuracy", false, |fold| fold.accuracy),
            ("AUC", false, |fold| fold.auc),
            ("log loss", true, |fold| fold.log_loss),
            ("Brier score", true, |fold| fold.brier),
            ("RMSE", true, |fold| fold.rmse),
            ("R²", false, |fold| fold.r2),
        ];
        let mut measures: Vec<ComparedMeasure> = (all.into_iter())
            .filter_map(|(name, less_is_better, of)| {
                let pairs = (first.results.iter()).zip(&second.results);
                let pairs: Vec<(f64, f64)> = pairs.filter_map(|(a, b)| of(a).zip(of(b))).collect();
                resampled(name, less_is_better, &pairs, overlap)
            })
            .collect();
        measures.extend(delong_test(first, second));
        Ok(Self {
            n: first.n,
            folds: first.folds,
            repeats: first.repeats,
            positive: first.classes.get(1).cloned(),
            grouped: first.groups.is_some(),
            same_table: first.data.is_some() && first.data == second.data,
            measures,
        })
    }
}

fn resampled(
    name: &str,
    less_is_better: bool,
    pairs: &[(f64, f64)],
    overlap: f64,
) -> Option<ComparedMeasure> {
    // One fold says nothing of how folds differ.
    (pairs.len() > 1).then_some(())?;
    let k = pairs.len() as f64;
    let differences: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    let any = (f64::NEG_INFINITY, f64::INFINITY);
    let Estimate {
        mean,
        sd,
        low,
        high,
    } = Estimate::resampled(&differences, overlap, any)?;
    let se = sd * (1.0 / k + overlap).sqrt();
    Some(ComparedMeasure {
        measure: name.to_string(),
        test: ComparedBy::CorrectedT,
        first: pairs.iter().map(|pair| pair.0).sum::<f64>() / k,
        second: pairs.iter().map(|pair| pair.1).sum::<f64>() / k,
        difference: mean,
        low,
        high,
        p: (se > 1e-12).then(|| t_p_value(mean / se, k - 1.0)),
        less_is_better,
    })
}

fn delong_test(first: &Evaluation, second: &Evaluation) -> Option<ComparedMeasure> {
    let (a, b) = (
        UnseenRows::of(first)?.blocks(),
        UnseenRows::of(second)?.blocks(),
    );
    let found = delong::difference(&first.labels, first.groups.as_deref(), &a, &b)?;
    Some(ComparedMeasure::delong(
        first.auc?.mean,
        second.auc?.mean,
        &found,
    ))
}

fn check(first: &Evaluation, second: &Evaluation) -> Result<(), Error> {
    let refuse = |what: &str| Err(Error::Evaluation(what.to_string()));
    if first.classes != second.classes {
        return refuse(
            "has another target or positive class than the first one; evaluate both with the same --target and --positive",
        );
    }
    // Of a regression the target itself is not kept: only the fingerprint tells.
    let same_target = match first.classes.is_empty() {
        true => first.data.is_some() && first.data == second.data,
        false => first.labels == second.labels,
    };
    if !same_target || first.samples != second.samples {
        return refuse(
            "is of other samples or another target than the first one; evaluate both on the same samples",
        );
    }
    let is_sound = |of: &Evaluation| of.classes.is_empty() || UnseenRows::of(of).is_some();
    if !is_sound(first) || !is_sound(second) {
        return refuse("lacks the samples' classes or predictions; run rfvm evaluate again");
    }
    let dealt = |of: &Evaluation| -> Vec<(usize, usize, Vec<usize>)> {
        let results = of.results.iter();
        results
            .map(|r| (r.repeat, r.fold, r.rows.clone()))
            .collect()
    };
    if dealt(first) != dealt(second) || first.groups != second.groups {
        return refuse(
            "has other folds than the first one; evaluate both with the same --cv, --repeats, --seed and --group, or the same --folds file",
        );
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::ops::ControlFlow;

    use super::*;
    use crate::data::{Dataset, Folds};
    use crate::params::Params;
    use crate::simulate::Simulation;

    fn data(seed: u64) -> Dataset {
        let simulation = Simulation {
            samples: 60,
            features: 30,
            informative: 1,
            effect: 2.0,
            seed,
            ..Simulation::default()
        };
        simulation.draw().unwrap().data
    }

    fn evaluated(data: &Dataset, seed: u64) -> Evaluation {
        let folds = Folds::stratified(data.labels(), None, 3, 2, seed).unwrap();
        let params = Params::signatures().check().unwrap();
        let go_on = |_, _| ControlFlow::Continue(());
        params.evaluate(data, &folds, go_on).unwrap().unwrap()
    }

    /// The same with probabilities that know nothing.
    fn ignorant(of: &Evaluation) -> Evaluation {
        let mut worse = of.clone();
        for fold in &mut worse.results {
            let coin = |row: &usize| 0.4 + 0.2 * ((row * 7 % 11) as f64 / 11.0);
            fold.predicted = fold.rows.iter().map(coin).collect();
            let labels: Vec<usize> = fold.rows.iter().map(|&row| of.labels[row]).collect();
            fold.auc = crate::metrics::auc(&labels, &fold.predicted);
            fold.log_loss = Some(crate::metrics::log_loss(&labels, &fold.predicted));
        }
        worse.auc = UnseenRows::of(&worse).unwrap().auc();
        worse
    }

    #[test]
    fn a_clear_difference_is_sure_and_none_is_none() {
        let good = evaluated(&data(1), 1);
        let same = Comparison::of(&good, &good).unwrap();
        for measure in &same.measures {
            assert_eq!((measure.difference, measure.p), (0.0, None), "{measure:?}");
            assert_eq!(measure.first_is_better(), None);
        }
        let found = Comparison::of(&good, &ignorant(&good)).unwrap();
        let of = |name: &str, test: ComparedBy| {
            let mut all = found.measures.iter();
            all.find(|m| m.measure == name && m.test == test).unwrap()
        };
        for measure in [
            of("AUC", ComparedBy::DeLong),
            of("AUC", ComparedBy::CorrectedT),
            of("log loss", ComparedBy::CorrectedT),
        ] {
            assert_eq!(measure.first_is_better(), Some(true), "{measure:?}");
            assert!(measure.p.unwrap() < 0.05);
            assert!((measure.first - measure.second - measure.difference).abs() < 1e-12);
        }
        let back = Comparison::of(&ignorant(&good), &good).unwrap();
        assert_eq!(back.measures.last().unwrap().first_is_better(), Some(false));
    }

    #[test]
    fn other_samples_other_targets_and_other_folds_are_refused() {
        let one = evaluated(&data(1), 1);
        assert!(Comparison::of(&one, &one).unwrap().same_table);
        let refusal = |other: &Evaluation| Comparison::of(&one, other).unwrap_err().to_string();
        // Other features of the same samples are what one may want to compare.
        let other = evaluated(&data(2), 1);
        assert!(!Comparison::of(&one, &other).unwrap().same_table);
        let mut strangers = other.clone();
        strangers.samples[3] = "somebody else".to_string();
        assert!(refusal(&strangers).contains("other samples"));
        let mut relabelled = other;
        relabelled.labels.swap(0, 1);
        assert!(refusal(&relabelled).contains("other samples"));
        assert!(refusal(&evaluated(&data(1), 2)).contains("other folds"));
        let renamed = Evaluation {
            classes: vec!["b".to_string(), "a".to_string()],
            ..one.clone()
        };
        assert!(refusal(&renamed).contains("positive class"));
    }
}
