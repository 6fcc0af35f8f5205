//! Advice: which tests to retire, what could replace which, which subjects define the model, whom to recruit next.

use std::collections::HashSet;
use std::ops::ControlFlow;

use rfvm::{Bootstrap, Model, Size};
use serde::Serialize;

use super::evidence::{AdviceChoice, Evidence};
use super::frontier::{Frontier, frontier};
use super::leave_one_out::{SingleLoss, single_losses};
use super::recruit::{Recruitment, recruitment};
use super::replace::{Replacement, replacements};
use super::retire::{Retirement, retirement};
use super::subjects::{Defining, defining};
use crate::basis::Basis;
use crate::catalogue::{Price, Ruling};
use crate::cohort::Cohort;
use crate::error::Error;
use crate::performance::{DRAWS, HeldBackScores, Performance, Uncertain};
use crate::resample::{OutOfFold, Resampling, StageWatch, held_back_once, parallel, params};
use crate::state::StudyState;
use crate::store::{Record, Study, insert_decisions};

/// Where a test stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// The study must keep it.
    MustKeep,
    /// The model uses it.
    InUse,
    /// It can be retired now.
    Retire,
    /// It may still be worth more than the margin.
    Undecided,
    /// Too few subjects have a value of it for any fit.
    TooEarly,
}

/// What there is to say about one test.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct TestAdvice {
    /// Its name.
    pub test: String,
    /// Where it stands.
    pub standing: Standing,
    /// Its own price, without its panel's.
    pub price: Price,
    /// Subjects with a known outcome that have a value of it.
    pub measured: usize,
    /// Share of the resampled fits that used it.
    pub used: f64,
    /// What dropping it alone costs, with everything else refitted; `None` in quick advice.
    pub loss: Option<Performance>,
    /// What it could add to the model at most, in nats a subject, with 99 % confidence; `None` where the model has it.
    pub potential: Option<f64>,
}

/// Advice.
#[derive(Debug, Clone, Serialize)]
pub struct Advice {
    /// Its number in the log.
    pub event: i64,
    /// The last wave.
    pub wave: usize,
    /// Subjects with a known outcome.
    pub subjects: usize,
    /// The classes, negative first.
    pub classes: [String; 2],
    /// What all tests in use cost for one subject.
    pub price: Price,
    /// How the performances here came about: whom they are measured on.
    pub basis: Basis,
    /// How good fits are that may use every test, on subjects they have not seen.
    pub everything: Performance,
    /// By how much the base rate alone is worse on the same subjects; `None` where it cannot be computed.
    pub gain: Option<Uncertain>,
    /// Tests of the model on all subjects, heaviest first.
    pub panel: Vec<String>,
    /// Every test in use.
    pub tests: Vec<TestAdvice>,
    /// What to retire, and the evidence for retiring all of it.
    pub retirement: Retirement,
    /// Panels of growing price.
    pub frontier: Frontier,
    /// What could stand in for the model's tests; empty in quick advice.
    pub replacements: Vec<Replacement>,
    /// Which subjects define the model.
    pub defining: Defining,
    /// Whom to recruit next.
    pub recruitment: Recruitment,
    /// How to read this.
    pub cautions: Vec<&'static str>,
}

const CAUTIONS: [&str; 3] = [
    "A subject that is redundant for this classifier is not removable: that says nothing about statistical power, safety or ethics.",
    "Losses and gains are estimates from these subjects; limits hold one at a time, not all together.",
    "A retired test can no longer show what it would be worth in subjects unlike those seen so far.",
];

impl Study {
    /// Advises on all that is known, records it, and retires what is advised where the choice says so.
    pub fn advise(&mut self, choice: &AdviceChoice, watch: StageWatch) -> Result<Advice, Error> {
        check(choice)?;
        let state = self.state()?;
        let cohort = state.cohort(choice.coverage)?;
        let cohort = cohort.with_cost_prior(&state, choice.cost_prior)?;
        let mut advice = advise(&state, &cohort, choice, watch)?;
        let retired: Vec<(String, Ruling)> = match choice.accept {
            true => advice
                .retirement
                .tests
                .iter()
                .map(|test| (test.clone(), Ruling::Retired))
                .collect(),
            false => Vec::new(),
        };
        let detail = serde_json::json!(advice).to_string();
        advice.event = self.record(
            Record {
                kind: "advice",
                wave: state.waves,
                data_hash: &state.hash(),
                parameters: serde_json::json!(choice),
                summary: serde_json::json!({
                    "wave": state.waves,
                    "subjects": cohort.len(),
                    "retire": advice.retirement.tests,
                    "retired": choice.accept,
                    "saved": advice.retirement.saved,
                    "price": advice.price,
                    "basis": advice.basis,
                    "everything": advice.everything,
                    "gain": advice.gain,
                    "without": advice.retirement.loss,
                    "after": advice.retirement.after,
                    "why_nothing": advice.retirement.why_nothing,
                }),
            },
            |transaction, event| {
                transaction.execute("INSERT INTO advice VALUES (?1, ?2)", (event, detail))?;
                insert_decisions(transaction, event, &retired)
            },
        )?;
        Ok(advice)
    }
}

