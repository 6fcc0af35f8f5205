//! A weight of k is k copies of a row: rows that are equal in everything become one, of their summed weight.
//!
//! Copies would otherwise fall into different folds of the path, and each would be a candidate of its own. What is left
//! is put into an order that depends on the rows alone, because the folds go by position.

use std::cmp::Ordering;
use std::collections::HashMap;

use crate::data::{Attached, Dataset, Table, Target};
use crate::error::Error;
use crate::params::Candidates;

/// What follows the name of a row that stays twice.
const COPY: &str = " (copy)";

/// The data with every row once, and the candidates as rows of that; unchanged where no row is there twice and none is
/// weighted, and in a regression, which takes no weights.
pub(crate) fn merged(
    data: Dataset,
    candidates: &Candidates,
) -> Result<(Dataset, Candidates), Error> {
    let mut candidates = candidates.clone();
    let samples = data.table().samples();
    let groups = data.groups();
    let Target::Classes { names, labels } = data.target() else {
        return Ok((data, candidates));
    };
    let covariates = data.table().covariates().cloned();
    let patterns = covariates.as_ref().map(|covariates| covariates.patterns());
    let kind: Vec<RowKind> = (0..samples)
        .map(|n| {
            let group = groups.map_or(0, |groups| groups[n]);
            let pattern = patterns.as_ref().map_or(0, |patterns| patterns[n]);
            (labels[n], group, pattern)
        })
        .collect();
    let Some(distinct) = distinct(data.table().values(), &kind, data.sample_weight()) else {
        return Ok((data, candidates));
    };
    let target = Target::Classes {
        names: names.clone(),
        labels: distinct.pick(labels),
    };
    if let Candidates::Rows(rows) = &candidates {
        let place = |&row: &usize| distinct.place.get(row).copied().flatten();
        let mut rows: Vec<usize> = rows.iter().filter_map(place).collect();
        rows.sort_unstable();
        rows.dedup();
        candidates = Candidates::Rows(rows);
    }
    let (table, _, attached) = data.into_parts();
    let attached = Attached {
        sample_weight: None,
        ..attached.rows(&distinct.rows)
    };
    let made_up = table.made_up_names();
    let (mut values, feature_names, sample_names) = table.into_parts();
    distinct.keep(&mut values, samples);
    let table = Table::with_missing(values, feature_names, distinct.names(&sample_names))?;
    let table = match covariates {
        Some(covariates) => table.with_covariates_of(&covariates, &distinct.rows)?,
        None => table,
    };
    let mut data = Dataset::new(table.with_made_up_names(made_up), target)?;
    data.attached = attached;
    Ok((data.with_sample_weight(distinct.weight)?, candidates))
}

/// The label, the group and the covariates of a row.
type RowKind = (usize, usize, usize);

/// Rows that stay, in their new order, with what each of them weighs.
struct Distinct {
    rows: Vec<usize>,
    weight: Vec<f64>,
    /// Where every row has gone.
    place: Vec<Option<usize>>,
}

/// `None` where every row is there once and none is weighted: then nothing has to change.
///
/// `kind` is what else must be equal, beside the values.
fn distinct(values: &[f64], kind: &[RowKind], weight: Option<&[f64]>) -> Option<Distinct> {
    let samples = kind.len();
    let same = |a: usize, b: usize| {
        kind[a] == kind[b] && compare(values, samples, a, b) == Ordering::Equal
    };
    let own = |n: usize| weight.map_or(1.0, |weight| weight[n]);
    let mut by_hash: HashMap<u64, Vec<usize>> = HashMap::new();
    let mut total = vec![0.0; samples];
    let mut stands_for = vec![None; samples];
    let mut rows = Vec::new();
    for (n, hash) in hashes(values, samples).into_iter().enumerate() {
        // A weight of 0 is a row that is not there.
        if own(n) == 0.0 {
            continue;
        }
        let alike = by_hash.entry(hash).or_default();
        let first = alike.iter().copied().find(|&first| same(first, n));
        total[first.unwrap_or(n)] += own(n);
        stands_for[n] = Some(first.unwrap_or(n));
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
    let place = |first: Option<usize>| rows.iter().position(|&row| Some(row) == first);
    Some(Distinct {
        weight: rows.iter().map(|&n| total[n]).collect(),
        place: stands_for.into_iter().map(place).collect(),
        rows,
    })
}

impl Distinct {
    /// Keeps these rows of feature-major values, in place where they are not more than before.
    fn keep(&self, values: &mut Vec<f64>, samples: usize) {
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
    fn names(&self, from: &[String]) -> Vec<String> {
        let rows = self.rows.iter().enumerate();
        let second = |at: usize, n: usize| at > 0 && self.rows[at - 1] == n;
        rows.map(|(at, &n)| match second(at, n) {
            true => format!("{}{COPY}", from[n]),
            false => from[n].clone(),
        })
        .collect()
    }

    fn pick<T: Clone>(&self, from: &[T]) -> Vec<T> {
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn data(values: &[f64], labels: &[usize]) -> Dataset {
        let target = Target::Classes {
            names: vec!["no".into(), "yes".into()],
            labels: labels.to_vec(),
        };
        Dataset::new(
            Table::unnamed(values.to_vec(), labels.len()).unwrap(),
            target,
        )
        .unwrap()
    }

    #[test]
    fn copies_weights_and_zeros_come_to_the_same() {
        let all = Candidates::All;
        let once = data(&[3.0, 1.0, 2.0, 4.0, 5.0], &[0, 0, 1, 1, 1]);
        assert_eq!(merged(once.clone(), &all).unwrap(), (once, all.clone()));

        let copied = data(&[3.0, 1.0, 2.0, 4.0, 3.0, 5.0], &[0, 0, 1, 1, 0, 1]);
        let copied = copied.with_groups(vec![7, 1, 2, 4, 7, 5]).unwrap();
        let (copied, _) = merged(copied, &all).unwrap();
        assert_eq!(copied.table().feature(0), [1.0, 2.0, 3.0, 4.0, 5.0]);
        assert_eq!(copied.table().sample_names()[2], "s1");
        assert_eq!(copied.sample_weight(), Some(&[1.0, 1.0, 2.0, 1.0, 1.0][..]));
        assert_eq!(copied.groups(), Some(&[1, 2, 7, 4, 5][..]));

        let rows = data(&[3.0, 9.0, 1.0, 2.0, 4.0, 5.0], &[0, 0, 0, 1, 1, 1]);
        let weight = vec![2.0, 0.0, 1.0, 1.0, 1.0, 1.0];
        let weighted = rows.with_sample_weight(weight).unwrap();
        let (kept, candidates) = merged(weighted, &Candidates::Rows(vec![0, 1, 2])).unwrap();
        assert_eq!(kept.table().feature(0), copied.table().feature(0));
        assert_eq!(kept.sample_weight(), copied.sample_weight());
        assert_eq!(candidates, Candidates::Rows(vec![0, 2]));
    }
}
