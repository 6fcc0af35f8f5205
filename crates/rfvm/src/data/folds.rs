//! Which samples are tested on when: stratified, grouped or given folds.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::groups::members;
use crate::error::Error;

/// The fold of a sample that is trained on in every fold.
const NEVER_TESTED: usize = usize::MAX;

/// A test fold for every sample, in every repeat, but for samples that are only ever trained on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folds {
    count: usize,
    /// `assignment[repeat][sample]`
    assignment: Vec<Vec<usize>>,
}

impl Folds {
    /// Random folds that keep the shares of the strata (classes; all zeros in a regression) as equal as can be. With
    /// `groups`, one per sample, no group is split between folds.
    pub fn stratified(
        strata: &[usize],
        groups: Option<&[usize]>,
        count: usize,
        repeats: usize,
        seed: u64,
    ) -> Result<Self, Error> {
        let samples = strata.len();
        if count < 2 || count > samples {
            return Err(Error::Parameter {
                name: "folds",
                value: count.to_string(),
                rule: "at least 2 and at most the number of samples",
            });
        }
        let got = groups.map_or(samples, <[usize]>::len);
        if got != samples {
            return Err(Error::Length {
                what: "groups, one per sample",
                expected: samples,
                got,
            });
        }
        let members = members(samples, groups);
        if members.len() < count {
            return Err(Error::Parameter {
                name: "folds",
                value: count.to_string(),
                rule: "at most the number of groups",
            });
        }
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let assignment = (0..repeats)
            .map(|_| assign(strata, &members, count, &mut random))
            .collect();
        Ok(Self { count, assignment })
    }

    /// Folds read from a file: `assignment[repeat][sample]`.
    pub fn given(assignment: Vec<Vec<usize>>, samples: usize) -> Result<Self, Error> {
        for repeat in &assignment {
            if repeat.len() != samples {
                return Err(Error::Length {
                    what: "fold numbers, one per sample",
                    expected: samples,
                    got: repeat.len(),
                });
            }
        }
        let count = assignment.iter().flatten().max().map_or(0, |last| last + 1);
        let empty = |repeat: &Vec<usize>| (0..count).any(|fold| !repeat.contains(&fold));
        if count < 2 || assignment.iter().any(empty) {
            return Err(Error::Parameter {
                name: "folds",
                value: count.to_string(),
                rule: "numbered from 0 without gaps, at least two of them in every repeat",
            });
        }
        Ok(Self { count, assignment })
    }

    /// The same folds with only these samples tested on; all others are trained on in every fold.
    pub fn testing_only(mut self, tested: &[usize]) -> Self {
        let tested: HashSet<usize> = tested.iter().copied().collect();
        for (sample, fold) in self
            .assignment
            .iter_mut()
            .flat_map(|of| of.iter_mut().enumerate())
        {
            if !tested.contains(&sample) {
                *fold = NEVER_TESTED;
            }
        }
        self
    }

    /// Number of folds in a repeat.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Number of repeats.
    pub fn repeats(&self) -> usize {
        self.assignment.len()
    }

    /// Training and test rows of one fold.
    pub fn split(&self, repeat: usize, fold: usize) -> (Vec<usize>, Vec<usize>) {
        let of = &self.assignment[repeat];
        (0..of.len()).partition(|&sample| of[sample] != fold)
    }
}

/// Groups in random order, large ones first, each to the fold that is then most even over the strata.
fn assign(
    strata: &[usize],
    members: &[Vec<usize>],
    count: usize,
    random: &mut ChaCha8Rng,
) -> Vec<usize> {
    let classes = strata.iter().max().map_or(1, |last| last + 1);
    let mut order: Vec<(u64, usize)> = (0..members.len())
        .map(|group| (random.random(), group))
        .collect();
    order.sort_unstable();
    order.sort_by_key(|&(_, group)| std::cmp::Reverse(members[group].len()));
    let mut of = vec![0; strata.len()];
    let mut held = vec![vec![0usize; classes]; count];
    for (_, group) in order {
        let mut added = vec![0; classes];
        members[group]
            .iter()
            .for_each(|&sample| added[strata[sample]] += 1);
        // Fewest of the group's own classes first, then fewest in all; ties to the first fold.
        let load = |fold: &usize| {
            let held = &held[*fold];
            let own: usize = held
                .iter()
                .zip(&added)
                .map(|(held, added)| held * added)
                .sum();
            (own, held.iter().sum::<usize>())
        };
        let fold = (0..count).min_by_key(load).unwrap_or(0);
        held[fold]
            .iter_mut()
            .zip(&added)
            .for_each(|(held, added)| *held += added);
        members[group].iter().for_each(|&sample| of[sample] = fold);
    }
    of
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn classes_are_spread_evenly(positive in 5..30usize, negative in 5..60usize, seed: u64) {
            let strata: Vec<usize> = (0..positive + negative).map(|n| usize::from(n < positive)).collect();
            let folds = Folds::stratified(&strata, None, 5, 2, seed).unwrap();
            for repeat in 0..2 {
                for fold in 0..5 {
                    let (train, test) = folds.split(repeat, fold);
                    prop_assert_eq!(train.len() + test.len(), strata.len());
                    let held = test.iter().filter(|&&n| strata[n] == 1).count();
                    prop_assert!(held == positive / 5 || held == positive.div_ceil(5));
                    let rest = test.len() - held;
                    prop_assert!(rest == negative / 5 || rest == negative.div_ceil(5));
                }
            }
        }

        #[test]
        fn groups_stay_together(groups in prop::collection::vec(0..12usize, 30..80), seed: u64) {
            let strata: Vec<usize> = groups.iter().map(|g| g % 2).collect();
            prop_assume!(members(groups.len(), Some(&groups)).len() >= 4);
            let folds = Folds::stratified(&strata, Some(&groups), 4, 1, seed).unwrap();
            for (a, group_a) in groups.iter().enumerate() {
                for (b, group_b) in groups.iter().enumerate() {
                    if group_a == group_b {
                        prop_assert_eq!(folds.assignment[0][a], folds.assignment[0][b]);
                    }
                }
            }
        }
    }

    #[test]
    fn who_is_not_to_be_tested_on_is_always_trained_on() {
        let strata = [0, 1, 0, 1, 0, 1, 0, 1];
        let folds = Folds::stratified(&strata, None, 2, 3, 1).unwrap();
        let some = folds.clone().testing_only(&[4, 5, 6, 7]);
        for (repeat, fold) in [(0, 0), (0, 1), (2, 1)] {
            let (train, test) = some.split(repeat, fold);
            assert!(train.starts_with(&[0, 1, 2, 3]) && train.len() + test.len() == 8);
            let mut whole = folds.split(repeat, fold).1;
            whole.retain(|&n| n >= 4);
            assert_eq!(test, whole);
        }
    }

    #[test]
    fn impossible_folds_are_refused() {
        let refusal = |result: Result<Folds, Error>| result.unwrap_err().to_string();
        assert!(refusal(Folds::stratified(&[0, 1, 0], None, 4, 1, 1)).contains("folds is 4"));
        assert!(
            refusal(Folds::stratified(
                &[0, 1, 0, 1],
                Some(&[1, 1, 2, 2]),
                3,
                1,
                1
            ))
            .contains("number of groups")
        );
        assert!(refusal(Folds::given(vec![vec![0, 1]], 3)).contains("expected 3"));
        assert!(refusal(Folds::given(vec![vec![0, 2, 0]], 3)).contains("without gaps"));
    }
}
