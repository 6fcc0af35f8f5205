//! One walk over all features: how each hangs together with the target, with shuffled targets, and with the signature.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;
use rfvm::{Dataset, Model, Target};

use super::error::ReportError;

/// Shuffled targets that the strongest feature is held against.
pub(crate) const SHUFFLES: usize = 99;
/// Substitutes kept for each feature of the signature.
const SUBSTITUTES: usize = 3;
/// Features of the model, the heaviest, that all others are held against; the full model's are far too many.
pub(crate) const HEAVIEST: usize = 60;
/// Features that a worker takes at a time.
const BLOCK: usize = 256;

/// What there is to say of one feature.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct FeatureFacts {
    pub(crate) missing: usize,
    /// Mean over the samples of the negative class (of all samples in a regression) and over those of the positive one.
    pub(crate) means: [f64; 2],
    /// Correlation with the target.
    pub(crate) with_target: f64,
    /// The feature of the signature that it is most like, and their correlation.
    pub(crate) nearest: Option<(usize, f64)>,
}

/// What the walk found.
#[derive(Debug)]
pub(crate) struct Scan {
    pub(crate) features: Vec<FeatureFacts>,
    /// The strongest correlation of any feature with each shuffled target.
    pub(crate) chance: Vec<f64>,
    /// For the heaviest features that the model needs, those outside the model that are most like it: position and
    /// correlation.
    pub(crate) substitutes: Vec<Vec<(usize, f64)>>,
}

struct Part {
    features: Vec<FeatureFacts>,
    chance: Vec<f64>,
    substitutes: Vec<Vec<(usize, f64)>>,
}

pub(crate) fn scan(model: &Model, data: &Dataset) -> Result<Scan, ReportError> {
    let table = data.table();
    let target = match data.target() {
        Target::Classes { labels, .. } => labels.iter().map(|&label| label as f64).collect(),
        Target::Values(values) => values.clone(),
    };
    let target = standardised(target).0;
    let shuffled = shuffles(&target);
    let mut needed = table.find_features(&model.needed_features())?;
    let inside: HashSet<usize> = needed.iter().copied().collect();
    // A committee's features come signature by signature and are few.
    needed.truncate(HEAVIEST);
    let signature: Vec<Vec<f64>> = needed.iter().map(|&d| column(model, data, d).0).collect();
    let starts: Vec<usize> = (0..table.features()).step_by(BLOCK).collect();
    let look = |&start: &usize| {
        let mut part = Part {
            features: Vec::new(),
            chance: vec![0.0; SHUFFLES],
            substitutes: vec![Vec::new(); needed.len()],
        };
        for d in start..(start + BLOCK).min(table.features()) {
            let (x, mut seen) = column(model, data, d);
            seen.with_target = dot(&x, &target);
            for (best, shuffled) in part.chance.iter_mut().zip(&shuffled) {
                *best = best.max(dot(&x, shuffled).abs());
            }
            let own = inside.contains(&d);
            for (k, z) in signature.iter().enumerate() {
                let r = dot(&x, z);
                if !own {
                    keep(&mut part.substitutes[k], (d, r));
                }
                let nearer = seen.nearest.is_none_or(|(_, best)| r.abs() > best.abs());
                if nearer && needed[k] != d {
                    seen.nearest = Some((needed[k], r));
                }
            }
            part.features.push(seen);
        }
        part
    };
    let parts: Vec<Part> = starts.par_iter().map(look).collect();
    let mut all = Scan {
        features: Vec::with_capacity(table.features()),
        chance: vec![0.0; SHUFFLES],
        substitutes: vec![Vec::new(); needed.len()],
    };
    for part in parts {
        all.features.extend(part.features);
        for (best, found) in all.chance.iter_mut().zip(part.chance) {
            *best = best.max(found);
        }
        for (kept, found) in all.substitutes.iter_mut().zip(part.substitutes) {
            found
                .into_iter()
                .for_each(|candidate| keep(kept, candidate));
        }
    }
    Ok(all)
}

/// Keeps the strongest, ties to the first.
fn keep(kept: &mut Vec<(usize, f64)>, candidate: (usize, f64)) {
    let at = kept.iter().position(|(_, r)| candidate.1.abs() > r.abs());
    match at {
        Some(at) => kept.insert(at, candidate),
        None => kept.push(candidate),
    }
    kept.truncate(SUBSTITUTES);
}

