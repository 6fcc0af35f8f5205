//! How good scores are, how much two differ, and how sure that is.

use rfvm::stats::wilson;
use rfvm::{Bootstrap, Folds, metrics};
use serde::{Deserialize, Serialize};

/// The 95 % quantile of the normal distribution: intervals here are 90 %, so that each end is a 95 % limit by itself.
pub(crate) const QUANTILE: f64 = 1.645;

/// Draws of subjects by which standard errors are found.
pub(crate) const DRAWS: usize = 200;

/// An estimate with its standard error and 90 % interval.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Uncertain {
    /// The estimate.
    pub value: f64,
    /// Its standard error over the draws.
    pub se: f64,
    /// Lower 95 % limit.
    pub low: f64,
    /// Upper 95 % limit.
    pub high: f64,
}

impl Uncertain {
    pub(crate) fn new(value: f64, se: f64) -> Self {
        Self {
            value,
            se,
            low: value - QUANTILE * se,
            high: value + QUANTILE * se,
        }
    }

    /// An AUC over so many subjects: limits of Wilson's kind, which stay between 0 and 1, for as many trials as its
    /// standard error speaks for, but no more than there are subjects. Where no draw has anybody on the wrong side, that
    /// number alone says how sure it is.
    pub(crate) fn of_auc(value: f64, se: f64, subjects: usize) -> Self {
        let most = subjects.max(1) as f64;
        let trials = match se > 0.0 {
            true => (value * (1.0 - value) / (se * se)).clamp(1.0, most),
            false => most,
        };
        let (low, high) = wilson(value, trials, QUANTILE);
        let se = if se > 0.0 {
            se
        } else {
            (high - low) / (2.0 * QUANTILE)
        };
        Self {
            value,
            se,
            low,
            high,
        }
    }

    /// A statistic of all rows, as sure as the draws have it; `None` where it cannot be computed, which is no zero.
    pub(crate) fn of(
        bootstrap: &Bootstrap,
        statistic: impl Fn(&[usize]) -> Option<f64>,
        all: &[usize],
    ) -> Option<Self> {
        let value = statistic(all)?;
        Some(Self::new(value, bootstrap.standard_error(statistic)?))
    }
}

/// Out-of-fold probabilities of every subject, one list a repeat.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct HeldBackScores(pub(crate) Vec<Vec<f64>>);

impl HeldBackScores {
    /// -ln p of every subject's own class, the mean over the repeats.
    pub(crate) fn losses(&self, labels: &[usize]) -> Vec<f64> {
        let loss = |n: usize| {
            let of = self
                .0
                .iter()
                .map(|p| metrics::log_loss(&labels[n..=n], &p[n..=n]));
            of.sum::<f64>() / self.0.len() as f64
        };
        (0..labels.len()).map(loss).collect()
    }

    /// The mean over the repeats of the AUC over the given rows.
    pub(crate) fn auc(&self, labels: &[usize], rows: &[usize]) -> Option<f64> {
        let own: Vec<usize> = rows.iter().map(|&n| labels[n]).collect();
        let mut sum = 0.0;
        for repeat in &self.0 {
            let scores: Vec<f64> = rows.iter().map(|&n| repeat[n]).collect();
            sum += metrics::auc(&own, &scores)?;
        }
        Some(sum / self.0.len() as f64)
    }

    /// The scores of some subjects alone.
    pub(crate) fn of_rows(&self, rows: &[usize]) -> Self {
        let some = |repeat: &Vec<f64>| rows.iter().map(|&n| repeat[n]).collect();
        Self(self.0.iter().map(some).collect())
    }

    /// The training part's base rate for every subject: what there is to say without any test.
    pub(crate) fn of_base_rate(folds: &Folds, labels: &[usize]) -> Self {
        let of_repeat = |repeat: usize| {
            let mut scores = vec![0.5; labels.len()];
            for fold in 0..folds.count() {
                let (train, test) = folds.split(repeat, fold);
                let rate = base_rate(labels, &train);
                test.iter().for_each(|&n| scores[n] = rate);
            }
            scores
        };
        Self((0..folds.repeats()).map(of_repeat).collect())
    }

    /// The first repeats alone.
    pub(crate) fn first(&self, repeats: usize) -> Self {
        Self(self.0[..repeats.min(self.0.len())].to_vec())
    }

    /// The mean over the repeats of every subject's probability.
    pub(crate) fn mean(&self) -> Vec<f64> {
        let count = self.0.len() as f64;
        let samples = self.0.first().map_or(0, Vec::len);
        (0..samples)
            .map(|n| self.0.iter().map(|p| p[n]).sum::<f64>() / count)
            .collect()
    }
}

/// A performance, or a difference between two, as log loss and as AUC.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Performance {
    /// In nats a subject; `None` where it cannot be computed.
    pub log_loss: Option<Uncertain>,
    /// Area under the ROC curve; `None` where it cannot be computed.
    pub auc: Option<Uncertain>,
}

