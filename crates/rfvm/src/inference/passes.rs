//! Walking all features in parallel with sums that do not depend on the number of threads.
//!
//! The features are cut into chunks whose number depends on the shape of the problem alone. One thread
//! walks a chunk in cache-sized blocks and adds to the chunk's own sums; these are added to the total in the order of
//! the chunks. So the same additions happen in the same order on one thread and on sixty-four. Chunks are handed out in
//! that order too, so that few sums have to wait for their turn: memory grows with the threads, not with the chunks.

use std::ops::Range;
use std::sync::{Condvar, Mutex, PoisonError};

use super::columns::{CandidateRows, Columns};
use super::latent::{Latent, ard_mean};
use crate::numerics::linalg::{Dense, add_outer, add_outer_lower, dot};
use crate::numerics::parallel::{Workers, lock};
use crate::posterior::prior::Hyper;

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
}

/// The part of [`FeatureState`] that belongs to one block.
pub(crate) struct FeatureSlices<'s> {
    pub(crate) v: &'s mut [f64],
    pub(crate) v_var: &'s mut [f64],
    pub(crate) delta: &'s [f64],
    pub(crate) precision: &'s mut [f64],
}

impl FeatureState {
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let Self {
            v,
            v_var,
            delta,
            precision,
        } = self;
        for values in [v, v_var, delta, precision] {
            retain(values, keep);
            // What few features leave free is room for the matrices of the narrow phase.
            values.shrink_to_fit();
        }
    }

    /// δ_d = (shape + 1/2) / (rate + E v_d²/2)
    pub(crate) fn update_delta(&mut self, hyper: &Hyper) {
        let Self {
            v, v_var, delta, ..
        } = self;
        for ((delta, v), var) in delta.iter_mut().zip(v).zip(v_var) {
            *delta = ard_mean(hyper.delta_shape, hyper.delta_rate, *v * *v + *var);
        }
    }

    /// Whether the moments of the features and what goes with them are numbers.
    pub(crate) fn is_finite(&self, a: &[f64], latent: &Latent) -> bool {
        let sum: f64 = [&self.v, &self.v_var, &latent.y]
            .into_iter()
            .flatten()
            .chain(a)
            .sum();
        sum.is_finite() && latent.b.is_finite() && latent.tau.is_finite()
    }

    fn chunks(&mut self, size: usize) -> impl Iterator<Item = FeatureSlices<'_>> {
        let moments = self.v.chunks_mut(size).zip(self.v_var.chunks_mut(size));
        let moments = moments.zip(self.precision.chunks_mut(size));
        moments
            .zip(self.delta.chunks(size))
            .map(|(((v, v_var), precision), delta)| FeatureSlices {
                v,
                v_var,
                delta,
                precision,
            })
    }
}

impl FeatureSlices<'_> {
    fn part(&mut self, range: Range<usize>) -> FeatureSlices<'_> {
        FeatureSlices {
            v: &mut self.v[range.clone()],
            v_var: &mut self.v_var[range.clone()],
            delta: &self.delta[range.clone()],
            precision: &mut self.precision[range],
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
    /// Room for one product or one scaled copy of the block.
    pub(crate) room: &'b mut [f64],
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
        let scaled = scale_columns(self.room, self.x, rows, |d| f.v[d]);
        if self.symmetric {
            add_outer_lower(self.first, scaled, self.z);
        } else {
            add_outer(self.first, scaled, self.z);
        }
        let candidates = self.second.rows();
        let scaled = scale_columns(self.room, self.z, candidates, |d| {
            f.v_var[d] * square_norm(self.x, rows, d)
        });
        add_outer_lower(self.second, scaled, self.z);
    }
}

/// |x_:d|² of a block's d-th column: made anew, as it takes less time than a million of them take room.
pub(crate) fn square_norm(block: &[f64], rows: usize, d: usize) -> f64 {
    let column = &block[d * rows..(d + 1) * rows];
    dot(column, column)
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
    room: Vec<f64>,
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

/// The fixed partition of the features and the sums of the last pass.
#[derive(Debug)]
pub(crate) struct Passes<'p> {
    workers: &'p Workers,
    block: usize,
    chunk: usize,
    total: Sums,
}

/// At most so many chunks: enough for as many threads.
const CHUNKS: usize = 64;

impl<'p> Passes<'p> {
    /// Chooses block and chunk sizes from the shape alone.
    pub(crate) fn new(
        workers: &'p Workers,
        samples: usize,
        candidates: usize,
        features: usize,
    ) -> Self {
        // A block of about 256 kB, so that it and its scaled copy stay in the second-level cache; but where samples are many,
        // wide enough for a product that does more than fetch and store its N x N sum.
        let block = (32_768 / samples.max(candidates).max(1)).clamp(128, 512);
        // Long against adding up the sums, which are as large as N / 2 features are.
        let chunk = features.div_ceil(CHUNKS).max(samples / 2);
        let blocks_per_chunk = chunk.div_ceil(block).max(1);
        Self {
            workers,
            block,
            chunk: blocks_per_chunk * block,
            total: Sums::default(),
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
        // Made anew for every pass: between two of them the room is for other matrices.
        let free: &Mutex<Vec<Work>> = &Mutex::default();
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
            work.room.resize(rows.max(candidates) * block, 0.0);
            let (start, len) = (at * chunk, slices.v.len());
            for from in (0..len).step_by(block) {
                let to = (from + block).min(len);
                let range = start + from..start + to;
                let x_block = x.block(range.clone(), &mut work.x);
                let z_block = z.block(range, x_block, &mut work.z);
                let block = Block {
                    x: x_block,
                    z: z_block,
                    room: &mut work.room,
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

    /// Gives away the matrix sums.
    pub(crate) fn matrices(&mut self) -> (Dense, Dense) {
        let Sums { first, second, .. } = &mut self.total;
        (std::mem::take(first), std::mem::take(second))
    }

    /// One of the plain sums.
    pub(crate) fn plain(&self, at: usize) -> f64 {
        self.total.plain[at]
    }
}
