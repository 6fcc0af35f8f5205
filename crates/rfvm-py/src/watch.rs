//! What happens between two iterations: Ctrl-C, and whoever wants to look on.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use rfvm::Phase;

/// How often Ctrl-C is looked for.
const PAUSE: Duration = Duration::from_millis(20);

/// What is known after one iteration of a fit.
///
/// Attributes
/// ----------
/// signature : int
///     Number of the signature being fitted, from 1.
/// number : int
///     Number of the iteration, from 1; in a fit of the method projected, steps that are done.
/// total : int or None
///     In a fit of the method projected, how many steps there are.
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

    /// As a running fit reports it: on the path the engine counts steps.
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

/// The callback that the engine gets.
pub(crate) type See<'s> = &'s mut (dyn FnMut(&rfvm::Iteration) -> ControlFlow<()> + Send);

/// Works on a thread of its own, without the interpreter's lock, while this one looks after Ctrl-C and the callback.
///
/// What Ctrl-C or the callback raises comes out at once: the work is told to stop, and nobody waits for its end.
pub(crate) fn watched<T: Send + 'static>(
    py: Python<'_>,
    callback: Option<Py<PyAny>>,
    work: impl FnOnce(See<'_>) -> T + Send + 'static,
) -> PyResult<T> {
    let stop = Arc::new(AtomicBool::new(false));
    let (news, hears) = mpsc::channel();
    let (answers, asks) = mpsc::channel();
    let mut reporter = Reporter {
        stop: Arc::clone(&stop),
        talk: callback.is_some().then_some((news, asks)),
        told: None,
    };
    let worker = thread::spawn(move || work(&mut |iteration| reporter.see(iteration)));
    let answer = |iteration: Option<rfvm::Iteration>| -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            if let (Some(iteration), Some(callback)) = (iteration, &callback) {
                let seen = Iteration::running(&iteration);
                let enough = callback.call1(py, (seen,))?.is_truthy(py)?;
                // Where nobody listens any more, the work is done.
                let _ = answers.send(enough);
            }
            Ok(())
        })
    };
    let at_work = &worker;
    let looked_after = py.detach(move || {
        while !at_work.is_finished() {
            match hears.recv_timeout(PAUSE) {
                Ok(iteration) => answer(Some(iteration))?,
                Err(RecvTimeoutError::Timeout) => answer(None)?,
                // Without a callback there is no news, only the end to wait for.
                Err(RecvTimeoutError::Disconnected) => {
                    wait(at_work);
                    answer(None)?;
                }
            }
        }
        Ok(())
    });
    if let Err(raised) = looked_after {
        stop.store(true, Ordering::Relaxed);
        return Err(raised);
    }
    let done = py.detach(|| worker.join());
    done.map_or_else(|panic| std::panic::resume_unwind(panic), Ok)
}

/// Until the worker has finished, but not for longer than the pause.
fn wait<T>(worker: &thread::JoinHandle<T>) {
    let began = Instant::now();
    let mut nap = Duration::from_micros(50);
    while !worker.is_finished() && began.elapsed() < PAUSE {
        thread::sleep(nap);
        nap = (nap * 2).min(Duration::from_millis(2));
    }
}

/// The working thread's end.
struct Reporter {
    stop: Arc<AtomicBool>,
    talk: Option<(Sender<rfvm::Iteration>, Receiver<bool>)>,
    told: Option<(usize, usize)>,
}

impl Reporter {
    fn see(&mut self, iteration: &rfvm::Iteration) -> ControlFlow<()> {
        if self.stop.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        // The engine calls again before anything new has happened, so that nobody has to wait for an answer.
        let now = Some((iteration.signature, iteration.number));
        let Some((news, asks)) = self.talk.as_ref().filter(|_| self.told != now) else {
            return ControlFlow::Continue(());
        };
        self.told = now;
        let enough = news.send(*iteration).is_err() || asks.recv().unwrap_or(true);
        if enough {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }
}
