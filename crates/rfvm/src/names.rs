//! The features' names during a fit: one text, since a million small ones weigh several times what they say.

/// Names in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Names {
    text: String,
    /// Where each name ends in the text.
    ends: Vec<usize>,
}

impl Names {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn get(&self, d: usize) -> &str {
        let start = d.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..self.ends[d]]
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|d| self.get(d))
    }
}

impl FromIterator<String> for Names {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        let mut all = Self::default();
        for name in names {
            all.text.push_str(&name);
            all.ends.push(all.text.len());
        }
        all.text.shrink_to_fit();
        all.ends.shrink_to_fit();
        all
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn names_are_what_they_were() {
        let names = ["TP53", "", "α-synuclein", "f1"];
        let kept: Names = names.iter().map(|name| name.to_string()).collect();
        assert_eq!(kept.len(), 4);
        assert!(kept.iter().eq(names));
        assert_eq!(kept.get(2), "α-synuclein");
    }
}
