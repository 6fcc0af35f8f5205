//! How sure a number is: subjects (whole groups of them) are drawn again, with replacement.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rfvm::metrics;
use serde::{Deserialize, Serialize};

/// The 95 % quantile of the normal distribution: intervals here are 90 %, so that each end is a 95 % limit by itself.
pub(crate) const QUANTILE: f64 = 1.645;

const DRAWS: usize = 200;

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

    /// Exactly zero, as for a test that no fit used.
    pub(crate) const NONE: Self = Self {
        value: 0.0,
        se: 0.0,
        low: 0.0,
        high: 0.0,
    };
}

/// Draws of subjects: how often each comes, draw by draw.
#[derive(Debug, Clone)]
pub(crate) struct Bootstrap {
    draws: Vec<Vec<usize>>,
}

impl Bootstrap {
    pub(crate) fn new(samples: usize, groups: Option<&[usize]>, seed: u64) -> Self {
        let alone: Vec<usize> = (0..samples).collect();
        let groups = groups.unwrap_or(&alone);
        let count = groups.iter().max().map_or(0, |last| last + 1);
        let mut members: Vec<Vec<usize>> = vec![Vec::new(); count];
        groups
            .iter()
            .enumerate()
            .for_each(|(n, &group)| members[group].push(n));
        members.retain(|group| !group.is_empty());
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || {
            let mut rows = Vec::with_capacity(samples);
            for _ in 0..members.len() {
                rows.extend(&members[random.random_range(0..members.len())]);
            }
            rows
        };
        Self {
            draws: (0..DRAWS).map(|_| draw()).collect(),
        }
    }

    /// A statistic of rows with the standard deviation that it has over the draws; draws that have none are left out.
    pub(crate) fn of(
        &self,
        statistic: impl Fn(&[usize]) -> Option<f64>,
        all: &[usize],
    ) -> Option<Uncertain> {
        let value = statistic(all)?;
        let drawn: Vec<f64> = self
            .draws
            .iter()
            .filter_map(|rows| statistic(rows))
            .collect();
        let count = drawn.len() as f64;
        if count < 2.0 {
            return None;
        }
        let mean = drawn.iter().sum::<f64>() / count;
        let squares: f64 = drawn.iter().map(|v| (v - mean).powi(2)).sum();
        Some(Uncertain::new(value, (squares / (count - 1.0)).sqrt()))
    }
}

/// Out-of-fold probabilities of every subject, one list a repeat.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Scores(pub(crate) Vec<Vec<f64>>);

impl Scores {
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
    /// In nats a subject.
    pub log_loss: Uncertain,
    /// Area under the ROC curve.
    pub auc: Uncertain,
}

impl Performance {
    /// Nothing changes.
    pub(crate) const NONE: Self = Self {
        log_loss: Uncertain::NONE,
        auc: Uncertain::NONE,
    };
}

pub(crate) fn mean_over(values: &[f64], rows: &[usize]) -> f64 {
    rows.iter().map(|&n| values[n]).sum::<f64>() / rows.len().max(1) as f64
}

impl Bootstrap {
    /// How good scores are.
    pub(crate) fn performance(&self, scores: &Scores, labels: &[usize]) -> Performance {
        let all: Vec<usize> = (0..labels.len()).collect();
        let losses = scores.losses(labels);
        Performance {
            log_loss: self
                .of(|rows| Some(mean_over(&losses, rows)), &all)
                .unwrap_or(Uncertain::NONE),
            auc: self
                .of(|rows| scores.auc(labels, rows), &all)
                .unwrap_or(Uncertain::NONE),
        }
    }

    /// How much one differs from the other, subject by subject: above zero, `of` has the larger loss or the larger AUC.
    pub(crate) fn difference(&self, of: &Scores, from: &Scores, labels: &[usize]) -> Performance {
        let all: Vec<usize> = (0..labels.len()).collect();
        let losses = of.losses(labels).into_iter().zip(from.losses(labels));
        let losses: Vec<f64> = losses.map(|(of, from)| of - from).collect();
        let auc = |rows: &[usize]| Some(of.auc(labels, rows)? - from.auc(labels, rows)?);
        Performance {
            log_loss: self
                .of(|rows| Some(mean_over(&losses, rows)), &all)
                .unwrap_or(Uncertain::NONE),
            auc: self.of(auc, &all).unwrap_or(Uncertain::NONE),
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_of_a_mean_is_that_of_the_textbook_and_groups_widen_it() {
        let values: Vec<f64> = (0..400).map(|n| f64::from(n % 2)).collect();
        let all: Vec<usize> = (0..400).collect();
        let mean = |rows: &[usize]| Some(mean_over(&values, rows));
        let alone = Bootstrap::new(400, None, 1).of(mean, &all).unwrap();
        assert!(
            (alone.value - 0.5).abs() < 1e-12 && (alone.se - 0.025).abs() < 0.005,
            "{alone:?}"
        );
        // Four equal subjects a group: a quarter of the information.
        let values: Vec<f64> = (0..400).map(|n| f64::from(n / 4 % 2)).collect();
        let mean = |rows: &[usize]| Some(mean_over(&values, rows));
        let groups: Vec<usize> = (0..400).map(|n| n / 4).collect();
        let grouped = Bootstrap::new(400, Some(&groups), 1)
            .of(mean, &all)
            .unwrap();
        assert!((grouped.se - 0.05).abs() < 0.01, "{grouped:?}");
    }

    #[test]
    fn equal_scores_do_not_differ_and_worse_ones_lose_more() {
        let labels: Vec<usize> = (0..60).map(|n| n % 2).collect();
        let good = Scores(vec![
            labels.iter().map(|&t| 0.2 + 0.6 * t as f64).collect();
            2
        ]);
        let bad = Scores(vec![
            (0..60).map(|n| 0.4 + 0.003 * f64::from(n)).collect();
            2
        ]);
        let bootstrap = Bootstrap::new(60, None, 3);
        assert_eq!(
            bootstrap.difference(&good, &good, &labels),
            Performance::NONE
        );
        let worse = bootstrap.difference(&bad, &good, &labels);
        assert!(
            worse.log_loss.low > 0.0 && worse.auc.high < 0.0,
            "{worse:?}"
        );
    }
}
