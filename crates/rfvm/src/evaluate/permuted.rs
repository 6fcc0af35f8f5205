//! How good chance looks: the whole evaluation with the target dealt out anew, so that there is nothing to find.

use std::ops::ControlFlow;

use super::evaluation::{Evaluation, Permuted};
use super::measures::Estimate;
use crate::data::{Dataset, Folds};
use crate::error::Error;
use crate::params::CheckedParams;

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
            let mean = |estimate: Option<Estimate>| estimate.map(|e| e.mean);
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
