//! What is known of features beside their values: what they cost, which are bought together, which are weighted apart, and
//! what is to be shown beside their names.

use std::collections::{HashMap, HashSet};

use super::known::{KnownFeature, KnownFeatures, KnownPanel};
use super::names::Names;
use crate::error::{Error, join_names};

/// The largest price: sums of them stay exact enough to compare.
const DEAREST: f64 = 1e9;

/// Features by a common name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FeatureSet {
    /// What they are called together.
    pub name: String,
    /// Their names.
    pub members: Vec<String>,
}

/// What is known of features beside their values; names that the table lacks are no mistake ([`FeatureFacts::notes`]).
///
/// With [`crate::Projected`] a feature of price p has the cost factor κ = 1 + `cost_prior` p / p̄ ([`crate::Dataset::with_facts`]),
/// where p̄ is the mean price of what can be bought: features that have a price and belong to no panel, and panels. What has
/// no price counts as free. Where panels are given and no prices, every feature outside of them and every panel costs 1.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureFacts {
    /// The price of a feature, or of a panel by its name. A panel without one has that of its dearest feature.
    pub prices: Vec<(String, f64)>,
    /// How strongly prices count: what is of mean price has 1 + `cost_prior` times the precision of what is free.
    pub cost_prior: f64,
    /// Features that are bought together: the first of a panel that enters a model has the panel's price, the others are free.
    pub panels: Vec<FeatureSet>,
    /// Features of one kind: however many a block has, all of it weighs as much as another one. Features in no block are one.
    pub blocks: Vec<FeatureSet>,
    /// What the columns of the annotation are called.
    pub columns: Vec<String>,
    /// What is to be shown beside a feature's name, one text a column.
    pub annotation: Vec<(String, Vec<String>)>,
}

impl Default for FeatureFacts {
    fn default() -> Self {
        Self {
            prices: Vec::new(),
            cost_prior: 1.0,
            panels: Vec::new(),
            blocks: Vec::new(),
            columns: Vec::new(),
            annotation: Vec::new(),
        }
    }
}

/// What a fit is told of its features.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FeatureWeights {
    /// κ of every feature as the first of its panel.
    pub(crate) cost: Option<Vec<f64>>,
    /// The panel of every feature, where it has one.
    pub(crate) panel: Option<Vec<Option<usize>>>,
    /// How many features its block has, and how many blocks there are.
    pub(crate) block: Option<(Vec<usize>, usize)>,
}

