//! Simulated studies with known truth: expression-like data for the demo, tests and benchmarks.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::data::{Dataset, Names, Table, Target};
use crate::error::Error;
use crate::numerics::random::standard_normal;

/// What to simulate.
///
/// | name | default | purpose |
/// |---|---|---|
/// | `samples` | 100 | subjects, half of them cases |
/// | `features` | 5000 | measured features |
/// | `informative` | 5 | features that differ between the classes |
/// | `effect` | 1.2 | shift of an informative feature between the classes, in standard deviations |
/// | `block` | 20 | features per correlated block; an informative one sits in a block of its own |
/// | `correlation` | 0.6 | correlation within a block |
/// | `seed` | 1 | seed of the random numbers |
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)]
pub struct Simulation {
    pub samples: usize,
    pub features: usize,
    pub informative: usize,
    pub effect: f64,
    pub block: usize,
    pub correlation: f64,
    pub seed: u64,
}

impl Default for Simulation {
    fn default() -> Self {
        Self {
            samples: 100,
            features: 5000,
            informative: 5,
            effect: 1.2,
            block: 20,
            correlation: 0.6,
            seed: 1,
        }
    }
}

/// A simulated study: the data and which features the classes truly differ in.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulatedData {
    /// The data, classes `control` and `case`.
    pub data: Dataset,
    /// Positions of the informative features, in order.
    pub truth: Vec<usize>,
}

impl Simulation {
    /// Draws the study. Features come in blocks that share a hidden factor, as co-expressed genes do; each
    /// informative feature is the first of a block and is shifted up or down in the cases.
    pub fn draw(&self) -> Result<SimulatedData, Error> {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let (n, block) = (self.samples, self.block.max(1));
        let labels: Vec<usize> = (0..n).map(|i| i % 2).collect();
        let blocks = self.features.div_ceil(block).max(1);
        let truth: Vec<usize> = (0..self.informative.min(blocks))
            .map(|i| i * blocks / self.informative * block)
            .collect();
        let (shared, own) = (self.correlation.sqrt(), (1.0 - self.correlation).sqrt());
        let mut values = Vec::with_capacity(n * self.features);
        let mut factor = vec![0.0; n];
        for d in 0..self.features {
            if d % block == 0 {
                factor.fill_with(|| standard_normal(&mut random));
            }
            let place = truth.binary_search(&d).ok();
            let shift = place.map_or(0.0, |k| {
                if k % 2 == 0 {
                    self.effect
                } else {
                    -self.effect
                }
            });
            for i in 0..n {
                let noise = shared * factor[i] + own * standard_normal(&mut random);
                values.push(8.0 + noise + shift * labels[i] as f64);
            }
        }
        let feature_names: Names = (1..=self.features).map(|d| format!("gene{d:05}")).collect();
        let sample_names = (1..=n).map(|i| format!("subject{i:03}")).collect();
        let target = Target::Classes {
            names: vec!["control".into(), "case".into()],
            labels,
        };
        let data = Dataset::new(Table::new(values, feature_names, sample_names)?, target)?;
        Ok(SimulatedData { data, truth })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_truth_differs_between_the_classes_and_blocks_are_correlated() {
        let simulation = Simulation {
            samples: 2000,
            features: 60,
            informative: 2,
            ..Simulation::default()
        };
        let study = simulation.draw().unwrap();
        assert_eq!(study.truth, [0, 20]);
        let table = study.data.table();
        let gap = |d: usize| {
            let x = table.feature(d);
            let mean = |class: usize| x.iter().skip(class).step_by(2).sum::<f64>() / 1000.0;
            mean(1) - mean(0)
        };
        assert!((gap(0) - 1.2).abs() < 0.15 && (gap(20) + 1.2).abs() < 0.15);
        assert!(gap(1).abs() < 0.15 && gap(40).abs() < 0.15);
        let (a, b) = (table.feature(41), table.feature(42));
        let product: f64 = a.iter().zip(b).map(|(a, b)| (a - 8.0) * (b - 8.0)).sum();
        assert!((product / 2000.0 - 0.6).abs() < 0.1);
        assert_eq!(study, simulation.draw().unwrap());
    }
}
