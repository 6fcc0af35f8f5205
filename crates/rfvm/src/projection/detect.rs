//! Whether there is anything to find: two tests of "the labels have nothing to do with the features".
//!
//! The strongest single feature is compared with the strongest ones under shuffled labels (a permutation test of the
//! largest correlation, exact whatever the features look like and however they hang together); it sees few features that
//! carry much. How well held-back rows are told apart by the full model (`held_back.rs`) sees many that carry little.
//! On pure noise each errs in about one data set of fifty.

use super::products::over_features;
use crate::linalg::Dense;
use crate::permuted::shuffled_rows;
use crate::prepare::Prepared;
use crate::watched::Progress;

/// Shuffles of the labels; the smallest chance that they can show is one in `SHUFFLES` + 1.
const SHUFFLES: usize = 199;

/// How often chance alone gives a feature as strong as the strongest here; `None` after a break. Shuffles go by `order`.
pub(super) fn chance_of_strongest(
    data: &Prepared,
    order: &[usize],
    watch: &mut Progress,
) -> Option<f64> {
    let targets = targets(data, order);
    let none = vec![0.0f64; targets.rows()];
    let parts = over_features(data, &targets, watch, none, |strongest, _, products| {
        for (strongest, product) in strongest.iter_mut().zip(products) {
            *strongest = strongest.max(product.abs());
        }
    })?;
    let strongest = |k: usize| parts.iter().fold(0.0, |max: f64, part| max.max(part[k]));
    let here = strongest(0);
    // A shuffle that happens to be none counts as chance too, whatever its rounding.
    let as_strong = (1..targets.rows())
        .filter(|&k| strongest(k) >= here * (1.0 - 1e-9))
        .count();
    Some((1 + as_strong) as f64 / targets.rows() as f64)
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
            seed => shuffled_rows(data.samples, groups.as_deref(), seed as u64),
        };
        for (place, &n) in order.iter().enumerate() {
            targets.col_mut(n)[k] = sorted[from[place]] - mean;
        }
    }
    targets
}
