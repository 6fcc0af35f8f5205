//! Gaps of training rows, filled by what other features tell: the conditional normal model by which a prediction integrates over
//! what a sample lacks (`posterior/companions.rs`), learned where the gaps are.
//!
//! A feature with gaps is regressed on its [`NEAREST`] most correlated features, those of many gaps behind, by correlations that
//! are shrunk as a model's are; a row that lacks some of these is told by the others. Among very many features the nearest ones
//! are partly so by chance, so that the regression promises too much. What it is worth is therefore seen on rows held back,
//! choice of features included: with p their predictions and t the truth,
//!
//! ```text
//! slope  β = Σ pt / Σ p², within 0 and 1        left over  c = mean (t - βp)²
//! ```
//!
//! A gap gets β times what the regression on all rows says, and the feature is scaled so that Σ over the rows of its squares,
//! with c added for every gap, is N: what is not known of a feature takes from what it can tell, as in the steps of an EM
//! algorithm. No matrix of features by features is made: the work is O(N D) for each feature with gaps, the memory O(N D) for all.

use std::collections::HashMap;

use crate::data::Table;
use crate::data::scale::Scales;
use crate::numerics::linalg::{Dense, multiply};
use crate::numerics::parallel::side_by_side;
use crate::posterior::companions::{Companions, Conditional};

/// Features that a gap is told by.
const NEAREST: usize = 10;
/// Parts of the rows that are held back in turn.
const FOLDS: usize = 5;
/// Rows that a regression needs.
const FEWEST: usize = 8;
/// Features with gaps that share a pass over the table, whatever the number of threads, so that the sums are the same.
const TOGETHER: usize = 32;
/// Values in a block of features.
const BLOCK_VALUES: usize = 1 << 15;

/// The rows that lack a feature.
pub(crate) struct FeatureGaps {
    pub(crate) feature: usize,
    /// Ascending.
    pub(crate) rows: Vec<usize>,
}

/// Which values a table lacks; nothing of features without any value.
pub(crate) fn gaps_of(table: &Table) -> Vec<FeatureGaps> {
    let gaps = (0..table.features()).map(|feature| {
        let values = table.feature(feature).iter().enumerate();
        FeatureGaps {
            feature,
            rows: values.filter(|(_, v)| v.is_nan()).map(|(n, _)| n).collect(),
        }
    });
    gaps.filter(|gaps| !gaps.rows.is_empty()).collect()
}

/// Fills the gaps of standardised columns, and brings the scales of their features to what is then known of them.
pub(crate) fn fill(
    values: &mut [f64],
    samples: usize,
    gaps: &[FeatureGaps],
    scales: &mut Scales,
    threads: usize,
) {
    for FeatureGaps { feature: d, rows } in gaps {
        let column = &mut values[d * samples..(d + 1) * samples];
        let known = (0..samples).filter(|n| rows.binary_search(n).is_err());
        let (mean, sd) = centre(column, known);
        column.iter_mut().for_each(|x| *x = (*x - mean) / sd);
        rows.iter().for_each(|&n| column[n] = 0.0);
        scales.refine(*d, mean, sd);
    }
    let columns = Incomplete {
        values,
        samples,
        places: gaps
            .iter()
            .enumerate()
            .map(|(at, gaps)| (gaps.feature, at))
            .collect(),
        gaps,
        fold: folds(values, samples),
    };
    let part = gaps
        .len()
        .div_ceil(threads)
        .max(1)
        .next_multiple_of(TOGETHER);
    let filled = side_by_side(gaps.chunks(part), |part| {
        let few = part.chunks(TOGETHER).flat_map(|few| columns.filled(few));
        few.collect::<Vec<Filled>>()
    });
    for (FeatureGaps { feature: d, rows }, filled) in gaps.iter().zip(filled.into_iter().flatten())
    {
        let column = &mut values[d * samples..(d + 1) * samples];
        for (&n, mean) in rows.iter().zip(filled.means) {
            column[n] = mean;
        }
        let n = samples as f64;
        let mean = column.iter().sum::<f64>() / n;
        let squares: f64 = column.iter().map(|x| (x - mean).powi(2)).sum();
        let sd = ((squares + rows.len() as f64 * filled.left) / n).sqrt();
        column.iter_mut().for_each(|x| *x = (*x - mean) / sd);
        scales.refine(*d, mean, sd);
    }
}

