//! Threads: how many, a pool of them, and work that they share.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// How many worker threads a fit takes: as asked, else `OMP_NUM_THREADS`, else all cores.
pub fn threads(asked: Option<usize>) -> usize {
    let from_environment = || {
        let value = std::env::var("OMP_NUM_THREADS").ok()?;
        value
            .split(',')
            .next()?
            .trim()
            .parse()
            .ok()
            .filter(|&n| n > 0)
    };
    let all_cores = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.or_else(from_environment).unwrap_or_else(all_cores)
}

/// A pool of so many threads.
pub(crate) fn thread_pool(threads: usize) -> Result<rayon::ThreadPool, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Error::Threads {
        threads,
        reason: error.to_string(),
    })
}

pub(crate) fn start_workers(asked: Option<usize>) -> Result<Workers, Error> {
    let threads = threads(asked);
    if threads == 1 {
        return Ok(Workers(None));
    }
    Ok(Workers(Some(thread_pool(threads)?)))
}

/// Who does the work: the calling thread, or a pool of several.
///
/// A single thread needs no pool, and a fit that runs inside another pool's worker (folds in parallel, say)
/// must not block on one.
#[derive(Debug)]
pub(crate) struct Workers(pub(crate) Option<rayon::ThreadPool>);

impl Workers {
    pub(crate) fn count(&self) -> usize {
        self.0
            .as_ref()
            .map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// Every worker takes tasks, in order, until there are none.
    pub(crate) fn for_each<T: Send>(
        &self,
        tasks: impl Iterator<Item = T> + Send,
        work: impl Fn(T) + Sync,
    ) {
        let tasks = Mutex::new(tasks);
        let run = || {
            loop {
                // The lock must be gone before the work begins.
                let task = lock(&tasks).next();
                match task {
                    Some(task) => work(task),
                    None => break,
                }
            }
        };
        match &self.0 {
            Some(pool) => {
                pool.broadcast(|_| run());
            }
            None => run(),
        }
    }
}

/// What each part comes to, in their order, every part on a thread of its own. Not on a pool's: while one of its threads
/// waits for others it takes up other work, a further fold of an evaluation say, and that fold's memory with it.
pub(crate) fn side_by_side<P: Send, T: Send>(
    parts: impl ExactSizeIterator<Item = P>,
    work: impl Fn(P) -> T + Sync,
) -> Vec<T> {
    if parts.len() == 1 {
        return parts.map(work).collect();
    }
    let work = &work;
    std::thread::scope(|scope| {
        let running: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let ended = running.into_iter().map(|running| running.join());
        ended
            .map(|result| result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic in a worker reaches the caller anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
