//! Predictions of samples that lack values the model needs.
//!
//! What is missing is normal given what is known, by the training rows' shrunk correlations. With its mean in its place the score
//! has the mean w·E[x] + b and, with Q the weights' and C the missing values' covariance, the variance
//! E[x]'Q E[x] + tr(QC) + w'Cw + var b + 1/τ: what is not known of the sample widens what is said of it.

use std::collections::{HashMap, HashSet};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::filling::{Filling, GapSet};
use super::predict::{Model, Prediction};
use crate::data::transform::transformed;
use crate::data::{Table, Task};
use crate::error::{Error, join_names};
use crate::numerics::linalg::dot;
use crate::posterior::companions::{Companions, Conditional, MOST_ACCOMPANIED};
use crate::posterior::signature::Signature;

/// What a prediction does about a value that the model needs and a sample lacks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gaps {
    /// It is an error, unless the model was fitted to fill in medians.
    #[default]
    Refuse,
    /// It is integrated over, given the other features of the model.
    Integrate,
    /// The same, given also the feature that stands in for it, where the sample has that.
    Substitute,
}

impl FromStr for Gaps {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "integrate" => Ok(Self::Integrate),
            "substitute" => Ok(Self::Substitute),
            _ => Err("'integrate' or 'substitute'"),
        }
    }
}

/// A feature that a sample lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilledFeature {
    /// Name of the feature.
    pub feature: String,
    /// The feature outside of the model that stood in for it, where one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

impl std::fmt::Display for FilledFeature {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match &self.by {
            Some(by) => write!(f, "{} by {by}", self.feature),
            None => f.write_str(&self.feature),
        }
    }
}

/// Predictions of samples that may lack values.
#[derive(Debug, Clone, PartialEq)]
pub struct FilledPredictions {
    /// What the model says of every row.
    pub predictions: Vec<Prediction>,
    /// What was lacking, each set of features once: rows that lack the same share it.
    sets: Vec<Vec<FilledFeature>>,
    /// The variance of the mean of a score that is due to each of them.
    spreads: Vec<f64>,
    of_row: Vec<Option<usize>>,
}

impl FilledPredictions {
    /// What a row lacked; nothing where it had all values.
    pub fn filled(&self, row: usize) -> &[FilledFeature] {
        let set = self.of_row.get(row).copied().flatten();
        set.map_or(&[], |set| &self.sets[set])
    }

    /// w'Cw: the variance of a row's mean score that is due to what it lacked; the score that the values would have given is so far
    /// from it. The rest of the prediction's variance would be there without gaps, but for tr(QC).
    pub fn spread(&self, row: usize) -> f64 {
        let set = self.of_row.get(row).copied().flatten();
        set.map_or(0.0, |set| self.spreads[set])
    }

    /// How many rows lacked something.
    pub fn rows_filled(&self) -> usize {
        self.of_row.iter().flatten().count()
    }

    /// All features that some row lacked, each once, in the order in which they were met.
    pub fn features(&self) -> Vec<&FilledFeature> {
        let mut seen = HashSet::new();
        let all = self.sets.iter().flatten();
        all.filter(|filled| seen.insert((&filled.feature, &filled.by)))
            .collect()
    }
}

impl Model {
    /// Names of the features outside of the model that stand in for those a sample lacks; empty where the model keeps none.
    pub fn stand_ins(&self) -> Vec<String> {
        let companions = self.companions.iter().flat_map(|kept| &kept.companions);
        companions.map(|companion| companion.name.clone()).collect()
    }

    /// The name of the feature that stands in for one of the model's, where there is one.
    pub(crate) fn stand_in(&self, feature: usize) -> Option<String> {
        let kept = self.companions.as_ref()?;
        let at = (*kept.stand_ins.get(feature)?)?;
        Some(kept.companions[at].name.clone())
    }

