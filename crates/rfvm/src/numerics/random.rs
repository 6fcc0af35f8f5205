//! Random numbers.

use rand::{Rng, RngExt};

/// A standard normal number (Box and Muller): no distribution crate for one distribution.
pub fn standard_normal(random: &mut impl Rng) -> f64 {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.random::<f64>()).cos()
}
