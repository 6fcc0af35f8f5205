//! Walking all features in parallel with sums that do not depend on the number of threads.
//!
//! The features are cut into chunks whose number depends on the shape of the problem alone. One thread
//! walks a chunk in cache-sized blocks and adds to the chunk's own sums; these are added to the total in the order of
//! the chunks. So the same additions happen in the same order on one thread and on sixty-four. Chunks are handed out in
//! that order too, so that few sums have to wait for their turn: memory grows with the threads, not with the chunks.

use std::ops::Range;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::columns::{CandidateRows, Columns};
use crate::linalg::{Dense, add_outer, add_outer_lower};

/// What is known of every active feature, side by side.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct FeatureState {
    /// ⟨v_d⟩
    pub(crate) v: Vec<f64>,
    /// var v_d
    pub(crate) v_var: Vec<f64>,
    /// ⟨δ_d⟩
    pub(crate) delta: Vec<f64>,
    /// P_d of the wide phase; G_dd of a mean-field sweep.
    pub(crate) precision: Vec<f64>,
    /// |x_:d|²
    pub(crate) square_norm: Vec<f64>,
}

/// The part of [`FeatureState`] that belongs to one block.
pub(crate) struct FeatureSlices<'s> {
    pub(crate) v: &'s mut [f64],
    pub(crate) v_var: &'s mut [f64],
    pub(crate) delta: &'s [f64],
    pub(crate) precision: &'s mut [f64],
    pub(crate) square_norm: &'s [f64],
}

impl FeatureState {
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let Self {
            v,
            v_var,
            delta,
            precision,
            square_norm,
        } = self;
        for values in [v, v_var, delta, precision, square_norm] {
            retain(values, keep);
        }
    }

    fn chunks(&mut self, size: usize) -> impl Iterator<Item = FeatureSlices<'_>> {
        let moments = self.v.chunks_mut(size).zip(self.v_var.chunks_mut(size));
        let moments = moments.zip(self.precision.chunks_mut(size));
        let fixed = self.delta.chunks(size).zip(self.square_norm.chunks(size));
        moments.zip(fixed).map(
            |(((v, v_var), precision), (delta, square_norm))| FeatureSlices {
                v,
                v_var,
                delta,
                precision,
                square_norm,
            },
        )
    }
}

impl FeatureSlices<'_> {
    fn part(&mut self, range: Range<usize>) -> FeatureSlices<'_> {
        FeatureSlices {
            v: &mut self.v[range.clone()],
            v_var: &mut self.v_var[range.clone()],
            delta: &self.delta[range.clone()],
            precision: &mut self.precision[range.clone()],
            square_norm: &self.square_norm[range],
        }
    }
}

/// Drops the entries whose flag is false.
pub(crate) fn retain<T>(values: &mut Vec<T>, keep: &[bool]) {
    let mut flags = keep.iter();
    values.retain(|_| *flags.next().unwrap_or(&true));
}

/// One block of features with its scratch space and the sums of its chunk.
pub(crate) struct Block<'b> {
    pub(crate) x: &'b [f64],
    pub(crate) z: &'b [f64],
    pub(crate) scaled: &'b mut [f64],
    pub(crate) out: &'b mut [f64],
    pub(crate) first: &'b mut Dense,
    pub(crate) second: &'b mut Dense,
    /// Two plain sums, whatever the pass makes of them.
    pub(crate) sums: &'b mut [f64; 2],
    symmetric: bool,
}

impl Block<'_> {
    /// first += X_B diag(v) Z_B' and second += Z_B diag(var_v |x|²) Z_B'.
    pub(crate) fn add_kernel_and_spread(&mut self, f: &FeatureSlices) {
        let rows = self.first.rows();
        let scaled = scale_columns(self.scaled, self.x, rows, |d| f.v[d]);
        if self.symmetric {
            add_outer_lower(self.first, scaled, self.z);
        } else {
            add_outer(self.first, scaled, self.z);
        }
        let candidates = self.second.rows();
        let scaled = scale_columns(self.scaled, self.z, candidates, |d| {
            f.v_var[d] * f.square_norm[d]
        });
        add_outer_lower(self.second, scaled, self.z);
    }
}

/// Writes block * diag(weight) into `scaled` and returns that part of it.
pub(crate) fn scale_columns<'s>(
    scaled: &'s mut [f64],
    block: &[f64],
    rows: usize,
    weight: impl Fn(usize) -> f64,
) -> &'s [f64] {
    let scaled = &mut scaled[..block.len()];
    let columns = scaled.chunks_exact_mut(rows).zip(block.chunks_exact(rows));
    for (d, (to, from)) in columns.enumerate() {
        let weight = weight(d);
        for (to, from) in to.iter_mut().zip(from) {
            *to = weight * from;
        }
    }
    scaled
}

/// What a thread needs for one chunk: room for a block, and the chunk's sums.
#[derive(Debug, Default)]
struct Work {
    x: Vec<f64>,
    z: Vec<f64>,
    scaled: Vec<f64>,
    out: Vec<f64>,
    sums: Sums,
}

#[derive(Debug, Default)]
struct Sums {
    first: Dense,
    second: Dense,
    plain: [f64; 2],
}

/// The total so far, and the chunks that are done before their turn.
struct Merging {
    total: Sums,
    chunks: usize,
    waiting: Vec<(usize, Work)>,
}

