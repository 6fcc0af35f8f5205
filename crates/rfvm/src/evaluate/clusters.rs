//! Rows that were drawn together, and how sure a mean or a share over them is.
//!
//! What is averaged over rows is a ratio Σa/Σb of sums over all rows of a cross-validation (b is 1, or tells whether a row
//! counts), each row's share averaged over the repeats: repeats share their rows, so that a row is evidence only once. Its
//! residual is e = (a - value b) / Σb, and the variance of the value is the sum of the squares of the clusters' sums of
//! residuals, whole groups being what was drawn.

use crate::data::groups::members;
use crate::numerics::stats::{variance_freedom, wilson};
use crate::numerics::student::t_quantile;

/// How many clusters' worth of doubt there is in a design effect before any cluster has shown something.
pub(super) const DOUBT: f64 = 10.0;
/// How alike rows of a group are taken to be until they have shown it.
pub(super) const ALIKE: f64 = 0.5;
/// What such a prior adds to the degrees of freedom.
pub(super) const PRIOR_FREEDOM: f64 = 4.0;

/// The group of every row, numbered from 0; without groups every row is its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Clusters {
    pub(super) of: Vec<usize>,
    pub(super) count: usize,
}

/// A value with the ends of its 95 % interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ValueWithEnds {
    pub(super) value: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Σa/Σb over rows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ratio {
    pub(super) above: Vec<f64>,
    pub(super) below: Vec<f64>,
}

impl Clusters {
    pub(super) fn new(samples: usize, groups: Option<&[usize]>) -> Self {
        let members = members(samples, groups);
        let mut of = vec![0; samples];
        for (cluster, rows) in members.iter().enumerate() {
            rows.iter().for_each(|&row| of[row] = cluster);
        }
        Self {
            of,
            count: members.len(),
        }
    }

    /// The sum of the rows' values in every cluster.
    pub(super) fn sums(&self, values: &[f64]) -> Vec<f64> {
        let mut sums = vec![0.0; self.count];
        for (&cluster, value) in self.of.iter().zip(values) {
            sums[cluster] += value;
        }
        sums
    }

    /// The value with the variance that its rows' residuals have, and t with the clusters' degrees of freedom; `None`
    /// for a single cluster, which says nothing of others.
    pub(super) fn around(
        &self,
        value: f64,
        residuals: &[f64],
        taking_part: usize,
    ) -> Option<ValueWithEnds> {
        self.known(value, residuals, taking_part, |_, clusters| clusters - 1.0)
    }

    /// The same with other degrees of freedom, from the clusters' sums and how many take part.
    fn known(
        &self,
        value: f64,
        residuals: &[f64],
        taking_part: usize,
        freedom: fn(&[f64], f64) -> f64,
    ) -> Option<ValueWithEnds> {
        let clusters = (taking_part >= 2).then_some(taking_part as f64)?;
        let sums = self.sums(residuals);
        let squares: f64 = sums.iter().map(|sum| sum * sum).sum();
        let se = (squares * clusters / (clusters - 1.0)).sqrt();
        let reach = t_quantile(freedom(&sums, clusters)) * se;
        Some(ValueWithEnds {
            value,
            low: value - reach,
            high: value + reach,
        })
    }

    /// The mean Σa/Σb, with t by clusters; `None` where no row or a single cluster counts.
    pub(super) fn mean(&self, ratio: &Ratio) -> Option<ValueWithEnds> {
        let (value, _) = ratio.value()?;
        self.around(value, &ratio.residuals(), self.taking_part(ratio))
    }

    /// The mean of differences, most of which may be small and a few large: that variance has fewer degrees of freedom.
    pub(super) fn mean_difference(&self, ratio: &Ratio) -> Option<ValueWithEnds> {
        let (value, _) = ratio.value()?;
        let taking_part = self.taking_part(ratio);
        self.known(value, &ratio.residuals(), taking_part, variance_freedom)
    }

    fn taking_part(&self, ratio: &Ratio) -> usize {
        let counts = self.sums(&ratio.below);
        counts.iter().filter(|&&count| count > 0.0).count()
    }

    /// The share Σa/Σb, a within 0 and b, with Wilson's interval for as many rows as the clusters are worth; `None` where
    /// no row counts.
    ///
    /// That number is Σb / κ. κ is what the clusters' residuals show, and so far as few of them show anything (all rows
    /// right, say) what half-alike rows of a group would have: their geometric mean, by the clusters that differ.
    pub(super) fn share(&self, ratio: &Ratio) -> Option<ValueWithEnds> {
        let (value, count) = ratio.value()?;
        let (below, above) = (self.sums(&ratio.below), self.sums(&ratio.above));
        let squares = |values: &[f64]| values.iter().map(|b| b * b).sum::<f64>();
        let alike = 1.0 + ALIKE * (squares(&below) / squares(&ratio.below) - 1.0);
        let clusters = below.iter().filter(|&&b| b > 0.0).count() as f64;
        let some = |a: &&f64| **a > 1e-9;
        let misses: Vec<f64> = below.iter().zip(&above).map(|(b, a)| b - a).collect();
        let telling = (above.iter().filter(some).count()).min(misses.iter().filter(some).count());
        let shown = squares(&self.sums(&ratio.residuals())) * clusters / (clusters - 1.0).max(1.0);
        let effect = blended(
            shown / (value * (1.0 - value) / count),
            alike,
            telling as f64,
        );
        let (low, high) = wilson(
            value,
            count / effect,
            t_quantile(clusters - 1.0 + PRIOR_FREEDOM),
        );
        Some(ValueWithEnds {
            value,
            low: low.min(value),
            high: high.max(value),
        })
    }
}

