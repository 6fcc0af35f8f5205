//! The posterior moments that a prediction needs, and the predictive distribution of the latent score.

use super::correction::Correction;
use super::effects::Effects;
use crate::numerics::linalg::{Dense, dot};

/// The posterior spread of the feature weights v.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Spread {
    /// Mean-field: a variance each.
    Independent(Vec<f64>),
    /// Structured: one joint covariance.
    Joint(Dense),
    /// The full posterior: the variance of each weight w, that of v and of the samples' part together.
    Weights(Vec<f64>),
}

/// What is known of the relevance vectors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Vectors {
    /// Their standardised values, M x D.
    Values(Dense),
    /// g = Z'a alone: the full posterior's vectors are all training rows, which no model keeps.
    Sums(Vec<f64>),
}

/// The posterior covariance of the weights w.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum WeightCovariance {
    /// A variance each.
    Independent(Vec<f64>),
    /// All of it.
    Joint(Dense),
}

impl WeightCovariance {
    /// x' cov(w) x: the variance of the score of standardised values, but for that of bias and noise.
    pub(crate) fn of_score(&self, x: &[f64]) -> f64 {
        match self {
            Self::Independent(var) => x.iter().zip(var).map(|(x, var)| x * x * var).sum(),
            Self::Joint(cov) => dot(x, &cov.times(x)),
        }
    }

    /// The variance of each weight.
    pub(crate) fn diagonal(&self) -> Vec<f64> {
        match self {
            Self::Independent(var) => var.clone(),
            Self::Joint(cov) => cov.diagonal().collect(),
        }
    }
}

/// The posterior moments a prediction needs, over the selected features and vectors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Moments {
    pub(crate) v: Vec<f64>,
    pub(crate) v_spread: Spread,
    pub(crate) a: Vec<f64>,
    pub(crate) a_cov: Dense,
    pub(crate) z: Vectors,
    pub(crate) b: f64,
    pub(crate) b_var: f64,
    /// b again, with the effects of covariates; `None` where there are none.
    pub(crate) effects: Option<Effects>,
    /// 1/τ
    pub(crate) noise: f64,
}

impl Moments {
    /// A model without features: every sample gets this latent mean and variance.
    pub(crate) fn constant(mean: f64, variance: f64) -> Self {
        Self {
            v: Vec::new(),
            v_spread: Spread::Independent(Vec::new()),
            a: Vec::new(),
            a_cov: Dense::default(),
            z: Vectors::Values(Dense::default()),
            b: mean,
            b_var: 0.0,
            effects: None,
            noise: variance,
        }
    }

    /// The same moments with features and vectors in another order.
    pub(crate) fn reordered(&self, features: &[usize], vectors: &[usize]) -> Self {
        let pick = |values: &[f64], order: &[usize]| order.iter().map(|&i| values[i]).collect();
        Self {
            v: pick(&self.v, features),
            v_spread: match &self.v_spread {
                Spread::Independent(var) => Spread::Independent(pick(var, features)),
                Spread::Joint(cov) => Spread::Joint(cov.select(features, features)),
                Spread::Weights(var) => Spread::Weights(pick(var, features)),
            },
            a: pick(&self.a, vectors),
            a_cov: match &self.z {
                Vectors::Values(_) => self.a_cov.select(vectors, vectors),
                Vectors::Sums(_) => Dense::default(),
            },
            z: match &self.z {
                Vectors::Values(z) => Vectors::Values(z.select(vectors, features)),
                Vectors::Sums(g) => Vectors::Sums(pick(g, features)),
            },
            effects: self.effects.clone(),
            ..*self
        }
    }

    /// g_d = z_:d · a
    fn g(&self) -> Vec<f64> {
        match &self.z {
            Vectors::Values(z) => z.transpose_times(&self.a),
            Vectors::Sums(g) => g.clone(),
        }
    }

