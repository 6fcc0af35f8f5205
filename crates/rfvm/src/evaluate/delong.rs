//! How sure an AUC is, and the difference of two on the same samples: DeLong's variance, without a draw.
//!
//! An AUC is the mean of ψ(x, y) = 1, ½ or 0 (x above, equal to, below y) over the pairs of a positive score x and a
//! negative one y. DeLong, DeLong and Clarke-Pearson (1988) average ψ over the partners of each sample, its *placement*;
//! the variance of the AUC is that of the mean of the positives' placements plus that of the negatives'. Sun and Xu (2014)
//! read placements off mid-ranks, so that sorting is all the work there is.
//!
//! Three things are added for a cross-validation:
//!
//! - Scores are compared within a [`ScoreBlock`], the test rows of one fit, and a row's placement is its mean over the
//!   repeats, since repeats share their rows.
//! - Whole groups are drawn, so placements are added up by group before they are squared (Obuchowski 1997).
//! - A pair is noise of both its rows and would count twice, which in folds of few rows is much. What pairs of groups add is
//!   therefore taken off once, as in the variance of any mean over pairs (Fafchamps and Gubert 2007).
//!
//! Two scores of the same samples are compared by the differences of their placements. Most of these are 0 and a few large, so
//! that their variance is known badly and comes out too small as often as not: its degrees of freedom are those of its
//! kurtosis, and nothing is taken off it.

use super::clusters::{ALIKE, Clusters, PRIOR_FREEDOM, blended};
use crate::numerics::stats::variance_freedom;
use crate::numerics::student::{t_p_value, t_quantile};

/// So many groups are compared pair by pair; of more, a pair counts for too little to matter.
const MOST_BY_PAIR: usize = 2_000;

/// The scores of rows that may be compared with each other: those that one fit gave, say.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoreBlock {
    /// Positions of the rows among the labels.
    pub rows: Vec<usize>,
    /// Their scores.
    pub score: Vec<f64>,
    /// What the block counts among others.
    pub weight: f64,
}

/// An AUC or the difference of two, with its variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeLong {
    /// The AUC, or the difference of two.
    pub value: f64,
    /// Its variance over samples of this size.
    pub variance: f64,
    /// Satterthwaite's degrees of freedom of the variance.
    pub freedom: f64,
    /// Numbers of positive and of negative rows.
    pub counts: (usize, usize),
    /// How many groups have a pair in the wrong order, or, where those are fewer, one in the right order.
    telling: usize,
    /// The design effect of groups whose rows are half alike.
    expected_effect: f64,
}

/// The AUC of scores within blocks with its variance; `None` where a class has fewer than two samples, or where a block
/// lacks a class.
pub fn auc(labels: &[usize], groups: Option<&[usize]>, blocks: &[ScoreBlock]) -> Option<DeLong> {
    let scored = ScoredRows::new(labels, groups, blocks);
    let (labels, clusters) = (&scored.labels, &scored.clusters);
    Placements::new(labels, clusters, &scored.renumbered(blocks)?)?.judged(
        labels,
        clusters,
        Of::Area,
    )
}

/// How much larger the AUC of the first scores is than that of the second, of the same samples in the same blocks, with the
/// variance of that difference; `None` where a class has fewer than two samples, or where a block lacks a class.
pub fn difference(
    labels: &[usize],
    groups: Option<&[usize]>,
    first: &[ScoreBlock],
    second: &[ScoreBlock],
) -> Option<DeLong> {
    let scored = ScoredRows::new(labels, groups, first);
    let (labels, clusters) = (&scored.labels, &scored.clusters);
    let of = |blocks| Placements::new(labels, clusters, &scored.renumbered(blocks)?);
    of(first)?
        .less(&of(second)?)
        .judged(labels, clusters, Of::Difference)
}

/// The rows that have a score: others, never tested on, are no evidence.
struct ScoredRows {
    /// The number of each row among those with a score.
    number: Vec<Option<usize>>,
    labels: Vec<usize>,
    clusters: Clusters,
}

