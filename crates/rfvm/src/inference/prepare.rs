//! The data set in the engine's terms: standardised columns, numbers for the target, weights and candidates.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::copies::merged;
use super::impute;
use crate::data::scale::{Scale, Scales, Standardizer};
use crate::data::{
    Attached, ClassWeight, CovariateCoding, Dataset, FeatureFacts, FeatureWeights, KnownFeatures,
    Names, Table, Target, Task, Training, Transform,
};
use crate::error::{Error, join_names, require};
use crate::numerics::linalg::Dense;
use crate::numerics::parallel::threads;
use crate::params::{Candidates, DataParameters, Method, Missing, Parameters, Params};
use crate::posterior::moments::Moments;
use crate::posterior::prior::Hyper;

/// Everything that does not change from signature to signature.
pub(crate) struct Prepared {
    pub(crate) task: Task,
    pub(crate) classes: Vec<String>,
    /// The standardised number of every row, or its class by position.
    pub(crate) target: Vec<f64>,
    pub(crate) target_scale: Scale,
    pub(crate) weight: Vec<f64>,
    pub(crate) training: Training,
    pub(crate) values: Vec<f64>,
    pub(crate) samples: usize,
    pub(crate) names: Names,
    pub(crate) scales: Scales,
    /// What takes the place of a missing value, where that was asked for.
    pub(crate) medians: Option<Vec<f64>>,
    /// κ_d of every feature, where any was given.
    cost: Option<Vec<f64>>,
    /// The panel of every feature, where any is bought in one.
    panel: Option<Vec<Option<usize>>>,
    /// How many features the block of each has, and how many blocks there are.
    block: Option<(Vec<usize>, usize)>,
    /// What a model may want to know of its features.
    facts: Option<(Arc<FeatureFacts>, Names)>,
    pub(crate) candidate_names: Vec<String>,
    pub(crate) candidate_rows: Option<Vec<usize>>,
    pub(crate) points: Option<(Vec<f64>, usize)>,
    /// The group of each row.
    pub(crate) groups: Option<Vec<usize>>,
    /// Ones, then the covariates: samples x (columns + 1); and how they were coded.
    pub(crate) design: Dense,
    pub(crate) coding: Option<CovariateCoding>,
    /// What a model keeps of the data as they were given.
    given: DataParameters,
}

/// Makes one row of equal ones and standardises; for methods that tell two classes apart.
pub(crate) fn prepare(params: &Params, data: Dataset) -> Result<Prepared, Error> {
    if let Target::Classes { names, .. } = data.target()
        && names.len() > 2
    {
        return Err(Error::TooManyClasses {
            method: params.method.name(),
            found: names.len(),
            names: join_names(names.iter().map(String::as_str)),
        });
    }
    prepare_classes(params, data)
}

/// The same for any number of classes.
pub(crate) fn prepare_classes(params: &Params, data: Dataset) -> Result<Prepared, Error> {
    require(
        (data.feature_cost().is_none() && data.facts().is_none_or(|facts| facts.prices.is_empty()))
            || !matches!(params.method, Method::MeanField(_)),
        "feature_cost",
        "given together with the method mean-field",
        "left out, or given to the method projected or signatures",
    )?;
    require(
        data.table().covariates().is_none() || matches!(params.method, Method::Projected(_)),
        "covariates",
        format!("given together with the method {}", params.method.name()),
        "left out, or given to the method projected",
    )?;
    require_for_classes(&data)?;
    let grouped = |facts: &FeatureFacts| !(facts.panels.is_empty() && facts.blocks.is_empty());
    require(
        matches!(params.method, Method::Projected(_)) || !data.facts().is_some_and(grouped),
        "panels and blocks",
        format!("given together with the method {}", params.method.name()),
        "left out, or given to the method projected",
    )?;
    let (fingerprint, given) = (data.fingerprint(), DataParameters::of(&data));
    let rounds = params.method.rounds();
    let candidates = rounds.map_or(&Candidates::All, |rounds| rounds.candidates);
    let (data, candidates) = merged(data, candidates)?;
    let mut prepared = Prepared::new(params, &candidates, data, given)?;
    prepared.training.data = Some(fingerprint);
    Ok(prepared)
}

