//! Where the feature weights start: v_d >= 0 with Σ v_d² = 1.

use std::collections::HashMap;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::columns::Columns;
use crate::numerics::linalg::dot;
use crate::numerics::random::standard_normal;
use crate::params::Start;

/// The starting weights of the given features; `names` are theirs, `target` is t or the standardised y, `weight` the rows' c.
pub(crate) fn weights<'n>(
    start: &Start,
    x: &Columns,
    target: &[f64],
    weight: &[f64],
    names: impl Iterator<Item = &'n str>,
) -> Vec<f64> {
    let features = x.len();
    let raw = match start {
        Start::Uniform => vec![1.0; features],
        Start::Correlation { power } => correlations(x, target, weight)
            .into_iter()
            .map(|r| r.abs().powf(*power))
            .collect(),
        Start::Random { seed } => {
            let mut random = ChaCha8Rng::seed_from_u64(*seed);
            (0..features)
                .map(|_| standard_normal(&mut random).abs())
                .collect()
        }
        Start::Warm(known) => warm(known, names),
    };
    of_unit_length(raw)
}

/// The same direction with Σ v_d² = 1.
fn of_unit_length(raw: Vec<f64>) -> Vec<f64> {
    let norm = raw.iter().map(|v| v * v).sum::<f64>().sqrt();
    if norm > 0.0 && norm.is_finite() {
        raw.into_iter().map(|v| v / norm).collect()
    } else {
        // No feature stands out (all correlations are zero, say): start from all of them.
        vec![(raw.len() as f64).powf(-0.5); raw.len()]
    }
}

/// Weights in proportion to (Σ corr(x_d, t_c)²)^(power/2) over the targets t_c of several classes, of which those that do not
/// vary tell nothing.
pub(crate) fn of_classes(
    x: &Columns,
    targets: &[Vec<f64>],
    weight: &[f64],
    power: f64,
) -> Vec<f64> {
    let mut squares = vec![0.0; x.len()];
    for target in targets {
        if target.iter().all(|&t| t == target[0]) {
            continue;
        }
        for (square, r) in squares.iter_mut().zip(correlations(x, target, weight)) {
            *square += r * r;
        }
    }
    of_unit_length(squares.into_iter().map(|s| s.powf(0.5 * power)).collect())
}

/// corr(x_d, t) of every feature, over the rows by their weights.
fn correlations(x: &Columns, target: &[f64], weight: &[f64]) -> Vec<f64> {
    let total: f64 = weight.iter().sum();
    let mean = dot(target, weight) / total;
    let centred: Vec<f64> = target.iter().map(|t| t - mean).collect();
    let weighted: Vec<f64> = centred.iter().zip(weight).map(|(t, c)| c * t).collect();
    let norm = dot(&centred, &weighted);
    let mut scratch = Vec::new();
    (0..x.len())
        .map(|d| {
            let column = x.block(d..d + 1, &mut scratch);
            let own_mean = dot(column, weight) / total;
            let squares = column
                .iter()
                .zip(weight)
                .map(|(x, c)| c * (x - own_mean).powi(2));
            // Some rows of a feature may all be the same.
            let squares: f64 = squares.sum();
            match squares > 1e-12 * total {
                true => dot(column, &weighted) / (norm * squares).sqrt(),
                false => 0.0,
            }
        })
        .collect()
}

fn warm<'n>(known: &[(String, f64)], names: impl Iterator<Item = &'n str>) -> Vec<f64> {
    let mean = known.iter().map(|(_, v)| v.abs()).sum::<f64>() / known.len().max(1) as f64;
    let known: HashMap<&str, f64> = known
        .iter()
        .map(|(name, v)| (name.as_str(), v.abs()))
        .collect();
    names
        .map(|name| known.get(name).copied().unwrap_or(0.0).max(0.01 * mean))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(start: Start) -> Vec<f64> {
        let s = 1.0;
        // f1 follows the target, f2 half so, f3 not at all.
        let x = [-s, -s, s, s, -s, s, -s, s, -s, s, s, -s];
        let target = [0.0, 0.0, 1.0, 1.0];
        weights(
            &start,
            &Columns::new(&x, 4),
            &target,
            &[1.0; 4],
            ["f1", "f2", "f3"].into_iter(),
        )
    }

    #[test]
    fn correlated_features_start_ahead() {
        assert_eq!(start(Start::Correlation { power: 3.0 }), [1.0, 0.0, 0.0]);
        for v in start(Start::Uniform) {
            assert!((v - 3f64.powf(-0.5)).abs() < 1e-15);
        }
    }

    #[test]
    fn a_seed_fixes_the_random_start() {
        let seeded = |seed| start(Start::Random { seed });
        assert_eq!(seeded(1), seeded(1));
        assert_ne!(seeded(1), seeded(2));
        assert!((dot(&seeded(1), &seeded(1)) - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_warm_start_favours_the_known_features() {
        let v = start(Start::Warm(vec![("f3".into(), -2.0), ("gone".into(), 1.0)]));
        assert!(v[2] > 100.0 * v[0] && v[0] > 0.0, "{v:?}");
    }
}