impl Merging {
    /// Adds what can be added, and hands back the work spaces that are free again.
    fn add(&mut self, at: usize, work: Work, free: &Mutex<Vec<Work>>) {
        self.waiting.push((at, work));
        let next = |merging: &Self| {
            let chunks = merging.chunks;
            merging.waiting.iter().position(|(at, _)| *at == chunks)
        };
        while let Some(found) = next(self) {
            let (at, mut work) = self.waiting.swap_remove(found);
            if at == 0 {
                std::mem::swap(&mut self.total, &mut work.sums);
            } else {
                self.total.first.add(&work.sums.first);
                self.total.second.add(&work.sums.second);
                for (total, sum) in self.total.plain.iter_mut().zip(work.sums.plain) {
                    *total += sum;
                }
            }
            self.chunks += 1;
            lock(free).push(work);
        }
    }
}

/// Who does the work: the calling thread, or a pool of several.
///
/// A single thread needs no pool, and a fit that runs inside another pool's worker (folds in parallel, say)
/// must not block on one.
#[derive(Debug)]
pub(crate) struct Workers(pub(crate) Option<rayon::ThreadPool>);

impl Workers {
    fn count(&self) -> usize {
        self.0
            .as_ref()
            .map_or(1, rayon::ThreadPool::current_num_threads)
    }

    /// Every worker takes tasks, in order, until there are none.
    fn for_each<T: Send>(&self, tasks: impl Iterator<Item = T> + Send, work: impl Fn(T) + Sync) {
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

/// The fixed partition of the features, the work spaces and the sums of the last pass.
#[derive(Debug)]
pub(crate) struct Passes<'p> {
    workers: &'p Workers,
    block: usize,
    chunk: usize,
    total: Sums,
    free: Mutex<Vec<Work>>,
}

/// At most so many chunks: enough for as many threads, and few enough to be long against adding up their sums.
const CHUNKS: usize = 64;

impl<'p> Passes<'p> {
    /// Chooses block and chunk sizes from the shape alone.
    pub(crate) fn new(
        workers: &'p Workers,
        samples: usize,
        candidates: usize,
        features: usize,
    ) -> Self {
        // A block of about 256 kB, so that it and its scaled copy stay in the second-level cache.
        let block = (32_768 / samples.max(candidates).max(1)).clamp(16, 512);
        let blocks_per_chunk = features.div_ceil(block).div_ceil(CHUNKS).max(1);
        Self {
            workers,
            block,
            chunk: blocks_per_chunk * block,
            total: Sums::default(),
            free: Mutex::default(),
        }
    }

    pub(crate) fn workers(&self) -> &'p Workers {
        self.workers
    }

    /// Visits every block once; `shape` is that of the two matrix sums.
    pub(crate) fn run(
        &mut self,
        x: &Columns,
        z: &CandidateRows,
        features: &mut FeatureState,
        shape: [(usize, usize); 2],
        visit: impl Fn(Block, FeatureSlices) + Sync,
    ) {
        let (block, chunk, rows, candidates) = (self.block, self.chunk, x.rows(), z.len());
        let free = &self.free;
        let merging = Mutex::new(Merging {
            total: std::mem::take(&mut self.total),
            chunks: 0,
            waiting: Vec::new(),
        });
        let (turn, ahead) = (Condvar::new(), 2 * self.workers.count());
        let chunks = features.chunks(chunk).enumerate();
        self.workers.for_each(chunks, |(at, mut slices)| {
            // Where one thread is held up, the others may not fill the memory with sums that wait for it.
            let near = turn.wait_while(lock(&merging), |merging| at >= merging.chunks + ahead);
            drop(near.unwrap_or_else(PoisonError::into_inner));
            let mut work = lock(free).pop().unwrap_or_default();
            work.sums.first.reset(shape[0].0, shape[0].1);
            work.sums.second.reset(shape[1].0, shape[1].1);
            work.sums.plain = [0.0; 2];
            let wide = rows.max(candidates) * block;
            for room in [&mut work.scaled, &mut work.out] {
                room.resize(wide, 0.0);
            }
            let (start, len) = (at * chunk, slices.v.len());
            for from in (0..len).step_by(block) {
                let to = (from + block).min(len);
                let range = start + from..start + to;
                let x_block = x.block(range.clone(), &mut work.x);
                let z_block = z.block(range, x_block, &mut work.z);
                let block = Block {
                    x: x_block,
                    z: z_block,
                    scaled: &mut work.scaled,
                    out: &mut work.out,
                    first: &mut work.sums.first,
                    second: &mut work.sums.second,
                    sums: &mut work.sums.plain,
                    symmetric: z.is_data(),
                };
                visit(block, slices.part(from..to));
            }
            lock(&merging).add(at, work, free);
            turn.notify_all();
        });
        let merging = merging.into_inner().unwrap_or_else(PoisonError::into_inner);
        self.total = merging.total;
    }

    /// Gives away the first matrix sum for room for the next.
    pub(crate) fn first(&mut self, sum: &mut Dense) {
        std::mem::swap(sum, &mut self.total.first);
    }

    /// Gives away the second matrix sum for room for the next.
    pub(crate) fn second(&mut self, sum: &mut Dense) {
        std::mem::swap(sum, &mut self.total.second);
    }

    /// One of the plain sums.
    pub(crate) fn plain(&self, at: usize) -> f64 {
        self.total.plain[at]
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic in a worker reaches the caller anyway.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