impl FeatureFacts {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.prices.is_empty()
            && self.panels.is_empty()
            && self.blocks.is_empty()
            && self.annotation.is_empty()
    }

    /// Whether models have a price.
    pub(super) fn is_priced(&self) -> bool {
        !(self.prices.is_empty() && self.panels.is_empty())
    }

    /// What is wrong with them, whatever the table.
    pub fn check(&self) -> Result<(), Error> {
        let wrong = |what: String| Err(Error::Facts(what));
        let mut seen = HashSet::new();
        for (name, price) in &self.prices {
            if !(0.0..=DEAREST).contains(price) {
                return wrong(format!(
                    "the price of '{name}' is {price}; it must be between 0 and 1e9"
                ));
            }
            if !seen.insert(name.as_str()) {
                return wrong(format!("'{name}' has two prices; leave one"));
            }
        }
        if !(0.0..=1e6).contains(&self.cost_prior) {
            return wrong(format!(
                "the strength of the cost prior is {}; it must be between 0 and 1e6",
                self.cost_prior
            ));
        }
        check_sets("panel", "bought with one", &self.panels)?;
        check_sets("block", "weighted in one", &self.blocks)?;
        let mut seen = HashSet::new();
        for (name, texts) in &self.annotation {
            if texts.len() != self.columns.len() {
                return wrong(format!(
                    "the annotation of '{name}' has {} texts for {} columns",
                    texts.len(),
                    self.columns.len()
                ));
            }
            if !seen.insert(name.as_str()) {
                return wrong(format!("'{name}' is annotated twice; leave one"));
            }
        }
        Ok(())
    }

    /// The same, where the features have these names.
    pub(super) fn check_for(&self, names: &Names) -> Result<(), Error> {
        self.check()?;
        let panels: HashSet<&str> = self.panels.iter().map(|panel| &*panel.name).collect();
        match names.iter().find(|name| panels.contains(name)) {
            Some(name) => Err(Error::Facts(format!(
                "the panel '{name}' has the name of a feature, so that a price of '{name}' could be of either; rename the panel"
            ))),
            None => Ok(()),
        }
    }

    /// What a user should know of how these facts and the table's names agree, a sentence each.
    pub fn notes(&self, names: &Names) -> Vec<String> {
        let known: HashSet<&str> = names.iter().collect();
        let panels: HashSet<&str> = self.panels.iter().map(|panel| &*panel.name).collect();
        let mut notes = Vec::new();
        let mut absent = |what: &str, all: usize, lacking: Vec<&str>| {
            if !lacking.is_empty() {
                let named = join_names(lacking.iter().copied());
                notes.push(format!(
                    "{what}: {} of {all} name(s) are no feature of the table and are left aside: {named}",
                    lacking.len()
                ));
            }
        };
        let lacks = |name: &&str| !known.contains(name);
        let priced = self.prices.iter().map(|(name, _)| name.as_str());
        let unknown = priced.clone().filter(lacks);
        let unknown = unknown.filter(|name| !panels.contains(name)).collect();
        absent("prices", self.prices.len(), unknown);
        for (what, sets) in [("panels", &self.panels), ("blocks", &self.blocks)] {
            let members = sets.iter().flat_map(|set| &set.members);
            let members: Vec<&str> = members.map(String::as_str).collect();
            let all = members.len();
            absent(what, all, members.into_iter().filter(lacks).collect());
        }
        let annotated = self.annotation.iter().map(|(name, _)| name.as_str());
        absent(
            "annotation",
            self.annotation.len(),
            annotated.filter(lacks).collect(),
        );
        if !self.prices.is_empty() {
            let look_up = LookUp::new(self);
            let free: Vec<&str> = (names.iter())
                .filter(|name| look_up.price(name).is_none())
                .collect();
            if !free.is_empty() {
                notes.push(format!(
                    "{} of {} features have no price and count as free: {}",
                    free.len(),
                    names.len(),
                    join_names(free.iter().copied())
                ));
            }
        }
        notes
    }

    /// κ, panels and blocks of features of these names.
    pub(crate) fn weights(&self, names: &Names) -> FeatureWeights {
        let look_up = LookUp::new(self);
        let panels: Vec<Option<usize>> = names
            .iter()
            .map(|name| look_up.panel.get(name).copied())
            .collect();
        let cost = self.is_priced().then(|| {
            let prices: Vec<Option<f64>> = names.iter().map(|name| look_up.price(name)).collect();
            let mut met = HashSet::new();
            let bought = (prices.iter().zip(&panels))
                .filter(|(_, panel)| panel.is_none_or(|panel| met.insert(panel)))
                .filter_map(|(price, _)| *price);
            let (sum, count) =
                bought.fold((0.0, 0.0), |(sum, count), price| (sum + price, count + 1.0));
            let unit = if sum > 0.0 { sum / count } else { 1.0 };
            let factor = |price: &Option<f64>| 1.0 + self.cost_prior * price.unwrap_or(0.0) / unit;
            prices.iter().map(factor).collect()
        });
        let block = (!self.blocks.is_empty()).then(|| {
            let rest = self.blocks.len();
            let of = |name: &str| look_up.block.get(name).copied().unwrap_or(rest);
            let mut sizes = vec![0; rest + 1];
            names.iter().for_each(|name| sizes[of(name)] += 1);
            let blocks = sizes.iter().filter(|&&size| size > 0).count();
            (names.iter().map(|name| sizes[of(name)]).collect(), blocks)
        });
        FeatureWeights {
            cost,
            panel: (!self.panels.is_empty()).then_some(panels),
            block,
        }
    }

    /// What is to be kept of some features; `all` are those of the table.
    pub(crate) fn of<'n>(
        &self,
        wanted: impl Iterator<Item = &'n str>,
        all: &Names,
    ) -> KnownFeatures {
        let look_up = LookUp::new(self);
        let annotation: HashMap<&str, &Vec<String>> = (self.annotation.iter())
            .map(|(name, texts)| (name.as_str(), texts))
            .collect();
        let name_of = |sets: &[FeatureSet], at: Option<&usize>| at.map(|&at| sets[at].name.clone());
        let mut panels: Vec<usize> = Vec::new();
        let feature = |name: &str| {
            let panel = look_up.panel.get(name);
            if let Some(&panel) = panel.filter(|panel| !panels.contains(panel)) {
                panels.push(panel);
            }
            KnownFeature {
                name: name.to_owned(),
                price: match panel {
                    None if self.is_priced() => look_up.price(name),
                    _ => None,
                },
                panel: name_of(&self.panels, panel),
                block: name_of(&self.blocks, look_up.block.get(name)),
                annotation: annotation
                    .get(name)
                    .map_or_else(Vec::new, |&texts| texts.clone()),
            }
        };
        let mut features: Vec<KnownFeature> =
            wanted.map(feature).filter(|f| !f.is_empty()).collect();
        features.sort_by(|a, b| a.name.cmp(&b.name));
        // Of several classes each names the features that all share.
        features.dedup_by(|a, b| a.name == b.name);
        let mut sizes = vec![0; self.panels.len()];
        for name in all.iter() {
            if let Some(&panel) = look_up.panel.get(name) {
                sizes[panel] += 1;
            }
        }
        let panel = |at: usize| KnownPanel {
            name: self.panels[at].name.clone(),
            price: look_up.panel_prices[at].unwrap_or(0.0),
            features: sizes[at],
        };
        KnownFeatures {
            priced: self.is_priced(),
            columns: self.columns.clone(),
            features,
            panels: panels.into_iter().map(panel).collect(),
        }
    }
}

