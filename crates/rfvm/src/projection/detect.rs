//! Whether there is anything to find: two tests of "the labels have nothing to do with the features".
//!
//! The features' correlations with the labels are compared with those under shuffled labels (a permutation test, exact
//! whatever the features look like and however they hang together), and held-back rows are told apart by the full model
//! better than chance would (`held_back.rs`). The first uses all rows at once, the second what the features say together.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::products::over_features;
use crate::data::shuffle::shuffled_rows;
use crate::inference::prepare::Prepared;
use crate::numerics::linalg::Dense;
use crate::numerics::progress::Progress;

/// Shuffles of the labels; the smallest chance that they can show is one in `SHUFFLES` + 1.
const SHUFFLES: usize = 199;

/// How often chance alone gives features as strong as these; `None` after a break. Shuffles go by `order`.
///
/// Strong how, nobody knows beforehand: one feature may carry everything, or a thousand a little each. So three sums over
/// the features' correlations are asked, Σ r², Σ r⁴ and max |r| (an adaptive sum of powered scores), each ranked among
/// those of the shuffles, and the smallest of the three chances is in its turn ranked among the smallest ones of the
/// shuffles, which makes good for the asking thrice.
pub(super) fn chance_of_correlations(
    data: &Prepared,
    order: &[usize],
    watch: &mut Progress,
) -> Option<f64> {
    let targets = targets(data, order);
    let none = vec![[0.0f64; 3]; targets.rows()];
    let parts = over_features(data, &targets, watch, none, |sums, _, products| {
        for (sums, product) in sums.iter_mut().zip(products) {
            let square = product * product;
            sums[0] += square;
            sums[1] += square * square;
            sums[2] = sums[2].max(square);
        }
    })?;
    let mut sums = vec![[0.0f64; 3]; targets.rows()];
    for part in &parts {
        for (sum, part) in sums.iter_mut().zip(part) {
            *sum = [sum[0] + part[0], sum[1] + part[1], sum[2].max(part[2])];
        }
    }
    let statistic = |s: usize| Vec::from_iter(sums.iter().map(|sums| sums[s]));
    let ranks = [0, 1, 2].map(|s| as_large(&statistic(s)));
    // The fewest that are as large, negated so that small chances come out large.
    let smallest = (0..sums.len()).map(|k| ranks.iter().map(|of| of[k]).min());
    let strength: Vec<f64> = smallest.map(|least| -(least.unwrap_or(0) as f64)).collect();
    Some(as_large(&strength)[0] as f64 / sums.len() as f64)
}

/// For each value, how many (with itself) are as large. A shuffle that happens to be none counts as chance too, whatever
/// its rounding.
fn as_large(values: &[f64]) -> Vec<usize> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = |value: f64| value - 1e-9 * value.abs();
    let smaller = values
        .iter()
        .map(|&value| sorted.partition_point(|&other| other < below(value)));
    smaller.map(|smaller| sorted.len() - smaller).collect()
}

/// The centred target in the first row, shuffled ones below. Groups are shuffled whole.
fn targets(data: &Prepared, order: &[usize]) -> Dense {
    let sorted: Vec<f64> = order.iter().map(|&n| data.target[n]).collect();
    let groups = data
        .groups
        .as_ref()
        .map(|groups| order.iter().map(|&n| groups[n]).collect::<Vec<_>>());
    let mean = sorted.iter().sum::<f64>() / data.samples as f64;
    let mut targets = Dense::zeros(SHUFFLES + 1, data.samples);
    for k in 0..=SHUFFLES {
        let from = match k {
            0 => (0..data.samples).collect(),
            seed => {
                let mut random = ChaCha8Rng::seed_from_u64(seed as u64);
                shuffled_rows(data.samples, groups.as_deref(), &mut random)
            }
        };
        for (place, &n) in order.iter().enumerate() {
            targets.col_mut(n)[k] = sorted[from[place]] - mean;
        }
    }
    targets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_count_as_large_as_each_other() {
        let tie = 0.1 + 0.2;
        assert_eq!(as_large(&[0.3, tie, -1.0, 2.0]), [3, 3, 4, 1]);
    }
}
