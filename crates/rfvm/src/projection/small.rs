//! A small RFVM that says what the full one says: the narrow phase on a few chosen features, fitted to scores.
//!
//! The full model's scores stand where the labels would, half of each row's own pull on its score left out (`full.rs`): y,
//! observed, with precision τ h_n, where h_n = p_n (1 - p_n) over its mean makes the fit the projection of least
//! Kullback-Leibler divergence to second order, and 1/τ is a share of the scores' variance. With ⟨vv'⟩ = vv' + S_v,
//! G = X'HX, c = X'H(y - b), g = Z'a and A = S_a + aa':
//!
//! ```text
//! S_a = [ τ Z (⟨vv'⟩ o G) Z' + diag ψ ]^-1,   a = τ S_a Z (v o c)        ψ at its fixed point: relevance vectors
//! S_v = [ τ (Z'AZ) o G + δ diag κ ]^-1,       v = τ S_v (g o c)          δ = k / Σ κ_d ⟨v_d²⟩: one for all
//! b   : var = 1/(τ Σh + 1),                   mean = τ var Σ h (y - f)
//! ```
//!
//! Of several classes each has scores y, weights h, a, ψ and b of its own (`output.rs`), and v is one for all: what stands in
//! S_v and v behind τ is then a sum over the classes.
//!
//! Covariates stand beside b in every small model, unpenalised (`posterior/effects.rs`).
//!
//! One δ for all (times a feature's cost factor κ), because a feature that was chosen for its fit must not also choose how
//! little it is shrunk.
//!
//! τ says how closely the full model is followed, not how much is known: with it the covariances would be those of a
//! projection whose target is certain. So the last covariances are made with the precision of the labels in its place,
//! which is Laplace's approximation around the projected means.

use super::output::{OutputPosterior, OutputScores, weighed};
use crate::numerics::linalg::{Cholesky, Dense, NotPositive, dot};
use crate::posterior::moments::{Moments, Spread, Vectors};

/// Iterations after which a fit ends whether or not its weights have settled.
const ITERATIONS: usize = 100;
/// The largest change of a weight, relative to the largest weight, that counts as settled.
const TOLERANCE: f64 = 1e-4;

/// What a small model is fitted to.
pub(crate) struct Scores<'s> {
    /// Those of each class against the rest; of two classes and of a number one.
    pub(crate) outputs: &'s [OutputScores],
    /// 1/τ as a share of the scores' variance.
    pub(crate) noise: f64,
    /// What stands for τ in the covariances: the precision that a label gives a score, on average.
    pub(crate) label_precision: f64,
    /// κ_d of the features.
    pub(crate) cost: &'s [f64],
    /// Ones, then covariates.
    pub(crate) design: &'s Dense,
}

/// The posterior of a small model.
#[derive(Debug, Clone)]
pub(crate) struct Small {
    v: Vec<f64>,
    v_cov: Dense,
    delta: f64,
    outputs: Vec<OutputPosterior>,
    tau: f64,
    pub(crate) iterations: usize,
    pub(crate) settled: bool,
}

impl Small {
    /// Fits features `x` (N x k, the candidates among their own rows) from weights in proportion to `start`.
    pub(crate) fn fit(x: &Dense, scores: &Scores, start: &[f64]) -> Result<Self, NotPositive> {
        let gram = |of: &OutputScores| x.weighted_gram(&of.weight);
        let grams: Vec<Dense> = scores.outputs.iter().map(gram).collect();
        let mut small = Self::start(x, scores, start)?;
        let mut weights = vec![0.0; small.v.len() * scores.outputs.len()];
        for iteration in 1..=ITERATIONS {
            let candidates = small.candidates();
            let pulls = small.update_a(x, &grams, scores, iteration > 1);
            small.update_v(&grams, &pulls, scores.cost)?;
            let now: Vec<f64> = (0..grams.len()).flat_map(|at| small.weights(at)).collect();
            let own = small.outputs.iter_mut().zip(scores.outputs);
            for ((output, scores_of), now) in own.zip(now.chunks_exact(x.cols())) {
                output.update_b(x, scores_of, scores.design, small.tau, now)?;
            }
            small.iterations = iteration;
            let largest = now.iter().fold(0.0, |max: f64, w| max.max(w.abs()));
            if !largest.is_finite() {
                return Err(NotPositive);
            }
            let close = |(now, before): (&f64, &f64)| (now - before).abs() <= TOLERANCE * largest;
            small.settled = candidates == small.candidates() && now.iter().zip(&weights).all(close);
            // The first iteration drops no candidate, so that the second cannot be the end.
            if small.settled && iteration > 2 {
                break;
            }
            weights = now;
        }
        small.widen(x, &grams, scores)?;
        Ok(small)
    }

    /// How many candidates are left, those of every output counted.
    fn candidates(&self) -> usize {
        self.outputs
            .iter()
            .map(|output| output.vectors().len())
            .sum()
    }

