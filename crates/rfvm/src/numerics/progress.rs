//! Work on threads while somebody watches who may have had enough.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use super::parallel::lock;

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
/// has had enough need not wait for a job's end. No pool's threads: a caller that is itself a worker of a pool would, while
/// it waits, take up that pool's other work, a further fit say, and in it the next, until its stack is full.
pub(crate) struct Progress<'w> {
    threads: usize,
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

    pub(crate) fn threads(&self) -> usize {
        self.threads
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
        let results: Vec<Mutex<Option<T>>> = (0..jobs).map(|_| Mutex::new(None)).collect();
        let threads = self.threads().min(jobs);
        let at_work = AtWork {
            threads: Mutex::new(threads),
            ended: Condvar::new(),
        };
        let (steps, tell) = (&self.steps, &mut self.tell);
        let mut go_on = || {
            let flow = tell(steps.done.load(Ordering::Relaxed));
            if flow.is_break() {
                steps.stopped.store(true, Ordering::Relaxed);
            }
            flow
        };
        let work = || {
            let _leaves = Leaves(&at_work);
            loop {
                let job = next.fetch_add(1, Ordering::Relaxed);
                if job >= jobs || steps.stopped() {
                    break;
                }
                *lock(&results[job]) = Some(run(job, steps));
            }
        };
        std::thread::scope(|scope| {
            let mut refused = 0;
            for _ in 0..threads {
                let started = std::thread::Builder::new().spawn_scoped(scope, work);
                refused += usize::from(started.is_err());
            }
            // Where the system gives fewer threads those do all of it, and where it gives none this one.
            for _ in 0..refused.min(threads.saturating_sub(1)) {
                drop(Leaves(&at_work));
            }
            if threads > 0 && refused == threads {
                work();
            }
            // Woken by the last thread, not by every result: there are thousands of small ones.
            while !at_work.ended_within(GLANCE) {
                let _ = go_on();
            }
        });
        match go_on() {
            ControlFlow::Continue(()) => {
                let results = results.into_iter().map(Mutex::into_inner);
                results
                    .map(|result| result.unwrap_or_else(PoisonError::into_inner))
                    .collect()
            }
            ControlFlow::Break(()) => None,
        }
    }
}

/// How many threads still work.
struct AtWork {
    threads: Mutex<usize>,
    ended: Condvar,
}

impl AtWork {
    fn ended_within(&self, time: Duration) -> bool {
        let waited = self
            .ended
            .wait_timeout_while(lock(&self.threads), time, |threads| *threads > 0);
        *waited.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

/// Counts a thread out when it ends, by a panic too.
struct Leaves<'l>(&'l AtWork);

impl Drop for Leaves<'_> {
    fn drop(&mut self) {
        let mut threads = lock(&self.0.threads);
        *threads -= 1;
        if *threads == 0 {
            self.0.ended.notify_one();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use rayon::prelude::*;

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
        // Jobs wait to be told that it is over, so that a slow machine changes nothing.
        let begun = AtomicUsize::new(0);
        let patient = |_, steps: &Steps| {
            begun.fetch_add(1, Ordering::Relaxed);
            while !steps.stopped() {
                std::thread::yield_now();
            }
        };
        let mut tell = |_| ControlFlow::Break(());
        let stopped = Progress::new(2, &mut tell).run(1000, patient);
        assert_eq!(stopped, None);
        assert!(begun.into_inner() <= 2);
    }

    #[test]
    fn a_worker_that_waits_takes_up_no_other_work() {
        thread_local! { static DEPTH: std::cell::Cell<usize> = const { std::cell::Cell::new(0) }; }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let deepest: Option<usize> = pool.unwrap().install(|| {
            let nested = (0..8).into_par_iter().map(|_| {
                let depth = DEPTH.get() + 1;
                DEPTH.set(depth);
                let mut tell = |_| ControlFlow::Continue(());
                let pause = |_, _: &Steps| std::thread::sleep(Duration::from_millis(2));
                Progress::new(1, &mut tell).run(2, pause);
                DEPTH.set(depth - 1);
                depth
            });
            nested.max()
        });
        assert_eq!(deepest, Some(1));
    }
}
