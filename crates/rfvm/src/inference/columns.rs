//! The standardised data as the engine walks it: active features in cache-sized blocks, compacted as they fall away.

use std::borrow::Cow;
use std::ops::Range;

/// Feature-major numbers of which some features are still active.
#[derive(Debug, Clone)]
pub(crate) struct Columns<'a> {
    rows: usize,
    /// Which rows of `data` these are; `None`: all of them.
    chosen: Option<Vec<usize>>,
    /// Rows of `data`.
    stride: usize,
    data: Cow<'a, [f64]>,
    /// Positions in `data` of the active features; `None` when all of them are active.
    active: Option<Vec<usize>>,
    /// Original positions of the features in `data`, once it is a compact copy.
    original: Option<Vec<usize>>,
}

impl<'a> Columns<'a> {
    pub(crate) fn new(data: &'a [f64], rows: usize) -> Self {
        assert!(data.len().is_multiple_of(rows), "column length");
        Self {
            rows,
            chosen: None,
            stride: rows,
            data: Cow::Borrowed(data),
            active: None,
            original: None,
        }
    }

    /// Some rows of the data: gathered block by block, so that folds need no copy of their own.
    pub(crate) fn of_rows(data: &'a [f64], stride: usize, rows: &[usize]) -> Self {
        let all = rows.len() == stride && rows.iter().enumerate().all(|(i, &n)| i == n);
        Self {
            rows: rows.len(),
            chosen: (!all).then(|| rows.to_vec()),
            ..Self::new(data, stride)
        }
    }

    /// Some features of the data, in the given order.
    pub(crate) fn some(data: &'a [f64], rows: usize, active: Vec<usize>) -> Self {
        Self {
            active: Some(active),
            ..Self::new(data, rows)
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    /// Number of active features.
    pub(crate) fn len(&self) -> usize {
        match &self.active {
            Some(active) => active.len(),
            None => self.data.len() / self.stride,
        }
    }

    /// Position in `data` of active feature `d`.
    fn place(&self, d: usize) -> usize {
        self.active.as_ref().map_or(d, |active| active[d])
    }

    /// Original position of active feature `d`.
    pub(crate) fn position(&self, d: usize) -> usize {
        let at = self.place(d);
        self.original.as_ref().map_or(at, |original| original[at])
    }

    pub(crate) fn positions(&self) -> Vec<usize> {
        (0..self.len()).map(|d| self.position(d)).collect()
    }

    /// A feature, with all rows of the data whether or not they are among those chosen.
    pub(crate) fn column(&self, d: usize) -> &[f64] {
        let at = self.place(d);
        &self.data[at * self.stride..(at + 1) * self.stride]
    }

    /// Active features `range` side by side: a plain view where they lie so, else copied into `scratch`.
    pub(crate) fn block<'s>(&'s self, range: Range<usize>, scratch: &'s mut Vec<f64>) -> &'s [f64] {
        if self.active.is_none() && self.chosen.is_none() {
            return &self.data[range.start * self.rows..range.end * self.rows];
        }
        scratch.resize(range.len() * self.rows, 0.0);
        let block = &mut scratch[..];
        for (to, d) in block.chunks_exact_mut(self.rows).zip(range) {
            let column = self.column(d);
            match &self.chosen {
                None => to.copy_from_slice(column),
                Some(rows) => {
                    for (to, &n) in to.iter_mut().zip(rows) {
                        *to = column[n];
                    }
                }
            }
        }
        block
    }

    /// Drops the features whose flag is false. Once all but one in 64 are gone the rest move to a copy
    /// of their own; before, the copy would cost more memory than walking around the gaps costs time.
    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let kept: Vec<usize> = (0..self.len()).filter(|&d| keep[d]).collect();
        if 64 * kept.len() * self.rows > self.data.len() {
            self.active = Some(kept.into_iter().map(|d| self.place(d)).collect());
            return;
        }
        let mut compact = Vec::with_capacity(kept.len() * self.rows);
        let mut scratch = Vec::new();
        for &d in &kept {
            compact.extend_from_slice(self.block(d..d + 1, &mut scratch));
        }
        self.original = Some(kept.into_iter().map(|d| self.position(d)).collect());
        self.data = Cow::Owned(compact);
        (self.active, self.chosen, self.stride) = (None, None, self.rows);
    }
}

/// The candidates for relevance vectors: rows of the data themselves, some of them, or points of their own.
#[derive(Debug, Clone)]
pub(crate) struct CandidateRows<'a> {
    /// `None`: the rows come from the training data.
    points: Option<Columns<'a>>,
    /// Which rows are active; `None`: all.
    active: Option<Vec<usize>>,
    total: usize,
}

