//! Passes over the data: the product of many rows of numbers with every feature, and of the samples with each other.

use crate::inference::prepare::Prepared;
use crate::numerics::linalg::{Dense, add_outer_lower, multiply};
use crate::numerics::progress::Progress;

/// Values in a block of features: it stays in a core's own cache.
const BLOCK_VALUES: usize = 1 << 15;
/// The features are cut into about this many jobs, whatever the number of threads, so that the sums are the same.
const JOBS: usize = 64;
/// The same where every job has a sum of its own over all pairs of samples.
const GRAM_JOBS: usize = 8;

/// Shows `visit` every feature with its products with the rows of `left`, and what the features before it in the same job
/// made of `start`; gives what each job made of it, in the order of the features. `None` after a break.
pub(super) fn over_features<T: Clone + Send + Sync>(
    data: &Prepared,
    left: &Dense,
    watch: &mut Progress,
    start: T,
    visit: impl Fn(&mut T, usize, &[f64]) + Sync,
) -> Option<Vec<T>> {
    let (samples, features) = (data.samples, data.names.len());
    let share = features.div_ceil(JOBS);
    let width = (BLOCK_VALUES / samples).max(1);
    watch.run(features.div_ceil(share), |job, _| {
        let (first, end) = (job * share, ((job + 1) * share).min(features));
        let mut products = vec![0.0; left.rows() * width];
        let mut made = start.clone();
        for from in (first..end).step_by(width) {
            let to = (from + width).min(end);
            let products = &mut products[..left.rows() * (to - from)];
            multiply(products, left, &data.values[from * samples..to * samples]);
            for (d, products) in (from..to).zip(products.chunks_exact(left.rows())) {
                visit(&mut made, d, products);
            }
        }
        made
    })
}

/// XX', samples x samples. `None` after a break.
pub(super) fn gram_of_rows(data: &Prepared, watch: &mut Progress) -> Option<Dense> {
    let (samples, features) = (data.samples, data.names.len());
    let share = features.div_ceil(GRAM_JOBS);
    let width = (BLOCK_VALUES / samples).max(128);
    let parts = watch.run(features.div_ceil(share), |job, _| {
        let (first, end) = (job * share, ((job + 1) * share).min(features));
        let mut sum = Dense::zeros(samples, samples);
        for from in (first..end).step_by(width) {
            let to = (from + width).min(end);
            let block = &data.values[from * samples..to * samples];
            add_outer_lower(&mut sum, block, block);
        }
        sum
    })?;
    let mut gram = Dense::zeros(samples, samples);
    for part in &parts {
        gram.add(part);
    }
    gram.mirror_lower();
    Some(gram)
}
