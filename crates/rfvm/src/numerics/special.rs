//! Scalar special functions, accurate to a few ulp in both tails.
//!
//! All the normal-distribution functions come from one tabulated quantity. For
//! `x >= 0` Laplace's continued fraction of the upper tail is
//! `Q(x) = phi(x) / (x + k1)`, `k1 = 1/(x + k2)`, `k2 = 2/(x + 3/(x + ...))`.
//! `k2` is smooth and positive, and hazards, excesses and variances follow from
//! it by sums and quotients of positive numbers, so nothing cancels in the tail.

use std::f64::consts::SQRT_2;

/// `1 / sqrt(2 pi)`.
const INV_SQRT_2PI: f64 = 0.3989422804014327;
/// `sqrt(2 / pi)`.
const SQRT_2_OVER_PI: f64 = 0.7978845608028654;
/// `0.5 ln(2 pi)`.
pub(crate) const HALF_LN_2PI: f64 = 0.9189385332046728;

/// Polynomials in `u` of `k2(x) (x + 4)` on 16 equal pieces of `t = 4/(x + 4)`,
/// with `u = 16 t - i - 1/2`; interpolation error below 1.1e-17 relative
/// (`scripts/special_golden.py --tables`).
#[rustfmt::skip]
const TAIL: [[f64; 10]; 16] = [
    [2.0641135060776703, 0.13150692633830097, 0.00666494287326617, 0.00020858864891473824, -3.82400584279933e-06,
     -1.128730337469692e-06, -8.575585204391151e-08, -2.709891769640619e-09, 1.6384757650946445e-10, 2.8487395455679507e-11],
    [2.2024889229294313, 0.1454411064293512, 0.007255139900458308, 0.00018020707909407462, -1.0833492228664913e-05,
     -1.6870337781468597e-06, -9.741561927902991e-08, -1.7973213816067217e-10, 4.934852184398554e-10, 4.346220913005075e-11],
    [2.355352758754289, 0.16043965692104983, 0.007712440240401071, 0.00011807951286935665, -2.0696062663433293e-05,
     -2.24206981638349e-06, -8.11151832950151e-08, 5.370411810213125e-09, 8.865386629308296e-10, 3.844745295564929e-11],
    [2.5235999224749395, 0.17612433966440053, 0.007919003877550129, 1.1492840992264624e-05, -3.286878522018132e-05,
     -2.5621793612103833e-06, -1.6108129041953756e-08, 1.3436455881727283e-08, 1.0508589456925698e-09, -1.0241149776041138e-11],
    [2.707619326258375, 0.191852545581042, 0.007730717264357602, -0.00014539868136758148, -4.538009120334118e-05,
     -2.320847460890401e-06, 1.0495007100069188e-07, 2.052462422293709e-08, 5.764392918632415e-10, -9.839196865438673e-11],
    [2.907009615432005, 0.20668543651074245, 0.007001049802458089, -0.00034728691795366776, -5.4665240530302496e-05,
     -1.2421389558304744e-06, 2.5485336794575577e-07, 2.0640620952469402e-08, -6.575035716673243e-10, -1.6476196671546095e-10],
    [3.120293182118769, 0.21942247055880637, 0.005623008091839259, -0.0005726005341829124, -5.639764244425729e-05,
     6.627296769208595e-07, 3.670553749364297e-07, 9.503331726259172e-09, -2.065075867389677e-09, -1.2657767220419294e-10],
    [3.344710699695228, 0.22873065948075072, 0.0035790912955783612, -0.0007840153288555332, -4.740404186767941e-05,
     2.9356907256576116e-06, 3.67529901425972e-07, -1.0082047770809919e-08, -2.5849453665024327e-09, 2.3289595312641553e-11],
    [3.576192321686546, 0.23336397260800373, 0.000977208167649167, -0.0009374181278737969, -2.7740583952371415e-05,
     4.791112794251281e-06, 2.2985884428928836e-07, -2.7961998831166887e-08, -1.6317287336977478e-09, 1.771786584681574e-10],
    [3.8095733353102563, 0.23242029980240178, -0.0019507569458437905, -0.0009969265201986994, -1.4062049007811702e-06,
     5.515878704481002e-06, 4.878553801585457e-09, -3.379185516050083e-08, 2.306108557067517e-10, 2.1167866907455328e-10],
    [4.039050032846713, 0.2255497573706709, -0.0048954374875739655, -0.000948447508500734, 2.510545718567502e-05,
     4.873739316854326e-06, -2.0870929216397422e-07, -2.5159365348442105e-08, 1.7655164186515853e-09, 1.1353625358149513e-10],
    [4.258785652421228, 0.21303691708932368, -0.007545015753519009, -0.0008042358726732921, 4.559846726787135e-05,
     3.203251309630879e-06, -3.2856095663056087e-07, -8.565087595588031e-09, 2.1587563556139906e-09, -2.3024449360899797e-11],
    [4.463521784606981, 0.19573057376653202, -0.00965714904867139, -0.0005965625016503, 5.653290214970073e-05,
     1.1676626498140366e-06, -3.3203106398023235e-07, 6.710846945096014e-09, 1.5290515634007059e-09, -1.0347297547110075e-10],
    [4.649056023491795, 0.17485662415915787, -0.011100763051701004, -0.00036508332518003957, 5.771916319976336e-05,
     -6.115662307048371e-07, -2.5138120154310724e-07, 1.4993219450557905e-08, 5.391770361411838e-10, -1.0550358629626499e-10],
    [4.812503672918312, 0.15178626694948008, -0.011859258176884796, -0.00014480357775909728, 5.14403855157779e-05,
     -1.7873544367880152e-06, -1.3951983167254203e-07, 1.5927924967516946e-08, -2.357864980921549e-10, -6.322780027864873e-11],
    [4.95233540725577, 0.12782943658188617, -0.012004667185639, 4.083341651313975e-05, 4.094464728321419e-05,
     -2.3100918351182562e-06, -3.899952981355737e-08, 1.2321316958366448e-08, -5.913537484509139e-10, -1.765977437947975e-11],
];

