//! Fits on parts of the cohort, each judged on subjects it has not seen.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rayon::prelude::*;
use rfvm::{Folds, Missing, Model, Params, Projected, Size};

use crate::cohort::Cohort;
use crate::error::Error;
use crate::performance::base_rate;

/// Hears what is being done, how far it is and of how much; a break ends the work.
pub type StageWatch<'w> = &'w (dyn Fn(&str, usize, usize) -> ControlFlow<()> + Sync);

/// Runs jobs in parallel and gives their results in order.
pub(crate) fn parallel<T: Send>(
    threads: Option<usize>,
    what: &str,
    jobs: usize,
    watch: StageWatch,
    run: impl Fn(usize) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    let (done, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let one = |job: usize| {
        if stopped.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let result = run(job)?;
        if watch(what, done.fetch_add(1, Ordering::Relaxed) + 1, jobs).is_break() {
            stopped.store(true, Ordering::Relaxed);
            return Err(Error::Interrupted);
        }
        Ok(result)
    };
    if watch(what, 0, jobs).is_break() {
        return Err(Error::Interrupted);
    }
    let threads = rfvm::threads(threads);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| {
        Error::asked(format!("could not start {threads} worker threads: {error}"))
    })?;
    pool.install(|| (0..jobs).into_par_iter().map(one).collect())
}

/// The engine's parameters for a cohort, whose subjects need not have every test.
pub(crate) fn params(method: impl Into<Params>, threads: Option<usize>) -> Params {
    let mut params = method.into();
    params.preprocessing.missing = Missing::Median;
    params.threads = threads;
    params
}

/// The default method, with rows held back once: in a fit of a fold that only calibrates the probabilities (losses and
/// shares, which gain from more, are those of the folds around it).
pub(crate) fn held_back_once(size: Size) -> Projected {
    Projected {
        most_repeats: 1,
        ..Projected::of(size)
    }
}

/// A fit on training rows: its tests, and what it says of the test rows.
#[derive(Debug, Clone)]
pub(crate) struct OutOfFold {
    /// Positions of the tests in the cohort.
    pub(crate) tests: Vec<usize>,
    /// Probability of the positive class, one a test row.
    pub(crate) probability: Vec<f64>,
    /// Names of the relevance vectors.
    pub(crate) vectors: Vec<String>,
}

/// Folds over a cohort.
#[derive(Debug)]
pub(crate) struct Resampling<'c> {
    pub(crate) cohort: &'c Cohort,
    pub(crate) folds: Folds,
}

impl<'c> Resampling<'c> {
    pub(crate) fn new(
        cohort: &'c Cohort,
        judged: &[usize],
        folds: usize,
        repeats: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        let smallest = (0..2)
            .map(|class| cohort.labels.iter().filter(|&&t| t == class).count())
            .min()
            .unwrap_or(0);
        if smallest < 2 * folds.max(1) {
            return Err(Error::asked(format!(
                "the smaller class has {smallest} subjects with a known outcome; {folds} folds need at least {}",
                2 * folds.max(1)
            )));
        }
        let folds = Folds::stratified(
            &cohort.strata(judged),
            cohort.groups.as_deref(),
            folds,
            repeats,
            seed,
        )?;
        Ok(Self { cohort, folds })
    }

    /// Number of folds over all repeats.
    pub(crate) fn jobs(&self) -> usize {
        self.folds.count() * self.folds.repeats()
    }

    /// Repeat and fold of a job.
    pub(crate) fn place(&self, job: usize) -> (usize, usize) {
        (job / self.folds.count(), job % self.folds.count())
    }

    /// The points of the path up to so many tests, smallest first, fitted on `train` and judged on `test`. Where nothing
    /// can be fitted the base rate is all there is, once for each point.
    pub(crate) fn points(
        &self,
        train: &[usize],
        test: &[usize],
        tests: &[usize],
        most: usize,
    ) -> Result<Vec<OutOfFold>, Error> {
        let points = match self.cohort.dataset(train, tests) {
            Ok(data) => {
                let size = Size::Features(most.clamp(1, tests.len()));
                // Folds run in parallel, so that one thread a fit is enough.
                let params = params(held_back_once(size), Some(1)).check()?;
                let path = params.path(data, |_| ControlFlow::Continue(()));
                path.map(|path| {
                    path.points()
                        .iter()
                        .map(|point| point.model.clone())
                        .collect()
                })
                .unwrap_or_default()
            }
            Err(_) => Vec::new(),
        };
        if points.is_empty() {
            let base = base_rate(&self.cohort.labels, train);
            return Ok(vec![OutOfFold {
                tests: Vec::new(),
                probability: vec![base; test.len()],
                vectors: Vec::new(),
            }]);
        }
        let table = self.cohort.table(test, tests)?;
        let predict = |model: &Model| -> Result<OutOfFold, Error> {
            let vectors = model.signatures()[0]
                .vectors()
                .iter()
                .map(|vector| vector.sample.clone());
            Ok(OutOfFold {
                tests: self.cohort.find(&model.needed_features()),
                probability: model.predict_probability(&table)?,
                vectors: vectors.collect(),
            })
        };
        points.iter().map(predict).collect()
    }

    /// The largest point alone.
    pub(crate) fn fit(
        &self,
        train: &[usize],
        test: &[usize],
        tests: &[usize],
        most: usize,
    ) -> Result<OutOfFold, Error> {
        let mut points = self.points(train, test, tests, most)?;
        points
            .pop()
            .ok_or_else(|| Error::asked("a fit gave no model"))
    }
}