impl ScoredRows {
    fn new(labels: &[usize], groups: Option<&[usize]>, blocks: &[ScoreBlock]) -> Self {
        let mut rows: Vec<usize> = blocks.iter().flat_map(|b| b.rows.iter().copied()).collect();
        rows.sort_unstable();
        rows.dedup();
        let mut number = vec![None; labels.len()];
        for (at, &row) in rows.iter().enumerate() {
            number[row] = Some(at);
        }
        let groups: Option<Vec<usize>> =
            groups.map(|groups| rows.iter().map(|&row| groups[row]).collect());
        Self {
            number,
            labels: rows.iter().map(|&row| labels[row]).collect(),
            clusters: Clusters::new(rows.len(), groups.as_deref()),
        }
    }

    /// `None` where a block has a row that others lack.
    fn renumbered(&self, blocks: &[ScoreBlock]) -> Option<Vec<ScoreBlock>> {
        let block = |block: &ScoreBlock| {
            let rows: Option<Vec<usize>> = block.rows.iter().map(|&row| self.number[row]).collect();
            Some(ScoreBlock {
                rows: rows?,
                ..block.clone()
            })
        };
        blocks.iter().map(block).collect()
    }
}

impl DeLong {
    /// The standard error.
    pub fn se(&self) -> f64 {
        self.variance.sqrt()
    }

    /// The 95 % interval of an AUC, never a point: all AUCs θ that are no more than t standard errors from the value, with
    /// the variance that θ itself would have (Newcombe 2006, method 5, after Hanley and McNeil) times a factor. That factor
    /// is DeLong's variance over Hanley's at the value, so far as there are groups in the wrong order to tell; an AUC of 1
    /// has none, and its factor is what half-alike groups would have.
    pub fn interval(&self) -> (f64, f64) {
        let hanley = |theta: f64| hanley(theta, self.counts);
        let shown = self.variance / hanley(self.value);
        let telling = (self.telling as f64).min(self.freedom);
        let factor = blended(shown, self.expected_effect, telling);
        let quantile = t_quantile(self.freedom + PRIOR_FREEDOM);
        let outside =
            |theta: f64| (theta - self.value).abs() > quantile * (factor * hanley(theta)).sqrt();
        let end = |mut inside: f64, mut beyond: f64| {
            for _ in 0..60 {
                let middle = 0.5 * (inside + beyond);
                if outside(middle) {
                    beyond = middle;
                } else {
                    inside = middle;
                }
            }
            inside
        };
        (end(self.value, 0.0), end(self.value, 1.0))
    }

    /// The 95 % interval of a difference.
    pub fn difference_interval(&self) -> (f64, f64) {
        let reach = t_quantile(self.freedom) * self.se();
        (self.value - reach, self.value + reach)
    }

    /// The two-sided p value of a difference; `None` where it has no variance.
    pub fn p_value(&self) -> Option<f64> {
        (self.variance > 1e-18).then(|| t_p_value(self.value / self.se(), self.freedom))
    }
}

/// Hanley and McNeil's variance of an AUC for exponential scores, the classes taken as equally many in its numerator.
fn hanley(theta: f64, (positive, negative): (usize, usize)) -> f64 {
    let (m, n) = (positive as f64, negative as f64);
    let others = 0.5 * (m + n) - 1.0;
    let share = (1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta);
    theta * (1.0 - theta) / (m * n) * (1.0 + others * share)
}

/// The mean of ψ over the partners of each row, times what the row counts, and the same for pairs of groups.
struct Placements {
    value: f64,
    row: Vec<f64>,
    weight: Vec<f64>,
    pairs: Option<GroupPairs>,
    telling: usize,
}

/// What a variance is of.
#[derive(Debug, Clone, Copy)]
enum Of {
    Area,
    Difference,
}