/// What several classes do not take (yet).
fn require_for_classes(data: &Dataset) -> Result<(), Error> {
    let classes = match data.target() {
        Target::Classes { names, .. } => names.len(),
        Target::Values(_) => 0,
    };
    let of = |what: &str| format!("{what} together with {classes} classes");
    require(
        classes <= 2 || data.table().covariates().is_none(),
        "covariates",
        of("given"),
        "left out, or given with one class against the rest",
    )?;
    require(
        classes <= 2 || !matches!(data.class_weight(), ClassWeight::PerClass(..)),
        "class_weight",
        of("given for two classes"),
        "balanced, or given as weights of the samples",
    )
}

impl Prepared {
    /// The standardised values of one feature.
    pub(crate) fn column(&self, d: usize) -> &[f64] {
        &self.values[d * self.samples..(d + 1) * self.samples]
    }

    fn new(
        params: &Params,
        candidates: &Candidates,
        data: Dataset,
        given: DataParameters,
    ) -> Result<Self, Error> {
        let (preprocessing, threads) = (params.preprocessing, threads(params.threads));
        let (mut table, target, attached) = data.into_parts();
        if preprocessing.transform == Transform::Log2 {
            table.take_log2()?;
        }
        let mut gaps = Vec::new();
        let medians = match preprocessing.missing {
            Missing::Refuse => {
                refuse_missing(&table)?;
                None
            }
            Missing::Median => Some(table.fill_missing()),
            Missing::Conditional => {
                gaps = impute::gaps_of(&table);
                // Until all features have a scale.
                Some(table.fill_missing())
            }
        };
        let standardizer = Standardizer::fit_on(threads, &table, preprocessing.scaling)?;
        let samples = table.samples();
        let coding = table.covariates().map(CovariateCoding::learn).transpose()?;
        let design = match (&coding, table.covariates()) {
            (Some(coding), Some(covariates)) => coding.design(covariates, table.sample_names())?,
            _ => Dense::from_vec(samples, 1, vec![1.0; samples]),
        };
        let (task, classes, target, target_scale, class_counts) = numeric_target(target)?;
        let weight = weights(&attached, &target, classes.len());
        check_weights(&weight)?;
        let training = Training {
            samples,
            features: table.features(),
            constant_features: standardizer.constant().len(),
            class_counts,
            data: None,
            made_up_names: Some(table.made_up_names()),
            version: Some(env!("CARGO_PKG_VERSION").to_string()),
            provenance: Default::default(),
        };
        let (candidate_rows, points) = match candidates {
            Candidates::All => (None, None),
            Candidates::Rows(rows) => (Some(check_rows(rows, samples)?), None),
            Candidates::Points(points) => (
                None,
                Some(standardised_points(
                    points,
                    &table,
                    &standardizer,
                    preprocessing.transform,
                )?),
            ),
        };
        let (mut values, mut names, sample_names) = table.into_parts();
        let all_names = match &attached.facts {
            Some(_) => names.clone(),
            None => Names::numbered('f', 0),
        };
        standardizer.apply_in_place(threads, &mut values, samples);
        let kept_gaps = gaps.into_iter().filter_map(|found| {
            let feature = standardizer.kept().binary_search(&found.feature).ok()?;
            Some(impute::FeatureGaps { feature, ..found })
        });
        let gaps: Vec<impute::FeatureGaps> = kept_gaps.collect();
        if !standardizer.constant().is_empty() {
            names = standardizer.kept().iter().map(|&d| &names[d]).collect();
        }
        let facts = attached.facts.as_deref();
        let of_facts = facts.map_or_else(FeatureWeights::default, |facts| facts.weights(&names));
        let kept = standardizer.kept().to_vec();
        let mut scales = standardizer.into_scales();
        if !gaps.is_empty() {
            impute::fill(&mut values, samples, &gaps, &mut scales, threads);
        }
        let candidate_names = match candidates {
            Candidates::Points(points) => points.sample_names().to_vec(),
            Candidates::All | Candidates::Rows(_) => sample_names,
        };
        Ok(Self {
            task,
            classes,
            target,
            target_scale,
            weight,
            training,
            values,
            samples,
            cost: costs(&attached, &names).or(of_facts.cost),
            panel: of_facts.panel,
            block: of_facts.block,
            facts: attached.facts.clone().map(|facts| (facts, all_names)),
            names,
            medians: medians.map(|m| kept.iter().map(|&d| m[d]).collect()),
            scales,
            candidate_names,
            candidate_rows,
            points,
            groups: attached.groups,
            design,
            coding,
            given,
        })
    }

