//! Whether there is anything to find: two tests of "the labels have nothing to do with the features".
//!
//! What the features tell of the labels is compared with what they tell of shuffled labels (a permutation test, exact
//! whatever the features look like and however they hang together), and held-back rows are told apart by the full model
//! better than chance would (`held_back.rs`). The first uses all rows at once, the second learns which features matter.
//!
//! Of several classes each has a target of its own (its indicator, over the root of its rows' number), all of them are shuffled
//! together, and what is told of a shuffle is the sum over its targets: of a single feature the sum of squares between the
//! classes (one-way analysis of variance).

use std::collections::HashMap;
use std::iter;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::products::{gram_of_rows, over_features};
use crate::data::Task;
use crate::data::groups::members;
use crate::data::shuffle::shuffled_rows;
use crate::inference::prepare::Prepared;
use crate::numerics::linalg::{Cholesky, Dense};
use crate::numerics::progress::Progress;
use crate::posterior::effects::Effects;

/// Shuffles of the labels; the smallest chance that they can show is one in `SHUFFLES` + 1.
const SHUFFLES: usize = 499;
/// The ridge of the regression on all features, in units of a row's mean squared length.
const RIDGE: f64 = 0.1;

/// How often chance alone gives features that tell as much as these; `None` after a break. Shuffles go by `order`.
///
/// One feature may carry everything, or a thousand a little each. So two things are asked: the largest correlation of a
/// single feature, and how well a ridge regression on all features predicts each row from the others (the PRESS statistic).
/// Each is ranked among those of the shuffles, which gives it a chance; the product of the two chances (Fisher's combination)
/// is in its turn ranked among the products of the shuffles, which makes good for asking twice however the two hang together.
pub(super) fn chance_of_shuffles(
    data: &Prepared,
    order: &[usize],
    watch: &mut Progress,
) -> Option<f64> {
    let targets = targets(data, order);
    let outputs = targets.rows() / (SHUFFLES + 1);
    let strongest = strongest_correlations(data, &targets, outputs, watch)?;
    let mut gram = gram_of_rows(data, watch)?;
    admit_covariates(data, &mut gram);
    let predicted = match Shrunken::new(gram, data.groups.as_deref()) {
        Some(ridge) => {
            let each = ridge.press(&targets);
            let of_shuffles = each.chunks_exact(outputs);
            of_shuffles.map(|each| -each.iter().sum::<f64>()).collect()
        }
        // Rows that are all alike tell nothing.
        None => vec![0.0; SHUFFLES + 1],
    };
    let ranks = [as_large(&strongest), as_large(&predicted)];
    // Negated, so that small chances come out large.
    let strength: Vec<f64> = (ranks[0].iter().zip(&ranks[1]))
        .map(|(single, together)| -((single * together) as f64))
        .collect();
    Some(as_large(&strength)[0] as f64 / strength.len() as f64)
}

/// For every shuffle, the largest sum of squares of its targets' products with a feature.
fn strongest_correlations(
    data: &Prepared,
    targets: &Dense,
    outputs: usize,
    watch: &mut Progress,
) -> Option<Vec<f64>> {
    let none = vec![0.0f64; SHUFFLES + 1];
    let larger = |largest: &mut Vec<f64>, products: &[f64]| {
        for (largest, products) in largest.iter_mut().zip(products.chunks_exact(outputs)) {
            let square: f64 = products.iter().map(|product| product * product).sum();
            *largest = largest.max(square);
        }
    };
    let parts = over_features(data, targets, watch, none, |largest, _, products| {
        larger(largest, products);
    })?;
    let all = vec![0.0f64; SHUFFLES + 1];
    Some(parts.into_iter().fold(all, |mut all, part| {
        for (all, part) in all.iter_mut().zip(part) {
            *all = all.max(part);
        }
        all
    }))
}

/// Ridge regression in the dual. With Q = (XX'/s + 11' + ridge I)^-1, s a row's mean squared length, what the other rows
/// leave unexplained of the rows G is (Q_GG)^-1 (Q t)_G: leave-one-group-out in closed form.
struct Shrunken {
    inverse: Dense,
    /// Rows that are left out together, with the factor of their part of the inverse.
    left_out: Vec<(Vec<usize>, Cholesky)>,
}

