//! Curves of probabilities that were given to samples unseen: each is the mean over the repeats, with a band from samples
//! (whole groups of them) drawn anew with replacement (repeats share all samples, so their spread alone would promise too
//! much).

use rfvm::Bootstrap;
use rfvm::stats::wilson;

const DRAWS: usize = 200;

/// A curve with its 95 % band.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Curve {
    pub(crate) points: Vec<(f64, f64)>,
    pub(crate) band: Vec<(f64, f64, f64)>,
}

/// A group of samples with about the same probability: mean probability, share of the positive class, its interval, and
/// how many samples it stands for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bin {
    pub(crate) probability: f64,
    pub(crate) share: f64,
    pub(crate) interval: (f64, f64),
    pub(crate) samples: f64,
}

/// Samples from the highest probability down, those of the same probability together.
struct Ranked(Vec<Vec<usize>>);

/// Labels and probabilities, ready for curves.
pub(crate) struct Curves<'a> {
    labels: &'a [usize],
    repeats: &'a [Vec<f64>],
    groups: Option<&'a [usize]>,
    ranked: Vec<Ranked>,
}

impl<'a> Curves<'a> {
    pub(crate) fn new(
        labels: &'a [usize],
        repeats: &'a [Vec<f64>],
        groups: Option<&'a [usize]>,
    ) -> Self {
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
            groups,
            ranked,
        }
    }

    /// Share of the positives found (y) against share of the negatives taken for positive (x).
    pub(crate) fn roc(&self) -> Curve {
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

    /// Share of true positives among those taken for positive (y) against share of the positives found (x).
    pub(crate) fn precision_recall(&self) -> Curve {
        self.curve(&grid(0.01, 1.0, 99), |steps, x| {
            let all = steps.last().map_or(0.0, |step| step.1);
            let at = steps.partition_point(|step| step.1 < x * all - 1e-9);
            steps.get(at).map_or(f64::NAN, |(fp, tp)| tp / (fp + tp))
        })
    }

    /// Net benefit of acting on the probability, by the threshold from which one would act.
    pub(crate) fn decision(&self) -> Curve {
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
        self.banded(&thresholds, one)
    }

    /// Groups of equal size, pooled over the repeats.
    pub(crate) fn calibration(&self, bins: usize) -> Vec<Bin> {
        let mut pairs: Vec<(f64, usize)> = (self.repeats.iter())
            .flat_map(|repeat| repeat.iter().copied().zip(self.labels.iter().copied()))
            .collect();
        pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
        let size = pairs.len().div_ceil(bins).max(1);
        let repeats = self.repeats.len() as f64;
        (pairs.chunks(size))
            .map(|bin| {
                let count = bin.len() as f64;
                let share = bin.iter().filter(|pair| pair.1 == 1).count() as f64 / count;
                // Every sample is there once a repeat; it is evidence only once.
                let samples = count / repeats;
                Bin {
                    probability: bin.iter().map(|pair| pair.0).sum::<f64>() / count,
                    share,
                    interval: wilson(share, samples, 1.96),
                    samples,
                }
            })
            .collect()
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
        let bootstrap = Bootstrap::new(n, self.groups, DRAWS, 1);
        let mut draws: Vec<Vec<f64>> = Vec::new();
        for rows in bootstrap.draws() {
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
        let between = |i: usize| {
            let mut values: Vec<f64> = draws
                .iter()
                .map(|draw| draw[i])
                .filter(|v| v.is_finite())
                .collect();
            values.sort_by(f64::total_cmp);
            let at = |share: f64| values[(share * (values.len() - 1) as f64).round() as usize];
            (values.len() > 1).then(|| (grid[i], at(0.025), at(0.975)))
        };
        Curve {
            points: grid.iter().copied().zip(whole).collect(),
            band: (0..grid.len()).filter_map(between).collect(),
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
mod tests {
    use super::*;

    fn area(curve: &Curve) -> f64 {
        let pieces = curve.points.windows(2);
        pieces
            .map(|w| 0.5 * (w[0].1 + w[1].1) * (w[1].0 - w[0].0))
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
        let roc = Curves::new(&labels, &repeats, None).roc();
        let auc = rfvm::metrics::auc(&labels, &repeats[0]).unwrap_or(0.0);
        assert!((area(&roc) - auc).abs() < 5e-3, "{} {auc}", area(&roc));
        assert!(
            roc.band
                .iter()
                .zip(&roc.points)
                .all(|(b, p)| b.1 <= p.1 + 0.05 && p.1 <= b.2 + 0.05)
        );
        assert!(roc.band[50].2 - roc.band[50].1 > 0.02);
    }

    #[test]
    fn ties_make_the_diagonal_and_perfect_order_the_corner() {
        let labels = [0, 1, 0, 1];
        let equal = vec![vec![0.5; 4]];
        assert!((area(&Curves::new(&labels, &equal, None).roc()) - 0.5).abs() < 1e-9);
        let perfect = vec![vec![0.1, 0.9, 0.2, 0.8]];
        let curves = Curves::new(&labels, &perfect, None);
        assert!(curves.roc().points[1..].iter().all(|p| p.1 == 1.0));
        assert!(curves.precision_recall().points.iter().all(|p| p.1 == 1.0));
    }

    #[test]
    fn net_benefit_is_the_share_of_positives_for_a_perfect_rule_and_falls_for_treating_all() {
        let labels = [0, 1, 0, 0];
        let curves = [vec![vec![0.0, 1.0, 0.0, 0.0]], vec![vec![1.0; 4]]];
        let at = |repeats: &Vec<Vec<f64>>, i: usize| {
            Curves::new(&labels, repeats, None).decision().points[i]
        };
        let (t, gain) = at(&curves[0], 40);
        assert!((gain - 0.25).abs() < 1e-12);
        let (_, all) = at(&curves[1], 40);
        assert!((all - (0.25 - 0.75 * t / (1.0 - t))).abs() < 1e-12);
    }

    #[test]
    fn bins_hold_all_samples_and_their_intervals_the_share() {
        let (labels, repeats) = example();
        let bins = Curves::new(&labels, &repeats, None).calibration(8);
        assert_eq!(bins.len(), 8);
        assert_eq!(bins.iter().map(|bin| bin.samples).sum::<f64>(), 200.0);
        assert!(
            bins.iter()
                .all(|bin| bin.interval.0 <= bin.share && bin.share <= bin.interval.1)
        );
    }
}