/// The design effect: what was shown by so many clusters, and as far as those are few, what is expected.
pub(super) fn blended(shown: f64, expected: f64, telling: f64) -> f64 {
    let weight = telling / (telling + DOUBT);
    match shown.is_finite() && shown > 0.0 {
        true => (weight * shown.max(1e-3).ln() + (1.0 - weight) * expected.ln()).exp(),
        false => expected,
    }
}

impl Ratio {
    /// Σa/Σb and Σb; `None` where nothing counts.
    fn value(&self) -> Option<(f64, f64)> {
        let count: f64 = self.below.iter().sum();
        (count > 1e-9).then(|| (self.above.iter().sum::<f64>() / count, count))
    }

    fn residuals(&self) -> Vec<f64> {
        let Some((value, count)) = self.value() else {
            return vec![0.0; self.above.len()];
        };
        let pairs = self.above.iter().zip(&self.below);
        pairs.map(|(a, b)| (a - value * b) / count).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn shares(right: &[f64]) -> Ratio {
        Ratio {
            above: right.to_vec(),
            below: vec![1.0; right.len()],
        }
    }

    #[test]
    fn a_mean_has_the_interval_of_the_textbook_and_groups_widen_it() {
        let values: Vec<f64> = (0..40).map(|n| f64::from(n / 4 % 2)).collect();
        let rows = Clusters::new(40, None).mean(&shares(&values)).unwrap();
        let se = (0.25 / 39.0f64).sqrt();
        assert!((rows.high - 0.5 - 2.0227 * se).abs() < 1e-4, "{rows:?}");
        let groups: Vec<usize> = (0..40).map(|n| n / 4).collect();
        let grouped = Clusters::new(40, Some(&groups))
            .mean(&shares(&values))
            .unwrap();
        let se = (0.25 / 9.0f64).sqrt();
        assert!(
            (grouped.high - 0.5 - 2.2622 * se).abs() < 1e-4,
            "{grouped:?}"
        );
        assert_eq!(
            Clusters::new(3, Some(&[1, 1, 1])).mean(&shares(&[0.0, 1.0, 1.0])),
            None
        );
    }

    #[test]
    fn few_differences_that_say_most_widen_the_interval() {
        let even: Vec<f64> = (0..40).map(|n| f64::from(n % 2)).collect();
        let clusters = Clusters::new(40, None);
        let (mean, difference) = (
            clusters.mean(&shares(&even)),
            clusters.mean_difference(&shares(&even)),
        );
        assert_eq!(mean, difference);
        // SciPy's kurtosis with bias=False is 17.2853, so that there are 4.1372 degrees of freedom and t is 2.7405.
        let few: Vec<f64> = (0..40).map(|n| f64::from(n % 20 == 0)).collect();
        let found = clusters.mean_difference(&shares(&few)).unwrap();
        let se = (0.05 * 0.95 / 39.0f64).sqrt();
        assert!((found.high - 0.05 - 2.7405 * se).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn a_share_is_near_wilsons_and_all_right_is_not_certain() {
        let values: Vec<f64> = (0..200).map(|n| f64::from(n % 4 > 0)).collect();
        let clusters = Clusters::new(200, None);
        let found = clusters.share(&shares(&values)).unwrap();
        let (low, high) = wilson(0.75, 200.0, 1.96);
        assert!(
            (found.low - low).abs() < 2e-3 && (found.high - high).abs() < 2e-3,
            "{found:?}"
        );
        let all = clusters.share(&shares(&vec![1.0; 200])).unwrap();
        assert!(
            all.high == 1.0 && all.low > 0.97 && all.low < 0.99,
            "{all:?}"
        );
        // Forty groups of five that are right or wrong together are worth about forty rows, and unknown ones a hundred.
        let groups: Vec<usize> = (0..200).map(|n| n / 5).collect();
        let grouped = Clusters::new(200, Some(&groups));
        let together: Vec<f64> = (0..200).map(|n| f64::from(n / 5 % 4 > 0)).collect();
        let found = grouped.share(&shares(&together)).unwrap();
        let (low, _) = wilson(0.75, 40.0, 1.96);
        assert!((found.low - low).abs() < 0.03, "{found:?} {low}");
        let unknown = grouped.share(&shares(&vec![1.0; 200])).unwrap();
        assert!(unknown.low < all.low - 0.01, "{unknown:?}");
        let none = Ratio {
            above: vec![0.0; 4],
            below: vec![0.0; 4],
        };
        assert_eq!(Clusters::new(4, None).share(&none), None);
    }
}
