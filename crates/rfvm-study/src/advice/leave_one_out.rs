//! What dropping one test costs when everything else is fitted again without it.

use std::collections::HashMap;

use super::evidence::Evidence;
use crate::error::Error;
use crate::performance::Performance;
use crate::resample::{OutOfFold, parallel};

/// What dropping one test costs, and which tests came in for it.
#[derive(Debug, Clone)]
pub(crate) struct SingleLoss {
    pub(crate) loss: Performance,
    /// Fits of the first repeat that used the test.
    pub(crate) fits: usize,
    /// Tests that entered such a fit once it was dropped, and in how many.
    pub(crate) entered: Vec<(usize, usize)>,
}

/// For every test of the cohort, over the folds of the first repeat. A fold whose fit did not use the test is not fitted
/// again: its share in the full model, by which the others are chosen, is taken as nothing.
pub(crate) fn single_losses(evidence: &Evidence) -> Result<Vec<SingleLoss>, Error> {
    let (cohort, resampling) = (evidence.cohort, &evidence.resampling);
    let folds = resampling.folds.count();
    let pairs: Vec<(usize, usize)> = (0..folds)
        .flat_map(|fold| {
            evidence
                .largest(fold)
                .tests
                .iter()
                .map(move |&test| (test, fold))
        })
        .collect();
    let refits = parallel(
        evidence.choice.threads,
        "fits without one test",
        pairs.len(),
        evidence.watch,
        |pair| {
            let (dropped, fold) = pairs[pair];
            let (train, rows) = resampling.folds.split(0, fold);
            let others: Vec<usize> = cohort
                .all_tests()
                .into_iter()
                .filter(|&test| test != dropped)
                .collect();
            resampling.fit(&train, &rows, &others, evidence.choice.size)
        },
    )?;
    let refitted: HashMap<(usize, usize), &OutOfFold> =
        pairs.iter().copied().zip(&refits).collect();
    let before = evidence.full.first(1);
    let one = |test: usize| {
        let fits: Vec<&OutOfFold> = (0..folds)
            .map(|fold| {
                refitted
                    .get(&(test, fold))
                    .copied()
                    .unwrap_or_else(|| evidence.largest(fold))
            })
            .collect();
        let used: Vec<usize> = (0..folds)
            .filter(|&fold| refitted.contains_key(&(test, fold)))
            .collect();
        if used.is_empty() {
            return SingleLoss {
                loss: Performance::unchanged(),
                fits: 0,
                entered: Vec::new(),
            };
        }
        let mut entered: HashMap<usize, usize> = HashMap::new();
        for &fold in &used {
            let old = &evidence.largest(fold).tests;
            for &newcomer in fits[fold].tests.iter().filter(|test| !old.contains(test)) {
                *entered.entry(newcomer).or_default() += 1;
            }
        }
        let mut entered: Vec<(usize, usize)> = entered.into_iter().collect();
        entered.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        SingleLoss {
            loss: evidence.judged.difference(&evidence.scores(&fits), &before),
            fits: used.len(),
            entered,
        }
    };
    Ok((0..cohort.tests.len()).map(one).collect())
}
