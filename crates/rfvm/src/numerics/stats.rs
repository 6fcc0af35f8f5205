//! Moments, quantiles, intervals, correlations and regressions.

use super::linalg::{Cholesky, Dense};

/// Mean and standard deviation (divisor n - 1; 0 of a single value).
pub fn mean_and_sd(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0).max(1.0)).sqrt())
}

/// Satterthwaite's degrees of freedom of the variance that values around 0 show: n - 1 of a normal sample, fewer where a few
/// values make most of it, for such a variance is itself known badly,
///
/// ```text
/// 2 / (κ/n + 2/(n - 1)),      κ = (n - 1) ((n + 1) g + 6) / ((n - 2)(n - 3)) >= 0,     g = n Σx⁴ / (Σx²)² - 3
/// ```
///
/// κ is Fisher's estimate of the excess kurtosis. Values beyond the count are 0 and not of the sample.
pub(crate) fn variance_freedom(values: &[f64], count: f64) -> f64 {
    let squares: f64 = values.iter().map(|x| x * x).sum();
    let fourths: f64 = values.iter().map(|x| x.powi(4)).sum();
    let excess = count * fourths / (squares * squares) - 3.0;
    let unbiased = (count - 1.0) * ((count + 1.0) * excess + 6.0) / ((count - 2.0) * (count - 3.0));
    match count > 3.0 && unbiased > 0.0 && unbiased.is_finite() {
        true => 2.0 / (unbiased / count + 2.0 / (count - 1.0)),
        false => count - 1.0,
    }
}

/// The middle value (the mean of the middle two); the order of the values is lost.
pub(crate) fn median(values: &mut [f64]) -> Option<f64> {
    let middle = values.len() / 2;
    let even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) =
        (!values.is_empty()).then(|| values.select_nth_unstable_by(middle, f64::total_cmp))?;
    let lower = below.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    Some(if even {
        lower + 0.5 * (upper - lower)
    } else {
        upper
    })
}

/// The value below which a share of the sorted values lies: the nearest of them, since those of a bootstrap are a sample
/// themselves and nothing is gained by interpolating between two. `None` where there are none.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1)?;
    sorted.get((share * last as f64).round() as usize).copied()
}

/// The values with mean 0 and length 1, so that products are correlations; all zero where they are constant. What is not
/// finite becomes the mean, which says nothing, and is counted.
pub fn unit_length(mut values: Vec<f64>) -> (Vec<f64>, usize) {
    let known = || values.iter().filter(|value| value.is_finite());
    let count = known().count();
    let missing = values.len() - count;
    let mean = known().sum::<f64>() / count as f64;
    for value in &mut values {
        *value = if value.is_finite() {
            *value - mean
        } else {
            0.0
        };
    }
    let largest = values
        .iter()
        .fold(0.0, |most: f64, value| most.max(value.abs()));
    // Scaled by the largest first: squares of huge values would overflow.
    let length = values
        .iter()
        .map(|value| (value / largest).powi(2))
        .sum::<f64>()
        .sqrt()
        * largest;
    let scale = if length > 0.0 && length.is_finite() {
        1.0 / length
    } else {
        0.0
    };
    values.iter_mut().for_each(|value| *value *= scale);
    (values, missing)
}

/// Wilson's interval of a share among `count`, with `z` standard errors to each side (1.96: 95 %).
pub fn wilson(share: f64, count: f64, z: f64) -> (f64, f64) {
    let z2 = z * z;
    let centre = (share + z2 / (2.0 * count)) / (1.0 + z2 / count);
    let reach = z / (1.0 + z2 / count)
        * (share * (1.0 - share) / count + z2 / (4.0 * count * count)).sqrt();
    ((centre - reach).max(0.0), (centre + reach).min(1.0))
}

