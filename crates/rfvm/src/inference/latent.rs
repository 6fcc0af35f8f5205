//! The latent scores y with their bias, noise and the logistic bound: the updates every method of signatures shares.

use crate::data::Task;
use crate::numerics::linalg::{Dense, NotPositive, dot};
use crate::numerics::special::{digamma, jj_lambda, ln_gamma, log1p_exp, sigmoid};
use crate::posterior::effects::Effects;
use crate::posterior::prior::Hyper;

pub(crate) const LN_2PI: f64 = 1.837_877_066_409_345_6;

/// q(y), q(b) and q(τ) with the variational ξ, given the target and the rows' weights.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Latent<'a> {
    pub(crate) task: Task,
    /// t_n in {0, 1}, or the standardised target of a regression.
    pub(crate) target: &'a [f64],
    /// c_n
    pub(crate) weight: &'a [f64],
    pub(crate) y: Vec<f64>,
    pub(crate) y_var: Vec<f64>,
    pub(crate) xi: Vec<f64>,
    pub(crate) b: f64,
    pub(crate) b_var: f64,
    /// β beside b, where there are covariates.
    pub(crate) adjusted: Option<Adjusted>,
    pub(crate) tau: f64,
    /// Rate of q(τ); unused where τ is held.
    tau_rate: f64,
    tau_held: bool,
    hyper: Hyper,
}

/// Covariates of the rows (ones first), their effects, and what these add to each row's score beside b.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Adjusted {
    design: Dense,
    pub(crate) effects: Effects,
    offset: Vec<f64>,
    /// Σ of the variances of the rows' biases.
    variance: f64,
}

impl<'a> Latent<'a> {
    /// With covariates, the first column of which is all ones; as it was where there are no more.
    pub(crate) fn adjusted_for(mut self, design: Dense) -> Self {
        let columns = design.cols();
        if columns > 1 {
            self.adjusted = Some(Adjusted {
                effects: Effects {
                    mean: vec![0.0; columns],
                    cov: Dense::identity(columns),
                },
                offset: vec![0.0; design.rows()],
                variance: 0.0,
                design,
            });
        }
        self
    }

    /// b, with what the covariates add.
    pub(crate) fn bias(&self, n: usize) -> f64 {
        self.b + self.adjusted.as_ref().map_or(0.0, |own| own.offset[n])
    }

    pub(crate) fn start(
        task: Task,
        target: &'a [f64],
        weight: &'a [f64],
        hyper: Hyper,
        tau_held: Option<f64>,
    ) -> Self {
        let n = target.len();
        let (y, y_var) = match task {
            Task::Classification => (target.iter().map(|t| 2.0 * t - 1.0).collect(), vec![1.0; n]),
            Task::Regression => (target.to_vec(), vec![0.0; n]),
        };
        Self {
            task,
            target,
            weight,
            y,
            y_var,
            xi: vec![1.0; n],
            b: 0.0,
            b_var: 1.0,
            adjusted: None,
            tau: tau_held.unwrap_or(1.0),
            tau_rate: 1.0,
            tau_held: tau_held.is_some(),
            hyper,
        }
    }

    /// y - b
    pub(crate) fn centred(&self) -> Vec<f64> {
        let rows = self.y.iter().enumerate();
        rows.map(|(n, y)| y - self.bias(n)).collect()
    }

    /// b: var = 1/(N τ + 1), mean = τ var Σ (y_n - f_n); with covariates jointly with their effects
    pub(crate) fn update_b(&mut self, f: &[f64]) {
        if let Some(mut own) = self.adjusted.take() {
            let gap: Vec<f64> = self.y.iter().zip(f).map(|(y, f)| y - f).collect();
            // Under a prior on every effect it cannot fail but for numbers that are none, which every caller looks for.
            if own.update(self.tau, &gap).is_err() {
                self.b = f64::NAN;
            } else {
                self.b = own.effects.mean[0];
                self.b_var = own.effects.cov.at(0, 0);
            }
            self.adjusted = Some(own);
            return;
        }
        self.b_var = 1.0 / (self.y.len() as f64 * self.tau + 1.0);
        let gap: f64 = self.y.iter().zip(f).map(|(y, f)| y - f).sum();
        self.b = self.tau * self.b_var * gap;
    }

