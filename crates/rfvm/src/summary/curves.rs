//! Curves of probabilities that were given to samples unseen: each is the mean over the repeats, with a band from samples
//! (whole groups of them) drawn anew with replacement (repeats share all samples, so their spread alone would promise too
//! much).

use serde::{Deserialize, Serialize};

use super::finite::finite;
use crate::evaluate::{Bootstrap, Evaluation};
use crate::numerics::stats::{quantile, wilson};

const DRAWS: usize = 200;
/// Groups of samples in the calibration.
const BINS: usize = 8;

/// How well probabilities of samples unseen tell the classes apart, and how far they can be believed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curves {
    /// Share of the samples that are of the positive class.
    pub prevalence: f64,
    /// Share of the positives found (y) against share of the negatives taken for positive (x).
    pub roc: Curve,
    /// Share of true positives among those taken for positive (y) against share of the positives found (x).
    pub precision_recall: Curve,
    /// Predicted against seen.
    pub calibration: Calibration,
    /// What acting on the probabilities is worth.
    pub decision: Decision,
}

/// A curve, point by point.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// From the smallest x to the largest.
    pub points: Vec<CurvePoint>,
}

/// A point of a curve with its 95 % band, as far as they are defined.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub struct CurvePoint {
    pub x: f64,
    pub y: Option<f64>,
    pub low: Option<f64>,
    pub high: Option<f64>,
}

/// Predicted probabilities against the shares that were seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// Groups of equal size, pooled over the repeats, by rising probability.
    pub bins: Vec<Bin>,
    /// The largest difference between the two.
    pub largest_gap: f64,
}

/// A group of samples with about the same probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bin {
    /// Mean probability.
    pub probability: f64,
    /// Share of the positive class.
    pub share: f64,
    /// Lower end of its interval, Wilson's.
    pub low: f64,
    /// Upper end of it.
    pub high: f64,
    /// How many samples it stands for.
    pub samples: f64,
}

/// Net benefit of acting, by the probability from which one would act.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Decision {
    /// Acting on the model.
    pub model: Curve,
    /// Acting on all samples, at the same thresholds.
    pub all: Vec<f64>,
    /// The share of the thresholds at which the model does better than acting on all or on none.
    pub better: f64,
}

impl Curves {
    /// Those of an evaluation; `None` of a regression, and where it does not know every label and prediction.
    pub fn of(evaluation: &Evaluation) -> Option<Self> {
        let (n, labels) = (evaluation.n, &evaluation.labels);
        let complete = !labels.is_empty() && labels.len() == n;
        complete.then_some(())?;
        let mut repeats = vec![vec![f64::NAN; n]; evaluation.repeats];
        for fold in &evaluation.results {
            for (&row, &p) in fold.rows.iter().zip(&fold.predicted) {
                *repeats.get_mut(fold.repeat)?.get_mut(row)? = p;
            }
        }
        let known = !repeats.is_empty() && repeats.iter().flatten().all(|p| p.is_finite());
        known.then(|| Self::new(labels, &repeats, evaluation.groups.as_deref()))
    }

    /// From labels, the probabilities of every repeat, and the groups of the samples.
    pub(crate) fn new(labels: &[usize], repeats: &[Vec<f64>], groups: Option<&[usize]>) -> Self {
        let unseen = Unseen::new(labels, repeats, groups);
        let prevalence = labels.iter().sum::<usize>() as f64 / labels.len() as f64;
        Self {
            prevalence,
            roc: unseen.roc(),
            precision_recall: unseen.precision_recall(),
            calibration: unseen.calibration(),
            decision: unseen.decision(prevalence),
        }
    }
}

/// Samples from the highest probability down, those of the same probability together.
struct Ranked(Vec<Vec<usize>>);

/// Labels and probabilities, ready for curves.
struct Unseen<'a> {
    labels: &'a [usize],
    repeats: &'a [Vec<f64>],
    ranked: Vec<Ranked>,
    bootstrap: Bootstrap,
}

impl<'a> Unseen<'a> {
    fn new(labels: &'a [usize], repeats: &'a [Vec<f64>], groups: Option<&[usize]>) -> Self {
        let ranked = |probability: &Vec<f64>| {
            let mut order: Vec<usize> = (0..probability.len()).collect();
            order.sort_by(|&a, &b| probability[b].total_cmp(&probability[a]));
            let ties = order.chunk_by(|&a, &b| probability[a] == probability[b]);
            Ranked(ties.map(<[usize]>::to_vec).collect())
        };
        let ranked = repeats.iter().map(ranked).collect();
        Self {
            labels,
            repeats,
            ranked,
            bootstrap: Bootstrap::new(labels.len(), groups, DRAWS, 1),
        }
    }

