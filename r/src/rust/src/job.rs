//! Work that takes long, on a thread of its own: R asks now and then whether it is done, and sees Ctrl-C meanwhile.

use std::any::Any;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use extendr_api::prelude::*;

use crate::given::Outcome;

extendr_module! {
    mod job;
    fn job_is_done;
    fn job_steps;
    fn job_stop;
    fn job_result;
}

/// What the working thread and R know of each other.
#[derive(Default)]
pub(crate) struct Progress {
    stop: AtomicBool,
    done: AtomicUsize,
    of: AtomicUsize,
}

impl Progress {
    /// Says how far the work is, and hears whether to go on.
    pub(crate) fn tell(&self, done: usize, of: usize) -> ControlFlow<()> {
        self.done.store(done, Ordering::Relaxed);
        self.of.store(of, Ordering::Relaxed);
        match self.stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Work that gives a text.
pub(crate) struct Job {
    progress: Arc<Progress>,
    worker: Mutex<Option<JoinHandle<Outcome<String>>>>,
}

impl Job {
    pub(crate) fn start(
        work: impl FnOnce(&Progress) -> Outcome<String> + Send + 'static,
    ) -> ExternalPtr<Self> {
        let progress = Arc::new(Progress::default());
        let own = Arc::clone(&progress);
        let worker = thread::spawn(move || work(&own));
        ExternalPtr::new(Self {
            progress,
            worker: Mutex::new(Some(worker)),
        })
    }
}

impl Drop for Job {
    /// Where R has forgotten the job, nobody waits for its end.
    fn drop(&mut self) {
        self.progress.stop.store(true, Ordering::Relaxed);
    }
}

/// Whether the work has ended, well or not.
#[extendr]
fn job_is_done(job: ExternalPtr<Job>) -> bool {
    let worker = job.worker.lock();
    let worker = worker.unwrap_or_else(|poisoned| poisoned.into_inner());
    worker.as_ref().is_none_or(JoinHandle::is_finished)
}

/// Steps that are done, and how many there are.
#[extendr]
fn job_steps(job: ExternalPtr<Job>) -> Vec<i32> {
    let steps = [&job.progress.done, &job.progress.of];
    let steps = steps.map(|count| count.load(Ordering::Relaxed));
    steps
        .map(|count| i32::try_from(count).unwrap_or(i32::MAX))
        .to_vec()
}

/// Tells the work to end; it does at its next step.
#[extendr]
fn job_stop(job: ExternalPtr<Job>) {
    job.progress.stop.store(true, Ordering::Relaxed);
}

/// What came of it, once.
#[extendr]
fn job_result(job: ExternalPtr<Job>) -> Outcome<String> {
    let worker = job.worker.lock();
    let worker = worker
        .unwrap_or_else(|poisoned| poisoned.into_inner())
        .take();
    let worker = worker.ok_or("the result of this job was taken already")?;
    worker.join().unwrap_or_else(|panic| Err(ours(&*panic)))
}

/// A mistake of the engine's own, which must not take R down.
fn ours(panic: &(dyn Any + Send)) -> String {
    let texts = (panic.downcast_ref::<&str>()).copied();
    let text = texts.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!(
        "the engine has a mistake of its own ({}); please report it",
        text.unwrap_or("without words")
    )
}
