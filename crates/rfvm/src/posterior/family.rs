//! Moments and entropy of the one-dimensional posteriors over feature weights.

use std::f64::consts::PI;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::numerics::special::{
    HALF_LN_2PI, log1p_exp, normal_density, right_hazard, tail_fraction,
};

/// Distribution of one coordinate, given the mean `mu` and variance `s2` of its
/// underlying normal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// `|N(mu, s2)|`, the normal folded at zero.
    Folded,
    /// `N(mu, s2)` conditioned on being non-negative.
    Truncated,
    /// `N(mu, s2)` itself.
    Gaussian,
}

/// Mean and variance of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct MeanVariance {
    pub(crate) mean: f64,
    pub(crate) var: f64,
}

impl Family {
    /// Mean and variance for finite `mu` and `s2 > 0`, with `z = mu/s`, `h` the
    /// inverse Mills ratio and `k1, k2` as in [`tail_fraction`].
    ///
    /// * folded, `r = |z|`: the mean is `s (r + d)` with the complement
    ///   `d = 2 (phi(r) - r Q(r)) = 2 phi(r) k1 / (r + k1)`, the variance
    ///   `s2 (1 - d (2r + d))`;
    /// * truncated, `z > 0`: `mu + s h` and `s2 (1 - h (z + h))`;
    /// * truncated, `z <= 0`: the same in the form that does not cancel,
    ///   `s k1(-z)` and `s2 k1 (k2 - k1)`.
    pub(crate) fn moments(self, mu: f64, s2: f64) -> MeanVariance {
        match self {
            Self::Gaussian => MeanVariance { mean: mu, var: s2 },
            Self::Folded => {
                let s = s2.sqrt();
                let r = mu.abs() / s;
                if r >= DEFICIT_END {
                    // d (2r + d) is below 1e-18.
                    return MeanVariance {
                        mean: mu.abs(),
                        var: s2,
                    };
                }
                let (k1, _) = tail_fraction(r);
                let d = 2.0 * normal_density(r) * k1 / (r + k1);
                MeanVariance {
                    mean: mu.abs() + s * d,
                    var: s2 * (1.0 - d * (2.0 * r + d)),
                }
            }
            Self::Truncated => {
                let s = s2.sqrt();
                let z = mu / s;
                if z <= 0.0 {
                    let (k1, k2) = tail_fraction(-z);
                    return MeanVariance {
                        mean: s * k1,
                        var: s2 * (k1 * (k2 - k1)),
                    };
                }
                let (_, h) = right_hazard(z);
                MeanVariance {
                    mean: mu + s * h,
                    var: s2 * (1.0 - h * (z + h)),
                }
            }
        }
    }

    /// Differential entropy in nats for finite `mu` and `s2 > 0`.
    ///
    /// * gaussian: `0.5 ln(2 pi e s2)`;
    /// * folded: that less the entropy of the forgotten sign, [`deficit_integral`];
    /// * truncated, `z = mu/s`: that plus `ln Phi(z) - z h(z)/2`, which for
    ///   `z <= 0` is `0.5 (1 + ln s2 - z k1) - ln(k1 - z)` in all.
    pub(crate) fn entropy(self, mu: f64, s2: f64) -> f64 {
        let log_s2 = libm::log(s2);
        let normal = HALF_LN_2PI + 0.5 * (1.0 + log_s2);
        match self {
            Self::Gaussian => normal,
            Self::Folded => normal - folded_deficit(mu.abs() / s2.sqrt()),
            Self::Truncated => {
                let z = mu / s2.sqrt();
                if z <= 0.0 {
                    let (k1, _) = tail_fraction(-z);
                    0.5 * (1.0 + log_s2 - z * k1) - libm::log(k1 - z)
                } else {
                    let (upper, h) = right_hazard(z);
                    normal + libm::log1p(-upper) - 0.5 * z * h
                }
            }
        }
    }
}

/// Beyond this `r` the folded normal is the normal: the deficit is below 1e-18.
const DEFICIT_END: f64 = 9.0;
/// Equal pieces of `[0, DEFICIT_END]` and Chebyshev coefficients on each.
const PIECES: usize = 72;
const ORDER: usize = 10;

