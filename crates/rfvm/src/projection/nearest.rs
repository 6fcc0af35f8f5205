//! Features that run with those that entered first: what a model could have measured instead.

use std::collections::HashSet;

use super::products::over_features;
use crate::inference::prepare::Prepared;
use crate::numerics::linalg::Dense;
use crate::numerics::progress::Progress;

/// For each of some features the one outside of them with the largest correlation, ties to the first; each named once and in
/// ascending order. `None` after a break.
pub(super) fn nearest_outside(
    data: &Prepared,
    features: &[usize],
    watch: &mut Progress,
) -> Option<Vec<usize>> {
    if features.is_empty() {
        return Some(Vec::new());
    }
    let inside: HashSet<usize> = features.iter().copied().collect();
    let mut left = Dense::zeros(features.len(), data.samples);
    for (k, &d) in features.iter().enumerate() {
        for (n, &x) in data.column(d).iter().enumerate() {
            left.col_mut(n)[k] = x;
        }
    }
    let nearer = |best: &mut Option<(usize, f64)>, d: usize, product: f64| {
        if best.is_none_or(|(_, largest)| product.abs() > largest) {
            *best = Some((d, product.abs()));
        }
    };
    let start = vec![None; features.len()];
    let parts = over_features(data, &left, watch, start.clone(), |best, d, products| {
        if !inside.contains(&d) {
            for (best, &product) in best.iter_mut().zip(products) {
                nearer(best, d, product);
            }
        }
    })?;
    let mut found = start;
    for (best, part) in parts.iter().flat_map(|part| part.iter().enumerate()) {
        if let Some((d, product)) = part {
            nearer(&mut found[best], *d, *product);
        }
    }
    let mut outside: Vec<usize> = found.into_iter().flatten().map(|(d, _)| d).collect();
    outside.sort_unstable();
    outside.dedup();
    Some(outside)
}
