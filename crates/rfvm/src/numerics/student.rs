//! Student's t: quantiles for intervals, p values for tests.

use super::special::ln_gamma;

/// Of many degrees of freedom nothing is left beyond so many standard errors; of few, this is beyond the end.
const FARTHEST: f64 = 40.0;

/// P(|T| < t): with t = √ν tan θ the density is proportional to cos^(ν-1) θ, which Simpson's rule sums over a short
/// range in an even number of steps.
fn within(t: f64, freedom: f64, steps: usize) -> f64 {
    let root = freedom.sqrt();
    let end = (t / root).atan().min(FARTHEST / root);
    let constant = (ln_gamma(0.5 * (freedom + 1.0)) - ln_gamma(0.5 * freedom)).exp()
        / std::f64::consts::PI.sqrt();
    let density = |angle: f64| constant * angle.cos().powf(freedom - 1.0);
    let width = end / steps as f64;
    let inner: f64 = (1..steps)
        .map(|i| density(i as f64 * width) * if i % 2 == 1 { 4.0 } else { 2.0 })
        .sum();
    2.0 * width / 3.0 * (density(0.0) + inner + density(end))
}

/// The 97.5 % quantile of Student's t with at least one degree of freedom, by bisection.
pub(crate) fn t_quantile(freedom: f64) -> f64 {
    let freedom = freedom.max(1.0);
    let (mut low, mut high) = (1.0, 13.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if within(middle, freedom, 200) < 0.95 {
            low = middle
        } else {
            high = middle
        }
    }
    0.5 * (low + high)
}

/// The two-sided p value of a t statistic with at least one degree of freedom.
pub(crate) fn t_p_value(t: f64, freedom: f64) -> f64 {
    (1.0 - within(t.abs(), freedom.max(1.0), 2000)).clamp(0.0, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_the_tables() {
        for (freedom, table) in [
            (1.0, 12.706),
            (4.0, 2.776),
            (9.0, 2.262),
            (49.0, 2.010),
            (1e6, 1.960),
        ] {
            assert!((t_quantile(freedom) - table).abs() < 6e-4, "{freedom}");
        }
    }

    #[test]
    fn p_values_agree_with_the_tables() {
        for (t, freedom, table) in [
            (0.0, 5.0, 1.0),
            (1.0, 1.0, 0.5),
            (-2.571, 5.0, 0.05),
            (4.587, 10.0, 0.001),
            (1000.0, 1.0, 6.366e-4),
            (1.96, 1e6, 0.05),
        ] {
            assert!(
                (t_p_value(t, freedom) - table).abs() < 2e-4,
                "{t} {freedom}"
            );
        }
        assert!(t_p_value(1e9, 30.0) < 1e-12);
    }
}