    /// R = E Σ (y_n - f_n - b)², where `f_square` = E Σ f_n²
    pub(crate) fn residual(&self, f: &[f64], f_square: f64) -> f64 {
        let n = self.y.len() as f64;
        let second: f64 = self
            .y
            .iter()
            .zip(&self.y_var)
            .map(|(y, var)| y * y + var)
            .sum();
        let r = second - 2.0 * dot(&self.centred(), f) + f_square + self.bias_square(n)
            - 2.0 * self.bias_times_y();
        // The exact value is never negative; rounding may make it so in a perfect fit.
        r.max(f64::MIN_POSITIVE)
    }

    /// E Σ of the squared biases.
    fn bias_square(&self, n: f64) -> f64 {
        match &self.adjusted {
            None => n * (self.b * self.b + self.b_var),
            Some(own) => {
                let squares = own.offset.iter().map(|offset| (self.b + offset).powi(2));
                squares.sum::<f64>() + own.variance
            }
        }
    }

    fn bias_times_y(&self) -> f64 {
        match &self.adjusted {
            None => self.b * self.y.iter().sum::<f64>(),
            Some(_) => self
                .y
                .iter()
                .enumerate()
                .map(|(n, y)| y * self.bias(n))
                .sum(),
        }
    }

    /// τ = (shape + N/2) / (rate + R/2), unless it is held
    pub(crate) fn update_tau(&mut self, f: &[f64], f_square: f64) {
        if self.tau_held {
            return;
        }
        self.tau_rate = self.hyper.tau_rate + 0.5 * self.residual(f, f_square);
        self.tau = (self.hyper.tau_shape + 0.5 * self.y.len() as f64) / self.tau_rate;
    }

    /// ξ_n = sqrt(y_n² + var y_n)
    pub(crate) fn update_xi(&mut self) {
        for ((xi, y), var) in self.xi.iter_mut().zip(&self.y).zip(&self.y_var) {
            *xi = (y * y + var).sqrt();
        }
    }

    /// y_n: var = 1/(τ + 2 c_n λ_n), mean = var (c_n (t_n - 1/2) + τ (f_n + b)); observed in a regression
    pub(crate) fn update_y(&mut self, f: &[f64]) {
        if self.task == Task::Regression {
            return;
        }
        for (n, &f) in f.iter().enumerate() {
            let c = self.weight[n];
            let var = 1.0 / (self.tau + 2.0 * c * jj_lambda(self.xi[n]));
            self.y_var[n] = var;
            self.y[n] = var * (c * (self.target[n] - 0.5) + self.tau * (f + self.bias(n)));
        }
    }

    /// ω_n = 2 c λ τ / (τ + 2 c λ) and τ c (t_n - 1/2) / (τ + 2 c λ): what is left of the likelihood of f + b
    /// when y is eliminated; `None` where y is observed.
    pub(crate) fn eliminated(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        if self.task == Task::Regression {
            return None;
        }
        let each = (0..self.y.len()).map(|n| {
            let (c, tau) = (self.weight[n], self.tau);
            let curvature = 2.0 * c * jj_lambda(self.xi[n]);
            let share = tau / (tau + curvature);
            (curvature * share, c * (self.target[n] - 0.5) * share)
        });
        Some(each.unzip())
    }

    /// The curvature of -ln p(t_n | f_n), y integrated out: κ² p (1 - p) with p = σ(κ (f_n + b)) and
    /// κ² = 1 / (1 + π/(8 τ)), times c_n; τ where y is observed.
    pub(crate) fn curvature(&self, f: &[f64]) -> Vec<f64> {
        if self.task == Task::Regression {
            return vec![self.tau; f.len()];
        }
        let squash = 1.0 / (1.0 + std::f64::consts::FRAC_PI_8 / self.tau);
        f.iter()
            .zip(self.weight)
            .map(|(f, weight)| {
                let p = sigmoid(squash.sqrt() * (f + self.b));
                weight * squash * p * (1.0 - p)
            })
            .collect()
    }

    /// The bound's terms of y, b, τ and the data: likelihood, E ln p(y|.), priors and entropies
    pub(crate) fn bound(&self, f: &[f64], f_square: f64) -> f64 {
        let n = self.y.len() as f64;
        let (e_ln_tau, tau_terms) = if self.tau_held {
            (self.tau.ln(), 0.0)
        } else {
            let (shape0, rate0) = (self.hyper.tau_shape, self.hyper.tau_rate);
            let shape = shape0 + 0.5 * n;
            let e_ln = digamma(shape) - self.tau_rate.ln();
            let terms =
                gamma_prior(shape0, rate0, e_ln, self.tau) + gamma_entropy(shape, self.tau_rate);
            (e_ln, terms)
        };
        let scores = 0.5 * n * (e_ln_tau - LN_2PI) - 0.5 * self.tau * self.residual(f, f_square);
        let bias = 0.5 * (1.0 + self.b_var.ln() - self.b * self.b - self.b_var);
        self.likelihood() + scores + tau_terms + bias
    }