impl Shrunken {
    /// `None` where all rows are nothing but zero, or too large for a number.
    fn new(mut kernel: Dense, groups: Option<&[usize]>) -> Option<Self> {
        let samples = kernel.rows();
        let length = kernel.diagonal().sum::<f64>() / samples as f64;
        if !(length > 0.0 && length.is_finite()) {
            return None;
        }
        for value in kernel.values_mut() {
            *value = *value / length + 1.0;
        }
        kernel.add_diagonal(iter::repeat_n(RIDGE, samples));
        let inverse = Cholesky::new(kernel).ok()?.inverse();
        let rows = members(samples, groups);
        let left_out = rows.into_iter().map(|rows| {
            let factor = Cholesky::new(inverse.select(&rows, &rows)).ok()?;
            Some((rows, factor))
        });
        Some(Self {
            left_out: left_out.collect::<Option<_>>()?,
            inverse,
        })
    }

    /// The predicted residual sum of squares of every row of the targets.
    fn press(&self, targets: &Dense) -> Vec<f64> {
        let pulls = targets.product(&self.inverse);
        (0..targets.rows())
            .map(|k| {
                let residual = |(rows, factor): &(Vec<usize>, Cholesky)| {
                    let pull: Vec<f64> = rows.iter().map(|&n| pulls.at(k, n)).collect();
                    factor.solve(&pull).iter().map(|e| e * e).sum::<f64>()
                };
                self.left_out.iter().map(residual).sum()
            })
            .collect()
    }
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

/// Lets the ridge regression take covariates as freely as its intercept, so that features tell nothing by telling of them.
fn admit_covariates(data: &Prepared, gram: &mut Dense) {
    let length = gram.diagonal().sum::<f64>() / data.samples as f64;
    for j in 1..data.design.cols() {
        gram.add_square(length, data.design.col(j));
    }
}

/// With covariates the question is whether features tell anything of what the covariates leave: the residual of their fit in
/// the first row, below it those of labels drawn by its probabilities (a parametric bootstrap; of a regression its residuals
/// are shuffled). What the covariates would take up of each is taken out, to first order of a fit anew. A group has one draw.
fn unexplained_targets(data: &Prepared, order: &[usize]) -> Dense {
    let rows: Vec<usize> = (0..data.samples).collect();
    let alone = data.covariates_alone(&rows);
    let told: Vec<f64> = rows.iter().map(|&n| alone.predicted(data, n)).collect();
    let variance: Vec<f64> = match data.task {
        Task::Classification => told.iter().map(|p| p * (1.0 - p)).collect(),
        Task::Regression => vec![1.0; data.samples],
    };
    let residual: Vec<f64> = data.target.iter().zip(&told).map(|(t, p)| t - p).collect();
    let taken = Effects::covariance(&data.design, &variance, 1.0).ok();
    let sorted: Vec<f64> = order.iter().map(|&n| residual[n]).collect();
    let groups = groups_in_order(data, order);
    let mut targets = Dense::zeros(SHUFFLES + 1, data.samples);
    for k in 0..=SHUFFLES {
        let mut drawn = residual.clone();
        let mut random = ChaCha8Rng::seed_from_u64(k as u64);
        match data.task {
            _ if k == 0 => {}
            Task::Classification => {
                let mut of_group: HashMap<usize, f64> = HashMap::new();
                for &n in order {
                    let group = data.groups.as_ref().map_or(n, |groups| groups[n]);
                    let draw = *of_group.entry(group).or_insert_with(|| random.random());
                    drawn[n] = f64::from(draw < told[n]) - told[n];
                }
            }
            Task::Regression => {
                let from = shuffled_rows(data.samples, groups.as_deref(), &mut random);
                for (place, &n) in order.iter().enumerate() {
                    drawn[n] = sorted[from[place]];
                }
            }
        }
        if let Some(taken) = &taken {
            let pull = taken.times(&data.design.transpose_times(&drawn));
            let fitted = data.design.times(&pull);
            for ((drawn, fitted), variance) in drawn.iter_mut().zip(fitted).zip(&variance) {
                *drawn -= variance * fitted;
            }
        }
        for (n, value) in drawn.into_iter().enumerate() {
            targets.col_mut(n)[k] = value;
        }
    }
    targets
}

fn groups_in_order(data: &Prepared, order: &[usize]) -> Option<Vec<usize>> {
    let groups = data.groups.as_ref();
    groups.map(|groups| order.iter().map(|&n| groups[n]).collect())
}

/// What is to be explained of a row's class or number, once for each output.
fn outputs(data: &Prepared) -> Vec<Vec<f64>> {
    let classes = data.classes.len();
    if classes <= 2 {
        return vec![data.target.clone()];
    }
    let indicator = |class: usize| {
        let rows = data.target.iter().filter(|&&t| t as usize == class).count();
        let unit = (rows.max(1) as f64).sqrt().recip();
        let rows = data.target.iter();
        rows.map(|&t| if t as usize == class { unit } else { 0.0 })
            .collect()
    };
    (0..classes).map(indicator).collect()
}

/// The centred targets of every output in the first rows, shuffled ones below. Groups are shuffled whole.
fn targets(data: &Prepared, order: &[usize]) -> Dense {
    if data.has_covariates() {
        return unexplained_targets(data, order);
    }
    let sorted: Vec<Vec<f64>> = (outputs(data).iter())
        .map(|target| order.iter().map(|&n| target[n]).collect())
        .collect();
    let groups = groups_in_order(data, order);
    let means: Vec<f64> = (sorted.iter())
        .map(|target| target.iter().sum::<f64>() / data.samples as f64)
        .collect();
    let outputs = sorted.len();
    let mut targets = Dense::zeros((SHUFFLES + 1) * outputs, data.samples);
    for k in 0..=SHUFFLES {
        let from = match k {
            0 => (0..data.samples).collect(),
            seed => {
                let mut random = ChaCha8Rng::seed_from_u64(seed as u64);
                shuffled_rows(data.samples, groups.as_deref(), &mut random)
            }
        };
        for (place, &n) in order.iter().enumerate() {
            let shuffled = &mut targets.col_mut(n)[k * outputs..(k + 1) * outputs];
            for ((to, sorted), mean) in shuffled.iter_mut().zip(&sorted).zip(&means) {
                *to = sorted[from[place]] - mean;
            }
        }
    }
    targets
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_count_as_large_as_each_other() {
        let tie = 0.1 + 0.2;
        assert_eq!(as_large(&[0.3, tie, -1.0, 2.0]), [3, 3, 4, 1]);
    }

    /// The predicted residual sum of squares by fitting anew without each group.
    fn slow_press(gram: &Dense, groups: &[usize], target: &[f64]) -> f64 {
        let n = gram.rows();
        let length = gram.diagonal().sum::<f64>() / n as f64;
        let kernel = |i: usize, j: usize| gram.at(i, j) / length + 1.0;
        (0..n)
            .map(|out| {
                let rest: Vec<usize> = (0..n).filter(|&i| groups[i] != groups[out]).collect();
                let columns = rest.iter().flat_map(|&j| rest.iter().map(move |&i| (i, j)));
                let values = columns.map(|(i, j)| kernel(i, j)).collect();
                let mut matrix = Dense::from_vec(rest.len(), rest.len(), values);
                matrix.add_diagonal(iter::repeat_n(RIDGE, rest.len()));
                let known: Vec<f64> = rest.iter().map(|&i| target[i]).collect();
                let dual = Cholesky::new(matrix).unwrap().solve(&known);
                let said: f64 = rest
                    .iter()
                    .zip(&dual)
                    .map(|(&i, a)| kernel(out, i) * a)
                    .sum();
                (target[out] - said).powi(2)
            })
            .sum()
    }

    #[test]
    fn residuals_without_a_group_are_those_of_a_fit_without_it() {
        let (n, d) = (9, 30);
        let value = |i: usize, j: usize| ((i * 37 + j * 11) % 23) as f64 / 7.0 - 1.5;
        let columns = (0..d).flat_map(|j| (0..n).map(move |i| value(i, j)));
        let x = Dense::from_vec(n, d, columns.collect());
        let gram = x.product_transposed(&x);
        let target: Vec<f64> = (0..n).map(|i| (i % 2) as f64 - 0.4).collect();
        let row = Dense::from_vec(1, n, target.clone());
        for groups in [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 0, 1, 1, 1, 2, 3, 3, 0]] {
            let ridge = Shrunken::new(gram.clone(), Some(&groups)).unwrap();
            let (fast, slow) = (ridge.press(&row)[0], slow_press(&gram, &groups, &target));
            assert!((fast - slow).abs() < 1e-12 * slow, "{fast} {slow}");
        }
        let alone = Shrunken::new(gram.clone(), None).unwrap();
        let each: Vec<usize> = (0..n).collect();
        assert!((alone.press(&row)[0] - slow_press(&gram, &each, &target)).abs() < 1e-11);
        assert!(Shrunken::new(Dense::zeros(3, 3), None).is_none());
    }
}
