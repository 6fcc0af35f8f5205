//! How sure an AUC is, and the difference of two on the same samples: DeLong's variance, without a draw.
//!
//! An AUC is the mean of ψ(x, y) = 1, ½ or 0 (x above, equal to, below y) over the pairs of a positive score x and a
//! negative one y. DeLong, DeLong and Clarke-Pearson (1988) average ψ over the partners of each sample, its *structural
//! component*; the variance of the AUC is that of the mean of the positives' components plus that of the negatives'. Two
//! scores of the same samples are compared by the differences of their components. Sun and Xu (2014) read the components
//! off mid-ranks, so that sorting is all the work there is.

use crate::numerics::stats::mean_and_sd;

/// A number that was estimated from two independent samples, with its variance.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DeLong {
    /// The AUC, or the difference of two.
    pub value: f64,
    /// Its variance over samples of this size.
    pub variance: f64,
}

impl DeLong {
    fn of(components: &Components) -> Option<Self> {
        let (value, of_positives) = mean_and_variance(&components.positive)?;
        let (_, of_negatives) = mean_and_variance(&components.negative)?;
        Some(Self {
            value,
            variance: of_positives + of_negatives,
        })
    }

    /// The standard error.
    pub fn se(&self) -> f64 {
        self.variance.sqrt()
    }
}

/// The AUC of scores with DeLong's variance; `None` where a class has fewer than two samples.
pub fn auc(labels: &[usize], score: &[f64]) -> Option<DeLong> {
    DeLong::of(&Components::new(labels, score))
}

/// How much larger the AUC of the first scores is than that of the second, of the same samples, with the variance of that
/// difference; `None` where a class has fewer than two samples.
pub fn difference(labels: &[usize], first: &[f64], second: &[f64]) -> Option<DeLong> {
    let (first, second) = (
        Components::new(labels, first),
        Components::new(labels, second),
    );
    let less = |a: Vec<f64>, b: Vec<f64>| Vec::from_iter(a.iter().zip(b).map(|(a, b)| a - b));
    DeLong::of(&Components {
        positive: less(first.positive, second.positive),
        negative: less(first.negative, second.negative),
    })
}

/// The mean of ψ over the partners of each sample, class by class.
struct Components {
    positive: Vec<f64>,
    negative: Vec<f64>,
}