    /// Standard deviations of the weights w under the posterior.
    pub(crate) fn weight_sd(&self) -> Vec<f64> {
        let g = self.g();
        let of_v: Vec<f64> = match &self.v_spread {
            Spread::Weights(var) => return var.iter().map(|var| var.sqrt()).collect(),
            Spread::Independent(var) => var.clone(),
            Spread::Joint(cov) => cov.diagonal().collect(),
        };
        // The full posterior is the only one without vectors' values, and has left above.
        let of_g = match &self.z {
            Vectors::Values(z) => z.transposed_products_diagonal(&self.a_cov),
            Vectors::Sums(g) => vec![0.0; g.len()],
        };
        let variance = |d: usize| of_v[d] * (of_g[d] + g[d] * g[d]) + self.v[d].powi(2) * of_g[d];
        (0..g.len()).map(|d| variance(d).max(0.0).sqrt()).collect()
    }

    /// cov(w_d, w_e) = v_d v_e B_de + S_v,de (B_de + g_d g_e) with B = Z'S_aZ: what is not known of a score is a quadratic form
    /// in it. For a few tens of features, or the full posterior, which keeps the diagonal alone.
    pub(crate) fn weight_covariance(&self) -> WeightCovariance {
        let z = match (&self.v_spread, &self.z) {
            (Spread::Weights(var), _) => return WeightCovariance::Independent(var.clone()),
            (_, Vectors::Values(z)) => z,
            // The full posterior is the only one without vectors' values, and has left above.
            (_, Vectors::Sums(g)) => {
                return WeightCovariance::Independent(vec![0.0; g.len()]);
            }
        };
        let g = self.g();
        let mut covariance = z.transposed_product(&self.a_cov.product(z));
        for j in 0..g.len() {
            for (i, entry) in covariance.col_mut(j).iter_mut().enumerate() {
                let spread = match &self.v_spread {
                    Spread::Joint(cov) => cov.at(i, j),
                    Spread::Independent(var) | Spread::Weights(var) if i == j => var[i],
                    Spread::Independent(_) | Spread::Weights(_) => 0.0,
                };
                *entry = self.v[i] * self.v[j] * *entry + spread * (*entry + g[i] * g[j]);
            }
        }
        WeightCovariance::Joint(covariance)
    }

    /// The moments of intercept + slope · score, with this much noise.
    pub(crate) fn stretch(&mut self, correction: Correction, noise: f64) {
        let (slope, square) = (correction.slope, correction.slope.powi(2));
        self.a.iter_mut().for_each(|a| *a *= slope);
        self.a_cov
            .values_mut()
            .iter_mut()
            .for_each(|cov| *cov *= square);
        if let Vectors::Sums(g) = &mut self.z {
            // In single precision, as a file keeps them.
            g.iter_mut()
                .for_each(|g| *g = f64::from((*g * slope) as f32));
        }
        if let Spread::Weights(var) = &mut self.v_spread {
            var.iter_mut()
                .for_each(|var| *var = f64::from((*var * square) as f32));
        }
        self.b = correction.apply(self.b);
        self.b_var *= square;
        if let Some(effects) = &mut self.effects {
            effects.stretch(slope, correction.intercept);
        }
        self.noise = noise;
    }

    /// w_d = v_d g_d
    pub(crate) fn weights(&self) -> Vec<f64> {
        self.v.iter().zip(self.g()).map(|(v, g)| v * g).collect()
    }

