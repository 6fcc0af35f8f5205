//! How good chance looks: the whole evaluation with the target dealt out anew, so that there is nothing to find.

use std::collections::HashMap;
use std::ops::ControlFlow;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde::{Deserialize, Serialize};

use crate::dataset::{Dataset, Target};
use crate::error::Error;
use crate::evaluate::Evaluation;
use crate::folds::Folds;
use crate::params::CheckedParams;

/// What the cross-validation of one shuffled data set gave, means over its folds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct Permuted {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auc: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub log_loss: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rmse: Option<f64>,
}

impl Dataset {
    /// The same rows with the target shuffled. Where there are groups, whole groups exchange targets with groups of the
    /// same size, so that what belongs together stays together.
    pub fn permuted(&self, seed: u64) -> Result<Self, Error> {
        let order = shuffled_rows(self.table().samples(), self.groups(), seed);
        let target = match self.target() {
            Target::Classes { names, labels } => Target::Classes {
                names: names.clone(),
                labels: order.iter().map(|&n| labels[n]).collect(),
            },
            Target::Values(values) => Target::Values(order.iter().map(|&n| values[n]).collect()),
        };
        let mut shuffled = Self::new(self.table().clone(), target)?;
        shuffled.attached = self.attached.clone();
        Ok(shuffled)
    }
}

/// For every row, the row whose target it gets.
pub(crate) fn shuffled_rows(samples: usize, groups: Option<&[usize]>, seed: u64) -> Vec<usize> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut members: Vec<Vec<usize>> = Vec::new();
    let mut place = HashMap::new();
    for n in 0..samples {
        // Without groups every row is its own.
        let group = groups.map_or(n, |groups| groups[n]);
        let at = *place.entry(group).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[at].push(n);
    }
    let mut by_size: Vec<usize> = (0..members.len()).collect();
    by_size.sort_by_key(|&group| members[group].len());
    let mut from = vec![0; samples];
    for same in by_size.chunk_by(|&a, &b| members[a].len() == members[b].len()) {
        let mut drawn: Vec<(u64, usize)> = same.iter().map(|&g| (random.random(), g)).collect();
        drawn.sort_unstable();
        for (&to, &(_, source)) in same.iter().zip(&drawn) {
            for (&row, &other) in members[to].iter().zip(&members[source]) {
                from[row] = other;
            }
        }
    }
    from
}

impl CheckedParams {
    /// Cross-validates once on each of `count` data sets with a shuffled target, with as many folds as `evaluation`
    /// had, and puts what they gave into it. `on_fold` as in [`CheckedParams::evaluate`]; after a break nothing is put in.
    pub fn evaluate_permuted(
        &self,
        data: &Dataset,
        evaluation: &mut Evaluation,
        count: usize,
        seed: u64,
        on_fold: impl Fn(usize, usize) -> ControlFlow<()> + Sync,
    ) -> Result<(), Error> {
        let folds = evaluation.folds;
        let groups = data.groups();
        let mut found = Vec::new();
        for number in 0..count {
            let seed = seed.wrapping_add(1 + number as u64);
            let shuffled = data.permuted(seed)?;
            let strata = match shuffled.labels() {
                [] => vec![0; shuffled.table().samples()],
                labels => labels.to_vec(),
            };
            let split = Folds::stratified(&strata, groups, folds, 1, seed)?;
            let done = |fold, _| on_fold(number * folds + fold, count * folds);
            let Some(chance) = self.evaluate(&shuffled, &split, done)? else {
                return Ok(());
            };
            let mean = |estimate: Option<crate::evaluate::Estimate>| estimate.map(|e| e.mean);
            found.push(Permuted {
                auc: mean(chance.auc),
                log_loss: mean(chance.log_loss),
                rmse: mean(chance.rmse),
            });
        }
        evaluation.permuted = found;
        Ok(())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::params::Params;
    use crate::simulate::Simulation;

    #[test]
    fn a_shuffle_moves_every_target_once_and_groups_whole() {
        let mut rows = shuffled_rows(50, None, 3);
        assert_ne!(rows, (0..50).collect::<Vec<_>>());
        rows.sort_unstable();
        assert_eq!(rows, (0..50).collect::<Vec<_>>());
        let groups: Vec<usize> = (0..40).map(|n| n / 2).collect();
        let rows = shuffled_rows(40, Some(&groups), 3);
        assert!(rows.chunks(2).all(|pair| pair[0] / 2 == pair[1] / 2));
        assert_ne!(rows, (0..40).collect::<Vec<_>>());
    }

    #[test]
    fn chance_is_worse_than_a_clear_signal() {
        let simulation = Simulation {
            samples: 60,
            features: 100,
            informative: 1,
            effect: 4.0,
            ..Simulation::default()
        };
        let data = simulation.draw().unwrap().data;
        let params = Params::signatures().check().unwrap();
        let go_on = |_, _| ControlFlow::Continue(());
        let folds = Folds::stratified(data.labels(), None, 5, 1, 1).unwrap();
        let mut evaluation = params.evaluate(&data, &folds, go_on).unwrap().unwrap();
        params
            .evaluate_permuted(&data, &mut evaluation, 4, 1, go_on)
            .unwrap();
        let real = evaluation.auc.unwrap().mean;
        assert_eq!(evaluation.permuted.len(), 4);
        assert!(
            evaluation
                .permuted
                .iter()
                .all(|p| p.auc.unwrap() < real - 0.1)
        );
    }
}