    fn roc(&self) -> Curve {
        self.curve(&grid(0.0, 1.0, 100), |steps, x| {
            let (fp, tp) = *steps.last().unwrap_or(&(0.0, 0.0));
            let wanted = x * fp;
            let after = steps.partition_point(|step| step.0 <= wanted);
            let (right, left) = (
                steps.get(after),
                steps[..after].last().copied().unwrap_or((0.0, 0.0)),
            );
            let height = match right {
                Some(right) => left.1 + (right.1 - left.1) * (wanted - left.0) / (right.0 - left.0),
                None => left.1,
            };
            height / tp
        })
    }

    fn precision_recall(&self) -> Curve {
        self.curve(&grid(0.01, 1.0, 99), |steps, x| {
            let all = steps.last().map_or(0.0, |step| step.1);
            let at = steps.partition_point(|step| step.1 < x * all - 1e-9);
            steps.get(at).map_or(f64::NAN, |(fp, tp)| tp / (fp + tp))
        })
    }

    fn decision(&self, prevalence: f64) -> Decision {
        let n = self.labels.len() as f64;
        let thresholds = grid(0.02, 0.9, 88);
        let one = |weight: &[f64]| -> Vec<f64> {
            let total = |t: f64| {
                let gains = self.repeats.iter().map(|repeat| {
                    let of = |class: usize| -> f64 {
                        let acted = (repeat.iter().zip(self.labels).zip(weight))
                            .filter(|((p, label), _)| **p >= t && **label == class);
                        acted.map(|(_, w)| w).sum()
                    };
                    (of(1) - of(0) * t / (1.0 - t)) / n
                });
                gains.sum::<f64>() / self.repeats.len() as f64
            };
            thresholds.iter().map(|&t| total(t)).collect()
        };
        let model = self.banded(&thresholds, one);
        let all = |t: &f64| prevalence - (1.0 - prevalence) * t / (1.0 - t);
        let all: Vec<f64> = thresholds.iter().map(all).collect();
        let gains = model.points.iter().zip(&all);
        let better = gains.filter(|(point, all)| point.y.is_some_and(|y| y > all.max(0.0)));
        let better = better.count() as f64 / thresholds.len() as f64;
        Decision { model, all, better }
    }

    fn calibration(&self) -> Calibration {
        let mut pairs: Vec<(f64, usize)> = (self.repeats.iter())
            .flat_map(|repeat| repeat.iter().copied().zip(self.labels.iter().copied()))
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let size = pairs.len().div_ceil(BINS).max(1);
        let repeats = self.repeats.len() as f64;
        let bins: Vec<Bin> = (pairs.chunks(size))
            .map(|bin| {
                let count = bin.len() as f64;
                let share = bin.iter().filter(|pair| pair.1 == 1).count() as f64 / count;
                // Every sample is there once a repeat; it is evidence only once.
                let samples = count / repeats;
                let (low, high) = wilson(share, samples, 1.96);
                Bin {
                    probability: bin.iter().map(|pair| pair.0).sum::<f64>() / count,
                    share,
                    low,
                    high,
                    samples,
                }
            })
            .collect();
        let gap = |bin: &Bin| (bin.probability - bin.share).abs();
        Calibration {
            largest_gap: bins.iter().map(gap).fold(0.0, f64::max),
            bins,
        }
    }

    fn curve(&self, grid: &[f64], height: impl Fn(&[(f64, f64)], f64) -> f64) -> Curve {
        self.banded(grid, |weight| {
            let mut sums = vec![0.0; grid.len()];
            for ranked in &self.ranked {
                let steps = ranked.steps(self.labels, weight);
                for (sum, &x) in sums.iter_mut().zip(grid) {
                    *sum += height(&steps, x) / self.ranked.len() as f64;
                }
            }
            sums
        })
    }

    fn banded(&self, grid: &[f64], curve: impl Fn(&[f64]) -> Vec<f64>) -> Curve {
        let n = self.labels.len();
        let whole = curve(&vec![1.0; n]);
        let mut draws: Vec<Vec<f64>> = Vec::new();
        for rows in self.bootstrap.draws() {
            let mut weight = vec![0.0; n];
            rows.iter().for_each(|&row| weight[row] += 1.0);
            let drawn = |class| {
                self.labels
                    .iter()
                    .zip(&weight)
                    .any(|(&label, &w)| label == class && w > 0.0)
            };
            if drawn(0) && drawn(1) {
                draws.push(curve(&weight));
            }
        }
        let point = |(i, (&x, y)): (usize, (&f64, f64))| {
            let mut values: Vec<f64> = draws
                .iter()
                .map(|draw| draw[i])
                .filter(|v| v.is_finite())
                .collect();
            values.sort_by(f64::total_cmp);
            let at = |share| quantile(&values, share).filter(|_| values.len() > 1);
            CurvePoint {
                x,
                y: finite(y),
                low: at(0.025),
                high: at(0.975),
            }
        };
        Curve {
            points: grid.iter().zip(whole).enumerate().map(point).collect(),
        }
    }
}

