//! Names of features: one text, since a million small ones weigh several times what they say.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Index;

/// Names in order; `names[d]` is the d-th.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<usize>,
}

impl Names {
    /// Made-up names: a letter and a number from 1 on.
    pub fn numbered(letter: char, count: usize) -> Self {
        (1..=count).map(|i| format!("{letter}{i}")).collect()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|d| &self[d])
    }

    /// A text each.
    pub fn to_vec(&self) -> Vec<String> {
        self.iter().map(str::to_owned).collect()
    }

    /// Whether a name may be there twice: certainly not where this says no.
    pub(crate) fn may_repeat(&self) -> bool {
        let mut hashes: Vec<u64> = self.iter().map(hash).collect();
        hashes.sort_unstable();
        hashes.windows(2).any(|pair| pair[0] == pair[1])
    }
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}

impl Index<usize> for Names {
    type Output = str;

    fn index(&self, d: usize) -> &str {
        let start = d.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[d]]
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        let mut all = Self::default();
        for name in names {
            all.text.push_str(name.as_ref());
            all.ends.push(all.text.len());
        }
        all.text.shrink_to_fit();
        all.ends.shrink_to_fit();
        all
    }
}

impl From<Vec<String>> for Names {
    fn from(names: Vec<String>) -> Self {
        names.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_what_they_were() {
        let names = ["TP53", "", "α-synuclein", "f1"];
        let kept: Names = names.iter().collect();
        assert_eq!(kept.len(), 4);
        assert!(kept.iter().eq(names));
        assert_eq!(&kept[2], "α-synuclein");
        assert_eq!(Names::from(kept.to_vec()), kept);
        assert_eq!(Names::numbered('f', 2).to_vec(), ["f1", "f2"]);
    }

    #[test]
    fn a_name_that_is_there_twice_is_noticed() {
        assert!(Names::from_iter(["a", "b", "a"]).may_repeat());
        assert!(!Names::from_iter(["ab", "c", "a", "bc"]).may_repeat());
    }
}