    /// The share of a feature's variance that the model's others tell, and its stand-in where that is used; `None` where the
    /// model does not know, and of a feature without a stand-in where that is asked for.
    pub(crate) fn told(&self, feature: usize, gaps: Gaps) -> Option<f64> {
        let kept = self.companions.as_ref()?;
        let others = 0..kept.stand_ins.len();
        let mut known: Vec<usize> = others.filter(|&other| other != feature).collect();
        if gaps == Gaps::Substitute {
            known.push(kept.stand_in(feature)?);
        }
        let given = kept.given(&known, &[feature]).ok()?;
        Some(1.0 - given.covariance?.at(0, 0))
    }

    /// The columns that a prediction looks at, and one of gaps for every feature of the model that the table lacks: what
    /// [`Self::extrapolation`] takes of a table that lacks some. A table without any of them is refused.
    pub fn with_gaps(&self, table: &Table) -> Result<Table, Error> {
        let needed = self.needed_features();
        if needed.is_empty() {
            return Ok(table.clone());
        }
        let mut names = needed.clone();
        names.extend(self.stand_ins());
        let there: HashSet<&str> = table.feature_names().iter().collect();
        names.retain(|name| there.contains(name.as_str()));
        if names.is_empty() {
            return Err(Error::MissingFeatures {
                count: needed.len(),
                names: join_names(needed.iter().map(String::as_str)),
            });
        }
        let positions = table.find_features(&names)?;
        let mut values: Vec<f64> = positions
            .iter()
            .flat_map(|&d| table.feature(d))
            .copied()
            .collect();
        let lacking = needed.iter().filter(|name| !there.contains(name.as_str()));
        names.extend(lacking.cloned());
        values.resize(names.len() * table.samples(), f64::NAN);
        let own = Table::with_missing(values, names, table.sample_names().to_vec())?;
        match table.covariates() {
            Some(covariates) => own.with_covariates(covariates.iter().cloned().collect()),
            None => Ok(own),
        }
    }

    /// What it says of samples whose gaps are integrated over.
    pub(super) fn integrated(&self, table: &Table) -> Result<Vec<Prediction>, Error> {
        Ok(self.predict_with(table, Gaps::Integrate)?.predictions)
    }

    /// As [`Self::predict`], of samples that may lack features or values. Without gaps the predictions are the same to the bit.
    ///
    /// A model of more than 60 features, as most full ones are, keeps no correlations: a value that is missing there is standard
    /// normal on the model's scale, whatever the others are.
    pub fn predict_with(&self, table: &Table, gaps: Gaps) -> Result<FilledPredictions, Error> {
        let needed = self.needed_features();
        if gaps == Gaps::Refuse || needed.is_empty() {
            return Ok(FilledPredictions {
                predictions: self.predict(table)?,
                sets: Vec::new(),
                spreads: Vec::new(),
                of_row: vec![None; table.samples()],
            });
        }
        let own = self.with_gaps(table)?;
        let positions = own.find_features(&needed)?;
        let filling = self.filling(&own, &positions, gaps)?;
        let predictions = self.predict_columns(&own, &positions, Some(&filling))?;
        let named = |set: &GapSet| -> Vec<FilledFeature> {
            let by = |missing: usize| -> Option<String> {
                let companions = self.companions.as_ref()?;
                let place = companions.stand_in(missing)?;
                let used = set.known.contains(&place);
                used.then(|| companions.companions[place - needed.len()].name.clone())
            };
            let filled = |&missing: &usize| FilledFeature {
                feature: needed[missing].clone(),
                by: by(missing),
            };
            set.missing.iter().map(filled).collect()
        };
        Ok(FilledPredictions {
            predictions,
            sets: filling.sets.iter().map(named).collect(),
            spreads: filling.sets.iter().map(|set| self.spread(set)).collect(),
            of_row: filling.of_row,
        })
    }