    /// Drops all features but these, whose positions ascend: the rest makes room.
    pub(crate) fn keep(&mut self, features: &[usize]) {
        let gather = |values: &mut Vec<f64>, rows: usize| {
            for (to, &from) in features.iter().enumerate() {
                values.copy_within(from * rows..(from + 1) * rows, to * rows);
            }
            values.truncate(features.len() * rows);
            values.shrink_to_fit();
        };
        gather(&mut self.values, self.samples);
        if let Some((values, rows)) = &mut self.points {
            gather(values, *rows);
        }
        for of_features in [&mut self.medians, &mut self.cost].into_iter().flatten() {
            gather(of_features, 1);
        }
        if let Some(panel) = &mut self.panel {
            *panel = features.iter().map(|&d| panel[d]).collect();
        }
        if let Some((sizes, _)) = &mut self.block {
            *sizes = features.iter().map(|&d| sizes[d]).collect();
        }
        self.names = features.iter().map(|&d| &self.names[d]).collect();
        self.scales.keep(features);
    }

    /// Whether some rows have more than one class (or are of a regression).
    pub(crate) fn has_two_classes(&self, rows: &[usize]) -> bool {
        let differ = |pair: &[usize]| self.target[pair[0]] != self.target[pair[1]];
        self.task == Task::Regression || rows.windows(2).any(differ)
    }

    /// κ_d
    pub(crate) fn cost(&self, d: usize) -> f64 {
        self.cost.as_ref().map_or(1.0, |cost| cost[d])
    }

    /// The panel a feature is bought with.
    pub(crate) fn panel(&self, d: usize) -> Option<usize> {
        self.panel.as_ref().and_then(|panel| panel[d])
    }

    /// κ of features that enter in this order: a panel is paid for with the first of its features, and the others are free.
    pub(crate) fn entry_costs(&self, order: &[usize]) -> Vec<f64> {
        let mut bought = HashSet::new();
        let cost = |&d: &usize| match self.panel(d) {
            Some(panel) if !bought.insert(panel) => 1.0,
            _ => self.cost(d),
        };
        order.iter().map(cost).collect()
    }

    /// What the start of a feature's v is multiplied with, so that all blocks together start with the same sum of squares
    /// where nothing is to be found, however many features each has: 1/√(G D_g), up to the common norm.
    pub(crate) fn block_start(&self, d: usize) -> Option<f64> {
        let (sizes, blocks) = self.block.as_ref()?;
        Some(((blocks * sizes[d]) as f64).sqrt().recip())
    }

    /// What a slope is divided by before features of several blocks are compared: the largest of D_g squared standard normals
    /// is about 1 + 2 ln D_g.
    pub(crate) fn block_chance(&self, d: usize) -> f64 {
        let sizes = self.block.as_ref().map(|(sizes, _)| sizes);
        sizes.map_or(1.0, |sizes| 1.0 + 2.0 * (sizes[d] as f64).ln())
    }