/// Chebyshev series of [`deficit_integral`], piece by piece.
static DEFICIT: LazyLock<[[f64; ORDER]; PIECES]> = LazyLock::new(|| {
    let n = ORDER as f64;
    std::array::from_fn(|piece| {
        let angle: [f64; ORDER] = std::array::from_fn(|k| PI * (k as f64 + 0.5) / n);
        let value = angle.map(|a| {
            let along = piece as f64 + 0.5 + 0.5 * libm::cos(a);
            deficit_integral(along * DEFICIT_END / PIECES as f64)
        });
        std::array::from_fn(|j| {
            let terms = angle.iter().zip(&value);
            let sum: f64 = terms.map(|(a, v)| v * libm::cos(j as f64 * a)).sum();
            sum * if j == 0 { 1.0 / n } else { 2.0 / n }
        })
    })
});

/// Entropy that folding `N(r, 1)` loses: `C(r) - r^2` with
/// `C(r) = E ln(2 cosh(r u))`, `u = |N(r, 1)|`. It is the mean entropy of the
/// sign given `u`, `E[ln(1 + q) + 2 r u q/(1 + q)]` with `q = exp(-2 r u)`, whose
/// terms are positive: `int_0^inf phi(u - r) ((1 + q) ln(1 + q) + 2 r u q) du`,
/// by the trapezoid rule in `y`, `u = exp(y - exp(-y))`, in which the integrand
/// decays doubly exponentially at both ends.
fn deficit_integral(r: f64) -> f64 {
    const STEP: f64 = 1.0 / 32.0;
    let sum: f64 = (-128..=104)
        .map(|i| {
            let y = STEP * f64::from(i);
            let e = libm::exp(-y);
            let u = libm::exp(y - e);
            let log_q = -2.0 * r * u;
            let q = libm::exp(log_q);
            let sign = (1.0 + q) * log1p_exp(log_q) - log_q * q;
            u * (1.0 + e) * normal_density(u - r) * sign
        })
        .sum();
    STEP * sum
}

