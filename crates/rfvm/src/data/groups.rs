//! Rows that belong together.

use std::collections::HashMap;

/// The rows of each group, groups in order of first appearance; without groups every row is its own.
pub(crate) fn members(samples: usize, groups: Option<&[usize]>) -> Vec<Vec<usize>> {
    let Some(groups) = groups else {
        return (0..samples).map(|row| vec![row]).collect();
    };
    let mut place = HashMap::new();
    let mut members: Vec<Vec<usize>> = Vec::new();
    for (row, group) in groups.iter().enumerate() {
        let at = *place.entry(group).or_insert_with(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[at].push(row);
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_may_have_any_number() {
        let groups = [usize::MAX, 3, usize::MAX, 0];
        assert_eq!(members(4, Some(&groups)), [vec![0, 2], vec![1], vec![3]]);
        assert_eq!(members(2, None), [[0], [1]]);
    }
}
