//! The end point of automatic relevance determination, in closed form, and what a weight is worth.
//!
//! The alternation of q(w_i) and its precision p_i crawls; with the cavity s = 1/var_i - p_i and
//! h = mean_i / var_i it ends at p_i = s² / (h² - s) where h² > s, and at infinity (prune) otherwise.
//!
//! The rule h² > s asks whether a weight explains anything at all. The bound asks for more: a weight also
//! brings its hyperprior, so it must explain more than that costs. With everything else held, the bound
//! changes by `gain(p) - price(p)` when weight i enters with precision p:
//!
//! ```text
//! gain(p)  = 1/2 [ ln p - ln(p + s) + h²/(p + s) ]
//! price(p) = ln Γ(k) - k ln(r p) + r p - α - ln Γ(α) + α ln α,     α = k + 1/2, k = shape, r = rate
//! ```
//!
//! The price is about -ln k: at a shape of 1e-6 a weight must make the data e^12 times likelier.
//! Without it, of fifty copies of one sample all fifty stay, because any split of one weight among them
//! explains the data equally well.

use crate::numerics::linalg::Dense;

/// Where the precision of one weight settles; `None`: at infinity, the weight is pruned.
pub(crate) fn fixed_point(mean: f64, var: f64, precision: f64) -> Option<f64> {
    let (s, h) = (1.0 / var - precision, mean / var);
    let excess = h * h - s;
    (excess > 0.0 && s > 0.0).then(|| s * s / excess)
}

/// 1/2 [ ln p - ln(p + s) + h²/(p + s) ]: what a weight adds to the log evidence, all else held.
fn gain(mean: f64, var: f64, precision: f64, settled: f64) -> f64 {
    let (s, h) = (1.0 / var - precision, mean / var);
    0.5 * (h * h / (settled + s) - (s / settled).ln_1p())
}