/// [`deficit_integral`] from its table, by Clenshaw's recurrence.
fn folded_deficit(r: f64) -> f64 {
    if r >= DEFICIT_END {
        return 0.0;
    }
    let pos = r * (PIECES as f64 / DEFICIT_END);
    let i = (pos as usize).min(PIECES - 1);
    let u2 = 4.0 * (pos - i as f64) - 2.0;
    let c = &DEFICIT[i];
    let (mut b1, mut b2) = (0.0, 0.0);
    for &cj in c[1..].iter().rev() {
        (b1, b2) = (u2 * b1 - b2 + cj, b1);
    }
    0.5 * u2 * b1 - b2 + c[0]
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::numerics::special::tests::{golden, rel};
    use proptest::prelude::*;

    /// Worst errors (mean and variance relative, entropy the lesser of absolute
    /// and relative) over a section of the mpmath table.
    fn worst(family: Family, name: &str) -> [f64; 3] {
        let mut out = [0.0_f64; 3];
        let rows = golden(name);
        assert!(rows.len() > 250);
        for row in rows {
            let (mu, s2) = (row[0], row[1]);
            let MeanVariance { mean, var } = family.moments(mu, s2);
            let entropy = family.entropy(mu, s2);
            assert!(mean.is_finite() && var.is_finite() && entropy.is_finite());
            out[0] = out[0].max(rel(mean, row[2]));
            out[1] = out[1].max(rel(var, row[3]));
            out[2] = out[2].max((entropy - row[4]).abs() / row[4].abs().max(1.0));
        }
        out
    }

    #[test]
    fn truncated_matches_golden() {
        let [mean, var, entropy] = worst(Family::Truncated, "truncated");
        assert!(mean <= 2e-15, "mean {mean:e}");
        assert!(var <= 4e-15, "var {var:e}");
        assert!(entropy <= 2e-15, "entropy {entropy:e}");
    }

    #[test]
    fn folded_matches_golden() {
        let [mean, var, entropy] = worst(Family::Folded, "folded");
        assert!(mean <= 2e-15, "mean {mean:e}");
        assert!(var <= 4e-15, "var {var:e}");
        assert!(entropy <= 1e-14, "entropy {entropy:e}");
    }

    #[test]
    fn deficit_table_matches_integral() {
        let gap = (0..=9000)
            .map(|k| f64::from(k) * 1e-3)
            .map(|r| (folded_deficit(r) - deficit_integral(r)).abs())
            .fold(0.0, f64::max);
        assert!(gap <= 1e-14, "{gap:e}");
        assert!(deficit_integral(DEFICIT_END) < 1e-17);
    }

    #[test]
    fn gaussian_is_itself() {
        let m = Family::Gaussian.moments(-3.0, 2.0);
        assert_eq!((m.mean, m.var), (-3.0, 2.0));
        let h = Family::Gaussian.entropy(-3.0, 2.0);
        assert!(rel(h, 0.5 * (4.0 * PI).ln() + 0.5) < 1e-15);
    }

    #[test]
    fn names_are_snake_case() {
        let text = serde_json::to_string(&[Family::Folded, Family::Truncated, Family::Gaussian]);
        assert_eq!(text.unwrap(), r#"["folded","truncated","gaussian"]"#);
    }

    #[test]
    fn branches_join() {
        for (family, at) in [
            (Family::Truncated, 0.0),
            (Family::Folded, DEFICIT_END),
            (Family::Folded, -DEFICIT_END),
            (Family::Folded, 4.0),
        ] {
            let (a, b) = (at - 1e-15, at + 1e-15);
            let (ma, mb) = (family.moments(a, 1.0), family.moments(b, 1.0));
            assert!(rel(ma.mean, mb.mean) < 1e-14 && rel(ma.var, mb.var) < 1e-14);
            assert!((family.entropy(a, 1.0) - family.entropy(b, 1.0)).abs() < 1e-14);
        }
    }

    /// Mean, variance and entropy of an unnormalised log density on
    /// `[0, end]` by Simpson's rule.
    fn by_quadrature(log_density: impl Fn(f64) -> f64, end: f64) -> [f64; 3] {
        const N: u32 = 4000;
        let [mut total, mut first, mut second, mut log] = [0.0; 4];
        for k in 0..=N {
            let v = end * f64::from(k) / f64::from(N);
            let edge = k == 0 || k == N;
            let w = if edge {
                1.0
            } else {
                f64::from(2 + 2 * (k % 2))
            };
            let l = log_density(v);
            let p = w * l.exp();
            total += p;
            first += p * v;
            second += p * v * v;
            log += p * l;
        }
        let mean = first / total;
        let norm = total * end / (3.0 * f64::from(N));
        [mean, second / total - mean * mean, norm.ln() - log / total]
    }

    proptest! {
        #[test]
        fn agrees_with_quadrature(z in -4.0..6.0f64, s in 0.1..10.0f64) {
            let (mu, s2) = (z * s, s * s);
            let end = mu.max(0.0) + 12.0 * s;
            let normal = |v: f64| -0.5 * (v - mu) * (v - mu) / s2;
            let fold = |v: f64| normal(v) + log1p_exp(-2.0 * mu * v / s2);
            let end_fold = mu.abs() + 12.0 * s;
            for (family, want) in [
                (Family::Truncated, by_quadrature(normal, end)),
                (Family::Folded, by_quadrature(fold, end_fold)),
            ] {
                let m = family.moments(mu, s2);
                prop_assert!(rel(m.mean, want[0]) < 1e-8);
                prop_assert!(rel(m.var, want[1]) < 1e-7);
                prop_assert!((family.entropy(mu, s2) - want[2]).abs() < 1e-8);
            }
        }

        #[test]
        fn positive_and_scale_free(z in -1e3..1e3f64, log2_s in -30..30i32) {
            let s = f64::from(log2_s).exp2();
            for family in [Family::Truncated, Family::Folded] {
                let (one, m) = (family.moments(z, 1.0), family.moments(z * s, s * s));
                prop_assert!(m.mean > 0.0 && m.var > 0.0 && m.var <= s * s);
                prop_assert_eq!((m.mean, m.var), (one.mean * s, one.var * s * s));
                let shift = family.entropy(z * s, s * s) - family.entropy(z, 1.0) - s.ln();
                prop_assert!(shift.abs() < 1e-13);
            }
        }
    }
}
