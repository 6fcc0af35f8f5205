//! What a test that the model does not use could still be worth.
//!
//! With out-of-fold probabilities p_n, residuals r_n = t_n - p_n and curvature c_n = p_n (1 - p_n), a test x is first made
//! orthogonal to the model's own tests (weights c), which leaves u. Entering beside them it would get a weight w and gain
//! about g nats a subject:
//!
//! ```text
//! s = Σ u_n r_n,   I = Σ c_n u_n²,   w = s / I,   g = w² I / (2 m)
//! ```
//!
//! over the m subjects that it was measured on. Leaving out one subject (one group) after the other gives w a standard
//! error, and (|w| + 2.326 se)² I / (2 m) is what the test is worth at most, with 99 % confidence (more than elsewhere,
//! because very many tests are judged at once): about (|z| + 2.326)² / (2 m), so that nothing is ruled out before there
//! are subjects enough to do so.

use rfvm::stats::{WeightedRegression, standardised, weighted_dot};

use crate::cohort::Cohort;

/// What a test could add to the model, in nats a subject.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Potential {
    /// As estimated.
    pub(crate) gain: f64,
    /// At most, with 99 % confidence.
    pub(crate) most: f64,
    /// Subjects it was measured on.
    pub(crate) measured: usize,
}

/// The 99 % quantile of the normal distribution.
const SURE: f64 = 2.326;

/// Keeps the regression on the model's tests sound where two of them are copies.
const RIDGE: f64 = 1e-6;

/// A column on the given rows.
fn column(cohort: &Cohort, test: usize, rows: &[usize]) -> Vec<f64> {
    rows.iter().map(|&n| cohort.columns[test][n]).collect()
}

/// The potential of each of `tests` beside the tests of `panel`, as the given rows show it; `probability` has one entry a
/// subject of the cohort.
pub(crate) fn potentials(
    cohort: &Cohort,
    rows: &[usize],
    panel: &[usize],
    probability: &[f64],
    tests: &[usize],
) -> Vec<Potential> {
    let p: Vec<f64> = rows
        .iter()
        .map(|&n| probability[n].clamp(1e-6, 1.0 - 1e-6))
        .collect();
    let curvature: Vec<f64> = p.iter().map(|p| p * (1.0 - p)).collect();
    let residual: Vec<f64> = rows
        .iter()
        .zip(&p)
        .map(|(&n, p)| cohort.labels[n] as f64 - p)
        .collect();
    let mut own = vec![vec![1.0; rows.len()]];
    let tests_of_panel = panel.iter().map(|&test| column(cohort, test, rows));
    own.extend(tests_of_panel.map(|values| standardised(&values)));
    let regression = WeightedRegression::new(own, curvature.clone(), RIDGE);
    let group = |at: usize| cohort.groups.as_ref().map_or(at, |groups| groups[rows[at]]);
    let groups = (0..rows.len()).map(group).max().map_or(0, |last| last + 1);
    let one = |&test: &usize| {
        let values = column(cohort, test, rows);
        let measured = values.iter().filter(|x| !x.is_nan()).count();
        let mut u = standardised(&values);
        if let Some(regression) = &regression {
            regression.leave_residual(&mut u);
        }
        let information = weighted_dot(&u, &u, &curvature);
        let mut shares = vec![0.0; groups];
        for (at, (u, r)) in u.iter().zip(&residual).enumerate() {
            shares[group(at)] += u * r;
        }
        let score: f64 = shares.iter().sum();
        let mean = score / groups.max(1) as f64;
        let spread: f64 = shares.iter().map(|share| (share - mean).powi(2)).sum();
        // What the model's own tests already tell leaves nothing to gain and nothing to be unsure of.
        if information <= 1e-9 * rows.len() as f64 {
            return Potential {
                gain: 0.0,
                most: 0.0,
                measured,
            };
        }
        let (weight, se) = (score / information, spread.sqrt() / information);
        let worth = |weight: f64| weight * weight * information / (2.0 * measured.max(1) as f64);
        Potential {
            gain: worth(weight),
            most: worth(weight.abs() + SURE * se),
            measured,
        }
    };
    tests.iter().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// t follows x; y is a copy of x with a little noise; z is noise.
    fn cohort(samples: usize) -> Cohort {
        let wave = |n: usize, step: f64| (n as f64 * step).sin() * 1.4;
        let x: Vec<f64> = (0..samples).map(|n| wave(n, 1.7)).collect();
        let y = x
            .iter()
            .enumerate()
            .map(|(n, x)| x + 0.1 * wave(n, 2.9))
            .collect();
        let z = (0..samples).map(|n| wave(n, 0.77)).collect();
        Cohort {
            subjects: (0..samples).map(|n| format!("p{n}")).collect(),
            rows: (0..samples).collect(),
            classes: ["a".to_string(), "b".to_string()],
            labels: x
                .iter()
                .enumerate()
                .map(|(n, x)| usize::from(x + 0.8 * wave(n, 5.3) > 0.0))
                .collect(),
            groups: None,
            tests: ["x", "y", "z"].map(str::to_string).to_vec(),
            places: vec![0, 1, 2],
            columns: vec![x, y, z],
            cost_factors: None,
        }
    }

    #[test]
    fn noise_is_ruled_out_with_subjects_enough_and_a_signal_never() {
        let base = |samples| {
            let cohort = cohort(samples);
            potentials(
                &cohort,
                &cohort.all_rows(),
                &[],
                &vec![0.5; samples],
                &[0, 1, 2],
            )
        };
        let (few, many) = (base(40), base(400));
        assert!(
            few[2].most > 0.02 && many[2].most < 0.02,
            "{few:?} {many:?}"
        );
        assert!(many[0].gain > 0.1 && many[1].gain > 0.1, "{many:?}");
    }

    #[test]
    fn a_copy_of_what_the_model_has_is_worth_little_more() {
        let cohort = cohort(400);
        let of = |n: usize| 1.0 / (1.0 + (-2.0 * cohort.columns[0][n]).exp());
        let probability: Vec<f64> = (0..400).map(of).collect();
        let beside = potentials(&cohort, &cohort.all_rows(), &[0], &probability, &[0, 1]);
        assert_eq!(beside[0].most, 0.0);
        assert!(beside[1].most < 0.02, "{beside:?}");
    }

    #[test]
    fn a_late_test_counts_those_it_was_measured_on() {
        let mut cohort = cohort(400);
        cohort.columns[2][..360].fill(f64::NAN);
        let late = potentials(&cohort, &cohort.all_rows(), &[], &[0.5; 400], &[2]);
        assert_eq!(late[0].measured, 40);
        assert!(late[0].most > 0.02, "{late:?}");
    }
}