/// The values less their mean, over their standard deviation (divisor n; 1 where all are equal). What is missing (NaN) is
/// not counted, and stands at the mean, 0.
pub fn standardised(values: &[f64]) -> Vec<f64> {
    let known: Vec<f64> = values.iter().copied().filter(|x| !x.is_nan()).collect();
    let count = known.len().max(1) as f64;
    let mean = known.iter().sum::<f64>() / count;
    let sd = (known.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt();
    let sd = if sd > 0.0 { sd } else { 1.0 };
    let scaled = |x: &f64| if x.is_nan() { 0.0 } else { (x - mean) / sd };
    values.iter().map(scaled).collect()
}

/// Pearson's correlation of pairs; `None` where one of the two is constant.
pub fn correlation(pairs: &[(f64, f64)]) -> Option<f64> {
    let (first, second, along) = co_moments(pairs);
    let norm = (first * second).sqrt();
    (norm > 0.0 && norm.is_finite()).then(|| along / norm)
}

/// The least-squares slope of the second of each pair over the first; 0 where the first is constant.
pub fn slope(pairs: &[(f64, f64)]) -> f64 {
    let (first, _, along) = co_moments(pairs);
    if first > 0.0 { along / first } else { 0.0 }
}

/// Sums of squares of the first and of the second, and of their products, around the means.
fn co_moments(pairs: &[(f64, f64)]) -> (f64, f64, f64) {
    let count = pairs.len() as f64;
    let sum = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>();
    let (a, b) = (sum(|pair| pair.0) / count, sum(|pair| pair.1) / count);
    let (mut aa, mut bb, mut ab) = (0.0, 0.0, 0.0);
    for (x, y) in pairs {
        aa += (x - a).powi(2);
        bb += (y - b).powi(2);
        ab += (x - a) * (y - b);
    }
    (aa, bb, ab)
}

/// A weighted least-squares regression on some columns: what they leave of another.
#[derive(Debug, Clone)]
pub struct WeightedRegression {
    columns: Vec<Vec<f64>>,
    weight: Vec<f64>,
    normal: Cholesky,
}

impl WeightedRegression {
    /// On these columns, with a weight a row. Each sum of squares is made larger by the share `ridge`, which keeps copies
    /// apart; `None` where the normal equations have no solution even so.
    pub fn new(columns: Vec<Vec<f64>>, weight: Vec<f64>, ridge: f64) -> Option<Self> {
        let size = columns.len();
        let mut gram = Dense::zeros(size, size);
        for j in 0..size {
            for i in j..size {
                let share = if i == j { 1.0 + ridge } else { 1.0 };
                gram.col_mut(j)[i] = share * weighted_dot(&columns[i], &columns[j], &weight);
            }
        }
        let normal = Cholesky::new(gram).ok()?;
        Some(Self {
            columns,
            weight,
            normal,
        })
    }

    /// What the columns do not tell of `values`, in their place.
    pub fn leave_residual(&self, values: &mut [f64]) {
        let along: Vec<f64> = (self.columns.iter())
            .map(|column| weighted_dot(column, values, &self.weight))
            .collect();
        for (column, weight) in self.columns.iter().zip(self.normal.solve(&along)) {
            for (value, x) in values.iter_mut().zip(column) {
                *value -= weight * x;
            }
        }
    }
}

/// Σ a_n b_n weight_n
pub fn weighted_dot(a: &[f64], b: &[f64], weight: &[f64]) -> f64 {
    let products = a.iter().zip(b).zip(weight).map(|((a, b), c)| a * b * c);
    products.sum()
}

/// Positions of numbers, the largest first whatever their signs.
pub(crate) fn by_size(sizes: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by(|&i, &j| sizes[j].abs().total_cmp(&sizes[i].abs()));
    order
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::numerics::linalg::dot;

    #[test]
    fn a_variance_made_by_few_values_has_few_degrees_of_freedom() {
        // SciPy's kurtosis with bias=False: 2.6994.
        let values = [-4.0, -1.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 4.0];
        assert!((variance_freedom(&values, 10.0) - 4.063_696_835_315_46).abs() < 1e-12);
        // Flatter than a normal sample, of none, and of too few.
        assert_eq!(
            variance_freedom(&[-1.0, 1.0, -1.0, 1.0, 1.0, -1.0], 6.0),
            5.0
        );
        assert_eq!(variance_freedom(&[0.0; 5], 5.0), 4.0);
        assert_eq!(variance_freedom(&[-1.0, 2.0, -1.0], 3.0), 2.0);
    }

    #[test]
    fn products_of_unit_length_are_correlations() {
        let (x, missing) = unit_length(vec![1.0, 2.0, f64::NAN, 3.0]);
        assert_eq!(missing, 1);
        assert!((dot(&x, &x) - 1.0).abs() < 1e-12 && x[2] == 0.0);
        assert_eq!(unit_length(vec![5.0; 4]).0, [0.0; 4]);
        assert_eq!(unit_length(vec![f64::NAN; 3]), (vec![0.0; 3], 3));
        assert!(
            unit_length(vec![1e300, -1e300, 0.0])
                .0
                .iter()
                .all(|v| v.is_finite())
        );
        let pairs = [(1.0, 2.0), (2.0, 1.0), (4.0, 5.0), (7.0, 3.0)];
        let (a, b) = pairs.iter().copied().unzip();
        let product = dot(&unit_length(a).0, &unit_length(b).0);
        assert!((correlation(&pairs).unwrap() - product).abs() < 1e-12);
    }

    #[test]
    fn quantiles_are_values() {
        let values = [1.0, 2.0, 4.0, 8.0];
        let at = |share| quantile(&values, share).unwrap();
        assert_eq!([at(0.0), at(0.3), at(0.6), at(1.0)], [1.0, 2.0, 4.0, 8.0]);
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn standardised_values_have_mean_zero_and_spread_one_and_gaps_count_for_nothing() {
        let found = standardised(&[1.0, f64::NAN, 3.0]);
        assert_eq!(found, [-1.0, 0.0, 1.0]);
        assert_eq!(standardised(&[4.0, 4.0]), [0.0, 0.0]);
        assert_eq!(standardised(&[f64::NAN]), [0.0]);
    }

    #[test]
    fn a_line_has_its_slope_and_correlation() {
        let line = [(0.1, 1.2), (0.2, 1.4), (0.4, 1.8)];
        assert!((slope(&line) - 2.0).abs() < 1e-12);
        assert!((correlation(&line).unwrap() - 1.0).abs() < 1e-12);
        // By hand: sums of squares 2 and 2, of products 1.
        let bent = [(0.0, 0.0), (1.0, 2.0), (2.0, 1.0)];
        assert!((correlation(&bent).unwrap() - 0.5).abs() < 1e-15);
        assert!((slope(&bent) - 0.5).abs() < 1e-15);
        let constant = [(1.0, 0.0), (1.0, 5.0)];
        assert_eq!((slope(&constant), correlation(&constant)), (0.0, None));
    }

    #[test]
    fn what_a_regression_leaves_is_orthogonal_to_its_columns() {
        let weight = vec![1.0, 2.0, 0.5, 1.0, 3.0];
        let columns = vec![vec![1.0; 5], vec![0.0, 1.0, 4.0, 2.0, -1.0]];
        let regression = WeightedRegression::new(columns.clone(), weight.clone(), 0.0).unwrap();
        let mut values = [3.0, -1.0, 2.0, 5.0, 0.5];
        regression.leave_residual(&mut values);
        for column in &columns {
            assert!(weighted_dot(column, &values, &weight).abs() < 1e-12);
        }
        assert!(values.iter().any(|value| value.abs() > 1.0), "{values:?}");
        // Two copies of a column have no normal equations, but for a ridge.
        let copies = || vec![columns[1].clone(); 2];
        assert!(WeightedRegression::new(copies(), weight.clone(), 0.0).is_none());
        assert!(WeightedRegression::new(copies(), weight, 1e-6).is_some());
    }

    #[test]
    fn wilson_stays_within_its_range() {
        let (low, high) = wilson(0.0, 10.0, 1.96);
        assert!(low == 0.0 && high > 0.2 && high < 0.35, "{high}");
        let (low, high) = wilson(0.5, 100.0, 1.96);
        assert!((high - 0.5 - (0.5 - low)).abs() < 1e-12);
        // Brown, Cai and DasGupta's formula, by hand: 8 of 10.
        let (low, high) = wilson(0.8, 10.0, 1.96);
        assert!((low - 0.4902).abs() < 1e-4 && (high - 0.9433).abs() < 1e-4);
    }
}