/// Facts by name.
struct LookUp<'f> {
    prices: HashMap<&'f str, f64>,
    /// What is not known to have a price costs this.
    unpriced: Option<f64>,
    panel: HashMap<&'f str, usize>,
    panel_prices: Vec<Option<f64>>,
    block: HashMap<&'f str, usize>,
}

impl<'f> LookUp<'f> {
    fn new(facts: &'f FeatureFacts) -> Self {
        let prices: HashMap<&str, f64> = (facts.prices.iter())
            .map(|(name, price)| (name.as_str(), *price))
            .collect();
        let unpriced = prices.is_empty().then_some(1.0);
        let price = |panel: &FeatureSet| {
            let own = prices.get(panel.name.as_str()).copied();
            let members = panel.members.iter();
            let members = members.filter_map(|member| prices.get(member.as_str()).copied());
            own.or(members.reduce(f64::max)).or(unpriced)
        };
        Self {
            panel_prices: facts.panels.iter().map(price).collect(),
            prices,
            unpriced,
            panel: by_member(&facts.panels),
            block: by_member(&facts.blocks),
        }
    }

    /// What a feature costs where nothing has been bought; `None` where that is not known.
    fn price(&self, name: &str) -> Option<f64> {
        match self.panel.get(name) {
            Some(&panel) => self.panel_prices[panel],
            None => self.prices.get(name).copied().or(self.unpriced),
        }
    }
}

fn by_member(sets: &[FeatureSet]) -> HashMap<&str, usize> {
    let members = (0..)
        .zip(sets)
        .flat_map(|(at, set)| set.members.iter().map(move |member| (member.as_str(), at)));
    members.collect()
}

fn check_sets(what: &str, how: &str, sets: &[FeatureSet]) -> Result<(), Error> {
    let wrong = |what: String| Err(Error::Facts(what));
    let mut names = HashSet::new();
    let mut of: HashMap<&str, &str> = HashMap::new();
    for FeatureSet { name, members } in sets {
        if members.is_empty() {
            return wrong(format!(
                "the {what} '{name}' has no feature; name some, or leave it out"
            ));
        }
        if !names.insert(name.as_str()) {
            return wrong(format!(
                "there are two {what}s '{name}'; rename one, or put them together"
            ));
        }
        for member in members {
            match of.insert(member, name) {
                Some(other) if other == name => {
                    return wrong(format!(
                        "'{member}' is twice in the {what} '{name}'; leave it in once"
                    ));
                }
                Some(other) => {
                    return wrong(format!(
                        "'{member}' is in the {what}s '{other}' and '{name}'; a feature is {how} {what}, so leave it in one"
                    ));
                }
                None => {}
            }
        }
    }
    Ok(())
}

#[cfg(test)]
#[path = "facts_tests.rs"]
mod tests;
