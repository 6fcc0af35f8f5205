//! Work on threads while somebody watches who may have had enough.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{iter, thread};

/// How long a user who stops the work may have to wait for it to be noticed.
const GLANCE: Duration = Duration::from_millis(50);

/// Steps done so far, and whether somebody has had enough: what a job sees of its watcher.
#[derive(Debug, Default)]
pub(crate) struct Steps {
    done: AtomicUsize,
    stopped: AtomicBool,
}

impl Steps {
    pub(crate) fn step(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether the work is in vain.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }
}

/// Runs jobs on threads of its own and tells how far they are, on this one, several times a second, so that a user who
/// has had enough need not wait for a job's end.
pub(crate) struct Progress<'w> {
    pub(crate) threads: usize,
    steps: Steps,
    tell: &'w mut dyn FnMut(usize) -> ControlFlow<()>,
}

impl<'w> Progress<'w> {
    /// `tell` hears the number of steps done; a break ends the work.
    pub(crate) fn new(threads: usize, tell: &'w mut dyn FnMut(usize) -> ControlFlow<()>) -> Self {
        Self {
            threads,
            steps: Steps::default(),
            tell,
        }
    }

    pub(crate) fn step(&self) {
        self.steps.step();
    }

    /// The results of all jobs in their order; `None` after a break.
    pub(crate) fn run<T: Send>(
        &mut self,
        jobs: usize,
        run: impl Fn(usize, &Steps) -> T + Sync,
    ) -> Option<Vec<T>> {
        let next = AtomicUsize::new(0);
        let mut results: Vec<Option<T>> = (0..jobs).map(|_| None).collect();
        let (sender, receiver) = mpsc::channel();
        let threads = self.threads.min(jobs);
        // The closures below may hold the steps while this thread tells of them.
        let steps = std::mem::take(&mut self.steps);
        let shared = &steps;
        let tell = &mut self.tell;
        let mut go_on = || {
            let flow = tell(shared.done.load(Ordering::Relaxed));
            if flow.is_break() {
                shared.stopped.store(true, Ordering::Relaxed);
            }
            flow
        };
        thread::scope(|scope| {
            for sender in iter::repeat_n(sender, threads) {
                let (next, run) = (&next, &run);
                scope.spawn(move || {
                    loop {
                        let job = next.fetch_add(1, Ordering::Relaxed);
                        if job >= jobs || shared.stopped() {
                            break;
                        }
                        // The receiver lives until every sender is gone.
                        let _ = sender.send((job, run(job, shared)));
                    }
                });
            }
            loop {
                match receiver.recv_timeout(GLANCE) {
                    Ok((job, result)) => results[job] = Some(result),
                    Err(RecvTimeoutError::Disconnected) => break,
                    Err(RecvTimeoutError::Timeout) => {
                        let _ = go_on();
                    }
                }
            }
        });
        let flow = go_on();
        self.steps = steps;
        match flow {
            ControlFlow::Continue(()) => results.into_iter().collect(),
            ControlFlow::Break(()) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs_and_a_break_ends_them() {
        for threads in [1, 3] {
            let mut heard = 0;
            let mut tell = |done| {
                heard = done;
                ControlFlow::Continue(())
            };
            let mut progress = Progress::new(threads, &mut tell);
            let squares = progress.run(40, |job, steps| {
                steps.step();
                job * job
            });
            assert_eq!(squares, Some((0..40).map(|job| job * job).collect()));
            assert_eq!(heard, 40);
        }
        let done = AtomicUsize::new(0);
        let slow = |_, _: &Steps| {
            thread::sleep(GLANCE);
            done.fetch_add(1, Ordering::Relaxed)
        };
        let mut tell = |_| ControlFlow::Break(());
        let stopped = Progress::new(2, &mut tell).run(1000, slow);
        assert_eq!(stopped, None);
        assert!(done.into_inner() < 20);
    }
}
