//! The grouped bootstrap: how sure a number is that was computed from some rows.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::data::groups::members;
use crate::numerics::stats::mean_and_sd;

/// Draws of rows with replacement. Rows of one group hang together, so that whole groups are drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Bootstrap {
    draws: Vec<Vec<usize>>,
}

impl Bootstrap {
    /// So many draws of `samples` rows, or of as many groups as there are; the same seed gives the same draws.
    pub fn new(samples: usize, groups: Option<&[usize]>, draws: usize, seed: u64) -> Self {
        let members = members(samples, groups);
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut draw = || {
            let mut rows = Vec::with_capacity(samples);
            for _ in 0..members.len() {
                rows.extend(&members[random.random_range(0..members.len())]);
            }
            rows
        };
        Self {
            draws: (0..draws).map(|_| draw()).collect(),
        }
    }

    /// The rows of every draw, those drawn twice twice.
    pub fn draws(&self) -> &[Vec<usize>] {
        &self.draws
    }

    /// The standard deviation of a statistic over the draws that have one; `None` where fewer than two do.
    pub fn standard_error(&self, statistic: impl Fn(&[usize]) -> Option<f64>) -> Option<f64> {
        let drawn = self.draws.iter().filter_map(|rows| statistic(rows));
        let drawn: Vec<f64> = drawn.collect();
        (drawn.len() >= 2).then(|| mean_and_sd(&drawn).1)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_standard_error_of_a_mean_is_that_of_the_textbook_and_groups_widen_it() {
        let se = |values: Vec<f64>, groups: Option<&[usize]>| {
            let mean = |rows: &[usize]| {
                Some(rows.iter().map(|&n| values[n]).sum::<f64>() / rows.len() as f64)
            };
            let bootstrap = Bootstrap::new(400, groups, 200, 1);
            bootstrap.standard_error(mean).unwrap()
        };
        let alone = se((0..400).map(|n| f64::from(n % 2)).collect(), None);
        assert!((alone - 0.025).abs() < 0.005, "{alone}");
        // Four equal rows a group: a quarter of the information.
        let groups: Vec<usize> = (0..400).map(|n| n / 4).collect();
        let values = (0..400).map(|n| f64::from(n / 4 % 2)).collect();
        let grouped = se(values, Some(&groups));
        assert!((grouped - 0.05).abs() < 0.01, "{grouped}");
    }

    #[test]
    fn what_cannot_be_computed_has_no_standard_error() {
        let bootstrap = Bootstrap::new(10, None, 50, 1);
        assert_eq!(bootstrap.standard_error(|_| None), None);
        assert_eq!(bootstrap.draws().len(), 50);
    }
}