impl<'a> CandidateRows<'a> {
    pub(crate) fn new(
        samples: usize,
        points: Option<Columns<'a>>,
        active: Option<Vec<usize>>,
    ) -> Self {
        let total = points.as_ref().map_or(samples, Columns::rows);
        Self {
            points,
            active,
            total,
        }
    }

    /// Number of active candidates, M.
    pub(crate) fn len(&self) -> usize {
        self.active.as_ref().map_or(self.total, Vec::len)
    }

    /// Whether Z is X itself, so that products are symmetric.
    pub(crate) fn is_data(&self) -> bool {
        self.points.is_none() && self.active.is_none()
    }

    /// Original position of active candidate `m`.
    pub(crate) fn position(&self, m: usize) -> usize {
        self.active.as_ref().map_or(m, |active| active[m])
    }

    /// The candidates' part of a block of features; `x_block` is the data's.
    pub(crate) fn block<'s>(
        &'s self,
        range: Range<usize>,
        x_block: &'s [f64],
        scratch: &'s mut Vec<f64>,
    ) -> &'s [f64] {
        let Some(active) = &self.active else {
            return match &self.points {
                Some(points) => points.block(range, scratch),
                None => x_block,
            };
        };
        scratch.resize(range.len() * active.len(), 0.0);
        let block = &mut scratch[..];
        let columns = x_block.chunks_exact(self.total.max(1));
        match &self.points {
            None => {
                for (to, from) in block.chunks_exact_mut(active.len()).zip(columns) {
                    gather(to, from, active);
                }
            }
            Some(points) => {
                for (to, d) in block.chunks_exact_mut(active.len()).zip(range) {
                    gather(to, points.column(d), active);
                }
            }
        }
        block
    }

    pub(crate) fn retain_features(&mut self, keep: &[bool]) {
        if let Some(points) = &mut self.points {
            points.retain(keep);
        }
    }

    pub(crate) fn retain(&mut self, keep: &[bool]) {
        let kept = (0..self.len()).filter(|&m| keep[m]);
        self.active = Some(kept.map(|m| self.position(m)).collect());
    }
}

fn gather(to: &mut [f64], from: &[f64], rows: &[usize]) {
    for (value, &row) in to.iter_mut().zip(rows) {
        *value = from[row];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_follow_the_active_features_before_and_after_compaction() {
        let data: Vec<f64> = (0..256).map(f64::from).collect();
        let mut columns = Columns::new(&data, 2);
        let mut scratch = Vec::new();
        assert_eq!(columns.block(1..3, &mut scratch), [2.0, 3.0, 4.0, 5.0]);
        let mut keep = [false; 128];
        for d in [0, 2, 3, 5, 6] {
            keep[d] = true;
        }
        columns.retain(&keep);
        assert!(columns.active.is_some(), "five of 128 stay where they are");
        assert_eq!(columns.block(1..3, &mut scratch), [4.0, 5.0, 6.0, 7.0]);
        columns.retain(&[false, true, false, true, false]);
        assert!(columns.active.is_none(), "two of 128 are compacted");
        assert_eq!(columns.block(0..2, &mut scratch), [4.0, 5.0, 10.0, 11.0]);
        assert_eq!(columns.positions(), [2, 5]);
        columns.retain(&[false, true]);
        assert_eq!(columns.column(0), [10.0, 11.0]);
        assert_eq!(columns.positions(), [5]);
    }

    #[test]
    fn candidates_are_rows_of_the_data_or_points_of_their_own() {
        let data: Vec<f64> = (0..6).map(f64::from).collect();
        let mut scratch = vec![0.0; 6];
        let mut rows = CandidateRows::new(3, None, None);
        assert!(rows.is_data());
        assert_eq!(rows.block(0..2, &data, &mut scratch), data);
        rows.retain(&[true, false, true]);
        assert_eq!(rows.block(0..2, &data, &mut scratch), [0.0, 2.0, 3.0, 5.0]);
        rows.retain(&[false, true]);
        assert_eq!((rows.len(), rows.position(0)), (1, 2));
        let points = [9.0, 8.0, 7.0, 6.0];
        let mut own = CandidateRows::new(3, Some(Columns::new(&points, 2)), None);
        assert_eq!(own.block(0..2, &data, &mut scratch), points);
        own.retain(&[false, true]);
        assert_eq!(own.block(1..2, &data, &mut scratch), [6.0]);
    }
}