    /// What a model of some features keeps of what is known of them.
    pub(crate) fn known<'n>(&self, names: impl Iterator<Item = &'n str>) -> KnownFeatures {
        let facts = self.facts.as_ref();
        facts.map_or_else(KnownFeatures::default, |(facts, all)| facts.of(names, all))
    }

    /// The hyperparameters: as given, else those for this number of candidates and features.
    pub(crate) fn hyper(&self, given: Option<Hyper>) -> Hyper {
        let rows = self.candidate_rows.as_ref().map_or(self.samples, Vec::len);
        let candidates = self.points.as_ref().map_or(rows, |(_, rows)| *rows);
        let features = self.training.features - self.training.constant_features;
        let by_size = Hyper::for_size(self.task, self.samples, candidates, features);
        given.unwrap_or(by_size)
    }

    /// What a model keeps of how it was fitted.
    pub(crate) fn parameters(&self, params: &Params) -> Parameters {
        Parameters {
            preprocessing: params.preprocessing,
            method: params.method.kept(|given| self.hyper(given)),
            data: self.given.clone(),
        }
    }

    /// How many rows there are that have nothing to do with each other: groups, or all.
    pub(crate) fn independent(&self) -> usize {
        match &self.groups {
            Some(groups) => groups.iter().collect::<HashSet<_>>().len(),
            None => self.samples,
        }
    }

    /// The model that knows no features: the (weighted) share of the positive class, or the target's mean; with covariates
    /// what they alone tell.
    pub(crate) fn base_rate(&self) -> Moments {
        if self.has_covariates() {
            let rows: Vec<usize> = (0..self.samples).collect();
            return self.covariates_alone(&rows).moments();
        }
        match self.task {
            Task::Regression => Moments::constant(0.0, 1.0),
            Task::Classification => {
                let positive: f64 = self
                    .weight
                    .iter()
                    .zip(&self.target)
                    .map(|(c, t)| c * t)
                    .sum();
                let share = positive / self.weight.iter().sum::<f64>();
                Moments::constant((share / (1.0 - share)).ln(), 0.0)
            }
        }
    }
}

type NumericTarget = (Task, Vec<String>, Vec<f64>, Scale, Vec<usize>);

fn numeric_target(target: Target) -> Result<NumericTarget, Error> {
    match target {
        Target::Classes { names, labels } => {
            let of_class = |at: usize| labels.iter().filter(|&&label| label == at).count();
            let counts = (0..names.len()).map(of_class).collect();
            let target = labels.iter().map(|&label| label as f64).collect();
            let unit = Scale {
                mean: 0.0,
                sd: 1.0,
                bend: None,
            };
            Ok((Task::Classification, names, target, unit, counts))
        }
        Target::Values(values) => {
            let scale = Scale::of(&values).ok_or(Error::TargetConstant { value: values[0] })?;
            if !(scale.sd * scale.sd).is_normal() {
                return Err(Error::TargetUnit(scale.sd));
            }
            let target = values.iter().map(|&value| scale.apply(value)).collect();
            Ok((Task::Regression, Vec::new(), target, scale, Vec::new()))
        }
    }
}

/// Beyond this ratio the lightest rows vanish beside the heaviest in every sum of double precision.
const WIDEST_WEIGHTS: f64 = 1e12;

fn check_weights(weight: &[f64]) -> Result<(), Error> {
    let some = weight.iter().filter(|&&weight| weight > 0.0);
    let (light, heavy) = some.fold((f64::INFINITY, 0.0_f64), |(light, heavy), &weight| {
        (light.min(weight), heavy.max(weight))
    });
    let fine = heavy <= WIDEST_WEIGHTS * light;
    let value = format!("from {light:?} to {heavy:?}");
    let rule = "within a factor of 1e12 of each other, class and sample weights together";
    require(fine, "weights", value, rule)
}

/// c_n: the class's weight times the sample's.
pub(crate) fn weights(attached: &Attached, target: &[f64], classes: usize) -> Vec<f64> {
    let own = attached.sample_weight.clone();
    let mut weight = own.unwrap_or_else(|| vec![1.0; target.len()]);
    if classes > 2 {
        balance(&mut weight, attached, target, classes);
        return weight;
    }
    let (negative, positive) = match attached.class_weight {
        ClassWeight::None => (1.0, 1.0),
        ClassWeight::PerClass(negative, positive) => (negative, positive),
        ClassWeight::Balanced => {
            // By what the rows weigh, so that a weight of two is two rows here too.
            let half = 0.5 * weight.iter().sum::<f64>();
            let positive: f64 = weight
                .iter()
                .zip(target)
                .map(|(weight, t)| weight * t)
                .sum();
            (half / (2.0 * half - positive), half / positive)
        }
    };
    for (weight, &t) in weight.iter_mut().zip(target) {
        *weight *= if t > 0.5 { positive } else { negative };
    }
    weight
}

/// Lets each of several classes weigh the same, where that is asked for.
fn balance(weight: &mut [f64], attached: &Attached, target: &[f64], classes: usize) {
    if attached.class_weight != ClassWeight::Balanced {
        return;
    }
    let mut of_class = vec![0.0; classes];
    for (weight, &t) in weight.iter().zip(target) {
        of_class[t as usize] += weight;
    }
    let share = weight.iter().sum::<f64>() / classes as f64;
    for (weight, &t) in weight.iter_mut().zip(target) {
        *weight *= share / of_class[t as usize];
    }
}