/// Sums of w ψ and of w over the pairs of rows between two groups, the smaller number first.
struct GroupPairs {
    of: usize,
    sum: Vec<f64>,
    weight: Vec<f64>,
}

impl Placements {
    fn new(labels: &[usize], clusters: &Clusters, blocks: &[ScoreBlock]) -> Option<Self> {
        let total: f64 = blocks.iter().map(|block| block.weight).sum();
        let few = clusters.count <= MOST_BY_PAIR;
        let mut all = Self {
            value: 0.0,
            row: vec![0.0; labels.len()],
            weight: vec![0.0; labels.len()],
            pairs: few.then(|| GroupPairs::new(clusters.count)),
            telling: 0,
        };
        for block in blocks {
            let (positive, negative): (Vec<usize>, Vec<usize>) =
                (0..block.rows.len()).partition(|&at| labels[block.rows[at]] == 1);
            let (m, n) = (positive.len() as f64, negative.len() as f64);
            (m > 0.0 && n > 0.0).then_some(())?;
            let among_all = mid_ranks(&block.score);
            // A row's rank among all less that among its own class counts those of the other class below it.
            let below = |places: &[usize]| {
                let own = mid_ranks(&Vec::from_iter(places.iter().map(|&at| block.score[at])));
                let counts = places.iter().zip(own).map(|(&at, own)| among_all[at] - own);
                Vec::from_iter(counts)
            };
            let weight = block.weight / total;
            let below_positive = below(&positive);
            // Divided last, so that perfect order is 1 to the last bit.
            all.value += block.weight * (below_positive.iter().sum::<f64>() / (m * n));
            for (&at, below) in positive.iter().zip(below_positive) {
                all.row[block.rows[at]] += weight * below / (m * n);
                all.weight[block.rows[at]] += weight / m;
            }
            for (&at, below) in negative.iter().zip(below(&negative)) {
                all.row[block.rows[at]] += weight * (m - below) / (m * n);
                all.weight[block.rows[at]] += weight / n;
            }
            if let Some(pairs) = &mut all.pairs {
                let weight = weight / (m * n);
                for &x in &positive {
                    for &y in &negative {
                        let psi = psi(block.score[x], block.score[y]);
                        let group = |at: usize| clusters.of[block.rows[at]];
                        pairs.add(group(x), group(y), weight, psi);
                    }
                }
            }
        }
        all.value /= total;
        let groups_with = |off: &dyn Fn(usize) -> f64| {
            let off: Vec<f64> = (0..labels.len()).map(off).collect();
            clusters
                .sums(&off)
                .iter()
                .filter(|&&sum| sum > 1e-12)
                .count()
        };
        let wrong = groups_with(&|n| all.weight[n] - all.row[n]);
        all.telling = wrong.min(groups_with(&|n| all.row[n]));
        (!blocks.is_empty()).then_some(all)
    }

    fn less(mut self, other: &Self) -> Self {
        let take = |from: &mut [f64], what: &[f64]| {
            from.iter_mut().zip(what).for_each(|(a, b)| *a -= b);
        };
        self.value -= other.value;
        take(&mut self.row, &other.row);
        if let (Some(own), Some(other)) = (&mut self.pairs, &other.pairs) {
            take(&mut own.sum, &other.sum);
        }
        self
    }

