//! Which tests can be retired now.
//!
//! A test can go when the model does not use it, the study need not keep it, and what it could still add is below the
//! margin with 99 % confidence (`score_test.rs`). All that can go are then dropped together, and everything is fitted again
//! without them: in every fold the choice itself is made anew from the training subjects, so that the loss is that of
//! this way of choosing on subjects it has not seen. The loss in log loss and in AUC must be below the margins with 95 %
//! confidence; otherwise the half that promised least is tried, then a quarter, then nothing is retired. Nor is anything
//! retired before fits beat the base rate: where nothing was learned, no test has shown what it is worth.

use std::collections::HashSet;

use rfvm::Verdict;
use serde::Serialize;

use super::evidence::Evidence;
use super::score_test::{Potential, potentials};
use crate::catalogue::Price;
use crate::error::Error;
use crate::performance::{Performance, Uncertain};
use crate::resample::{OutOfFold, parallel};

/// Shares of the candidates that are tried, first the whole.
const SHARES: [f64; 3] = [1.0, 0.5, 0.25];

/// What to retire.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Retirement {
    /// The tests.
    pub tests: Vec<String>,
    /// What is lost when all of them go, with everything fitted again, on the subjects that performance is measured on;
    /// `None` where none is a candidate.
    pub loss: Option<Performance>,
    /// The same over all subjects, which the rule decides by. What earlier retirements have left looks the more needed on
    /// the subjects that chose it, so that this is rather too large than too small.
    pub loss_over_all: Option<Performance>,
    /// How good fits are without them, the choice of what goes made anew in every fold; `None` where nothing is retired.
    pub after: Option<Performance>,
    /// Why nothing is to be retired, in one sentence; `None` where something is.
    pub why_nothing: Option<String>,
    /// What is saved for every subject.
    pub saved: Price,
    /// What the tests that stay cost for every subject.
    pub price_after: Price,
    /// Tests that each could go but together would cost more than the margins allow, as far as these subjects tell.
    pub held_back: usize,
    /// For every test of the cohort that the model does not use, what it could add at most.
    #[serde(skip)]
    pub(crate) potential: Vec<Option<f64>>,
}

/// The tests that can go, least promising first, cut to a share.
fn candidates(
    evidence: &Evidence,
    outside: &[usize],
    potential: &[Potential],
    share: f64,
) -> Vec<usize> {
    let mut found: Vec<(f64, usize)> = outside
        .iter()
        .zip(potential)
        .filter(|&(&test, potential)| {
            potential.most <= evidence.choice.margin && !evidence.must_keep(test)
        })
        .map(|(&test, potential)| (potential.most, test))
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let count = (share * found.len() as f64).ceil() as usize;
    found.truncate(count);
    found.into_iter().map(|(_, test)| test).collect()
}

/// Why nothing can be said about tests yet: no subject shows that fits with all of them beat the base rate.
fn unlearned(evidence: &Evidence, gain: Option<Uncertain>) -> Option<String> {
    let nothing = evidence
        .judgement
        .is_some_and(|found| found.verdict == Verdict::Nothing);
    match gain {
        None => Some(
            "too few outcomes came after the last retirement to see whether anything was learned"
                .to_string(),
        ),
        Some(gain) if nothing || gain.value <= gain.se => Some(format!(
            "fits with every test do not clearly beat the base rate on subjects not seen ({:.4} ± {:.4} nats better), so that nothing has been learned yet, and which tests matter is not known either",
            gain.value, gain.se
        )),
        Some(_) => None,
    }
}

