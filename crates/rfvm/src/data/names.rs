//! Names of features: one text, since a million small ones weigh several times what they say.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Index;

/// Names in order; `names[d]` is the d-th.
#[derive(Debug, Clone)]
pub struct Names {
    text: String,
    ends: Ends,
}

/// Where each name ends in the text.
#[derive(Debug, Clone)]
enum Ends {
    Listed(Vec<usize>),
    /// A letter of so many bytes before each of the numbers from 1 to `count`: their lengths say it.
    Numbered {
        letter: usize,
        count: usize,
    },
}

impl Ends {
    fn of(&self, d: usize) -> usize {
        match self {
            Self::Listed(ends) => ends[d],
            Self::Numbered { letter, count } => {
                assert!(d < *count, "name {d} of {count}");
                (d + 1) * letter + digits(d + 1)
            }
        }
    }
}

/// How many digits the numbers from 1 to `last` have together.
fn digits(last: usize) -> usize {
    let decades = std::iter::successors(Some(1_usize), |from| from.checked_mul(10));
    // Every number from a power of ten on has a digit more.
    decades
        .take_while(|&from| from <= last)
        .map(|from| last - from + 1)
        .sum()
}

impl Names {
    /// Made-up names: a letter and a number from 1 on.
    pub fn numbered(letter: char, count: usize) -> Self {
        let ends = Ends::Numbered {
            letter: letter.len_utf8(),
            count,
        };
        let mut text = String::with_capacity(count * letter.len_utf8() + digits(count));
        for i in 1..=count {
            // Writing to a text cannot fail.
            let _ = write!(text, "{letter}{i}");
        }
        Self { text, ends }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.ends {
            Ends::Listed(ends) => ends.len(),
            Ends::Numbered { count, .. } => *count,
        }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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
        if matches!(self.ends, Ends::Numbered { .. }) {
            return false;
        }
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
        let start = d.checked_sub(1).map_or(0, |before| self.ends.of(before));
        &self.text[start..self.ends.of(d)]
    }
}

impl<S: AsRef<str>> FromIterator<S> for Names {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for name in names {
            text.push_str(name.as_ref());
            ends.push(text.len());
        }
        text.shrink_to_fit();
        ends.shrink_to_fit();
        Self {
            text,
            ends: Ends::Listed(ends),
        }
    }
}

impl PartialEq for Names {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl Eq for Names {}

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
    }

    #[test]
    fn numbered_names_are_those_that_are_written_out() {
        for letter in ['f', 'α'] {
            for count in [0, 1, 9, 10, 11, 99, 100, 1234] {
                let written: Names = (1..=count).map(|i| format!("{letter}{i}")).collect();
                assert_eq!(Names::numbered(letter, count), written);
            }
        }
        assert_eq!(&Names::numbered('s', 1000)[999], "s1000");
        assert!(!Names::numbered('s', 1000).may_repeat());
    }

    #[test]
    fn a_name_that_is_there_twice_is_noticed() {
        assert!(Names::from_iter(["a", "b", "a"]).may_repeat());
        assert!(!Names::from_iter(["ab", "c", "a", "bc"]).may_repeat());
    }
}
