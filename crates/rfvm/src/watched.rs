//! Work on threads while somebody watches who may have had enough.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use std::{iter, thread};

/// How long a user who stops the work may have to wait for it to be noticed.
const GLANCE: Duration = Duration::from_millis(50);

/// Runs jobs on threads of its own and asks `go_on`, on this one, several times a second and at the end, so that a user
/// who has had enough need not wait for a job's end. The results are in the order of the jobs; `None` after a break.
pub(crate) fn watched<T: Send>(
    threads: usize,
    jobs: usize,
    run: impl Fn(usize) -> T + Sync,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Option<Vec<T>> {
    let (stop, next) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut results: Vec<Option<T>> = (0..jobs).map(|_| None).collect();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        for sender in iter::repeat_n(sender, threads.min(jobs)) {
            scope.spawn(|| {
                let sender = sender;
                loop {
                    let job = next.fetch_add(1, Ordering::Relaxed);
                    if job >= jobs || stop.load(Ordering::Relaxed) {
                        break;
                    }
                    // The receiver lives until every sender is gone.
                    let _ = sender.send((job, run(job)));
                }
            });
        }
        loop {
            match receiver.recv_timeout(GLANCE) {
                Ok((job, result)) => results[job] = Some(result),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    if go_on().is_break() {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    });
    match go_on() {
        ControlFlow::Continue(()) => results.into_iter().collect(),
        ControlFlow::Break(()) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_the_order_of_the_jobs_and_a_break_ends_them() {
        for threads in [1, 3] {
            let squares = watched(threads, 40, |job| job * job, &mut || {
                ControlFlow::Continue(())
            });
            assert_eq!(squares, Some((0..40).map(|job| job * job).collect()));
        }
        let done = AtomicUsize::new(0);
        let slow = |_| {
            thread::sleep(GLANCE);
            done.fetch_add(1, Ordering::Relaxed)
        };
        let stopped = watched(2, 1000, slow, &mut || ControlFlow::Break(()));
        assert_eq!(stopped, None);
        assert!(done.into_inner() < 20);
    }
}