/// A feature's values with mean 0 and length 1, so that a product is a correlation; all zero for a constant one.
fn column(model: &Model, data: &Dataset, d: usize) -> (Vec<f64>, FeatureFacts) {
    let raw = data.table().feature(d);
    let transform = model.parameters().preprocessing.transform;
    let values = raw.iter().map(|&value| transform.apply(value)).collect();
    let (values, missing) = standardised(values);
    let mut sums = [(0.0, 0.0); 2];
    for (n, &value) in raw
        .iter()
        .enumerate()
        .filter(|(_, value)| value.is_finite())
    {
        let of = &mut sums[data.labels().get(n).map_or(0, |&label| label.min(1))];
        *of = (of.0 + value, of.1 + 1.0);
    }
    let seen = FeatureFacts {
        missing,
        means: sums.map(|(sum, count)| sum / count),
        ..FeatureFacts::default()
    };
    (values, seen)
}

/// Missing values become the mean, which says nothing.
fn standardised(mut values: Vec<f64>) -> (Vec<f64>, usize) {
    let known = || values.iter().filter(|value| value.is_finite());
    let count = known().count();
    let missing = values.len() - count;
    let mean = known().sum::<f64>() / count as f64;
    for value in &mut values {
        *value = if value.is_finite() {
            *value - mean
        } else {
            0.0
        };
    }
    let largest = values
        .iter()
        .fold(0.0, |most: f64, value| most.max(value.abs()));
    // Scaled by the largest first: squares of huge values would overflow.
    let length = values
        .iter()
        .map(|value| (value / largest).powi(2))
        .sum::<f64>()
        .sqrt()
        * largest;
    let scale = if length > 0.0 && length.is_finite() {
        1.0 / length
    } else {
        0.0
    };
    values.iter_mut().for_each(|value| *value *= scale);
    (values, missing)
}

fn shuffles(target: &[f64]) -> Vec<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let shuffled = |_| {
        let mut order: Vec<(u64, f64)> = target.iter().map(|&t| (random.random(), t)).collect();
        order.sort_by_key(|&(key, _)| key);
        order.into_iter().map(|(_, t)| t).collect()
    };
    (0..SHUFFLES).map(shuffled).collect()
}

/// Eight sums side by side, which compilers make vectors of.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let ((a, a_rest), (b, b_rest)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (x, y) in a.iter().zip(b) {
        for (sum, (x, y)) in sums.iter_mut().zip(x.iter().zip(y)) {
            *sum += x * y;
        }
    }
    let rest: f64 = a_rest.iter().zip(b_rest).map(|(x, y)| x * y).sum();
    rest + sums.iter().sum::<f64>()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rfvm::{Params, Simulation};

    #[test]
    fn standard_values_make_products_correlations() {
        let (x, missing) = standardised(vec![1.0, 2.0, f64::NAN, 3.0]);
        assert_eq!(missing, 1);
        assert!((dot(&x, &x) - 1.0).abs() < 1e-12 && x[2] == 0.0);
        assert_eq!(standardised(vec![5.0; 4]).0, [0.0; 4]);
        assert!(
            standardised(vec![1e300, -1e300, 0.0])
                .0
                .iter()
                .all(|v| v.is_finite())
        );
        let long: Vec<f64> = (0..19).map(f64::from).collect();
        let plain: f64 = long.iter().map(|v| v * v).sum();
        assert_eq!(dot(&long, &long), plain);
    }

    #[test]
    fn a_block_of_alike_features_gives_the_substitutes() {
        let simulation = Simulation {
            samples: 80,
            features: 300,
            informative: 1,
            effect: 3.0,
            correlation: 0.9,
            ..Simulation::default()
        };
        let study = simulation.draw().unwrap();
        let model = Params::signatures()
            .check()
            .unwrap()
            .fit(study.data.clone())
            .unwrap();
        assert_eq!(model.needed_features()[0], "gene00001");
        let found = scan(&model, &study.data).unwrap();
        assert_eq!(found.features.len(), 300);
        // Features stand in blocks of 20; the informative one is the first of its block.
        assert_eq!(found.substitutes[0].len(), SUBSTITUTES);
        for &(d, r) in &found.substitutes[0] {
            assert!((1..20).contains(&d) && r.abs() > 0.5, "{d}: {r}");
        }
        let best = found.features[0].with_target.abs();
        assert!(found.chance.iter().all(|&chance| chance < best));
    }
}