/// Brings every precision of a joint Gaussian N(mean, covariance) to its fixed point, one after the other
/// and the least relevant first, and drops the weights that are not worth their `price` (of a weight at a precision) and
/// their own `surcharge` (the last one only if it explains nothing); mean and covariance are kept exact by rank-one
/// updates, so no step lowers the bound. Returns which weights stay.
pub(crate) fn settle(
    mean: &mut [f64],
    covariance: &mut Dense,
    precision: &mut [f64],
    price: impl Fn(f64) -> f64,
    surcharge: impl Fn(usize) -> f64,
) -> Vec<bool> {
    let relevance = |i: usize| {
        let (s, h) = (
            1.0 / covariance.at(i, i) - precision[i],
            mean[i] / covariance.at(i, i),
        );
        // Of two that tell the same, the one that costs more must be judged, and go, before the other.
        h * h / s.max(f64::MIN_POSITIVE) - 2.0 * surcharge(i)
    };
    let mut order: Vec<(f64, usize)> = (0..mean.len()).map(|i| (relevance(i), i)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut keep = vec![true; mean.len()];
    let mut left = order.len();
    for (_, i) in order {
        let column = covariance.col(i).to_vec();
        let (own_mean, var) = (mean[i], column[i]);
        // The last one stands for the choice between a signal and none: it need only explain something.
        let worth =
            |p: &f64| left == 1 || gain(own_mean, var, precision[i], *p) > price(*p) + surcharge(i);
        let settled = fixed_point(own_mean, var, precision[i]).filter(worth);
        // S - S_i S_i' / (1/change + S_ii), with change = infinity for a pruned weight.
        let pivot = match settled {
            Some(p) if p == precision[i] => continue,
            Some(p) => 1.0 / (p - precision[i]) + var,
            None => var,
        };
        let shift = own_mean / pivot;
        for (j, &c_j) in column.iter().enumerate() {
            mean[j] -= c_j * shift;
            let scale = c_j / pivot;
            for (entry, &c_k) in covariance.col_mut(j).iter_mut().zip(&column) {
                *entry -= scale * c_k;
            }
        }
        match settled {
            Some(p) => precision[i] = p,
            None => {
                keep[i] = false;
                left -= 1;
            }
        }
    }
    keep
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::posterior::prior::Hyperprior;
    use proptest::prelude::*;

    const FLAT: Hyperprior = Hyperprior {
        shape: 1e-6,
        rate: 1e-6,
    };

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
                // It grows by about s - h² an iteration, which is at least 0.025 here.
                None => prop_assert!(p > 4e2, "{p}"),
            }
        }

        #[test]
        fn the_fixed_point_maximises_the_gain(s in 0.1..10.0f64, ratio in 1.2..50.0f64) {
            let h = (ratio * s).sqrt();
            let (mean, var) = (h / (s + 1.0), 1.0 / (s + 1.0));
            let p = s * s / (h * h - s);
            let best = gain(mean, var, 1.0, p);
            prop_assert!((best - 0.5 * (ratio - 1.0 - ratio.ln())).abs() < 1e-10 * best.max(1.0));
            prop_assert!(best >= gain(mean, var, 1.0, 1.01 * p) && best >= gain(mean, var, 1.0, 0.99 * p));
        }
    }

    /// Two copies of one regressor with unit noise: precision = k 11' + diag(p), linear term l for both.
    fn twins(k: f64, l: f64) -> (Vec<f64>, Dense, Vec<f64>) {
        let det = (k + 1.0) * (k + 1.0) - k * k;
        let covariance = vec![(k + 1.0) / det, -k / det, -k / det, (k + 1.0) / det];
        (
            vec![l / det; 2],
            Dense::from_vec(2, 2, covariance),
            vec![1.0; 2],
        )
    }

    #[test]
    fn of_two_equal_candidates_one_stays() {
        let (mut mean, mut covariance, mut precision) = twins(100.0, 100.0);
        let price = |p| FLAT.price(p);
        let keep = settle(&mut mean, &mut covariance, &mut precision, price, |_| 0.0);
        assert_eq!(keep, [false, true]);
        // Alone, the survivor has s = 100 and h = 100.
        assert!(
            (precision[1] / (100.0 / 99.0) - 1.0).abs() < 1e-12,
            "{precision:?}"
        );
        assert!(
            (mean[1] - 100.0 / (100.0 + 100.0 / 99.0)).abs() < 1e-12,
            "{mean:?}"
        );
    }

    #[test]
    fn of_twins_the_one_with_a_surcharge_goes() {
        for costly in [0, 1] {
            let (mut mean, mut covariance, mut precision) = twins(100.0, 100.0);
            let price = |p| FLAT.price(p);
            let surcharge = |i| if i == costly { 5.0 } else { 0.0 };
            let keep = settle(&mut mean, &mut covariance, &mut precision, price, surcharge);
            assert_eq!((keep[costly], keep[1 - costly]), (false, true));
        }
    }

    #[test]
    fn a_weight_that_explains_less_than_it_costs_is_dropped_unless_it_is_the_last() {
        assert!((12.0..13.0).contains(&FLAT.price(1.0)));
        // Two independent weights with s = 9 and the same h.
        let stay = |h: f64| {
            let mut covariance = Dense::zeros(2, 2);
            covariance.add_diagonal([0.1, 0.1]);
            let (mut mean, mut precision) = (vec![0.1 * h; 2], vec![1.0; 2]);
            let price = |p| FLAT.price(p);
            settle(&mut mean, &mut covariance, &mut precision, price, |_| 0.0)
        };
        // h²/s = 9: a gain of 2.9 nats each, below the price.
        assert_eq!(stay(9.0), [false, true]);
        // h² < s: nothing is explained, not even the last one stays.
        assert_eq!(stay(2.0), [false, false]);
        // h²/s = 49: a gain of 22 nats each.
        assert_eq!(stay(21.0), [true, true]);
    }
}