/// What takes the place of a feature's gaps.
struct Filled {
    means: Vec<f64>,
    /// c
    left: f64,
}

/// Standardised columns with zeros in their gaps.
struct Incomplete<'t> {
    values: &'t [f64],
    samples: usize,
    gaps: &'t [FeatureGaps],
    /// Where the gaps of a feature are among all.
    places: HashMap<usize, usize>,
    fold: Vec<usize>,
}

impl Incomplete<'_> {
    fn column(&self, d: usize) -> &[f64] {
        &self.values[d * self.samples..(d + 1) * self.samples]
    }

    fn lacks(&self, d: usize, row: usize) -> bool {
        let place = self.places.get(&d);
        place.is_some_and(|&at| self.gaps[at].rows.binary_search(&row).is_ok())
    }

    fn filled(&self, few: &[FeatureGaps]) -> Vec<Filled> {
        let nearest = self.nearest(few);
        few.iter()
            .zip(&nearest)
            .map(|(gaps, nearest)| self.fill_one(gaps, nearest))
            .collect()
    }

    /// For each feature the nearest ones on the rows outside of each fold, and last on all rows.
    fn nearest(&self, few: &[FeatureGaps]) -> Vec<[Vec<(f64, usize)>; FOLDS + 1]> {
        let rows = few.len() * FOLDS;
        let mut left = vec![0.0; rows * self.samples];
        for (n, column) in left.chunks_exact_mut(rows).enumerate() {
            for (at, gaps) in few.iter().enumerate() {
                column[at * FOLDS + self.fold[n]] = self.column(gaps.feature)[n];
            }
        }
        let left = Dense::from_vec(rows, self.samples, left);
        let mut nearest = vec![[const { Vec::new() }; FOLDS + 1]; few.len()];
        let features = self.values.len() / self.samples;
        let width = (BLOCK_VALUES / self.samples).max(1);
        let mut products = vec![0.0; rows * width];
        for from in (0..features).step_by(width) {
            let to = (from + width).min(features);
            let products = &mut products[..rows * (to - from)];
            multiply(
                products,
                &left,
                &self.values[from * self.samples..to * self.samples],
            );
            for (d, products) in (from..to).zip(products.chunks_exact(rows)) {
                let of_features = few.iter().zip(products.chunks_exact(FOLDS));
                for ((gaps, products), nearest) in of_features.zip(&mut nearest) {
                    if d == gaps.feature {
                        continue;
                    }
                    let all: f64 = products.iter().sum();
                    let without = products.iter().map(|own| all - own);
                    for (nearest, product) in nearest.iter_mut().zip(without.chain([all])) {
                        keep_largest(nearest, (product.abs(), d));
                    }
                }
            }
        }
        nearest
    }

    fn fill_one(&self, gaps: &FeatureGaps, nearest: &[Vec<(f64, usize)>; FOLDS + 1]) -> Filled {
        let d = gaps.feature;
        let known: Vec<usize> = (0..self.samples)
            .filter(|n| gaps.rows.binary_search(n).is_err())
            .collect();
        let (mut products, mut squares, mut pairs) = (0.0, 0.0, Vec::new());
        for (fold, nearest) in nearest[..FOLDS].iter().enumerate() {
            let (held, learned): (Vec<usize>, Vec<usize>) =
                known.iter().partition(|&&n| self.fold[n] == fold);
            let regression = Regression::new(self, d, nearest, &learned);
            for (&n, predicted) in held.iter().zip(self.predicted(regression.as_ref(), &held)) {
                let truth = self.column(d)[n];
                products += predicted * truth;
                squares += predicted * predicted;
                pairs.push((predicted, truth));
            }
        }
        let slope = if squares > 0.0 {
            (products / squares).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let left = pairs
            .iter()
            .map(|(predicted, truth)| (truth - slope * predicted).powi(2));
        let left = left.sum::<f64>() / pairs.len().max(1) as f64;
        let regression = Regression::new(self, d, &nearest[FOLDS], &known);
        let means = self.predicted(regression.as_ref(), &gaps.rows);
        Filled {
            means: means.into_iter().map(|mean| slope * mean).collect(),
            left: left.min(1.0),
        }
    }

    /// What a regression says of some rows; 0, the mean, where there is none.
    fn predicted(&self, regression: Option<&Regression>, rows: &[usize]) -> Vec<f64> {
        let Some(regression) = regression else {
            return vec![0.0; rows.len()];
        };
        let mut told: HashMap<Vec<usize>, Option<Conditional>> = HashMap::new();
        let one = |&n: &usize| {
            let there = |at: &usize| !self.lacks(regression.by[at - 1].feature, n);
            let known: Vec<usize> = (1..=regression.by.len()).filter(there).collect();
            let x = known.iter().map(|&at| {
                let by = &regression.by[at - 1];
                (self.column(by.feature)[n] - by.mean) / by.sd
            });
            let x: Vec<f64> = x.collect();
            let given = told.entry(known);
            let given =
                given.or_insert_with_key(|known| regression.companions.given(known, &[0]).ok());
            let mean = given.as_ref().map_or(0.0, |given| given.mean(&x)[0]);
            regression.own.mean + regression.own.sd * mean
        };
        rows.iter().map(one).collect()
    }
}

