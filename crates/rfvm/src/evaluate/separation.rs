//! The chance that a column which knows nothing of the classes would tell them apart as well as one does.
//!
//! With twelve samples and twenty thousand features some feature separates two classes by chance; with sixty none does.
//! Both chances here are exact: those of the Mann-Whitney statistic, and of groups that each hold one class alone.

use crate::numerics::special::{ln_gamma, log_ndtr};

/// Steps of the count beyond which the normal distribution is near enough.
const MOST_STEPS: usize = 10_000_000;
/// Groups that are counted one by one; further ones are taken for single samples, which makes the chance larger.
const MOST_GROUPS: usize = 200;

/// The natural logarithm of "n choose k".
fn ln_choose(n: usize, k: usize) -> f64 {
    let ln_factorial = |n: usize| ln_gamma(n as f64 + 1.0);
    ln_factorial(n) - ln_factorial(k) - ln_factorial(n - k)
}

/// The chance that at most `discordant` of the pairs of a sample of each class are in the wrong order, whichever order is
/// called the right one (two-sided tail of the Mann-Whitney statistic).
pub(super) fn chance_of_order(negative: usize, positive: usize, discordant: f64) -> f64 {
    let pairs = (negative * positive) as f64;
    let most = discordant.ceil().clamp(0.0, 0.5 * pairs) as usize;
    let (few, many) = (negative.min(positive), negative.max(positive));
    if few == 0 {
        return 1.0;
    }
    if few.min(most).saturating_mul(most) > MOST_STEPS {
        let sd = (pairs * (negative + positive + 1) as f64 / 12.0).sqrt();
        let z = (most as f64 + 0.5 - 0.5 * pairs) / sd;
        return (2.0 * log_ndtr(z).exp()).min(1.0);
    }
    // Orders with so many discordant pairs: coefficients of the Gaussian binomial, Π (1 - q^(many + i)) / (1 - q^i).
    let mut orders = vec![0.0; most + 1];
    orders[0] = 1.0;
    for i in 1..=few.min(most) {
        for at in (many + i..=most).rev() {
            orders[at] -= orders[at - many - i];
        }
        for at in i..=most {
            orders[at] += orders[at - i];
        }
    }
    let ln_all = ln_choose(negative + positive, few);
    let as_good: f64 = orders.iter().sum();
    (2.0 * (as_good.ln() - ln_all).exp()).min(1.0)
}

/// The chance that groups of these sizes, which make up all samples, each hold one class alone: the sets of whole groups
/// that have as many samples as the positive class, among all sets of so many samples.
pub(super) fn chance_of_pure_groups(sizes: &[usize], positive: usize) -> f64 {
    let samples: usize = sizes.iter().sum();
    if positive > samples {
        return 1.0;
    }
    let mut sizes: Vec<usize> = sizes.iter().copied().filter(|&size| size > 1).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    sizes.truncate(MOST_GROUPS);
    let single = samples - sizes.iter().sum::<usize>();
    // Sets of the groups by how many samples they have.
    let mut sets = vec![0.0; positive + 1];
    sets[0] = 1.0;
    for size in sizes {
        for at in (size..=positive).rev() {
            sets[at] += sets[at - size];
        }
    }
    let ln_all = ln_choose(samples, positive);
    let filled = |(held, &sets): (usize, &f64)| -> f64 {
        let missing = positive - held;
        match sets > 0.0 && missing <= single {
            true => (f64::ln(sets) + ln_choose(single, missing) - ln_all).exp(),
            false => 0.0,
        }
    };
    sets.iter().enumerate().map(filled).sum::<f64>().min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every way to call `positive` of the samples positive, as bits.
    fn all_ways(samples: usize, positive: usize) -> impl Iterator<Item = usize> {
        (0..1usize << samples).filter(move |set| set.count_ones() as usize == positive)
    }

    #[test]
    fn orders_are_counted_exactly() {
        for (negative, positive) in [(4, 3), (5, 5), (2, 9)] {
            let n = negative + positive;
            let discordant = |set: usize| {
                let is = |at: usize| set >> at & 1 == 1;
                let pairs = (0..n).flat_map(|low| (low + 1..n).map(move |high| (low, high)));
                pairs.filter(|&(low, high)| is(low) && !is(high)).count()
            };
            let all = all_ways(n, positive).count() as f64;
            for most in 0..=negative * positive / 2 - 1 {
                let ways = all_ways(n, positive).filter(|&set| discordant(set) <= most);
                let right = 2.0 * ways.count() as f64 / all;
                let got = chance_of_order(negative, positive, most as f64);
                assert!((got - right.min(1.0)).abs() < 1e-12, "{most}: {got}");
            }
        }
        // Beyond the count, the normal distribution takes over without a jump.
        let (exact, near) = (chance_of_order(150, 150, 9000.0), 0.002_75);
        assert!((exact / near - 1.0).abs() < 0.05, "{exact}");
        assert!(chance_of_order(4000, 4000, 7.0e6) < 1e-6);
        assert!(chance_of_order(4000, 4000, 7.9e6) > 0.1);
    }

    #[test]
    fn pure_groups_are_counted_exactly() {
        for sizes in [vec![5, 5], vec![3, 2, 2, 1, 1, 1], vec![1; 10], vec![7, 3]] {
            let group: Vec<usize> = (sizes.iter().enumerate())
                .flat_map(|(group, &size)| vec![group; size])
                .collect();
            let pure = |set: &usize| {
                let is = |at: usize| set >> at & 1;
                let n = group.len();
                (0..n).all(|a| (0..n).all(|b| group[a] != group[b] || is(a) == is(b)))
            };
            let all = all_ways(10, 5).count() as f64;
            let right = all_ways(10, 5).filter(pure).count() as f64 / all;
            let got = chance_of_pure_groups(&sizes, 5);
            assert!((got - right).abs() < 1e-12, "{sizes:?}: {got}");
        }
    }
}
