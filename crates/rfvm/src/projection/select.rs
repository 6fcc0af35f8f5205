//! The order in which features enter the small models: forward selection towards what the full model says.
//!
//! Each step takes the feature with the largest slope |x_d · (q - σ(f_S))| / √κ_d, where q lies between the full model's
//! probability and the label, κ_d is the feature's cost factor (1 once a feature of its panel has entered; times 1 + 2 ln D_g
//! where blocks are weighted apart), and f_S is the fit of the features so far, held small by a
//! common precision in proportion to the rows' weight. Small weights leave most of the residual standing, so that a feature
//! which tells much the same as those before may still come early and share the load: with weights fitted freely the order
//! chases noise (orthogonal matching pursuit), with none at all it is plain correlation.
//!
//! Of several classes each has its own q and its own fit, against the rest; the slope is then the root of the sum of squares of
//! the classes' slopes (group selection), and a feature that enters is there for all of them.
//!
//! The fit on all rows and those without the rows of a fold take their steps together: they share one pass over the
//! data, a product of all features with all residuals, where each alone would have to fetch the whole table from memory.

use std::collections::HashSet;
use std::iter;

use super::products::over_features;
use crate::inference::penalised::Penalised;
use crate::inference::prepare::Prepared;
use crate::numerics::linalg::Dense;
use crate::numerics::progress::Progress;
use crate::posterior::effects::PRECISION;

/// One order of entry: what its rows are to be told, and which features have entered.
#[derive(Debug)]
pub(crate) struct ForwardSelection {
    /// q_n of every output: of each class against the rest, or the only one.
    targets: Vec<Vec<f64>>,
    /// c_n; 0 where a row is held back.
    weight: Vec<f64>,
    pub(crate) order: Vec<usize>,
    /// Intercept, effects of covariates, and weights of the features that have entered, of every output.
    coefficients: Vec<Vec<f64>>,
}

impl ForwardSelection {
    pub(crate) fn new(targets: Vec<Vec<f64>>, weight: Vec<f64>) -> Self {
        Self {
            coefficients: vec![Vec::new(); targets.len()],
            targets,
            weight,
            order: Vec::new(),
        }
    }

    /// Of every output, intercept, effects of covariates and weights of what has entered, fitted anew from where they were,
    /// and the residual c (q - σ(f)).
    fn fit(&self, data: &Prepared, strength: f64) -> Vec<(Vec<f64>, Vec<f64>)> {
        let total: f64 = self.weight.iter().sum();
        let mut columns = data.design.values().to_vec();
        for &d in &self.order {
            columns.extend_from_slice(data.column(d));
        }
        let always = data.design.cols();
        let regressors = Dense::from_vec(data.samples, always + self.order.len(), columns);
        let costs = data.entry_costs(&self.order);
        let costs = costs.into_iter().map(|cost| strength * total * cost);
        let prior: Vec<f64> = iter::repeat_n(PRECISION, always).chain(costs).collect();
        let of = |(target, coefficients): (&Vec<f64>, &Vec<f64>)| {
            let fit = Penalised {
                task: data.task,
                target,
                weight: &self.weight,
                regressors: &regressors,
                prior: &prior,
            };
            fit.fit(coefficients)
        };
        self.targets
            .iter()
            .zip(&self.coefficients)
            .map(of)
            .collect()
    }
}

/// Lets the first `count` features enter every order; `go_on` hears of every step. `None` after a break.
pub(crate) fn select(
    data: &Prepared,
    mut orders: Vec<ForwardSelection>,
    count: usize,
    strength: f64,
    watch: &mut Progress,
) -> Option<Vec<ForwardSelection>> {
    for _ in 0..count.min(data.names.len()) {
        let fits = watch.run(orders.len(), |k, _| orders[k].fit(data, strength))?;
        let outputs = orders.first().map_or(1, |order| order.targets.len());
        let mut residuals = Dense::zeros(orders.len() * outputs, data.samples);
        for (k, (order, fits)) in orders.iter_mut().zip(fits).enumerate() {
            for (at, (coefficients, residual)) in fits.into_iter().enumerate() {
                order.coefficients[at] = coefficients;
                for (n, value) in residual.into_iter().enumerate() {
                    residuals.col_mut(n)[k * outputs + at] = value;
                }
            }
        }
        // A panel that an order has bought from costs nothing more.
        let bought: Vec<HashSet<usize>> = (orders.iter())
            .map(|order| {
                (order.order.iter())
                    .filter_map(|&d| data.panel(d))
                    .collect()
            })
            .collect();
        let none = vec![(0, -1.0); orders.len()];
        let steepest = |best: &mut Vec<(usize, f64)>, d: usize, slopes: &[f64]| {
            let (panel, chance) = (data.panel(d), data.block_chance(d));
            let width = (data.cost(d) * chance).sqrt().recip();
            let of_orders = slopes.chunks_exact(outputs);
            for (((best, order), slopes), bought) in
                best.iter_mut().zip(&orders).zip(of_orders).zip(&bought)
            {
                let width = match panel.is_some_and(|panel| bought.contains(&panel)) {
                    true => chance.sqrt().recip(),
                    false => width,
                };
                let slope = steepness(slopes) * width;
                if slope > best.1 && !order.order.contains(&d) {
                    *best = (d, slope);
                }
            }
        };
        // For every order, the feature of each job with the largest slope that has not entered.
        let parts = over_features(data, &residuals, watch, none, steepest)?;
        for (k, order) in orders.iter_mut().enumerate() {
            let mut best = (0, -1.0);
            for part in &parts {
                if part[k].1 > best.1 {
                    best = part[k];
                }
            }
            order.order.push(best.0);
        }
        watch.step();
    }
    Some(orders)
}

/// How steep the slopes of all outputs are together.
fn steepness(slopes: &[f64]) -> f64 {
    match slopes {
        [only] => only.abs(),
        several => several
            .iter()
            .map(|slope| slope * slope)
            .sum::<f64>()
            .sqrt(),
    }
}
