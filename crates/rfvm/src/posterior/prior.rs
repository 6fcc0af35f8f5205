//! The gamma hyperpriors and the noise precision.

use serde::{Deserialize, Serialize};

use crate::data::Task;
use crate::error::{Error, positive};
use crate::numerics::special::ln_gamma;

/// A gamma hyperprior on precisions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Hyperprior {
    pub(crate) shape: f64,
    pub(crate) rate: f64,
}

impl Hyperprior {
    /// What a weight of this precision costs the bound, whatever it explains.
    pub(crate) fn price(&self, precision: f64) -> f64 {
        let (shape, alpha) = (self.shape, self.shape + 0.5);
        let scaled = self.rate * precision;
        ln_gamma(shape) - shape * scaled.ln() + scaled - alpha - ln_gamma(alpha)
            + alpha * alpha.ln()
    }
}

/// Shapes and rates of the three gamma hyperpriors: ψ over samples, δ over features, τ over the noise.
///
/// | name | default | range | purpose |
/// |---|---|---|---|
/// | `psi_shape`, `psi_rate` | 1/(N max(M, D)²), 1e-6 | > 0 | ψ_m ~ Gamma: sparsity over samples |
/// | `delta_shape`, `delta_rate` | 1/(N D²), 1e-6 | > 0 | δ_d ~ Gamma: sparsity over features |
/// | `tau_shape`, `tau_rate` | 1e-6 | > 0 | τ ~ Gamma: noise precision, where it is learned |
///
/// With [`crate::Signatures`] the shapes also set the price of a weight: a feature or a sample stays only if it
/// makes the data about 1/shape times likelier.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Hyper {
    pub psi_shape: f64,
    pub psi_rate: f64,
    pub delta_shape: f64,
    pub delta_rate: f64,
    pub tau_shape: f64,
    pub tau_rate: f64,
}

impl Hyper {
    pub(crate) fn psi(&self) -> Hyperprior {
        Hyperprior {
            shape: self.psi_shape,
            rate: self.psi_rate,
        }
    }

    pub(crate) fn delta(&self) -> Hyperprior {
        Hyperprior {
            shape: self.delta_shape,
            rate: self.delta_rate,
        }
    }

    /// The default for N samples, M candidates and D features: shapes 1/(N D²) for features and 1/(N max(M, D)²)
    /// for candidates, at most 1e-2, and 1e-6 for the rest. So a feature must make the data about N D² times
    /// likelier to stay beside others: the search among D is paid for, and the freedom of one more weight. In a
    /// regression it is the square root of that: there the scores are data, while those of a classification
    /// follow the fit and so make its gains look larger than they are.
    pub fn for_size(task: Task, samples: usize, candidates: usize, features: usize) -> Self {
        let (n, d) = (samples as f64, features as f64);
        let power = match task {
            Task::Classification => 1.0,
            Task::Regression => 0.5,
        };
        let shape = |count: f64| (n * count * count).powf(-power).min(1e-2);
        Self {
            psi_shape: shape(d.max(candidates as f64)),
            psi_rate: 1e-6,
            delta_shape: shape(d),
            delta_rate: 1e-6,
            tau_shape: 1e-6,
            tau_rate: 1e-6,
        }
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        positive("hyper.psi_shape", self.psi_shape)?;
        positive("hyper.psi_rate", self.psi_rate)?;
        positive("hyper.delta_shape", self.delta_shape)?;
        positive("hyper.delta_rate", self.delta_rate)?;
        positive("hyper.tau_shape", self.tau_shape)?;
        positive("hyper.tau_rate", self.tau_rate)
    }
}

/// The noise precision τ of the latent score.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tau {
    /// Updated in every iteration (always so in a regression).
    Learned,
    /// Held at this value.
    Held(f64),
}
