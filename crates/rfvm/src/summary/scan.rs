//! One walk over all features: how each hangs together with the target, with shuffled targets, and with the signature.

use std::collections::HashSet;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

use crate::data::shuffle::shuffled_rows;
use crate::data::{Dataset, Target};
use crate::error::Error;
use crate::model::Model;
use crate::numerics::linalg::dot;
use crate::numerics::stats::unit_length;

/// Shuffled targets that the strongest feature is held against.
const SHUFFLES: usize = 99;
/// Substitutes kept for each feature of the signature.
const SUBSTITUTES: usize = 3;
/// Features of the model, the heaviest, that all others are held against; the full model's are far too many.
pub(super) const HEAVIEST: usize = 60;
/// Features that a worker takes at a time.
const BLOCK: usize = 256;

/// What there is to say of one feature.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SeenFeature {
    pub(super) missing: usize,
    /// Mean over the samples of the negative class (of all samples in a regression) and over those of the positive one.
    pub(super) means: [f64; 2],
    /// Correlation with the target.
    pub(super) with_target: f64,
    /// The feature of the signature that it is most like, and their correlation.
    pub(super) nearest: Option<(usize, f64)>,
}

/// What the walk found.
#[derive(Debug)]
pub(super) struct FeatureScan {
    pub(super) features: Vec<SeenFeature>,
    /// The strongest correlation of any feature with each shuffled target.
    pub(super) chance: Vec<f64>,
    /// Positions of the heaviest features that the model needs.
    pub(super) needed: Vec<usize>,
    /// For each of them, those outside the model that are most like it: position and correlation.
    pub(super) substitutes: Vec<Vec<(usize, f64)>>,
}

struct Part {
    features: Vec<SeenFeature>,
    chance: Vec<f64>,
    substitutes: Vec<Vec<(usize, f64)>>,
}

pub(super) fn scan(model: &Model, data: &Dataset) -> Result<FeatureScan, Error> {
    let table = data.table();
    let target = match data.target() {
        Target::Classes { labels, .. } => labels.iter().map(|&label| label as f64).collect(),
        Target::Values(values) => values.clone(),
    };
    let target = unit_length(target).0;
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
    let mut all = FeatureScan {
        features: Vec::with_capacity(table.features()),
        chance: vec![0.0; SHUFFLES],
        substitutes: vec![Vec::new(); needed.len()],
        needed,
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

/// A feature's values, standardised so that a product is a correlation.
fn column(model: &Model, data: &Dataset, d: usize) -> (Vec<f64>, SeenFeature) {
    let raw = data.table().feature(d);
    let transform = model.parameters().preprocessing.transform;
    let values = raw.iter().map(|&value| transform.apply(value)).collect();
    let (values, missing) = unit_length(values);
    let mut sums = [(0.0, 0.0); 2];
    for (n, &value) in raw
        .iter()
        .enumerate()
        .filter(|(_, value)| value.is_finite())
    {
        let of = &mut sums[data.labels().get(n).map_or(0, |&label| label.min(1))];
        *of = (of.0 + value, of.1 + 1.0);
    }
    let seen = SeenFeature {
        missing,
        means: sums.map(|(sum, count)| sum / count),
        ..SeenFeature::default()
    };
    (values, seen)
}

fn shuffles(target: &[f64]) -> Vec<Vec<f64>> {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut shuffled = || {
        let rows = shuffled_rows(target.len(), None, &mut random);
        rows.into_iter().map(|n| target[n]).collect()
    };
    (0..SHUFFLES).map(|_| shuffled()).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::simulate::Simulation;

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