/// Root of digamma as a double and the remainder of that rounding.
const PSI_ROOT: (f64, f64) = (1.4616321449683622, 9.549995429965697e-17);

/// `digamma(root + u/4) / (u/4)` as a polynomial in `u`, `|u| <= 1/2`.
#[rustfmt::skip]
const PSI_NEAR_ROOT: [f64; 12] = [
    0.9676722454476211, -0.11069079224589802, 0.016156235059738493, -0.002561604772539364,
    0.00042118769753209063, -7.050738395731743e-05, 1.1915117609305904e-05, -2.02399593698851e-06,
    3.447496662294174e-07, -5.883002573039246e-08, 1.0273871831441764e-08, -1.7558773994228928e-09,
];

/// `-B_2k / (2k)`, the asymptotic coefficients of digamma in `1/x^2`.
const PSI_ASYMPTOTIC: [f64; 8] = [
    -1.0 / 12.0,
    1.0 / 120.0,
    -1.0 / 252.0,
    1.0 / 240.0,
    -1.0 / 132.0,
    691.0 / 32760.0,
    -1.0 / 12.0,
    3617.0 / 8160.0,
];

/// Horner evaluation of `c[0] + c[1] u + ...`.
#[inline]
fn horner(c: &[f64], u: f64) -> f64 {
    c.iter().rev().fold(0.0, |acc, &ci| acc * u + ci)
}

/// The first two tails `(k1, k2)` of Laplace's continued fraction at `x >= 0`:
/// `phi(x)/Q(x) = x + k1` and `k1 = 1/(x + k2)`.
#[inline]
pub(crate) fn tail_fraction(x: f64) -> (f64, f64) {
    let w = 1.0 / (x + 4.0);
    let pos = 64.0 * w;
    let i = (pos as usize).min(TAIL.len() - 1);
    let k2 = horner(&TAIL[i], pos - i as f64 - 0.5) * w;
    (1.0 / (x + k2), k2)
}

/// `x^2` as a rounded square and the remainder of that rounding, `|x| < 1e150`.
#[inline]
fn square_parts(x: f64) -> (f64, f64) {
    let head = f64::from_bits(x.to_bits() & !0x7ff_ffff);
    let rest = x - head;
    let hi = x * x;
    (hi, (head * head - hi) + 2.0 * head * rest + rest * rest)
}

/// Standard normal density `phi(x) = exp(-x^2/2) / sqrt(2 pi)`.
#[inline]
pub(crate) fn normal_density(x: f64) -> f64 {
    if x.abs() > 40.0 {
        return 0.0;
    }
    let (hi, lo) = square_parts(x);
    libm::exp(-0.5 * hi) * (INV_SQRT_2PI * (1.0 - 0.5 * lo))
}

/// Upper tail `Q(x) = 1 - Phi(x)` for `x >= 0`.
#[inline]
fn upper_tail(x: f64) -> f64 {
    normal_density(x) / (x + tail_fraction(x).0)
}

/// Scaled complementary error function `exp(x^2) erfc(x)`; overflows to
/// infinity below about -26.6.
pub fn erfcx(x: f64) -> f64 {
    let y = SQRT_2 * x.abs();
    let right = SQRT_2_OVER_PI / (y + tail_fraction(y).0);
    if x >= 0.0 {
        return right;
    }
    if x < -27.0 {
        return f64::INFINITY;
    }
    let (hi, lo) = square_parts(x);
    2.0 * libm::exp(hi) * (1.0 + lo) - right
}

