//! The target dealt out anew, so that there is nothing to find.

use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::dataset::{Dataset, Target};
use super::groups::members;
use crate::error::Error;

impl Dataset {
    /// The same rows with the target shuffled. Where there are groups, whole groups exchange targets with groups of the
    /// same size, so that what belongs together stays together.
    pub fn permuted(&self, seed: u64) -> Result<Self, Error> {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let order = shuffled_rows(self.table().samples(), self.groups(), &mut random);
        let target = match self.target() {
            Target::Classes { names, labels } => Target::Classes {
                names: names.clone(),
                labels: order.iter().map(|&n| labels[n]).collect(),
            },
            Target::Values(values) => Target::Values(order.iter().map(|&n| values[n]).collect()),
        };
        let mut shuffled = Self::new(self.table().clone(), target)?;
        shuffled.attached = self.attached.clone();
        Ok(shuffled)
    }
}

/// For every row, the row whose target it gets.
pub(crate) fn shuffled_rows(
    samples: usize,
    groups: Option<&[usize]>,
    random: &mut impl Rng,
) -> Vec<usize> {
    let members = members(samples, groups);
    let mut by_size: Vec<usize> = (0..members.len()).collect();
    by_size.sort_by_key(|&group| members[group].len());
    let mut from = vec![0; samples];
    for same in by_size.chunk_by(|&a, &b| members[a].len() == members[b].len()) {
        let mut drawn: Vec<(u64, usize)> = same.iter().map(|&g| (random.random(), g)).collect();
        drawn.sort_unstable();
        for (&to, &(_, source)) in same.iter().zip(&drawn) {
            for (&row, &other) in members[to].iter().zip(&members[source]) {
                from[row] = other;
            }
        }
    }
    from
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shuffle_moves_every_target_once_and_groups_whole() {
        let mut random = ChaCha8Rng::seed_from_u64(3);
        let mut rows = shuffled_rows(50, None, &mut random);
        assert_ne!(rows, (0..50).collect::<Vec<_>>());
        rows.sort_unstable();
        assert_eq!(rows, (0..50).collect::<Vec<_>>());
        let groups: Vec<usize> = (0..40).map(|n| n / 2).collect();
        let rows = shuffled_rows(40, Some(&groups), &mut random);
        assert!(rows.chunks(2).all(|pair| pair[0] / 2 == pair[1] / 2));
        assert_ne!(rows, (0..40).collect::<Vec<_>>());
    }
}