/// A column as it lies in the rows that a regression is learned on.
struct Centred {
    feature: usize,
    mean: f64,
    sd: f64,
}

/// How a feature hangs together with those nearest to it.
struct Regression {
    own: Centred,
    by: Vec<Centred>,
    companions: Companions,
}

impl Regression {
    fn new(
        data: &Incomplete,
        feature: usize,
        nearest: &[(f64, usize)],
        rows: &[usize],
    ) -> Option<Self> {
        if rows.len() < FEWEST || nearest.is_empty() {
            return None;
        }
        let centred = |feature: usize| {
            let (mean, sd) = centre(data.column(feature), rows.iter().copied());
            Centred { feature, mean, sd }
        };
        let own = centred(feature);
        let by: Vec<Centred> = nearest.iter().map(|&(_, d)| centred(d)).collect();
        let column = |of: &Centred| -> Vec<f64> {
            let column = data.column(of.feature);
            rows.iter()
                .map(|&n| (column[n] - of.mean) / of.sd)
                .collect()
        };
        let columns: Vec<Vec<f64>> = [&own].into_iter().chain(&by).map(column).collect();
        let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let companions = Companions::new(&columns, Vec::new(), Vec::new());
        Some(Self {
            own,
            by,
            companions,
        })
    }
}

/// Mean and standard deviation over some rows; of what does not vary there, a deviation of 1.
fn centre(column: &[f64], rows: impl Iterator<Item = usize> + Clone) -> (f64, f64) {
    let (sum, count) = rows
        .clone()
        .fold((0.0, 0.0), |(sum, count), n| (sum + column[n], count + 1.0));
    let mean = sum / f64::max(count, 1.0);
    let squares: f64 = rows.map(|n| (column[n] - mean).powi(2)).sum();
    let sd = (squares / f64::max(count, 1.0)).sqrt();
    (mean, if sd > 1e-9 { sd } else { 1.0 })
}

/// Keeps the [`NEAREST`] largest, largest first.
fn keep_largest(kept: &mut Vec<(f64, usize)>, new: (f64, usize)) {
    let smaller = |(product, _): &(f64, usize)| *product >= new.0;
    let at = kept.partition_point(smaller);
    if at < NEAREST && new.0 > 0.0 {
        kept.insert(at, new);
        kept.truncate(NEAREST);
    }
}

/// A part for every row, in an order that the values set and not the table, so that the order of its rows changes nothing.
fn folds(values: &[f64], samples: usize) -> Vec<usize> {
    let mut keys = vec![0.0; samples];
    for column in values.chunks_exact(samples) {
        keys.iter_mut()
            .zip(column)
            .for_each(|(key, x)| *key += x * x);
    }
    let mut rows: Vec<usize> = (0..samples).collect();
    // In single precision, in which sums of another order are the same.
    rows.sort_by(|&n, &m| (keys[n] as f32).total_cmp(&(keys[m] as f32)));
    let mut fold = vec![0; samples];
    rows.iter()
        .enumerate()
        .for_each(|(at, &n)| fold[n] = at % FOLDS);
    fold
}

#[cfg(test)]
#[path = "impute_tests.rs"]
mod tests;
