//! What happens between two iterations: Ctrl-C, and whoever wants to look on.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use rfvm::Phase;

/// How long the interpreter is left alone when nobody looks on.
const PAUSE: Duration = Duration::from_millis(20);

/// What is known after one iteration of a fit.
///
/// Attributes
/// ----------
/// signature : int
///     Number of the signature being fitted, from 1.
/// number : int
///     Number of the iteration, from 1; in a fit of the path, folds done.
/// total : int or None
///     In a fit of the path, how many folds there are.
/// phase : str
///     ``"path"``, ``"wide"``, ``"narrow"`` or ``"mean_field"``.
/// bound : float or None
///     The bound on the log evidence, where the phase has one.
/// features, vectors : int or None
///     Active features and candidates for relevance vectors.
#[pyclass(frozen, get_all, module = "rfvm._core")]
#[derive(Debug, Clone)]
pub(crate) struct Iteration {
    signature: usize,
    number: usize,
    total: Option<usize>,
    phase: &'static str,
    bound: Option<f64>,
    features: Option<usize>,
    vectors: Option<usize>,
}

#[pymethods]
impl Iteration {
    fn __repr__(&self) -> String {
        let of = self.total.map_or(String::new(), |n| format!(" of {n}"));
        format!("<Iteration {}{of}, {}>", self.number, self.phase)
    }
}

impl Iteration {
    /// A line of a model's trace.
    pub(crate) fn traced(iteration: &rfvm::Iteration) -> Self {
        Self {
            signature: iteration.signature,
            number: iteration.number,
            total: None,
            phase: match iteration.phase {
                Phase::MeanField => "mean_field",
                Phase::Wide => "wide",
                Phase::Narrow => "narrow",
                Phase::Path => "path",
            },
            bound: iteration.bound,
            features: Some(iteration.features),
            vectors: Some(iteration.vectors),
        }
    }

    /// As a running fit reports it: on the path the engine counts folds.
    fn running(iteration: &rfvm::Iteration) -> Self {
        match iteration.phase {
            Phase::Path => Self {
                total: Some(iteration.features),
                features: None,
                vectors: None,
                ..Self::traced(iteration)
            },
            _ => Self::traced(iteration),
        }
    }
}

/// The callback of a fit that runs without the interpreter's lock.
pub(crate) struct Watch {
    callback: Option<Py<PyAny>>,
    seen: Option<(usize, usize)>,
    looked: Instant,
    raised: Option<PyErr>,
}

impl Watch {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        Self {
            callback,
            seen: None,
            looked: Instant::now(),
            raised: None,
        }
    }

    pub(crate) fn see(&mut self, iteration: &rfvm::Iteration) -> ControlFlow<()> {
        // The engine may call again before anything new has happened, so that Ctrl-C is not kept waiting.
        let now = Some((iteration.signature, iteration.number));
        let news = self.callback.is_some() && self.seen != now;
        if !news && self.looked.elapsed() < PAUSE {
            return ControlFlow::Continue(());
        }
        self.seen = now;
        let stop = Python::attach(|py| {
            py.check_signals()?;
            match &self.callback {
                Some(callback) if news => callback
                    .call1(py, (Iteration::running(iteration),))?
                    .is_truthy(py),
                _ => Ok(false),
            }
        });
        self.looked = Instant::now();
        match stop {
            Ok(false) => ControlFlow::Continue(()),
            Ok(true) => ControlFlow::Break(()),
            Err(raised) => {
                self.raised = Some(raised);
                ControlFlow::Break(())
            }
        }
    }

    /// What the callback or Ctrl-C raised.
    pub(crate) fn outcome(self) -> PyResult<()> {
        self.raised.map_or(Ok(()), Err)
    }
}