    /// w'Cw of the mean score, in the units of the prediction.
    fn spread(&self, set: &GapSet) -> f64 {
        let share = 1.0 / self.signatures.len() as f64;
        let features = self.signatures.iter().flat_map(Signature::features);
        let weights: Vec<f64> = features.map(|feature| share * feature.weight).collect();
        let own: Vec<f64> = set.missing.iter().map(|&at| weights[at]).collect();
        let variance = match &set.given.covariance {
            Some(covariance) => dot(&own, &covariance.times(&own)),
            None => dot(&own, &own),
        };
        match self.task {
            Task::Classification => variance.max(0.0),
            Task::Regression => self.in_units_of_target(0.0, variance.max(0.0)).1,
        }
    }

    /// What takes the place of the gaps of a table that has all columns.
    fn filling(&self, table: &Table, positions: &[usize], gaps: Gaps) -> Result<Filling, Error> {
        let samples = table.samples();
        let mut lacks: Vec<Vec<usize>> = vec![Vec::new(); samples];
        for (at, &d) in positions.iter().enumerate() {
            for (n, value) in table.feature(d).iter().enumerate() {
                if value.is_nan() {
                    lacks[n].push(at);
                }
            }
        }
        let mut filling = Filling {
            sets: Vec::new(),
            of_row: vec![None; samples],
            means: vec![Vec::new(); samples],
        };
        if lacks.iter().all(Vec::is_empty) {
            return Ok(filling);
        }
        let companions = match &self.companions {
            None if positions.len() <= MOST_ACCOMPANIED => return Err(Error::NoCompanions),
            kept => kept.as_ref(),
        };
        let scaled = match companions {
            Some(companions) => self.scaled(table, positions, companions)?,
            None => Vec::new(),
        };
        let mut sets: HashMap<(Vec<usize>, Vec<usize>), usize> = HashMap::new();
        for (n, missing) in lacks.into_iter().enumerate() {
            if missing.is_empty() {
                continue;
            }
            let known: Vec<usize> = match companions {
                Some(companions) => {
                    let mut known: Vec<usize> = (0..positions.len())
                        .filter(|at| missing.binary_search(at).is_err())
                        .collect();
                    if gaps == Gaps::Substitute {
                        let stand_ins = missing.iter().filter_map(|&at| companions.stand_in(at));
                        known.extend(stand_ins.filter(|&place| scaled[place][n].is_finite()));
                        known.sort_unstable();
                        known.dedup();
                    }
                    known
                }
                None => Vec::new(),
            };
            let values: Vec<f64> = known.iter().map(|&place| scaled[place][n]).collect();
            let set = match sets.get(&(missing.clone(), known.clone())) {
                Some(&set) => set,
                None => {
                    let given = match companions {
                        Some(companions) => companions.given(&known, &missing),
                        None => Ok(Conditional::alone(missing.len())),
                    };
                    let given = given.map_err(|_| Error::NoCompanions)?;
                    filling.sets.push(GapSet {
                        missing: missing.clone(),
                        known: known.clone(),
                        given,
                    });
                    sets.insert((missing, known), filling.sets.len() - 1);
                    filling.sets.len() - 1
                }
            };
            let given = &filling.sets[set].given;
            filling.means[n] = given.mean(&values);
            filling.of_row[n] = Some(set);
        }
        Ok(filling)
    }