    /// Mean and variance of the latent score: x·w + b and, with u = Z(v o x) and B = Z'AZ,
    /// u'S_a u + x'(S_v o B)x + var b + 1/τ. What follows the features' values are those of the covariates.
    pub(crate) fn latent<'m>(&'m self) -> impl Fn(&[f64]) -> (f64, f64) + 'm {
        let g = self.g();
        let w = self.weights();
        let none = Dense::default();
        let z = match &self.z {
            Vectors::Values(z) => z,
            Vectors::Sums(_) => &none,
        };
        let spread = match &self.v_spread {
            Spread::Weights(var) => Spread::Weights(var.clone()),
            Spread::Independent(var) => {
                let b = z.transposed_products_diagonal(&self.a_cov);
                let with_mean = (0..var.len()).map(|d| var[d] * (b[d] + g[d] * g[d]));
                Spread::Independent(with_mean.collect())
            }
            Spread::Joint(cov) => {
                let mut b = z.transposed_product(&self.a_cov.product(z));
                for j in 0..g.len() {
                    for (i, entry) in b.col_mut(j).iter_mut().enumerate() {
                        *entry = (*entry + g[i] * g[j]) * cov.at(i, j);
                    }
                }
                Spread::Joint(b)
            }
        };
        let squares = |x: &[f64], weight: &[f64]| -> f64 {
            x.iter().zip(weight).map(|(x, w)| x * x * w).sum()
        };
        let of_vectors = move |x: &[f64]| match &self.z {
            Vectors::Sums(_) => 0.0,
            Vectors::Values(z) => {
                let scaled: Vec<f64> = x.iter().zip(&self.v).map(|(x, v)| x * v).collect();
                let u = z.times(&scaled);
                dot(&u, &self.a_cov.times(&u))
            }
        };
        move |row| {
            let (x, covariates) = row.split_at(self.v.len());
            let (b, b_var) = match &self.effects {
                None => (self.b, self.b_var),
                Some(effects) => effects.of(covariates),
            };
            let of_v = match &spread {
                Spread::Independent(weight) | Spread::Weights(weight) => squares(x, weight),
                Spread::Joint(matrix) => dot(x, &matrix.times(x)),
            };
            let variance = of_vectors(x) + of_v;
            (dot(x, &w) + b, variance.max(0.0) + b_var + self.noise)
        }
    }
}

/// sqrt(1 + π/8 variance): how much uncertainty moderates a latent score.
pub(crate) fn moderation(variance: f64) -> f64 {
    (1.0 + std::f64::consts::FRAC_PI_8 * variance).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(v_spread: Spread) -> Moments {
        let z = Dense::from_vec(2, 3, vec![0.3, -1.2, 0.7, 0.1, -0.4, 2.0]);
        Moments {
            v: vec![0.5, -0.2, 0.9],
            v_spread,
            a: vec![1.1, -0.6],
            a_cov: Dense::from_vec(2, 2, vec![0.4, 0.1, 0.1, 0.3]),
            z: Vectors::Values(z),
            b: 0.2,
            b_var: 0.05,
            effects: None,
            noise: 0.3,
        }
    }

    /// The variance of a score by the covariance of the weights is that of the predictive distribution, and the diagonal is
    /// what the weights' standard deviations are made of.
    #[test]
    fn the_covariance_of_the_weights_gives_the_variance_of_a_score() {
        let cov = vec![0.2, 0.03, -0.01, 0.03, 0.1, 0.02, -0.01, 0.02, 0.15];
        let spreads = [
            Spread::Joint(Dense::from_vec(3, 3, cov)),
            Spread::Independent(vec![0.2, 0.1, 0.15]),
            Spread::Weights(vec![0.2, 0.1, 0.15]),
        ];
        for spread in spreads {
            let mut moments = moments(spread);
            if matches!(moments.v_spread, Spread::Weights(_)) {
                moments.z = Vectors::Sums(vec![0.3, 0.2, -0.4]);
            }
            let covariance = moments.weight_covariance();
            for x in [[1.0, 0.0, 0.0], [0.4, -2.0, 1.3]] {
                let (_, variance) = moments.latent()(&x);
                let sum = covariance.of_score(&x) + moments.b_var + moments.noise;
                assert!((variance - sum).abs() < 1e-14 * variance);
            }
            for (variance, sd) in covariance.diagonal().iter().zip(moments.weight_sd()) {
                assert!((variance.sqrt() - sd).abs() < 1e-14 * sd);
            }
        }
    }
}