/// Standard normal distribution function `Phi(x) = erfc(-x/sqrt 2) / 2`.
pub fn ndtr(x: f64) -> f64 {
    if x <= 0.0 {
        upper_tail(-x)
    } else {
        1.0 - upper_tail(x)
    }
}

/// How many standard deviations to each side of the mean hold this share of a normal distribution: 1.96 for 0.95.
pub fn two_sided(level: f64) -> f64 {
    // By the tail, which keeps its digits however small it is.
    let wanted = 0.5 * (1.0 - level.clamp(0.0, 1.0));
    let mut z = 0.0_f64;
    // Newton's steps from the left of a convex function never pass the root.
    for _ in 0..200 {
        let density = (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
        let step = (ndtr(-z) - wanted) / density;
        if !(step.is_finite() && step > 1e-15) {
            break;
        }
        z += step;
    }
    z
}

/// `ln Phi(x)`: `-x^2/2 - ln(sqrt(2 pi) phi(x)/Phi(x))` on the left and
/// `ln(1 - Q(x))` on the right. Underflows to `-0` above about 38.5.
pub fn log_ndtr(x: f64) -> f64 {
    if x <= 0.0 {
        let hazard = tail_fraction(-x).0 - x;
        -0.5 * x * x - libm::log(hazard / INV_SQRT_2PI)
    } else {
        libm::log1p(-upper_tail(x))
    }
}

/// Inverse Mills ratio `phi(z)/Phi(z) = sqrt(2/pi) / erfcx(-z/sqrt 2)`.
pub fn inverse_mills(z: f64) -> f64 {
    if z <= 0.0 {
        tail_fraction(-z).0 - z
    } else {
        right_hazard(z).1
    }
}

/// `Q(z)` and the inverse Mills ratio `phi(z)/(1 - Q(z))` together, for `z >= 0`.
#[inline]
pub(crate) fn right_hazard(z: f64) -> (f64, f64) {
    let density = normal_density(z);
    let upper = density / (z + tail_fraction(z).0);
    (upper, density / (1.0 - upper))
}

/// Digamma `psi(x) = d/dx ln Gamma(x)` for `x > 0`: a polynomial about the
/// positive root, elsewhere `psi(x) = psi(x + 1) - 1/x` up to `x >= 10` and then
/// `ln x - 1/(2x) - sum_k B_2k / (2k x^2k)`.
pub fn digamma(x: f64) -> f64 {
    let from_root = (x - PSI_ROOT.0) - PSI_ROOT.1;
    if from_root.abs() <= 0.125 {
        return from_root * horner(&PSI_NEAR_ROOT, 4.0 * from_root);
    }
    let mut up = x;
    let mut shift = 0.0;
    while up < 10.0 {
        shift += 1.0 / up;
        up += 1.0;
    }
    let inv = 1.0 / up;
    let inv2 = inv * inv;
    libm::log(up) + (horner(&PSI_ASYMPTOTIC, inv2) * inv2 - 0.5 * inv) - shift
}

/// `ln Gamma(x)` for `x > 0`. `libm::lgamma` is within 1e-15, relative or
/// absolute, of the exact value on 1e-8..1e8 (measured by the golden test).
pub fn ln_gamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// Jaakkola-Jordan coefficient `tanh(xi/2) / (4 xi)`, `1/8` at zero.
pub fn jj_lambda(xi: f64) -> f64 {
    let y = 0.5 * xi.abs();
    if y < 5e-4 {
        let y2 = y * y;
        return 0.125 * (1.0 - y2 * (1.0 / 3.0 - y2 * (2.0 / 15.0)));
    }
    libm::tanh(y) / (8.0 * y)
}

/// Softplus `ln(1 + exp(x))`, as `max(x, 0) + ln(1 + exp(-|x|))`.
pub fn log1p_exp(x: f64) -> f64 {
    x.max(0.0) + libm::log1p(libm::exp(-x.abs()))
}

/// Logistic function `1 / (1 + exp(-x))`.
pub fn sigmoid(x: f64) -> f64 {
    let e = libm::exp(-x.abs());
    if x >= 0.0 {
        1.0 / (1.0 + e)
    } else {
        e / (1.0 + e)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
pub(crate) mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    /// Rows of one section of the mpmath table.
    pub(crate) fn golden(name: &str) -> Vec<Vec<f64>> {
        let text = include_str!("../../tests/data/special.json");
        let mut all: HashMap<String, Vec<Vec<f64>>> = serde_json::from_str(text).unwrap();
        all.remove(name).unwrap()
    }

    /// Relative error, with two subnormal spacings of slack for underflow.
    pub(crate) fn rel(got: f64, want: f64) -> f64 {
        if (got - want).abs() <= 1e-323 {
            return 0.0;
        }
        (got - want).abs() / want.abs().max(f64::MIN_POSITIVE)
    }

    fn check(name: &str, bound: f64, f: impl Fn(f64) -> f64, err: impl Fn(f64, f64, f64) -> f64) {
        let rows = golden(name);
        assert!(rows.len() > 300, "{name}");
        let mut worst = (0.0, f64::NAN);
        for row in rows {
            let e = err(row[0], f(row[0]), row[1]);
            assert!(e.is_finite(), "{name}({})", row[0]);
            if e > worst.0 {
                worst = (e, row[0]);
            }
        }
        assert!(
            worst.0 <= bound,
            "{name}: error {:e} at {:e}",
            worst.0,
            worst.1
        );
    }

    fn plain(_: f64, got: f64, want: f64) -> f64 {
        rel(got, want)
    }

    #[test]
    fn normal_intervals_are_those_of_the_tables() {
        for (level, z) in [
            (0.0, 0.0),
            (0.5, 0.674_489_750_196_081_7),
            (0.95, 1.959_963_984_540_054),
            (0.999, 3.290_526_731_491_895),
        ] {
            assert!((two_sided(level) - z).abs() < 1e-14, "{level}");
        }
        assert!(two_sided(1.0).is_finite());
    }

    #[test]
    fn normal_functions_match_golden() {
        check("erfcx", 2e-15, erfcx, plain);
        check("ndtr", 2e-15, ndtr, plain);
        check("log_ndtr", 2e-15, log_ndtr, plain);
        check("inverse_mills", 2e-15, inverse_mills, plain);
    }

    #[test]
    fn gamma_functions_match_golden() {
        // Relative 1e-14; within 1e-3 of the root absolute 1e-14 is asked for
        // and relative accuracy is what is delivered.
        check("digamma", 1e-14, digamma, plain);
        check("ln_gamma", 1e-15, ln_gamma, |_, got, want| {
            (got - want).abs() / want.abs().max(1.0)
        });
    }

    #[test]
    fn logistic_functions_match_golden() {
        check("jj_lambda", 1e-15, jj_lambda, plain);
        check("log1p_exp", 1e-15, log1p_exp, plain);
        check("sigmoid", 1e-15, sigmoid, plain);
        assert_eq!(jj_lambda(0.0), 0.125);
        assert_eq!(jj_lambda(f64::INFINITY), 0.0);
    }

    #[test]
    fn limits_and_nan() {
        assert_eq!(ndtr(f64::NEG_INFINITY), 0.0);
        assert_eq!(ndtr(f64::INFINITY), 1.0);
        assert_eq!(log_ndtr(f64::NEG_INFINITY), f64::NEG_INFINITY);
        assert_eq!(log_ndtr(f64::INFINITY), 0.0);
        assert_eq!(inverse_mills(f64::INFINITY), 0.0);
        assert_eq!(erfcx(f64::INFINITY), 0.0);
        assert_eq!(erfcx(-30.0), f64::INFINITY);
        for f in [
            erfcx,
            ndtr,
            log_ndtr,
            inverse_mills,
            digamma,
            jj_lambda,
            log1p_exp,
            sigmoid,
        ] {
            assert!(f(f64::NAN).is_nan());
        }
    }

    proptest! {
        #[test]
        fn reflection(x in 0.0..37.0f64) {
            let y = 0.7 * x;
            prop_assert!(rel(libm::exp(-y * y) * erfcx(-y), libm::erfc(-y)) <= 1e-12);
            prop_assert!((ndtr(x) + ndtr(-x) - 1.0).abs() <= 2.3e-16);
            prop_assert!(rel(sigmoid(-x) + sigmoid(x), 1.0) <= 4.5e-16);
            prop_assert!(rel(libm::exp(log_ndtr(-x)), ndtr(-x)) <= 2e-13);
            prop_assert!((log1p_exp(x) - log1p_exp(-x) - x).abs() <= 4e-16 * (1.0 + x));
        }

        #[test]
        fn tail_matches_continued_fraction(x in 4.0..1e3f64) {
            let k2 = (2..200).rev().fold(0.0, |k, n| f64::from(n) / (x + k));
            prop_assert!(rel(tail_fraction(x).1, k2) <= 2e-15);
        }

        #[test]
        fn digamma_recurrence_and_lgamma_slope(x in 0.05..50.0f64) {
            let scale = 1.0 + digamma(x).abs() + 1.0 / x;
            prop_assert!((digamma(x + 1.0) - digamma(x) - 1.0 / x).abs() <= 2e-15 * scale);
            let h = 1e-3 * x;
            let slope = (8.0 * (ln_gamma(x + h) - ln_gamma(x - h))
                - (ln_gamma(x + 2.0 * h) - ln_gamma(x - 2.0 * h))) / (12.0 * h);
            prop_assert!((slope - digamma(x)).abs() <= 1e-9 * scale);
        }
    }
}
