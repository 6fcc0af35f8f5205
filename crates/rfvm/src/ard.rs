//! The end point of automatic relevance determination, in closed form (section 5).
//!
//! The alternation of q(w_i) and its precision p_i crawls; with the cavity s = 1/var_i - p_i and
//! h = mean_i / var_i it ends at p_i = s² / (h² - s) where h² > s, and at infinity (prune) otherwise.

use crate::linalg::Dense;

/// Where the precision of one weight settles; `None`: at infinity, the weight is pruned.
pub(crate) fn fixed_point(mean: f64, var: f64, precision: f64) -> Option<f64> {
    let (s, h) = (1.0 / var - precision, mean / var);
    let excess = h * h - s;
    (excess > 0.0 && s > 0.0).then(|| s * s / excess)
}

/// Brings every precision of a joint Gaussian N(mean, covariance) to its fixed point, one after the other
/// and the least relevant first, with mean and covariance kept exact by rank-one updates: of two
/// candidates that say the same, one stays. Returns which weights stay.
pub(crate) fn settle(mean: &mut [f64], covariance: &mut Dense, precision: &mut [f64]) -> Vec<bool> {
    let relevance = |i: usize| {
        let (s, h) = (1.0 / covariance.at(i, i) - precision[i], mean[i] / covariance.at(i, i));
        h * h / s.max(f64::MIN_POSITIVE)
    };
    let mut order: Vec<(f64, usize)> = (0..mean.len()).map(|i| (relevance(i), i)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut keep = vec![true; mean.len()];
    for (_, i) in order {
        let column = covariance.col(i).to_vec();
        let settled = fixed_point(mean[i], column[i], precision[i]);
        // S - S_i S_i' / (1/change + S_ii), with change = infinity for a pruned weight.
        let pivot = match settled {
            Some(p) if p == precision[i] => continue,
            Some(p) => 1.0 / (p - precision[i]) + column[i],
            None => column[i],
        };
        let shift = mean[i] / pivot;
        for (j, &c_j) in column.iter().enumerate() {
            mean[j] -= c_j * shift;
            let scale = c_j / pivot;
            for (entry, &c_k) in covariance.col_mut(j).iter_mut().zip(&column) {
                *entry -= scale * c_k;
            }
        }
        match settled {
            Some(p) => precision[i] = p,
            None => keep[i] = false,
        }
    }
    keep
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_closed_form_is_where_the_alternation_ends(s in 0.5..5.0f64, h in 0.0..6.0f64) {
            prop_assume!((h * h / s - 1.0).abs() > 0.05);
            let mut p = 1.0;
            for _ in 0..20_000 {
                p = 1.0 / ((h / (s + p)).powi(2) + 1.0 / (s + p));
            }
            match fixed_point(h / (s + 1.0), 1.0 / (s + 1.0), 1.0) {
                Some(end) => prop_assert!((p / end - 1.0).abs() < 1e-9, "{p} {end}"),
                None => prop_assert!(p > 1e3, "{p}"),
            }
        }
    }

    #[test]
    fn of_two_equal_candidates_one_stays() {
        // Two copies of one regressor: precision = k k' + diag(p), linear term 3 for both.
        let (mut precision, k) = (vec![1.0, 1.0], 9.0);
        let det = (k + 1.0) * (k + 1.0) - k * k;
        let mut covariance =
            Dense::from_vec(2, 2, vec![(k + 1.0) / det, -k / det, -k / det, (k + 1.0) / det]);
        let mut mean = vec![9.0 / det; 2];
        let keep = settle(&mut mean, &mut covariance, &mut precision);
        assert_eq!(keep.iter().filter(|&&keep| keep).count(), 1);
        let kept = if keep[0] { 0 } else { 1 };
        // Alone, the survivor has s = 9 and h = 9: p = 81/72; it settled while its twin was still there or gone.
        assert!(mean[kept] > 0.5, "{mean:?}");
        assert!(mean[1 - kept].abs() < 1e-12);
    }
}
