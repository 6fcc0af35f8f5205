//! One signature: the few features and relevance vectors of one fit, with their posterior moments.

use serde::{Deserialize, Serialize};

use crate::calibrate::Correction;
use crate::linalg::{Dense, dot};
use crate::narrow::Narrow;
use crate::scale::Scale;
use crate::state::State;

/// Why a fit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The weights (structured) or the bound (mean-field) settled to the tolerance.
    Converged,
    /// The iteration limit was reached first.
    IterationLimit,
    /// The callback stopped the fit; the model is the last iteration's.
    Interrupted,
    /// No feature carries signal: the model predicts the base rate.
    NoSignal,
    /// The arithmetic broke down; the model is the last sound iteration's, or the base rate.
    Breakdown,
}

/// Which part of a fit an iteration belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// A mean-field iteration.
    MeanField,
    /// A wide iteration of [`crate::Signatures`].
    Wide,
    /// A narrow iteration of [`crate::Signatures`].
    Narrow,
    /// The projection of the full posterior onto few features; to a callback, a step of all the work on a path.
    Path,
}

/// What is known after one iteration.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Iteration {
    /// Number of the signature being fitted, from 1.
    pub signature: usize,
    /// Number of the iteration, from 1.
    pub number: usize,
    /// The phase it belongs to.
    pub phase: Phase,
    /// The bound on the log evidence; `None` in the wide phase and for a projection, which have none.
    pub bound: Option<f64>,
    /// Active features.
    pub features: usize,
    /// Active candidates for relevance vectors.
    pub vectors: usize,
}

/// A selected feature.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Feature {
    /// Name of the column.
    pub name: String,
    /// Its scale on the training rows.
    pub scale: Scale,
    /// What takes the place of a missing value; `None`: a missing value is an error.
    pub median: Option<f64>,
    /// w = v (z · a), per standard deviation: above 0 it speaks for the positive class.
    pub weight: f64,
    /// Posterior standard deviation of w given the relevance vectors, the latent scores integrated out (Laplace).
    pub sd: f64,
    /// ⟨v⟩ without its sign. It is the size of w that the relevance vectors' own values do not explain: compare
    /// it within a signature, never between two.
    pub relevance: f64,
}

impl Feature {
    /// The class this feature speaks for when it is high, as a position in the model's classes.
    pub fn class(&self) -> usize {
        usize::from(self.weight > 0.0)
    }
}

/// A sample that defines the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RelevanceVector {
    /// Name of the sample (or of the new point).
    pub sample: String,
    /// ⟨a⟩
    pub coefficient: f64,
}

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

/// One fitted signature.
#[derive(Debug, Clone, PartialEq)]
pub struct Signature {
    pub(crate) features: Vec<Feature>,
    pub(crate) vectors: Vec<RelevanceVector>,
    pub(crate) moments: Moments,
    pub(crate) trace: Vec<Iteration>,
    pub(crate) evidence: Option<f64>,
    pub(crate) stop: StopReason,
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
    /// 1/τ
    pub(crate) noise: f64,
}

impl Moments {
    pub(crate) fn from_narrow(narrow: &Narrow) -> Self {
        Self {
            v: narrow.v.clone(),
            v_spread: Spread::Joint(narrow.v_cov.clone()),
            a: narrow.a.clone(),
            a_cov: narrow.a_cov.clone(),
            z: Vectors::Values(narrow.z.clone()),
            b: narrow.latent.b,
            b_var: narrow.latent.b_var,
            noise: 1.0 / narrow.latent.tau,
        }
    }

    pub(crate) fn from_state(state: &State) -> Self {
        Self {
            v: state.features.v.clone(),
            v_spread: Spread::Independent(state.features.v_var.clone()),
            a: state.a.clone(),
            a_cov: state.a_cov.clone(),
            z: Vectors::Values(state.candidate_values()),
            b: state.latent.b,
            b_var: state.latent.b_var,
            noise: 1.0 / state.latent.tau,
        }
    }

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
        self.noise = noise;
    }

    /// w_d = v_d g_d
    pub(crate) fn weights(&self) -> Vec<f64> {
        self.v.iter().zip(self.g()).map(|(v, g)| v * g).collect()
    }

    /// Mean and variance of the latent score: x·w + b and, with u = Z(v o x) and B = Z'AZ,
    /// u'S_a u + x'(S_v o B)x + var b + 1/τ.
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
        move |x| {
            let of_v = match &spread {
                Spread::Independent(weight) | Spread::Weights(weight) => squares(x, weight),
                Spread::Joint(matrix) => dot(x, &matrix.times(x)),
            };
            let variance = of_vectors(x) + of_v;
            (
                dot(x, &w) + self.b,
                variance.max(0.0) + self.b_var + self.noise,
            )
        }
    }
}

impl Signature {
    /// The selected features, largest |weight| first.
    pub fn features(&self) -> &[Feature] {
        &self.features
    }

    /// The relevance vectors, largest |coefficient| first.
    pub fn vectors(&self) -> &[RelevanceVector] {
        &self.vectors
    }

    /// Bound and active-set sizes, iteration by iteration (thinned in a model read from a file).
    pub fn trace(&self) -> &[Iteration] {
        &self.trace
    }

    /// Why the fit ended.
    pub fn stop_reason(&self) -> StopReason {
        self.stop
    }

    /// The bound after the last iteration.
    pub fn bound(&self) -> Option<f64> {
        self.trace.last().and_then(|iteration| iteration.bound)
    }

    /// Log Bayes factor (in nats, a lower bound of it) of this signature against the base rate; `None` for
    /// mean-field fits and for a base-rate model. It is given the selection: the best of D features that know
    /// nothing reaches up to about ln D, so less than that may be chance.
    pub fn evidence(&self) -> Option<f64> {
        self.evidence
    }

    /// The bias b: its mean and variance.
    pub fn bias(&self) -> (f64, f64) {
        (self.moments.b, self.moments.b_var)
    }

    /// The noise variance 1/τ of the latent score.
    pub fn noise(&self) -> f64 {
        self.moments.noise
    }

    /// Latent mean and variance of every sample, from the raw values of the selected features.
    pub(crate) fn latent(&self, columns: &[Vec<f64>], samples: usize) -> Vec<(f64, f64)> {
        let latent = self.moments.latent();
        let mut x = vec![0.0; self.features.len()];
        (0..samples)
            .map(|n| {
                for ((x, feature), column) in x.iter_mut().zip(&self.features).zip(columns) {
                    let known = feature
                        .median
                        .filter(|_| column[n].is_nan())
                        .unwrap_or(column[n]);
                    *x = feature.scale.apply(known);
                }
                latent(&x)
            })
            .collect()
    }
}
