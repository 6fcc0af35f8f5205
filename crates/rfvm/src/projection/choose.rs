//! Which size, from the explained shares and the held-back losses.
//!
//! The losses of neighbouring sizes differ by less than sixty rows can tell, so to take the lowest is to follow chance,
//! most of all towards sizes too small. Shares compare with the full model's probabilities instead of with labels and are
//! far less noisy. So the share sets the size: the fewest features that keep enough of the full model within a budget, or
//! those that keep most. Only where a small model costs clearly less than the full one itself is the share no guide: few
//! of very many features carry everything there, what the others add to the full model is noise, and to be like it is no
//! merit. Then the loss sets the size: the fewest features within one standard error of the cheapest size (Breiman's
//! one-standard-error rule).
//!
//! `accurate` is `balanced` with a larger budget, and takes the size of that where its own would cost more on held-back rows.

use super::held_back::{Seen, difference, mean_and_se};
use crate::params::{Budget, Projected, Size};

/// The position among `sizes` for a size by name, share or number; `None` for the full model.
pub(crate) fn choose(
    size: Size,
    sizes: &[usize],
    params: &Projected,
    seen: &Seen,
) -> Option<usize> {
    let within = |budget| by_share_and_loss(sizes, budget, params.clear, seen);
    let last = sizes.len().saturating_sub(1);
    match size {
        Size::Full => None,
        Size::Compact => Some(within(params.compact)),
        Size::Balanced => Some(within(params.balanced)),
        Size::Accurate => {
            // The share may ask for more features that only cost more: that would not be accurate.
            let (own, balanced) = (within(params.accurate), within(params.balanced));
            let mean = |i: usize| mean_and_se(&seen.loss[i + 1]).0;
            Some(if mean(own) > mean(balanced) {
                balanced
            } else {
                own
            })
        }
        // The path ends with the number that was asked for.
        Size::Features(_) => Some(last),
        Size::Share(share) => Some(fewest(&seen.share, share).unwrap_or(last)),
    }
}

/// The first that keeps this share.
fn fewest(shares: &[f64], wanted: f64) -> Option<usize> {
    shares.iter().position(|&share| share >= wanted)
}

fn by_share_and_loss(sizes: &[usize], budget: Budget, clear: f64, seen: &Seen) -> usize {
    let within = sizes.iter().filter(|&&k| k <= budget.features).count();
    let shares = &seen.share[..within.max(1)];
    let most = |i: &usize, j: &usize| shares[*i].total_cmp(&shares[*j]).then(j.cmp(i));
    let usual = fewest(shares, budget.keep)
        .or_else(|| (0..shares.len()).max_by(most))
        .unwrap_or(0);
    // The full model comes first among the losses.
    let (full, loss) = (&seen.loss[0], |i: usize| &seen.loss[i + 1]);
    let mean = |i: usize| mean_and_se(loss(i)).0;
    let beats_the_full_model = |&i: &usize| {
        let (behind, se) = difference(loss(i), full);
        behind < -clear * se && mean(i) < mean(usual)
    };
    let better: Vec<usize> = (0..shares.len()).filter(beats_the_full_model).collect();
    let cheapest = better
        .iter()
        .copied()
        .min_by(|&i, &j| mean(i).total_cmp(&mean(j)));
    let Some(cheapest) = cheapest else {
        return usual;
    };
    let as_good = |&i: &usize| {
        let (more, se) = difference(loss(i), loss(cheapest));
        more <= se
    };
    better.into_iter().find(as_good).unwrap_or(cheapest)
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
    fn the_share_sets_the_size_unless_a_small_model_beats_the_full_one() {
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
        // More features that cost more are not accurate: balanced's are taken.
        let dearer = seen(
            &[0.5, 0.4, 0.35, 0.36, 0.37],
            &[0.5, 0.8, 0.96, 0.98, 0.995],
        );
        assert_eq!(pick(Size::Balanced, &dearer), Some(2));
        assert_eq!(pick(Size::Accurate, &dearer), Some(2));
        // The budget is not spent on features that explain held-back rows worse; equal shares, the fewer.
        let falling = seen(&[0.5, 0.4, 0.4, 0.4, 0.4], &[0.5, 0.905, 0.905, 0.89, 0.88]);
        assert_eq!(pick(Size::Balanced, &falling), Some(1));
        // The full model costs 0.3: no loss of a small one is clearly lower ...
        let noisy = seen(&[0.6, 0.3, 0.4, 0.45, 0.5], &[0.4, 0.7, 0.75, 0.8, 0.9]);
        assert_eq!(pick(Size::Balanced, &noisy), Some(3));
        // ... and here that of three features is.
        let few = seen(&[0.6, 0.2, 0.4, 0.45, 0.5], &[0.4, 0.7, 0.75, 0.8, 0.9]);
        assert_eq!(pick(Size::Balanced, &few), Some(1));
        // A full model diluted by very many features is most like the smallest one, and eight are worth most.
        let diluted = seen(&[0.5, 0.35, 0.1, 0.15, 0.2], &[0.9, 0.85, 0.6, 0.6, 0.6]);
        assert_eq!(pick(Size::Balanced, &diluted), Some(2));
        assert_eq!(pick(Size::Compact, &diluted), Some(0));
        // Of sizes that beat it, three features cost no more than a standard error above the eight that cost least.
        let alike = seen(&[0.5, 0.12, 0.1, 0.15, 0.2], &[0.9, 0.85, 0.6, 0.6, 0.6]);
        assert_eq!(pick(Size::Balanced, &alike), Some(1));
    }
}