    /// The bound of the model without features, at its optimum
    pub(crate) fn base_rate_bound(&self) -> f64 {
        let mut latent = self.clone();
        let f = vec![0.0; self.y.len()];
        let mut bound = f64::NEG_INFINITY;
        for _ in 0..1000 {
            latent.update_b(&f);
            latent.update_tau(&f, 0.0);
            latent.update_xi();
            latent.update_y(&f);
            let before = bound;
            bound = latent.bound(&f, 0.0);
            if bound - before < 1e-6 {
                break;
            }
        }
        bound
    }

    /// Σ c_n E ln h(y_n, ξ_n) and the entropy of q(y); nothing where y is observed
    fn likelihood(&self) -> f64 {
        if self.task == Task::Regression {
            return 0.0;
        }
        (0..self.y.len())
            .map(|n| {
                let (y, var, xi) = (self.y[n], self.y_var[n], self.xi[n]);
                let ln_h = -log1p_exp(-xi) + (self.target[n] - 0.5) * y
                    - 0.5 * xi
                    - jj_lambda(xi) * (y * y + var - xi * xi);
                self.weight[n] * ln_h + 0.5 * (LN_2PI + 1.0 + var.ln())
            })
            .sum()
    }
}

impl Adjusted {
    fn update(&mut self, tau: f64, gap: &[f64]) -> Result<(), NotPositive> {
        let all = vec![1.0; gap.len()];
        self.effects = Effects::update(&self.design, &all, tau, gap)?;
        let intercept = self.effects.mean[0];
        let biases = self.effects.biases(&self.design);
        self.offset = biases.into_iter().map(|bias| bias - intercept).collect();
        let along = self.design.product(&self.effects.cov);
        let products = along.values().iter().zip(self.design.values());
        self.variance = products.map(|(a, b)| a * b).sum();
        Ok(())
    }
}

/// E ln Gamma(p | shape, rate) under q, given ⟨ln p⟩ and ⟨p⟩
fn gamma_prior(shape: f64, rate: f64, e_ln: f64, mean: f64) -> f64 {
    shape * rate.ln() - ln_gamma(shape) + (shape - 1.0) * e_ln - rate * mean
}

/// The entropy of Gamma(shape, rate)
fn gamma_entropy(shape: f64, rate: f64) -> f64 {
    shape - rate.ln() + ln_gamma(shape) + (1.0 - shape) * digamma(shape)
}

/// E a_m² of every candidate, from means and variances.
pub(super) fn second_moments<'a>(
    a: &'a [f64],
    variances: impl IntoIterator<Item = f64> + 'a,
) -> impl Iterator<Item = f64> + 'a {
    a.iter().zip(variances).map(|(a, var)| a * a + var)
}

/// ⟨p⟩ = (shape + 1/2) / (rate + E w²/2): the update of an ARD precision
pub(crate) fn ard_mean(shape: f64, rate: f64, second_moment: f64) -> f64 {
    (shape + 0.5) / (rate + 0.5 * second_moment)
}

/// Σ over weights of E ln p(w|p) + E ln p(p) + entropy of q(p), for ARD precisions of means p and weights of
/// second moments s. With α = shape + 1/2 it is, each,
/// C + α ln p - p s / 2 - rate p,  C = shape ln rate - ln Γ(shape) + α + ln Γ(α) - α ln α - ln(2π)/2
pub(crate) fn ard_bound(
    shape: f64,
    rate: f64,
    precision_and_second: impl Iterator<Item = (f64, f64)>,
) -> f64 {
    let alpha = shape + 0.5;
    let constant = shape * rate.ln() - ln_gamma(shape) + alpha + ln_gamma(alpha)
        - alpha * alpha.ln()
        - 0.5 * LN_2PI;
    // One logarithm for four precisions: they are far from the square root of the largest number.
    let (mut count, mut logs, mut product, mut rest) = (0, 0.0, 1.0, 0.0);
    for (precision, second) in precision_and_second {
        count += 1;
        product *= precision;
        if count % 4 == 0 {
            logs += product.ln();
            product = 1.0;
        }
        rest += precision * (0.5 * second + rate);
    }
    count as f64 * constant + alpha * (logs + product.ln()) - rest
}
