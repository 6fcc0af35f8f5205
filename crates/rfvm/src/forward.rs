//! The order in which features enter the signature path.
//!
//! Each step takes the feature with the largest slope |x_d · residual|: the one that, entering with a small weight,
//! raises the likelihood most (the numerator of section 5's cavity: h_d² is largest). Then all weights are fitted anew,
//! held small by a precision as large as the data's own information (λ = Σ c). Small weights leave most of the residual
//! standing, so that a feature which tells much the same as those before may still come early and share the load:
//! with weights fitted freely the order chases noise, with none at all it is plain correlation. Where features have cost
//! factors κ_d, the slope is that of the feature in units of its prior's width, |x_d · residual| / √κ_d.
//!
//! The fit on all rows and those without the rows of a fold take their steps together: they share one pass over the
//! data, a product of all features with all residuals, where each alone would have to fetch the whole table from memory.

use std::ops::ControlFlow;

use crate::linalg::{Dense, multiply};
use crate::prepare::Prepared;
use crate::ridge::{Likelihood, Ridge};
use crate::watched::watched;

/// Values in a block of features: it stays in a core's own cache.
const BLOCK_VALUES: usize = 1 << 15;
/// The features are cut into about this many jobs, whatever the number of threads, so that the sums are the same.
const JOBS: usize = 64;

/// One way through the features: the weights of its rows (0 where a row is held back) and what has entered.
#[derive(Debug)]
pub(crate) struct Road {
    pub(crate) weight: Vec<f64>,
    pub(crate) order: Vec<usize>,
    coefficients: Vec<f64>,
}

impl Road {
    pub(crate) fn new(weight: Vec<f64>) -> Self {
        Self {
            weight,
            order: Vec::new(),
            coefficients: Vec::new(),
        }
    }
}

/// Lets the first `count` features enter on every road. `go_on` hears the number of steps done; `None` after a break.
pub(crate) fn walk(
    prepared: &Prepared,
    mut roads: Vec<Road>,
    count: usize,
    threads: usize,
    go_on: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> Option<Vec<Road>> {
    for done in 0..count.min(prepared.names.len()) {
        let go_on = &mut || go_on(done);
        let fits = watched(
            threads,
            roads.len(),
            |k| prepared.fit_road(&roads[k]),
            go_on,
        )?;
        let mut residuals = Dense::zeros(roads.len(), prepared.samples);
        for (k, (road, (coefficients, residual))) in roads.iter_mut().zip(fits).enumerate() {
            road.coefficients = coefficients;
            for (n, value) in residual.into_iter().enumerate() {
                residuals.col_mut(n)[k] = value;
            }
        }
        let features = prepared.names.len();
        let share = features.div_ceil(JOBS);
        let steepest = |job: usize| {
            let from = job * share;
            prepared.steepest(&roads, &residuals, from..(from + share).min(features))
        };
        let parts = watched(threads, features.div_ceil(share), steepest, go_on)?;
        for (k, road) in roads.iter_mut().enumerate() {
            let mut best = (0, -1.0);
            for part in &parts {
                if part[k].1 > best.1 {
                    best = part[k];
                }
            }
            road.order.push(best.0);
        }
    }
    Some(roads)
}

impl Prepared {
    /// The standardised values of one feature.
    pub(crate) fn column(&self, d: usize) -> &[f64] {
        &self.values[d * self.samples..(d + 1) * self.samples]
    }

    /// The fit of some features, with their cost factors, where rows have these weights.
    pub(crate) fn ridge<'a>(&'a self, features: &[usize], weight: &'a [f64]) -> Ridge<'a> {
        let likelihood = Likelihood {
            task: self.task,
            target: &self.target,
            weight,
        };
        let columns = features.iter().map(|&d| self.column(d));
        let costs = features.iter().map(|&d| self.cost(d)).collect();
        Ridge::new(columns, likelihood).with_costs(costs)
    }

    /// The weights of what has entered and the residual they leave.
    fn fit_road(&self, road: &Road) -> (Vec<f64>, Vec<f64>) {
        let ridge = self.ridge(&road.order, &road.weight);
        let coefficients = ridge.solve(road.weight.iter().sum(), &road.coefficients);
        let residual = ridge.residual(&coefficients);
        (coefficients, residual)
    }

    /// For every road, the feature of the range with the largest slope that has not entered, and that slope.
    fn steepest(
        &self,
        roads: &[Road],
        residuals: &Dense,
        range: std::ops::Range<usize>,
    ) -> Vec<(usize, f64)> {
        let width = (BLOCK_VALUES / self.samples).max(1);
        let mut slopes = vec![0.0; roads.len() * width];
        let mut best = vec![(0, -1.0); roads.len()];
        for from in range.clone().step_by(width) {
            let to = (from + width).min(range.end);
            let slopes = &mut slopes[..roads.len() * (to - from)];
            let block = &self.values[from * self.samples..to * self.samples];
            multiply(slopes, residuals, block);
            for (d, slopes) in (from..to).zip(slopes.chunks_exact(roads.len())) {
                let width = self.cost(d).sqrt().recip();
                for ((best, road), slope) in best.iter_mut().zip(roads).zip(slopes) {
                    let slope = slope.abs() * width;
                    if slope > best.1 && !road.order.contains(&d) {
                        *best = (d, slope);
                    }
                }
            }
        }
        best
    }
}
