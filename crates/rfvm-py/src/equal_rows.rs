//! A weight of k is k copies of a row: rows that are equal in everything become one, of their summed weight.
//!
//! Copies would otherwise fall into different folds of the path, and each would be a candidate of its own. What is left
//! is put into an order that depends on the rows alone, because the folds go by position.

use std::cmp::Ordering;
use std::collections::HashMap;

/// What follows the name of a row that stays twice.
pub(crate) const COPY: &str = " (copy)";

/// Rows that stay, in their new order, with what each of them weighs.
pub(crate) struct Distinct {
    pub(crate) rows: Vec<usize>,
    pub(crate) weight: Vec<f64>,
}

/// `None` where every row is there once and none is weighted: then nothing has to change.
///
/// `kind` is what else must be equal, beside the values: the label, the group.
pub(crate) fn distinct(
    values: &[f64],
    kind: &[(usize, usize)],
    weight: Option<&[f64]>,
) -> Option<Distinct> {
    let samples = kind.len();
    let same = |a: usize, b: usize| {
        kind[a] == kind[b] && compare(values, samples, a, b) == Ordering::Equal
    };
    let own = |n: usize| weight.map_or(1.0, |weight| weight[n]);
    let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut total = vec![0.0; samples];
    let mut rows = Vec::new();
    for (n, hash) in hashes(values, samples).into_iter().enumerate() {
        // A weight of 0 is a row that is not there; one below 0 is left for the engine to refuse.
        if own(n) == 0.0 {
            continue;
        }
        let alike = by_hash.entry(hash).or_default();
        let first = alike.iter().copied().find(|&first| same(first, n));
        total[first.unwrap_or(n)] += own(n);
        if first.is_none() {
            alike.push(n);
            rows.push(n);
        }
    }
    if weight.is_none() && rows.len() == samples {
        return None;
    }
    // A class needs two rows, and two equal ones will do.
    for n in rows.clone() {
        let alone = rows.iter().filter(|&&m| kind[m].0 == kind[n].0).count() == 1;
        if alone && total[n] >= 2.0 {
            rows.push(n);
            total[n] /= 2.0;
        }
    }
    rows.sort_by(|&a, &b| compare(values, samples, a, b).then(kind[a].cmp(&kind[b])));
    let weight = rows.iter().map(|&n| total[n]).collect();
    Some(Distinct { rows, weight })
}

impl Distinct {
    /// Keeps these rows of feature-major values, in place where they are not more than before.
    pub(crate) fn keep(&self, values: &mut Vec<f64>, samples: usize) {
        let features = values.len() / samples.max(1);
        let kept = self.rows.len();
        if kept > samples {
            let column = |d: usize| self.rows.iter().map(move |&n| d * samples + n);
            *values = (0..features)
                .flat_map(column)
                .map(|at| values[at])
                .collect();
            return;
        }
        let mut column = vec![0.0; kept];
        for d in 0..features {
            let from = &values[d * samples..(d + 1) * samples];
            (column.iter_mut().zip(&self.rows)).for_each(|(to, &n)| *to = from[n]);
            values[d * kept..(d + 1) * kept].copy_from_slice(&column);
        }
        values.truncate(features * kept);
    }

    /// Names of the rows; what is there a second time says so.
    pub(crate) fn names(&self, from: &[String]) -> Vec<String> {
        let rows = self.rows.iter().enumerate();
        let second = |at: usize, n: usize| at > 0 && self.rows[at - 1] == n;
        rows.map(|(at, &n)| match second(at, n) {
            true => format!("{}{COPY}", from[n]),
            false => from[n].clone(),
        })
        .collect()
    }

    pub(crate) fn pick<T: Clone>(&self, from: &[T]) -> Vec<T> {
        self.rows.iter().map(|&n| from[n].clone()).collect()
    }
}

/// One number per row; equal rows have equal ones.
fn hashes(values: &[f64], samples: usize) -> Vec<u64> {
    let mut hashes = vec![0_u64; samples];
    for feature in values.chunks_exact(samples.max(1)) {
        for (hash, value) in hashes.iter_mut().zip(feature) {
            // The bits of a number repeat in their low half; folding makes the high ones count.
            let mixed = (*hash ^ value.to_bits()).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            *hash = mixed ^ (mixed >> 32);
        }
    }
    hashes
}

fn compare(values: &[f64], samples: usize, a: usize, b: usize) -> Ordering {
    let pairs = values.chunks_exact(samples);
    let orders = pairs.map(|feature| feature[a].total_cmp(&feature[b]));
    orders
        .into_iter()
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