/// κ_d: as given, 1 for a feature that is not among them.
fn costs(attached: &Attached, names: &Names) -> Option<Vec<f64>> {
    let given = attached.feature_cost.as_ref()?.iter();
    let given: HashMap<&str, f64> = given.map(|(name, cost)| (name.as_str(), *cost)).collect();
    let cost = |name: &str| given.get(name).copied().unwrap_or(1.0);
    Some(names.iter().map(cost).collect())
}

/// An error that counts the missing values and names the worst features.
fn refuse_missing(table: &Table) -> Result<(), Error> {
    if table.missing() == 0 {
        return Ok(());
    }
    let worst = table.missing_by_feature();
    let named = worst
        .iter()
        .take(3)
        .map(|(name, count)| format!("'{name}' ({count})"));
    Err(Error::Missing {
        count: table.missing(),
        worst: named.collect::<Vec<_>>().join(", "),
    })
}

fn check_rows(rows: &[usize], samples: usize) -> Result<Vec<usize>, Error> {
    match rows.iter().find(|&&row| row >= samples) {
        Some(&row) => Err(Error::RowOutOfRange { row, samples }),
        None => Ok(rows.to_vec()),
    }
}

/// New points in the units of the standardised training columns.
fn standardised_points(
    points: &Table,
    table: &Table,
    standardizer: &Standardizer,
    transform: Transform,
) -> Result<(Vec<f64>, usize), Error> {
    refuse_missing(points)?;
    let mut points = points.clone();
    if transform == Transform::Log2 {
        points.take_log2()?;
    }
    let kept = standardizer.kept();
    let names: Vec<String> = kept
        .iter()
        .map(|&d| table.feature_names()[d].to_owned())
        .collect();
    let mut values = Vec::with_capacity(points.samples() * names.len());
    for (d, scale) in points
        .find_features(&names)?
        .into_iter()
        .zip(standardizer.scales())
    {
        values.extend(points.feature(d).iter().map(|&value| scale.apply(value)));
    }
    Ok((values, points.samples()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::data::scale::Scaling;
    use crate::params::{Preprocessing, Signatures};

    #[test]
    fn what_is_kept_is_what_it_was() {
        let values = vec![
            1.0, 4.0, 2.0, 9.0, 3.0, 3.0, 3.0, 3.0, 8.0, 1.0, 0.0, 2.0, 5.0, 7.0, 6.0, 1.0, 2.0,
            0.0, 4.0, 9.0,
        ];
        let table = Table::unnamed(values, 4).unwrap();
        for (scaling, points) in [
            (Scaling::Plain, None),
            (Scaling::Robust, Some(table.clone())),
        ] {
            let method = Signatures {
                candidates: points.map_or(Candidates::All, Candidates::Points),
                ..Signatures::default()
            };
            let params = Params {
                preprocessing: Preprocessing {
                    scaling,
                    missing: Missing::Median,
                    transform: Transform::None,
                },
                ..Params::from(method)
            };
            let target = Target::Classes {
                names: vec!["a".into(), "b".into()],
                labels: vec![0, 1, 0, 1],
            };
            let costs = vec![("f4".to_string(), 3.0), ("f5".to_string(), 2.0)];
            let data = Dataset::new(table.clone(), target).unwrap();
            let data = data.with_feature_cost(costs).unwrap();
            let all = prepare(&params, data.clone()).unwrap();
            let mut some = prepare(&params, data).unwrap();
            // f2 is constant, so that f3 and f5 are the second and the fourth.
            some.keep(&[1, 3]);
            assert_eq!(some.names.to_vec(), ["f3", "f5"]);
            for (now, before) in [(0, 1), (1, 3)] {
                assert_eq!(some.column(now), all.column(before));
                assert_eq!(some.cost(now), all.cost(before));
                assert_eq!(some.scales.get(now), all.scales.get(before));
                assert_eq!(
                    some.medians.as_ref().unwrap()[now],
                    all.medians.as_ref().unwrap()[before]
                );
            }
            assert_eq!(some.parameters(&params), all.parameters(&params));
        }
    }
}
