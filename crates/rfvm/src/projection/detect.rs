//! Whether there is anything to find: two tests of "the labels have nothing to do with the features".
//!
//! The strongest single feature is compared with the strongest ones under shuffled labels (a permutation test of the
//! largest correlation, exact whatever the features look like and however they hang together); it sees few features that
//! carry much. How well held-back rows are told apart by the full model (`held_back.rs`) sees many that carry little.
//! Each may err in one data set of forty.

use super::order::by_values;
use crate::linalg::{Dense, multiply};
use crate::permuted::shuffled_rows;
use crate::prepare::Prepared;
use crate::watched::Progress;

/// Shuffles of the labels; the smallest chance that they can show is one in `SHUFFLES` + 1.
const SHUFFLES: usize = 199;
/// The features are cut into about this many jobs.
const JOBS: usize = 64;
/// Values in a block of features: it stays in a core's own cache.
const BLOCK_VALUES: usize = 1 << 15;

/// How often chance alone gives a feature as strong as the strongest here; `None` after a break.
pub(super) fn chance_of_strongest(data: &Prepared, watch: &mut Progress) -> Option<f64> {
    let targets = targets(data);
    let (samples, features) = (data.samples, data.names.len());
    let share = features.div_ceil(JOBS);
    let parts = watch.run(features.div_ceil(share), |job, _| {
        let (from, to) = (job * share, ((job + 1) * share).min(features));
        let width = (BLOCK_VALUES / samples).max(1);
        let mut products = vec![0.0; targets.rows() * width];
        let mut strongest = vec![0.0f64; targets.rows()];
        for first in (from..to).step_by(width) {
            let last = (first + width).min(to);
            let products = &mut products[..targets.rows() * (last - first)];
            multiply(
                products,
                &targets,
                &data.values[first * samples..last * samples],
            );
            for of_feature in products.chunks_exact(targets.rows()) {
                for (strongest, product) in strongest.iter_mut().zip(of_feature) {
                    *strongest = strongest.max(product.abs());
                }
            }
        }
        strongest
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
fn targets(data: &Prepared) -> Dense {
    let order = by_values(data);
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