impl Ranked {
    /// False and true positives after each group of equal probability.
    fn steps(&self, labels: &[usize], weight: &[f64]) -> Vec<(f64, f64)> {
        let mut sum = (0.0, 0.0);
        let groups = self.0.iter().map(|tie| {
            for &n in tie {
                match labels[n] {
                    1 => sum.1 += weight[n],
                    _ => sum.0 += weight[n],
                }
            }
            sum
        });
        groups.collect()
    }
}

fn grid(from: f64, to: f64, steps: usize) -> Vec<f64> {
    (0..=steps)
        .map(|i| from + (to - from) * i as f64 / steps as f64)
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn y(point: &CurvePoint) -> f64 {
        point.y.unwrap()
    }

    fn area(curve: &Curve) -> f64 {
        let pieces = curve.points.windows(2);
        pieces
            .map(|w| 0.5 * (y(&w[0]) + y(&w[1])) * (w[1].x - w[0].x))
            .sum()
    }

    fn example() -> (Vec<usize>, Vec<Vec<f64>>) {
        let labels: Vec<usize> = (0..200).map(|n| n % 2).collect();
        let probability = |n: usize| ((n * 37 % 101) as f64 / 101.0 + 0.4 * (n % 2) as f64) / 1.4;
        (labels, vec![(0..200).map(probability).collect()])
    }

    #[test]
    fn the_area_under_the_roc_curve_is_the_auc() {
        let (labels, repeats) = example();
        let roc = Curves::new(&labels, &repeats, None).roc;
        let auc = crate::metrics::auc(&labels, &repeats[0]).unwrap();
        assert!((area(&roc) - auc).abs() < 5e-3, "{} {auc}", area(&roc));
        let band = |p: &CurvePoint| (p.low.unwrap(), p.high.unwrap());
        for point in &roc.points {
            let (low, high) = band(point);
            assert!(low <= y(point) + 0.05 && y(point) <= high + 0.05);
        }
        let (low, high) = band(&roc.points[50]);
        assert!(high - low > 0.02);
    }

    #[test]
    fn ties_make_the_diagonal_and_perfect_order_the_corner() {
        let labels = [0, 1, 0, 1];
        let equal = vec![vec![0.5; 4]];
        assert!((area(&Curves::new(&labels, &equal, None).roc) - 0.5).abs() < 1e-9);
        let perfect = vec![vec![0.1, 0.9, 0.2, 0.8]];
        let curves = Curves::new(&labels, &perfect, None);
        assert!(curves.roc.points[1..].iter().all(|p| y(p) == 1.0));
        let pr = curves.precision_recall.points;
        assert!(pr.iter().all(|p| y(p) == 1.0));
    }

    #[test]
    fn net_benefit_is_the_share_of_positives_for_a_perfect_rule_and_falls_for_treating_all() {
        let labels = [0, 1, 0, 0];
        let decision = |repeat: Vec<f64>| Curves::new(&labels, &[repeat], None).decision;
        let perfect = decision(vec![0.0, 1.0, 0.0, 0.0]);
        assert!((y(&perfect.model.points[40]) - 0.25).abs() < 1e-12);
        assert_eq!(perfect.better, 1.0);
        let all = decision(vec![1.0; 4]);
        let CurvePoint { x: t, .. } = all.model.points[40];
        let gain = 0.25 - 0.75 * t / (1.0 - t);
        assert!((y(&all.model.points[40]) - gain).abs() < 1e-12);
        assert!((all.all[40] - gain).abs() < 1e-12);
    }

    #[test]
    fn bins_hold_all_samples_and_their_intervals_the_share() {
        let (labels, repeats) = example();
        let Calibration { bins, largest_gap } = Curves::new(&labels, &repeats, None).calibration;
        assert_eq!(bins.len(), BINS);
        assert_eq!(bins.iter().map(|bin| bin.samples).sum::<f64>(), 200.0);
        for bin in bins {
            assert!(bin.low <= bin.share && bin.share <= bin.high);
            assert!((bin.probability - bin.share).abs() <= largest_gap);
        }
    }
}