    /// Covariances with the precision of the labels instead of τ; the means stay.
    fn widen(&mut self, z: &Dense, grams: &[Dense], scores: &Scores) -> Result<(), NotPositive> {
        let tau = scores.label_precision;
        let v_precision = self.v_precision(grams, tau, scores.cost);
        for ((output, gram), of) in self.outputs.iter_mut().zip(grams).zip(scores.outputs) {
            let kernel = weighed(&self.v, &self.v_cov, gram, tau);
            output.widen(z, kernel, of, scores.design, tau)?;
        }
        self.v_cov = Cholesky::new(v_precision)?.inverse();
        Ok(())
    }

    /// τ Σ (Z'AZ) o G + δ diag κ
    fn v_precision(&self, grams: &[Dense], tau: f64, cost: &[f64]) -> Dense {
        let mut each = self.outputs.iter().zip(grams);
        let of = |(output, gram): (&OutputPosterior, &Dense)| output.second_moments(gram, tau);
        let mut precision = each.next().map(of).unwrap_or_default();
        for more in each {
            precision.add(&of(more));
        }
        precision.add_diagonal(cost.iter().map(|cost| self.delta * cost));
        precision
    }

    fn start(x: &Dense, scores: &Scores, start: &[f64]) -> Result<Self, NotPositive> {
        let k = x.cols();
        let outputs = scores.outputs.iter();
        let outputs = outputs.map(|of| OutputPosterior::start(x, of, scores.design));
        let outputs = outputs.collect::<Result<Vec<_>, _>>()?;
        // The noise is a share of what the features have to explain, so that strong covariates do not blur it.
        let sums = outputs.iter().zip(scores.outputs);
        let (squares, total) = sums.fold((0.0, 0.0), |sum, (output, of)| {
            let total: f64 = of.weight.iter().sum();
            (sum.0 + output.unexplained(of), sum.1 + total)
        });
        let variance = squares / total;
        let norm = dot(start, start).sqrt();
        let v: Vec<f64> = match norm > 0.0 {
            true => start.iter().map(|v| v / norm).collect(),
            false => vec![(k as f64).powf(-0.5); k],
        };
        let mut v_cov = Dense::zeros(k, k);
        v_cov.add_diagonal(std::iter::repeat_n(1e-3 / k as f64, k));
        Ok(Self {
            delta: k as f64 / second_moment(&v, &v_cov, scores.cost),
            v,
            v_cov,
            outputs,
            tau: 1.0 / (scores.noise * variance).max(f64::MIN_POSITIVE),
            iterations: 0,
            settled: false,
        })
    }

    /// a of every output, and (with `settle`) ψ at its fixed points; gives the pulls c that they were made from.
    fn update_a(
        &mut self,
        z: &Dense,
        grams: &[Dense],
        scores: &Scores,
        settle: bool,
    ) -> Vec<Vec<f64>> {
        let own = self.outputs.iter_mut().zip(grams).zip(scores.outputs);
        own.map(|((output, gram), of)| {
            let pull = output.pull(z, of);
            // Without any candidate T = τ ⟨vv'⟩ o G and q = τ (v o c).
            let kernel = weighed(&self.v, &self.v_cov, gram, self.tau);
            let linear = self.v.iter().zip(&pull).map(|(v, c)| self.tau * v * c);
            output.update_a(z, kernel, linear.collect(), settle);
            pull
        })
        .collect()
    }

    fn update_v(
        &mut self,
        grams: &[Dense],
        pulls: &[Vec<f64>],
        cost: &[f64],
    ) -> Result<(), NotPositive> {
        let k = self.v.len();
        self.v_cov = Cholesky::new(self.v_precision(grams, self.tau, cost))?.inverse();
        let mut linear = vec![0.0; k];
        for (output, pull) in self.outputs.iter().zip(pulls) {
            for ((linear, g), c) in linear.iter_mut().zip(output.gains()).zip(pull) {
                *linear += self.tau * g * c;
            }
        }
        self.v = self.v_cov.times(&linear);
        self.delta = k as f64 / second_moment(&self.v, &self.v_cov, cost);
        Ok(())
    }

    /// w_d = v_d g_d of an output.
    pub(crate) fn weights(&self, output: usize) -> Vec<f64> {
        let gains = self.outputs[output].gains();
        self.v.iter().zip(gains).map(|(v, g)| v * g).collect()
    }

    /// The relevance vectors of an output, as rows of Z.
    pub(crate) fn vectors(&self, output: usize) -> &[usize] {
        self.outputs[output].vectors()
    }

    /// The moments that a prediction of an output needs, with the relevance vectors' values from Z.
    pub(crate) fn moments(&self, z: &Dense, output: usize) -> Moments {
        let output = &self.outputs[output];
        let (a, a_cov, values) = output.a(z);
        let (b, b_var) = output.bias();
        Moments {
            v: self.v.clone(),
            v_spread: Spread::Joint(self.v_cov.clone()),
            a,
            a_cov,
            z: Vectors::Values(values),
            b,
            b_var,
            effects: output.effects().cloned(),
            noise: 1.0 / self.tau,
        }
    }
}

/// Σ κ_d ⟨v_d²⟩
fn second_moment(v: &[f64], v_cov: &Dense, cost: &[f64]) -> f64 {
    let each = v.iter().zip(v_cov.diagonal()).zip(cost);
    each.map(|((v, var), cost)| cost * (v * v + var)).sum()
}
