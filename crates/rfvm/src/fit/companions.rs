//! What a model keeps of how its features hang together, for values that a new sample lacks.

use std::collections::HashMap;

use crate::inference::prepare::Prepared;
use crate::numerics::linalg::dot;
use crate::posterior::companions::{Companion, Companions, MOST_ACCOMPANIED};
use crate::posterior::signature::Signature;

impl Prepared {
    /// Of all signatures together, each feature accompanied by the one outside of the model with the largest correlation, of
    /// those given. `None` of a model of no features or of more than [`MOST_ACCOMPANIED`].
    pub(super) fn companions(
        &self,
        signatures: &[Signature],
        among: impl Iterator<Item = usize>,
    ) -> Option<Companions> {
        let features = signatures.iter().flat_map(Signature::features);
        let wanted: HashMap<&str, usize> = features
            .enumerate()
            .map(|(at, feature)| (feature.name.as_str(), at))
            .collect();
        if !(1..=MOST_ACCOMPANIED).contains(&wanted.len()) {
            return None;
        }
        let mut positions = vec![0; wanted.len()];
        for (d, name) in self.names.iter().enumerate() {
            if let Some(&at) = wanted.get(name) {
                positions[at] = d;
            }
        }
        let mut nearest: Vec<Option<(usize, f64)>> = vec![None; positions.len()];
        for d in among.filter(|d| !positions.contains(d)) {
            for (nearest, &own) in nearest.iter_mut().zip(&positions) {
                let product = dot(self.column(d), self.column(own)).abs();
                if nearest.is_none_or(|(_, largest)| product > largest) {
                    *nearest = Some((d, product));
                }
            }
        }
        let mut companions: Vec<usize> = Vec::new();
        let mut place = |d: usize| {
            let known = companions.iter().position(|&known| known == d);
            known.unwrap_or_else(|| {
                companions.push(d);
                companions.len() - 1
            })
        };
        let stand_ins = nearest
            .iter()
            .map(|nearest| nearest.map(|(d, _)| place(d)))
            .collect();
        let columns: Vec<&[f64]> = (positions.iter().chain(&companions))
            .map(|&d| self.column(d))
            .collect();
        let companion = |&d: &usize| Companion {
            name: self.names[d].to_owned(),
            scale: self.scales.get(d),
        };
        let kept = companions.iter().map(companion).collect();
        Some(Companions::new(&columns, stand_ins, kept))
    }
}
