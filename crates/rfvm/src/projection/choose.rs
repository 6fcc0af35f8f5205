//! Which size, from the explained shares and the held-back losses.
//!
//! The losses of neighbouring sizes differ by less than sixty rows can tell, so to take the lowest is to follow chance,
//! most of all towards sizes too small. Shares compare with the full model's probabilities instead of with labels and are
//! far less noisy, but go on growing while features enter that explain the full model's own noise. So the share sets the
//! usual size, the fewest features that keep enough of the full model within a budget, and a smaller size takes its place
//! where its loss is lower by more than a standard error, or where its share is higher and its loss not clearly worse: there
//! the rest of the budget would be spent on noise.

use super::held_back::{Seen, difference, mean_and_se};
use super::size::Size;
use crate::params::Projected;

/// The position among `sizes` for a size by name, share or number; `None` for the full model.
pub(super) fn choose(
    size: Size,
    sizes: &[usize],
    params: &Projected,
    seen: &Seen,
) -> Option<usize> {
    let within = |budget| by_share_and_loss(sizes, budget, params, seen);
    let last = sizes.len().saturating_sub(1);
    match size {
        Size::Full => None,
        Size::Compact => Some(within(params.compact)),
        Size::Balanced => Some(within(params.balanced)),
        Size::Accurate => Some(within(params.accurate)),
        // The path ends with the number that was asked for.
        Size::Features(_) => Some(last),
        Size::Share(share) => Some(fewest(&seen.share, share).unwrap_or(last)),
    }
}

/// The first that keeps this share.
fn fewest(shares: &[f64], wanted: f64) -> Option<usize> {
    shares.iter().position(|&share| share >= wanted)
}

fn by_share_and_loss(sizes: &[usize], budget: usize, params: &Projected, seen: &Seen) -> usize {
    let within = sizes.iter().filter(|&&k| k <= budget).count().max(1);
    let usual = fewest(&seen.share[..within], params.keep).unwrap_or(within - 1);
    // The full model comes first among the losses.
    let loss = |i: usize| &seen.loss[i + 1];
    // Whether the first costs less than the second by more than a standard error of the difference.
    let clearly_better = |i: usize, j: usize| {
        let (behind, se) = difference(loss(i), loss(j));
        behind < -se
    };
    let mean = |i: usize| mean_and_se(loss(i)).0;
    let better = (0..usual).filter(|&i| clearly_better(i, usual));
    let by_loss = better
        .min_by(|&i, &j| mean(i).total_cmp(&mean(j)))
        .unwrap_or(usual);
    // Held-back rows of the full model are explained worse by features that only fit its training rows.
    let share = |i: usize| seen.share[i];
    let higher = (0..by_loss).filter(|&i| share(i) - share(by_loss) > params.fall);
    let no_worse = higher.filter(|&i| !clearly_better(by_loss, i));
    no_worse
        .max_by(|&i, &j| share(i).total_cmp(&share(j)).then(j.cmp(&i)))
        .unwrap_or(by_loss)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ten rows; size i costs `losses[i]` on average, with the same spread for all.
    fn seen(losses: &[f64], share: &[f64]) -> Seen {
        let rows = |loss: f64, twist: usize| {
            (0..10)
                .map(|n| {
                    loss + if (n + twist).is_multiple_of(2) {
                        0.05
                    } else {
                        -0.05
                    }
                })
                .collect()
        };
        let full = rows(0.3, 0);
        let small = losses.iter().enumerate().map(|(i, &loss)| rows(loss, i));
        Seen {
            loss: std::iter::once(full).chain(small).collect(),
            base: vec![0.7; 10],
            share: share.to_vec(),
        }
    }

    #[test]
    fn the_share_sets_the_size_and_a_clear_loss_makes_it_smaller() {
        let sizes = [1, 3, 8, 21, 55];
        let params = Projected::default();
        let pick = |size, seen: &Seen| choose(size, &sizes, &params, seen);
        let flat = seen(
            &[0.5, 0.4, 0.35, 0.35, 0.35],
            &[0.5, 0.8, 0.975, 0.98, 0.985],
        );
        assert_eq!(pick(Size::Balanced, &flat), Some(2));
        assert_eq!(pick(Size::Compact, &flat), Some(1));
        assert_eq!(pick(Size::Share(0.98), &flat), Some(3));
        assert_eq!(pick(Size::Share(0.999), &flat), Some(4));
        assert_eq!(pick(Size::Full, &flat), None);
        let spread = seen(&[0.6, 0.5, 0.45, 0.4, 0.38], &[0.2, 0.3, 0.5, 0.7, 0.8]);
        assert_eq!(pick(Size::Balanced, &spread), Some(3));
        assert_eq!(pick(Size::Accurate, &spread), Some(4));
        let noise_after_three = seen(&[0.6, 0.3, 0.4, 0.45, 0.5], &[0.4, 0.7, 0.75, 0.8, 0.9]);
        assert_eq!(pick(Size::Balanced, &noise_after_three), Some(1));
        let falling = seen(&[0.5, 0.4, 0.4, 0.4, 0.4], &[0.5, 0.905, 0.905, 0.89, 0.88]);
        assert_eq!(pick(Size::Balanced, &falling), Some(1));
        let dear = seen(&[0.6, 0.55, 0.41, 0.4, 0.4], &[0.5, 0.93, 0.92, 0.89, 0.88]);
        assert_eq!(pick(Size::Balanced, &dear), Some(2));
    }
}
