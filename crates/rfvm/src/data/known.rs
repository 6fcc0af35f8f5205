//! What a model keeps of what was known of its features ([`super::FeatureFacts`]).

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

/// What is known of some features: prices, panels, blocks and annotation. Nothing by default.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownFeatures {
    /// Whether features have prices or are bought in panels, so that a set of them costs something.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub priced: bool,
    /// What the columns of the annotation are called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<String>,
    /// Those of which something is known, by their names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<KnownFeature>,
    /// Their panels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub panels: Vec<KnownPanel>,
}

/// What is known of a feature.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct KnownFeature {
    /// Its name.
    pub name: String,
    /// What it costs; `None` where that is not known (it counts as free) and in a panel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// The panel it is bought with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub panel: Option<String>,
    /// The block it is weighted in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<String>,
    /// What is shown beside its name, one text a column; empty where nothing is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub annotation: Vec<String>,
}

/// A cell of a table of features.
#[derive(Debug, Clone, PartialEq)]
pub enum KnownCell {
    /// What a feature costs alone.
    Price(f64),
    /// A panel, a block, or a text of the annotation.
    Text(String),
    /// Nothing is known.
    Empty,
}

/// Features that are bought together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownPanel {
    /// Its name.
    pub name: String,
    /// What it costs, however many of its features are used.
    pub price: f64,
    /// How many features the table had of it.
    pub features: usize,
}

impl KnownFeature {
    pub(super) fn is_empty(&self) -> bool {
        *self
            == Self {
                name: self.name.clone(),
                ..Self::default()
            }
    }
}

impl KnownFeatures {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What is known of a feature.
    pub fn get(&self, name: &str) -> Option<&KnownFeature> {
        let at = self
            .features
            .binary_search_by(|known| known.name.as_str().cmp(name));
        at.ok().map(|at| &self.features[at])
    }

    /// What a panel is known to be.
    pub fn panel(&self, name: &str) -> Option<&KnownPanel> {
        self.panels.iter().find(|panel| panel.name == name)
    }

    /// What a feature costs alone: its own price, or its panel's.
    pub fn price(&self, name: &str) -> Option<f64> {
        let known = self.get(name)?;
        match &known.panel {
            Some(panel) => self.panel(panel).map(|panel| panel.price),
            None => known.price,
        }
    }

    /// What these features cost together, each panel once; `None` where nothing has a price.
    pub fn cost<'n>(&self, names: impl Iterator<Item = &'n str>) -> Option<f64> {
        if !self.priced {
            return None;
        }
        let mut bought = HashSet::new();
        let price = |name: &str| {
            let known = self.get(name)?;
            match &known.panel {
                Some(panel) if !bought.insert(panel.as_str()) => None,
                _ => self.price(name),
            }
        };
        // The sum of nothing is -0.
        Some(names.filter_map(price).fold(0.0, |sum, price| sum + price))
    }

    /// A column of the annotation for a feature; empty where there is nothing.
    pub fn text(&self, name: &str, column: usize) -> &str {
        let texts = self.get(name).map(|known| &known.annotation);
        texts
            .and_then(|texts| texts.get(column))
            .map_or("", String::as_str)
    }

    /// The columns of a table of features that tell something, and whether each is of numbers.
    pub fn table_columns(&self) -> Vec<(&str, bool)> {
        let panels = self.features.iter().any(|known| known.panel.is_some());
        let blocks = self.features.iter().any(|known| known.block.is_some());
        let fixed = [
            ("price", self.priced && !self.features.is_empty(), true),
            ("panel", panels, false),
            ("block", blocks, false),
        ];
        let fixed = fixed.into_iter().filter(|(_, there, _)| *there);
        let texts = self.columns.iter().map(|name| (name.as_str(), false));
        fixed
            .map(|(title, _, number)| (title, number))
            .chain(texts)
            .collect()
    }

    /// A feature's cells in these columns.
    pub fn table_cells(&self, name: &str) -> Vec<KnownCell> {
        let found = self.get(name);
        let fixed = self.table_columns().len() - self.columns.len();
        let text = |text: Option<&str>| match text {
            Some(text) if !text.is_empty() => KnownCell::Text(text.to_owned()),
            _ => KnownCell::Empty,
        };
        let of = |title: &str| match title {
            "price" => self.price(name).map_or(KnownCell::Empty, KnownCell::Price),
            "panel" => text(found.and_then(|known| known.panel.as_deref())),
            _ => text(found.and_then(|known| known.block.as_deref())),
        };
        let columns = self.table_columns();
        let own = columns[..fixed].iter().map(|(title, _)| of(title));
        let texts = 0..self.columns.len();
        own.chain(texts.map(|at| text(Some(self.text(name, at)))))
            .collect()
    }

    /// All that is shown beside a feature's name, in a few words; empty where there is nothing.
    pub fn words(&self, name: &str) -> String {
        let texts = self
            .get(name)
            .into_iter()
            .flat_map(|known| &known.annotation);
        let texts: Vec<&str> = texts
            .map(String::as_str)
            .filter(|text| !text.is_empty())
            .collect();
        texts.join(", ")
    }

    /// The name with that in brackets.
    pub fn named(&self, name: &str) -> String {
        match self.words(name) {
            words if words.is_empty() => name.to_owned(),
            words => format!("{name} ({words})"),
        }
    }

    /// With what else is known of features that are not among these; what is known here stands.
    pub(crate) fn with_others(mut self, others: Self) -> Self {
        if self.is_empty() {
            return others;
        }
        if self.columns != others.columns || self.priced != others.priced {
            return self;
        }
        let new = |known: &KnownFeature| self.get(&known.name).is_none();
        let more: Vec<KnownFeature> = others.features.into_iter().filter(new).collect();
        let unknown: Vec<KnownPanel> = (others.panels.into_iter())
            .filter(|panel| self.panel(&panel.name).is_none())
            .collect();
        self.features.extend(more);
        self.features.sort_by(|a, b| a.name.cmp(&b.name));
        self.panels.extend(unknown);
        self
    }

    /// What is wrong with what a file says, in a few words.
    pub(crate) fn check(&self) -> Result<(), String> {
        let prices = self.features.iter().filter_map(|known| known.price);
        let mut prices = prices.chain(self.panels.iter().map(|panel| panel.price));
        if !prices.all(|price| price.is_finite() && price >= 0.0) {
            return Err("a price of its features is none".to_string());
        }
        let columns = self.columns.len();
        let fits = |known: &KnownFeature| {
            let panel = known.panel.as_ref();
            let texts = known.annotation.len();
            (texts == 0 || texts == columns) && panel.is_none_or(|name| self.panel(name).is_some())
        };
        let sorted = self
            .features
            .windows(2)
            .all(|pair| pair[0].name < pair[1].name);
        match sorted && self.features.iter().all(fits) {
            true => Ok(()),
            false => Err("what it knows of its features does not fit together".to_string()),
        }
    }
}
