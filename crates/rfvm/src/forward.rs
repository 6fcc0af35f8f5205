//! The order in which features enter the signature path.
//!
//! Each step takes the feature with the largest slope |x_d · residual|: the one that, entering with a small weight,
//! raises the likelihood most (the numerator of section 5's cavity: h_d² is largest). Then all weights are fitted anew,
//! held small by a precision as large as the data's own information (λ = Σ c). Small weights leave most of the residual
//! standing, so that a feature which tells much the same as those before may still come early and share the load:
//! with weights fitted freely the order chases noise, with none at all it is plain correlation. Where features have cost
//! factors κ_d, the slope is that of the feature in units of its prior's width, |x_d · residual| / √κ_d.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::linalg::dot;
use crate::prepare::Prepared;
use crate::ridge::{Likelihood, Ridge};

/// The first `count` features to enter, first to last; `None` where it was told to stop.
pub(crate) fn order(prepared: &Prepared, count: usize, stop: &AtomicBool) -> Option<Vec<usize>> {
    let likelihood = prepared.likelihood();
    let precision: f64 = prepared.weight.iter().sum();
    let columns = || prepared.values.chunks_exact(prepared.samples);
    let mut entered = vec![false; prepared.names.len()];
    let mut order = Vec::with_capacity(count);
    let mut coefficients = Vec::new();
    while order.len() < count.min(entered.len()) {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let ridge = prepared.ridge(&order);
        coefficients = ridge.solve(precision, &coefficients);
        let residual = likelihood.residual(&ridge.scores(&coefficients));
        let mut best = (0, -1.0);
        for (d, column) in columns().enumerate().filter(|(d, _)| !entered[*d]) {
            let slope = dot(column, &residual).abs() / prepared.cost[d].sqrt();
            if slope > best.1 {
                best = (d, slope);
            }
        }
        entered[best.0] = true;
        order.push(best.0);
    }
    Some(order)
}

impl Prepared {
    /// The standardised values of one feature.
    pub(crate) fn column(&self, d: usize) -> &[f64] {
        &self.values[d * self.samples..(d + 1) * self.samples]
    }

    /// These features, with their cost factors, against the target.
    pub(crate) fn ridge(&self, features: &[usize]) -> Ridge<'_> {
        let columns = features.iter().map(|&d| self.column(d));
        let costs = features.iter().map(|&d| self.cost[d]).collect();
        Ridge::new(columns, self.likelihood()).with_costs(costs)
    }

    pub(crate) fn likelihood(&self) -> Likelihood<'_> {
        Likelihood {
            task: self.task,
            target: &self.target,
            weight: &self.weight,
        }
    }
}