fn check(choice: &AdviceChoice) -> Result<(), Error> {
    let numbers = [
        ("margin", Some(choice.margin)),
        ("AUC margin", Some(choice.auc_margin)),
        ("budget", choice.budget),
    ];
    for (name, value) in numbers {
        if let Some(value) = value
            && !(value.is_finite() && value >= 0.0)
        {
            return Err(Error::asked(format!(
                "the {name} is {value}; it must be a number from 0"
            )));
        }
    }
    if choice.size == 0 || choice.folds < 2 || choice.repeats == 0 {
        return Err(Error::asked(
            "the size and the repeats must be at least 1, the folds at least 2",
        ));
    }
    Ok(())
}

fn advise(
    state: &StudyState,
    cohort: &Cohort,
    choice: &AdviceChoice,
    watch: StageWatch,
) -> Result<Advice, Error> {
    let judged = cohort.judged(state, choice.seed);
    let resampling = Resampling::new(
        cohort,
        &judged.rows,
        choice.folds,
        choice.repeats,
        choice.seed,
    )?;
    let tests = cohort.all_tests();
    let points = parallel(
        choice.threads,
        "fits with every test",
        resampling.jobs(),
        watch,
        |job| {
            let (repeat, fold) = resampling.place(job);
            let (train, test) = resampling.folds.split(repeat, fold);
            resampling.points(&train, &test, &tests, choice.size)
        },
    )?;
    let size = Size::Features(choice.size.min(tests.len()));
    let path = params(held_back_once(size), choice.threads)
        .check()?
        .path(cohort.dataset(&cohort.all_rows(), &tests)?, |_| {
            ControlFlow::Continue(())
        })?;
    let models: Vec<Model> = path
        .points()
        .iter()
        .map(|point| point.model.clone())
        .collect();
    let panel = models
        .last()
        .map(|model| cohort.find(&model.needed_features()))
        .unwrap_or_default();
    let mut evidence = Evidence {
        choice,
        state,
        cohort,
        bootstrap: Bootstrap::new(cohort.len(), cohort.groups.as_deref(), DRAWS, choice.seed),
        judged,
        resampling,
        points,
        full: HeldBackScores::default(),
        judgement: path.judgement(),
        models,
        panel,
        watch,
    };
    let largest: Vec<&OutOfFold> = (0..evidence.points.len())
        .map(|job| evidence.largest(job))
        .collect();
    evidence.full = evidence.scores(&largest);
    let evidence = evidence;
    let singles = match choice.quick {
        true => None,
        false => Some(single_losses(&evidence)?),
    };
    let singles = singles.as_deref();
    let base = HeldBackScores::of_base_rate(&evidence.resampling.folds, &cohort.labels);
    let gain = evidence.judged.difference(&base, &evidence.full).log_loss;
    let retirement = retirement(&evidence, gain)?;
    Ok(Advice {
        event: 0,
        wave: state.waves,
        subjects: cohort.len(),
        classes: cohort.classes.clone(),
        price: state.price(&state.active()),
        basis: evidence.judged.basis.clone(),
        everything: evidence.judged.performance(&evidence.full),
        gain,
        panel: evidence
            .panel
            .iter()
            .map(|&test| cohort.tests[test].clone())
            .collect(),
        tests: every_test(&evidence, singles, &retirement),
        frontier: frontier(&evidence),
        replacements: singles
            .map(|singles| replacements(&evidence, singles))
            .transpose()?
            .unwrap_or_default(),
        defining: defining(&evidence)?,
        recruitment: recruitment(&evidence)?,
        retirement,
        cautions: CAUTIONS.to_vec(),
    })
}

fn every_test(
    evidence: &Evidence,
    singles: Option<&[SingleLoss]>,
    retirement: &Retirement,
) -> Vec<TestAdvice> {
    let (state, cohort) = (evidence.state, evidence.cohort);
    let jobs = evidence.points.len() as f64;
    let gone: HashSet<&String> = retirement.tests.iter().collect();
    let in_cohort = |test: usize| {
        let standing = match test {
            _ if evidence.must_keep(test) => Standing::MustKeep,
            _ if evidence.panel.contains(&test) => Standing::InUse,
            _ if gone.contains(&cohort.tests[test]) => Standing::Retire,
            _ => Standing::Undecided,
        };
        let used = (0..evidence.points.len())
            .filter(|&job| evidence.largest(job).tests.contains(&test))
            .count();
        TestAdvice {
            test: cohort.tests[test].clone(),
            standing,
            price: state.catalogue.tests[cohort.places[test]].price,
            measured: cohort.columns[test]
                .iter()
                .filter(|value| !value.is_nan())
                .count(),
            used: used as f64 / jobs,
            loss: singles.map(|singles| singles[test].loss),
            potential: retirement.potential[test],
        }
    };
    let mut tests: Vec<TestAdvice> = (0..cohort.tests.len()).map(in_cohort).collect();
    let known: HashSet<&usize> = cohort.places.iter().collect();
    for place in state
        .active()
        .into_iter()
        .filter(|place| !known.contains(place))
    {
        let test = &state.catalogue.tests[place];
        tests.push(TestAdvice {
            test: test.name.clone(),
            standing: match state.verdicts[place] {
                Ruling::Keep => Standing::MustKeep,
                _ => Standing::TooEarly,
            },
            price: test.price,
            measured: cohort
                .rows
                .iter()
                .filter(|&&n| !state.values[place][n].is_nan())
                .count(),
            used: 0.0,
            loss: None,
            potential: None,
        });
    }
    tests
}