    /// The values of the model's features and of their companions as the model sees them; gaps stay gaps.
    fn scaled(
        &self,
        table: &Table,
        positions: &[usize],
        companions: &Companions,
    ) -> Result<Vec<Vec<f64>>, Error> {
        let transform = self.parameters.preprocessing.transform;
        let features = self.signatures.iter().flat_map(Signature::features);
        let mut scaled = Vec::with_capacity(positions.len() + companions.companions.len());
        for (feature, &d) in features.zip(positions) {
            let values = transformed(table, d, transform)?;
            scaled.push(values.iter().map(|&v| feature.scale.apply(v)).collect());
        }
        for companion in &companions.companions {
            let found = table.find_features(std::slice::from_ref(&companion.name));
            scaled.push(match found.as_deref() {
                Ok(&[d]) => {
                    let values = transformed(table, d, transform)?;
                    values.iter().map(|&v| companion.scale.apply(v)).collect()
                }
                _ => vec![f64::NAN; table.samples()],
            });
        }
        Ok(scaled)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::numerics::linalg::Cholesky;
    use crate::numerics::linalg::Dense;
    use crate::params::{Params, Size};
    use crate::simulate::Simulation;

    /// A model of five features with correlated companions, and the table it was fitted on.
    fn fitted(params: Params) -> (Model, Table) {
        let simulation = Simulation {
            samples: 60,
            features: 80,
            informative: 4,
            effect: 1.5,
            block: 10,
            ..Simulation::default()
        };
        let study = simulation.draw().unwrap();
        let table = study.data.table().clone();
        (params.check().unwrap().fit(study.data).unwrap(), table)
    }

    fn hidden(table: &Table, names: &[String], rows: &[usize]) -> Table {
        let mut values = table.values().to_vec();
        for d in table.find_features(names).unwrap() {
            for &n in rows {
                values[d * table.samples() + n] = f64::NAN;
            }
        }
        let features = table.feature_names().to_vec();
        Table::with_missing(values, features, table.sample_names().to_vec()).unwrap()
    }

    /// Mean and variance of the score over draws of what is missing, by another way: the conditional normal from the inverse of
    /// the joint covariance, and points whose moments are its own up to the third, so that a square has its exact mean.
    fn brute_force(model: &Model, x: &[f64], missing: &[usize], known: &[usize]) -> (f64, f64) {
        let kept = model.companions.as_ref().unwrap();
        let all: Vec<usize> = missing.iter().chain(known).copied().collect();
        let precision = Cholesky::new(kept.correlation.select(&all, &all)).unwrap();
        let precision = precision.inverse();
        let count = missing.len();
        let first: Vec<usize> = (0..count).collect();
        let rest: Vec<usize> = (count..all.len()).collect();
        let of_missing = Cholesky::new(precision.select(&first, &first)).unwrap();
        let values: Vec<f64> = known.iter().map(|&place| x[place]).collect();
        let along = precision.select(&first, &rest).times(&values);
        let mean: Vec<f64> = of_missing.solve(&along).iter().map(|m| -m).collect();
        // P^-1 = (L^-1)'(L^-1): the rows of L^-1 are directions of the spread.
        let root: &Dense = of_missing.inverse_factor();
        let latent = model.signatures[0].moments.latent();
        let (mut said, reach) = (Vec::new(), (count as f64).sqrt());
        for i in 0..count {
            for sign in [-1.0, 1.0] {
                let mut point = x[..model.feature_count()].to_vec();
                for (j, &d) in missing.iter().enumerate() {
                    point[d] = mean[j] + sign * reach * root.at(i, j);
                }
                said.push(latent(&point));
            }
        }
        let n = said.len() as f64;
        let centre = said.iter().map(|said| said.0).sum::<f64>() / n;
        let between = said
            .iter()
            .map(|said| (said.0 - centre).powi(2))
            .sum::<f64>()
            / n;
        let within = said.iter().map(|said| said.1).sum::<f64>() / n;
        (centre, within + between)
    }

    #[test]
    fn what_is_missing_is_integrated_over_exactly() {
        let (model, table) = fitted(Params::projected(Size::Features(5)));
        let kept = model.companions.clone().unwrap();
        let needed = model.needed_features();
        let all: Vec<String> = needed.iter().cloned().chain(model.stand_ins()).collect();
        let positions = table.find_features(&all).unwrap();
        let scaled = model.scaled(&table, &positions[..5], &kept).unwrap();
        for (missing, rows) in [(vec![1], [3]), (vec![0, 4], [17]), (vec![0, 1, 2, 3], [40])] {
            let names: Vec<String> = missing.iter().map(|&at| needed[at].clone()).collect();
            let with_gaps = hidden(&table, &names, &rows);
            let x: Vec<f64> = scaled.iter().map(|column| column[rows[0]]).collect();
            let known: Vec<usize> = (0..5).filter(|at| !missing.contains(at)).collect();
            let stand_ins = missing.iter().filter_map(|&at| kept.stand_in(at));
            let mut more: Vec<usize> = known.iter().copied().chain(stand_ins).collect();
            more.sort_unstable();
            more.dedup();
            for (gaps, known) in [(Gaps::Integrate, &known), (Gaps::Substitute, &more)] {
                let found = model.predict_with(&with_gaps, gaps).unwrap();
                let Prediction { mean, variance, .. } = found.predictions[rows[0]];
                let want = brute_force(&model, &x, &missing, known);
                assert!((mean - want.0).abs() < 1e-9, "{mean} {want:?}");
                assert!((variance - want.1).abs() < 1e-9, "{variance} {want:?}");
                let filled: Vec<&str> = (found.filled(rows[0]).iter())
                    .map(|filled| filled.feature.as_str())
                    .collect();
                assert_eq!(filled, names);
                let by = found.filled(rows[0]).iter().all(|one| one.by.is_some());
                assert_eq!(by, gaps == Gaps::Substitute);
                assert_eq!((found.rows_filled(), found.filled(0)), (1, &[][..]));
            }
        }
    }

    #[test]
    fn a_stand_in_is_the_feature_outside_that_is_most_like_it() {
        for params in [Params::projected(Size::Features(3)), Params::signatures()] {
            let (model, table) = fitted(params);
            let kept = model.companions.as_ref().unwrap();
            let needed = table.find_features(&model.needed_features()).unwrap();
            let scaling = model.parameters.preprocessing.scaling;
            let standard = crate::data::Standardizer::fit(&table, scaling).unwrap();
            let mut values = table.values().to_vec();
            standard.apply_in_place(1, &mut values, 60);
            let column = |d: usize| &values[d * 60..(d + 1) * 60];
            for (at, &own) in needed.iter().enumerate() {
                let like = |d: usize| -> f64 {
                    let pairs = column(d).iter().zip(column(own));
                    pairs.map(|(x, y)| x * y).sum::<f64>().abs()
                };
                let outside = (0..80).filter(|d| !needed.contains(d));
                let best = outside
                    .max_by(|&a, &b| like(a).total_cmp(&like(b)))
                    .unwrap();
                let found = &kept.companions[kept.stand_ins[at].unwrap()].name;
                assert_eq!(found, &table.feature_names()[best]);
            }
        }
    }

    #[test]
    fn a_model_that_keeps_no_correlations_says_so_or_takes_each_value_alone() {
        let (model, table) = fitted(Params::projected(Size::Features(3)));
        let old = Model {
            companions: None,
            ..model.clone()
        };
        let gap = hidden(&table, &model.needed_features()[..1], &[2]);
        let error = old.predict_with(&gap, Gaps::Integrate).unwrap_err();
        assert!(error.to_string().contains("fit it again"), "{error}");
        // Without a gap there is nothing to integrate over.
        let plain = old.predict_with(&table, Gaps::Integrate).unwrap();
        assert_eq!(plain.predictions, model.predict(&table).unwrap());

        let (full, table) = fitted(Params::projected(Size::Full));
        assert!(full.companions.is_none() && full.feature_count() == 80);
        let names = full.needed_features();
        let gap = hidden(&table, &names[..2], &[2]);
        let found = full.predict_with(&gap, Gaps::Substitute).unwrap();
        let moments = &full.signatures[0].moments;
        let features = full.signatures[0].features();
        let x: Vec<f64> = (features.iter().enumerate())
            .map(|(at, feature)| {
                let d = table.find_features(&names[at..=at]).unwrap()[0];
                let scaled = feature.scale.apply(table.feature(d)[2]);
                if at < 2 { 0.0 } else { scaled }
            })
            .collect();
        let (mean, variance) = moments.latent()(&x);
        let (w, var) = (moments.weights(), moments.weight_covariance().diagonal());
        let added: f64 = (0..2).map(|d| w[d] * w[d] + var[d]).sum();
        let said = found.predictions[2];
        assert!((said.mean - mean).abs() < 1e-12);
        assert!((said.variance - variance - added).abs() < 1e-12);
    }
}