/// `gain` is by how much fits with every test beat the base rate. Where they do not, no test can be told from any other,
/// and that each adds little is no finding about it: then nothing is retired.
pub(crate) fn retirement(
    evidence: &Evidence,
    gain: Option<Uncertain>,
) -> Result<Retirement, Error> {
    let (cohort, choice) = (evidence.cohort, evidence.choice);
    let beside = |panel: &[usize]| -> Vec<usize> {
        cohort
            .all_tests()
            .into_iter()
            .filter(|test| !panel.contains(test))
            .collect()
    };
    let outside = beside(&evidence.panel);
    let mean = evidence.full.mean();
    let potential = potentials(cohort, &cohort.all_rows(), &evidence.panel, &mean, &outside);
    let all = candidates(evidence, &outside, &potential, 1.0).len();
    let mut of_test = vec![None; cohort.tests.len()];
    outside
        .iter()
        .zip(&potential)
        .for_each(|(&test, potential)| of_test[test] = Some(potential.most));
    let price = evidence.state.price(&evidence.state.active());
    let mut retirement = Retirement {
        tests: Vec::new(),
        loss: None,
        loss_over_all: None,
        after: None,
        why_nothing: None,
        saved: Price::default(),
        price_after: price,
        held_back: all,
        potential: of_test,
    };
    if let Some(reason) = unlearned(evidence, gain) {
        retirement.held_back = 0;
        retirement.why_nothing = Some(reason);
        return Ok(retirement);
    }
    for share in SHARES {
        let retired = candidates(evidence, &outside, &potential, share);
        if retired.is_empty() || retired.len() == cohort.tests.len() {
            break;
        }
        let fits = refits(evidence, share, &beside)?;
        let fits: Vec<&OutOfFold> = fits.iter().collect();
        let without = evidence.scores(&fits);
        let over_all = Performance::difference(
            &evidence.bootstrap,
            &without,
            &evidence.full,
            &cohort.labels,
        );
        let loss = evidence.judged.difference(&without, &evidence.full);
        retirement.loss.get_or_insert(loss);
        retirement.loss_over_all.get_or_insert(over_all);
        if !over_all.is_not_inferior(choice.margin, choice.auc_margin) {
            continue;
        }
        let gone: HashSet<usize> = retired.iter().map(|&test| cohort.places[test]).collect();
        let mut stay = evidence.state.active();
        stay.retain(|place| !gone.contains(place));
        retirement.price_after = evidence.state.price(&stay);
        retirement.saved = price - retirement.price_after;
        retirement.held_back = all - retired.len();
        retirement.tests = retired
            .iter()
            .map(|&test| cohort.tests[test].clone())
            .collect();
        retirement.loss = Some(loss);
        retirement.loss_over_all = Some(over_all);
        retirement.after = Some(evidence.judged.performance(&without));
        break;
    }
    if retirement.tests.is_empty() {
        let reason = match all {
            0 => {
                "each test is in the model, must be kept, or may still be worth more than the margin"
            }
            _ => {
                "without those that could go too much might be lost, as far as these subjects tell"
            }
        };
        retirement.why_nothing = Some(reason.to_string());
    }
    Ok(retirement)
}

/// In every fold: choose from the training subjects what to retire, and fit without it.
fn refits(
    evidence: &Evidence,
    share: f64,
    beside: &(impl Fn(&[usize]) -> Vec<usize> + Sync),
) -> Result<Vec<OutOfFold>, Error> {
    let (cohort, resampling) = (evidence.cohort, &evidence.resampling);
    parallel(
        evidence.choice.threads,
        "fits without all of them",
        resampling.jobs(),
        evidence.watch,
        |job| {
            let (repeat, fold) = resampling.place(job);
            let (train, rows) = resampling.folds.split(repeat, fold);
            let outside = beside(&evidence.largest(job).tests);
            // The training subjects' probabilities are those of the other folds' fits: out of fold for them too.
            let potential = potentials(
                cohort,
                &train,
                &evidence.largest(job).tests,
                &evidence.full.0[repeat],
                &outside,
            );
            let gone: HashSet<usize> = candidates(evidence, &outside, &potential, share)
                .into_iter()
                .collect();
            let mut stay = cohort.all_tests();
            stay.retain(|test| !gone.contains(test));
            if gone.is_empty() || stay.is_empty() {
                return Ok(evidence.largest(job).clone());
            }
            resampling.fit(&train, &rows, &stay, evidence.choice.size)
        },
    )
}
