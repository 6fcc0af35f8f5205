//! One pass over the data for many rows of numbers: the product of each with every feature.

use crate::inference::prepare::Prepared;
use crate::numerics::linalg::{Dense, multiply};
use crate::numerics::progress::Progress;

/// Values in a block of features: it stays in a core's own cache.
const BLOCK_VALUES: usize = 1 << 15;
/// The features are cut into about this many jobs, whatever the number of threads, so that the sums are the same.
const JOBS: usize = 64;

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