    fn judged(&self, labels: &[usize], clusters: &Clusters, of: Of) -> Option<DeLong> {
        let in_class = |class: usize, of: &dyn Fn(usize) -> f64| {
            let own = (0..labels.len()).map(|n| if labels[n] == class { of(n) } else { 0.0 });
            clusters.sums(&Vec::from_iter(own))
        };
        let size = |class: usize| labels.iter().filter(|&&label| label == class).count();
        let counts = (size(1), size(0));
        (counts.0 >= 2 && counts.1 >= 2).then_some(())?;
        let residual = |n: usize| self.row[n] - self.value * self.weight[n];
        let (positive, negative) = (in_class(1, &residual), in_class(0, &residual));
        let (has_positive, has_negative) = (in_class(1, &|_| 1.0), in_class(0, &|_| 1.0));
        let with = |has: &[f64]| has.iter().filter(|&&rows| rows > 0.0).count() as f64;
        let (p, n) = (with(&has_positive), with(&has_negative));
        let unbiased = |groups: f64| groups / (groups - 1.0).max(0.5);
        let mut variance = 0.0;
        for g in 0..clusters.count {
            let groups = match (has_positive[g] > 0.0, has_negative[g] > 0.0) {
                (true, true) => clusters.count as f64,
                (true, false) => p,
                (false, _) => n,
            };
            let own = self
                .pairs
                .as_ref()
                .map_or(0.0, |pairs| pairs.centred(g, g, self.value));
            variance += unbiased(groups) * (positive[g] + negative[g] - own).powi(2);
        }
        let twice = self
            .pairs
            .as_ref()
            .map_or(0.0, |pairs| pairs.squares(self.value));
        let squares = |sums: &[f64]| sums.iter().map(|sum| sum * sum).sum::<f64>();
        let (vp, vn) = (squares(&positive), squares(&negative));
        let known = |sums: &[f64], groups: f64| match of {
            Of::Area => (groups - 1.0).max(0.5),
            Of::Difference => variance_freedom(sums, groups).max(0.5),
        };
        let spread = vp * vp / known(&positive, p) + vn * vn / known(&negative, n);
        let contrast = |row: usize| match labels[row] {
            1 => 1.0 / counts.0 as f64,
            _ => -1.0 / counts.1 as f64,
        };
        let contrasts: Vec<f64> = (0..labels.len()).map(contrast).collect();
        let grouped = squares(&clusters.sums(&contrasts)) / squares(&contrasts);
        Some(DeLong {
            value: self.value,
            variance: match of {
                Of::Area => (variance - twice).max(0.25 * variance),
                Of::Difference => variance,
            },
            freedom: match spread > 1e-30 {
                true => (vp + vn).powi(2) / spread,
                false => p + n - 2.0,
            },
            counts,
            telling: self.telling,
            expected_effect: 1.0 + ALIKE * (grouped - 1.0).max(0.0),
        })
    }
}

impl GroupPairs {
    fn new(groups: usize) -> Self {
        Self {
            of: groups,
            sum: vec![0.0; groups * groups],
            weight: vec![0.0; groups * groups],
        }
    }

    fn add(&mut self, g: usize, h: usize, weight: f64, psi: f64) {
        let at = g.min(h) * self.of + g.max(h);
        self.sum[at] += weight * psi;
        self.weight[at] += weight;
    }

    fn centred(&self, g: usize, h: usize, value: f64) -> f64 {
        let at = g * self.of + h;
        self.sum[at] - value * self.weight[at]
    }

    /// Over pairs of different groups.
    fn squares(&self, value: f64) -> f64 {
        let pairs = (0..self.of).flat_map(|g| (g + 1..self.of).map(move |h| (g, h)));
        pairs.map(|(g, h)| self.centred(g, h, value).powi(2)).sum()
    }
}

fn psi(positive: f64, negative: f64) -> f64 {
    match positive.total_cmp(&negative) {
        _ if positive == negative => 0.5,
        std::cmp::Ordering::Greater => 1.0,
        _ => 0.0,
    }
}

/// Ranks from 1; equal values share the mean of theirs.
fn mid_ranks(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
    let mut ranks = vec![0.0; values.len()];
    let mut before = 0;
    for tie in order.chunk_by(|&i, &j| values[i] == values[j]) {
        let rank = before as f64 + 0.5 * (tie.len() + 1) as f64;
        tie.iter().for_each(|&i| ranks[i] = rank);
        before += tie.len();
    }
    ranks
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
#[path = "delong_tests.rs"]
mod tests;