impl Components {
    fn new(labels: &[usize], score: &[f64]) -> Self {
        let of_class = |class: usize| {
            let rows = (0..labels.len()).filter(|&n| (labels[n] == 1) == (class == 1));
            Vec::from_iter(rows)
        };
        let (positive, negative) = (of_class(1), of_class(0));
        let among_all = mid_ranks(score);
        // A sample's rank among all less that among its own class counts those of the other class below it.
        let below = |rows: &[usize]| {
            let own = mid_ranks(&Vec::from_iter(rows.iter().map(|&n| score[n])));
            let counts = rows.iter().zip(own).map(|(&n, own)| among_all[n] - own);
            Vec::from_iter(counts)
        };
        let share = |counts: Vec<f64>, of: usize| counts.into_iter().map(move |c| c / of as f64);
        let negatives_above = share(below(&negative), positive.len()).map(|share| 1.0 - share);
        Self {
            positive: share(below(&positive), negative.len()).collect(),
            negative: negatives_above.collect(),
        }
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

/// The mean of some values and the variance of that mean; `None` of fewer than two.
fn mean_and_variance(values: &[f64]) -> Option<(f64, f64)> {
    let (mean, sd) = (values.len() >= 2).then(|| mean_and_sd(values))?;
    Some((mean, sd * sd / values.len() as f64))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::evaluate::metrics;
    use proptest::prelude::*;

    /// Every pair of a positive and a negative, written out: the AUC of each score, and the covariance of the two.
    fn literal(labels: &[usize], scores: [&[f64]; 2]) -> ([f64; 2], [[f64; 2]; 2]) {
        let of = |class: usize| Vec::from_iter((0..labels.len()).filter(|&n| labels[n] == class));
        let (positive, negative) = (of(1), of(0));
        let (m, n) = (positive.len() as f64, negative.len() as f64);
        let psi = |s: usize, x: usize, y: usize| match scores[s][x].total_cmp(&scores[s][y]) {
            std::cmp::Ordering::Greater => 1.0,
            std::cmp::Ordering::Equal => 0.5,
            std::cmp::Ordering::Less => 0.0,
        };
        let v10 = |s: usize, x: usize| negative.iter().map(|&y| psi(s, x, y)).sum::<f64>() / n;
        let v01 = |s: usize, y: usize| positive.iter().map(|&x| psi(s, x, y)).sum::<f64>() / m;
        let auc = [0, 1].map(|s| positive.iter().map(|&x| v10(s, x)).sum::<f64>() / m);
        let covariance = |r: usize, s: usize| {
            let s10 = positive
                .iter()
                .map(|&x| (v10(r, x) - auc[r]) * (v10(s, x) - auc[s]));
            let s01 = negative
                .iter()
                .map(|&y| (v01(r, y) - auc[r]) * (v01(s, y) - auc[s]));
            s10.sum::<f64>() / (m - 1.0) / m + s01.sum::<f64>() / (n - 1.0) / n
        };
        (auc, [0, 1].map(|r| [0, 1].map(|s| covariance(r, s))))
    }

    proptest! {
        #[test]
        fn mid_ranks_give_what_every_pair_written_out_gives(
            // Few levels, so that there are ties.
            rows in prop::collection::vec((0..2usize, 0..9i32, 0..9i32), 4..40),
        ) {
            let labels: Vec<usize> = rows.iter().map(|row| row.0).collect();
            let positive = labels.iter().sum::<usize>();
            prop_assume!(positive >= 2 && labels.len() - positive >= 2);
            let first: Vec<f64> = rows.iter().map(|row| f64::from(row.1)).collect();
            let second: Vec<f64> = rows.iter().map(|row| f64::from(row.1 + row.2)).collect();
            let (areas, covariance) = literal(&labels, [&first, &second]);
            let one = auc(&labels, &first).unwrap();
            prop_assert!((one.value - areas[0]).abs() < 1e-12);
            prop_assert!((one.value - metrics::auc(&labels, &first).unwrap()).abs() < 1e-12);
            prop_assert!((one.variance - covariance[0][0]).abs() < 1e-12);
            let both = difference(&labels, &first, &second).unwrap();
            let variance = covariance[0][0] + covariance[1][1] - 2.0 * covariance[0][1];
            prop_assert!((both.value - (areas[0] - areas[1])).abs() < 1e-12);
            prop_assert!((both.variance - variance).abs() < 1e-12);
        }
    }

    #[test]
    fn an_example_by_hand() {
        // Positives 3, 4, 2 and negatives 1, 2. Components 1, 1, 3/4 of the positives, 1 and 5/6 of the negatives: the AUC
        // is 11/12, and each class's components have the variance 1/144 of their mean.
        let found = auc(&[1, 1, 1, 0, 0], &[3.0, 4.0, 2.0, 1.0, 2.0]).unwrap();
        assert!((found.value - 11.0 / 12.0).abs() < 1e-15);
        assert!((found.variance - 1.0 / 72.0).abs() < 1e-15);
        assert!((found.se() - (1.0f64 / 72.0).sqrt()).abs() < 1e-15);
    }

    #[test]
    fn equal_scores_do_not_differ_and_one_sample_of_a_class_is_too_few() {
        let labels = [1, 0, 1, 0, 1];
        let score = [0.9, 0.4, 0.3, 0.2, 0.8];
        let same = difference(&labels, &score, &score).unwrap();
        assert_eq!((same.value, same.variance), (0.0, 0.0));
        assert_eq!(auc(&[1, 0, 0], &[0.9, 0.4, 0.3]), None);
        assert_eq!(difference(&[1, 0, 0], &score[..3], &score[..3]), None);
    }
}