/// The share of the positive class among some rows, kept off 0 and 1.
pub(crate) fn base_rate(labels: &[usize], rows: &[usize]) -> f64 {
    let positive = rows.iter().filter(|&&n| labels[n] == 1).count() as f64;
    (positive + 0.5) / (rows.len() as f64 + 1.0)
}

pub(crate) fn mean_over(values: &[f64], rows: &[usize]) -> f64 {
    rows.iter().map(|&n| values[n]).sum::<f64>() / rows.len().max(1) as f64
}

impl Performance {
    /// The same fits with and without something that none of them used: the difference is zero, and nothing is unsure.
    pub(crate) fn unchanged() -> Self {
        let zero = Some(Uncertain::new(0.0, 0.0));
        Self {
            log_loss: zero,
            auc: zero,
        }
    }

    /// What nobody can be asked about.
    pub(crate) const UNKNOWN: Self = Self {
        log_loss: None,
        auc: None,
    };

    /// How good scores are.
    pub(crate) fn of(bootstrap: &Bootstrap, scores: &HeldBackScores, labels: &[usize]) -> Self {
        let all: Vec<usize> = (0..labels.len()).collect();
        let losses = scores.losses(labels);
        let auc = Uncertain::of(bootstrap, |rows| scores.auc(labels, rows), &all);
        Self {
            log_loss: Uncertain::of(bootstrap, |rows| Some(mean_over(&losses, rows)), &all),
            auc: auc.map(|auc| Uncertain::of_auc(auc.value, auc.se, labels.len())),
        }
    }

    /// How much one differs from the other, subject by subject: above zero, `of` has the larger loss or the larger AUC.
    pub(crate) fn difference(
        bootstrap: &Bootstrap,
        of: &HeldBackScores,
        from: &HeldBackScores,
        labels: &[usize],
    ) -> Self {
        let all: Vec<usize> = (0..labels.len()).collect();
        let losses = of.losses(labels).into_iter().zip(from.losses(labels));
        let losses: Vec<f64> = losses.map(|(of, from)| of - from).collect();
        let auc = |rows: &[usize]| Some(of.auc(labels, rows)? - from.auc(labels, rows)?);
        Self {
            log_loss: Uncertain::of(bootstrap, |rows| Some(mean_over(&losses, rows)), &all),
            auc: Uncertain::of(bootstrap, auc, &all),
        }
    }

    /// Whether what is lost is below both margins, with 95 % confidence each: a test of non-inferiority. What cannot be
    /// computed is not below any margin.
    pub(crate) fn is_not_inferior(&self, margin: f64, auc_margin: f64) -> bool {
        self.log_loss.is_some_and(|loss| loss.high <= margin)
            && self.auc.is_some_and(|auc| auc.low >= -auc_margin)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn equal_scores_do_not_differ_and_worse_ones_lose_more() {
        let labels: Vec<usize> = (0..60).map(|n| n % 2).collect();
        let good = HeldBackScores(vec![
            labels.iter().map(|&t| 0.2 + 0.6 * t as f64).collect();
            2
        ]);
        let bad = HeldBackScores(vec![
            (0..60).map(|n| 0.4 + 0.003 * f64::from(n)).collect();
            2
        ]);
        let bootstrap = Bootstrap::new(60, None, DRAWS, 3);
        assert_eq!(
            Performance::difference(&bootstrap, &good, &good, &labels),
            Performance::unchanged()
        );
        let worse = Performance::difference(&bootstrap, &bad, &good, &labels);
        assert!(
            worse.log_loss.unwrap().low > 0.0 && worse.auc.unwrap().high < 0.0,
            "{worse:?}"
        );
    }

    #[test]
    fn an_auc_of_one_is_not_beyond_doubt() {
        let labels: Vec<usize> = (0..40).map(|n| n % 2).collect();
        let scores = HeldBackScores(vec![labels.iter().map(|&t| 0.1 + 0.8 * t as f64).collect()]);
        let of = |count: usize| {
            let bootstrap = Bootstrap::new(count, None, DRAWS, 3);
            let rows: Vec<usize> = (0..count).collect();
            Performance::of(&bootstrap, &scores.of_rows(&rows), &labels[..count])
        };
        let (few, many) = (of(10).auc.unwrap(), of(40).auc.unwrap());
        assert!(few.value == 1.0 && few.high <= 1.0 && few.se > many.se);
        assert!(
            0.5 < few.low && few.low < many.low && many.low < 0.99,
            "{few:?} {many:?}"
        );
    }

    #[test]
    fn a_difference_that_cannot_be_computed_rules_nothing_out() {
        let labels = vec![1; 20];
        let scores = HeldBackScores(vec![vec![0.7; 20]]);
        let bootstrap = Bootstrap::new(20, None, DRAWS, 1);
        let unknown = Performance::difference(&bootstrap, &scores, &scores, &labels);
        assert_eq!(unknown.auc, None);
        assert!(!unknown.is_not_inferior(1.0, 1.0));
        assert!(Performance::unchanged().is_not_inferior(0.0, 0.0));
    }
}
