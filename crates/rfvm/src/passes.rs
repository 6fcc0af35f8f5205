//! Walking all features in parallel with sums that do not depend on the number of threads.
//!
//! The features are cut into chunks whose number depends on the shape of the problem alone. One thread
//! walks a chunk in cache-sized blocks and adds to the chunk's own sums; the chunks' sums are then added in
//! order. So the same additions happen in the same order on one thread and on sixty-four.

use std::ops::Range;

use rayon::prelude::*;

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
    /// g_d = z_:d · a
    pub(crate) g: Vec<f64>,
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
    pub(crate) g: &'s mut [f64],
    pub(crate) precision: &'s mut [f64],
    pub(crate) square_norm: &'s [f64],
}

impl FeatureState {
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let Self {
            v,
            v_var,
            delta,
            g,
            precision,
            square_norm,
        } = self;
        for values in [v, v_var, delta, g, precision, square_norm] {
            retain(values, keep);
        }
    }

    fn chunks(&mut self, size: usize) -> impl Iterator<Item = FeatureSlices<'_>> {
        let moments = self.v.chunks_mut(size).zip(self.v_var.chunks_mut(size));
        let aids = self.g.chunks_mut(size).zip(self.precision.chunks_mut(size));
        let fixed = self.delta.chunks(size).zip(self.square_norm.chunks(size));
        moments
            .zip(aids)
            .zip(fixed)
            .map(
                |(((v, v_var), (g, precision)), (delta, square_norm))| FeatureSlices {
                    v,
                    v_var,
                    delta,
                    g,
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
            g: &mut self.g[range.clone()],
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

#[derive(Debug, Default)]
struct ChunkWork {
    x: Vec<f64>,
    z: Vec<f64>,
    scaled: Vec<f64>,
    out: Vec<f64>,
    first: Dense,
    second: Dense,
    sums: [f64; 2],
}

/// Who does the work: the calling thread, or a pool of several.
///
/// A single thread needs no pool, and a fit that runs inside another pool's worker (folds in parallel, say)
/// must not block on one.
#[derive(Debug)]
pub(crate) struct Workers(pub(crate) Option<rayon::ThreadPool>);

impl Workers {
    fn for_each<T: Send>(&self, tasks: Vec<T>, work: impl Fn(T) + Sync + Send) {
        match &self.0 {
            Some(pool) => pool.install(|| tasks.into_par_iter().for_each(work)),
            None => tasks.into_iter().for_each(work),
        }
    }
}

/// The fixed partition of the features and the work space of each chunk.
#[derive(Debug)]
pub(crate) struct Passes<'p> {
    workers: &'p Workers,
    block: usize,
    chunk: usize,
    work: Vec<ChunkWork>,
}

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
        // The chunks' sums take at most a tenth of the data (or 8 MB where that is more).
        let sums = candidates * candidates + samples * candidates.max(samples);
        let affordable = (samples * features / 10).max(1 << 20) / sums.max(1);
        let chunks = affordable.clamp(4, 64);
        let blocks_per_chunk = features.div_ceil(block).div_ceil(chunks).max(1);
        let chunk = blocks_per_chunk * block;
        let count = features.div_ceil(chunk).max(1);
        Self {
            workers,
            block,
            chunk,
            work: std::iter::repeat_with(ChunkWork::default)
                .take(count)
                .collect(),
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
        let tasks: Vec<_> = self
            .work
            .iter_mut()
            .zip(features.chunks(chunk))
            .enumerate()
            .collect();
        self.workers.for_each(tasks, |(at, (work, mut slices))| {
            work.first.reset(shape[0].0, shape[0].1);
            work.second.reset(shape[1].0, shape[1].1);
            work.sums = [0.0; 2];
            let wide = rows.max(candidates) * block;
            for scratch in [&mut work.x, &mut work.z, &mut work.scaled, &mut work.out] {
                scratch.resize(wide, 0.0);
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
                    first: &mut work.first,
                    second: &mut work.second,
                    sums: &mut work.sums,
                    symmetric: z.is_data(),
                };
                visit(block, slices.part(from..to));
            }
        });
    }

    /// The first matrix sum, added up in order of the chunks.
    pub(crate) fn first(&self, sum: &mut Dense) {
        add_up(sum, self.work.iter().map(|work| &work.first));
    }

    /// The second matrix sum, added up in order of the chunks.
    pub(crate) fn second(&self, sum: &mut Dense) {
        add_up(sum, self.work.iter().map(|work| &work.second));
    }

    /// The plain sums, added up in order of the chunks.
    pub(crate) fn plain(&self, at: usize) -> f64 {
        self.work.iter().map(|work| work.sums[at]).sum()
    }
}

fn add_up<'d>(sum: &mut Dense, parts: impl Iterator<Item = &'d Dense>) {
    for (at, part) in parts.enumerate() {
        if at == 0 {
            sum.clone_from(part);
        } else {
            sum.add(part);
        }
    }
}
