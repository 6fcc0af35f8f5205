//! What a model knows of its features beside their weights: how they hang together, and which features outside of it run with
//! them. By this a value that is missing is told from those that are not.

use crate::data::scale::Scale;
use crate::numerics::linalg::{Cholesky, Dense, NotPositive};

/// The most features of a model that keeps companions: the numbers kept grow with the square. Beyond, and so in nearly every
/// full model, a missing value is told by nothing but its own spread.
pub(crate) const MOST_ACCOMPANIED: usize = 60;

/// The least share of independence in the correlations: the matrix stays far from singular, whatever rounding does.
pub(crate) const LEAST_SHRINKAGE: f64 = 0.01;

/// A feature outside of the model that runs with one of its features.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Companion {
    pub(crate) name: String,
    /// Its scale on the training rows.
    pub(crate) scale: Scale,
}

/// The training rows' shrunk correlations of the model's features, signature after signature, and of their companions after
/// them. All are scaled as the model sees them, so that every variance is 1.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Companions {
    /// For each feature of the model, which companion stands in for it.
    pub(crate) stand_ins: Vec<Option<usize>>,
    pub(crate) companions: Vec<Companion>,
    pub(crate) correlation: Dense,
    /// How much of independence there is in the correlations.
    pub(crate) shrinkage: f64,
}

/// A normal distribution of what is missing, given what is known.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Conditional {
    /// known x missing
    regression: Dense,
    /// missing x missing; `None`: each alone, with a variance of 1. A full model may lack thousands of values.
    pub(crate) covariance: Option<Dense>,
}

impl Conditional {
    /// Of values that nothing is known of: standard normal, each alone.
    pub(crate) fn alone(missing: usize) -> Self {
        Self {
            regression: Dense::zeros(0, missing),
            covariance: None,
        }
    }

    /// The means of what is missing.
    pub(crate) fn mean(&self, known: &[f64]) -> Vec<f64> {
        self.regression.transpose_times(known)
    }
}

impl Companions {
    /// Of columns of mean 0 and mean square 1. The correlations r are shrunk to (1 - λ) r, with λ the sum of the estimated
    /// variances of all r over the sum of all r², as Schäfer and Strimmer (2005) do; with products p_n of two columns' values,
    /// var(r) is Σ (p_n - r)² / (N (N - 1)).
    pub(crate) fn new(
        columns: &[&[f64]],
        stand_ins: Vec<Option<usize>>,
        companions: Vec<Companion>,
    ) -> Self {
        let size = columns.len();
        let n = columns.first().map_or(0, |column| column.len()) as f64;
        let (mut variances, mut squares) = (0.0, 0.0);
        let mut correlation = Dense::identity(size);
        for j in 0..size {
            for i in j + 1..size {
                let products = || columns[i].iter().zip(columns[j]).map(|(x, y)| x * y);
                let r = products().sum::<f64>() / n;
                let spread: f64 = products().map(|product| (product - r).powi(2)).sum();
                variances += spread / (n * (n - 1.0).max(1.0));
                squares += r * r;
                correlation.col_mut(j)[i] = r;
            }
        }
        let shrinkage = match squares > 0.0 {
            true => (variances / squares).clamp(LEAST_SHRINKAGE, 1.0),
            false => 1.0,
        };
        for j in 0..size {
            for entry in &mut correlation.col_mut(j)[j + 1..] {
                *entry *= 1.0 - shrinkage;
            }
        }
        correlation.mirror_lower();
        Self {
            stand_ins,
            companions,
            correlation,
            shrinkage,
        }
    }

    /// The place of a feature's stand-in among the correlations.
    pub(crate) fn stand_in(&self, feature: usize) -> Option<usize> {
        self.stand_ins[feature].map(|companion| self.stand_ins.len() + companion)
    }

    /// The distribution of what is missing given what is known, both by their places among the correlations.
    pub(crate) fn given(
        &self,
        known: &[usize],
        missing: &[usize],
    ) -> Result<Conditional, NotPositive> {
        let normal = Cholesky::new(self.correlation.select(known, known))?;
        let with = self.correlation.select(known, missing);
        let solved = (0..missing.len()).flat_map(|j| normal.solve(with.col(j)));
        let regression = Dense::from_vec(known.len(), missing.len(), solved.collect());
        let told = with.transposed_product(&regression);
        let mut covariance = self.correlation.select(missing, missing);
        for (left, told) in covariance.values_mut().iter_mut().zip(told.values()) {
            *left -= told;
        }
        Ok(Conditional {
            regression,
            covariance: Some(covariance),
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    use super::*;
    use crate::numerics::random::standard_normal;

    fn standardised(mut values: Vec<f64>) -> Vec<f64> {
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let square = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
        values
            .iter_mut()
            .for_each(|x| *x = (*x - mean) / square.sqrt());
        values
    }

    #[test]
    fn two_correlated_values_tell_each_other_by_the_textbook_formula() {
        let kept = Companions {
            stand_ins: vec![None, None],
            companions: Vec::new(),
            correlation: Dense::from_vec(2, 2, vec![1.0, 0.6, 0.6, 1.0]),
            shrinkage: 0.0,
        };
        let found = kept.given(&[1], &[0]).unwrap();
        assert!((found.mean(&[2.0])[0] - 1.2).abs() < 1e-15);
        assert!((found.covariance.unwrap().at(0, 0) - 0.64).abs() < 1e-15);
        // Nothing known is the standard normal, correlations and all.
        let none = kept.given(&[], &[0, 1]).unwrap();
        assert_eq!(none.mean(&[]), [0.0, 0.0]);
        assert_eq!(none.covariance, Some(kept.correlation));
        assert_eq!(Conditional::alone(2).mean(&[]), [0.0, 0.0]);
    }

    #[test]
    fn correlations_of_noise_are_shrunk_and_those_of_many_rows_are_not() {
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut draw = |rows: usize, shared: f64| -> Vec<Vec<f64>> {
            let factor: Vec<f64> = (0..rows).map(|_| standard_normal(&mut random)).collect();
            let mut column = || {
                let own = factor.iter().map(|f| {
                    shared * f + (1.0 - shared * shared).sqrt() * standard_normal(&mut random)
                });
                standardised(own.collect())
            };
            (0..6).map(|_| column()).collect()
        };
        let of = |columns: &[Vec<f64>]| {
            let columns: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
            Companions::new(&columns, vec![None; 6], Vec::new())
        };
        let noise = of(&draw(40, 0.0));
        let alike = of(&draw(4000, 0.8));
        assert!(noise.shrinkage > 0.5, "{}", noise.shrinkage);
        assert!(alike.shrinkage < 0.02, "{}", alike.shrinkage);
        assert!((alike.correlation.at(3, 1) - 0.64).abs() < 0.05);
        assert_eq!(alike.correlation.at(3, 1), alike.correlation.at(1, 3));
    }
}
