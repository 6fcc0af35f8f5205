//! From arrays to a model.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rfvm::leakage::telling_features;
use rfvm::{
    CheckedParams, ClassWeight, Dataset, Expected, Judgement, LabelledRows, MadeUpNames, Method,
    MulticlassPath, Names, Path, PathSize, Provenance, Size, Table, Target,
};

use crate::error::of_engine;
use crate::facts::Facts;
use crate::input::NumberArray;
use crate::model::Model;
use crate::model_of_classes::{AnyModel, MulticlassModel};
use crate::settings::Settings;
use crate::watch::watched;

/// Names of the negative and the positive class with a label per sample, or the numbers of a regression.
#[derive(FromPyObject)]
pub(crate) enum TargetArg {
    Classes(Vec<String>, Vec<usize>),
    Values(Vec<f64>),
}

/// What is known of the samples beside their values.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Rows {
    names: Option<Vec<String>>,
    weight: Option<Vec<f64>>,
    groups: Option<Vec<usize>>,
}

/// Fits a model; the interpreter's lock is released meanwhile.
///
/// Returns the model and, for the method projected, the path of small models beside the full one.
#[pyfunction]
#[pyo3(signature = (x, target, settings, *, feature_names, rows, facts, callback))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn fit(
    py: Python<'_>,
    x: NumberArray<'_>,
    target: TargetArg,
    settings: Settings,
    feature_names: Option<Vec<String>>,
    rows: Rows,
    facts: Facts,
    callback: Option<Py<PyAny>>,
) -> PyResult<(AnyModel, Option<Py<PyDict>>)> {
    let asked = Asked::new(py, &x, target, &settings, feature_names, (rows, facts))?;
    let fitted = watched(py, callback, move |see| -> PyResult<_> {
        let (params, data) = asked.checked()?;
        let provenance = Provenance {
            warnings: telling_features(&data),
            ..Provenance::default()
        };
        if has_several(&data) {
            let size = match params.get().method {
                Method::Projected(projected) => projected.size,
                // Refused, with the names of the classes.
                _ => Size::Balanced,
            };
            let path = params.path_classes(data, see).map_err(of_engine)?;
            return Ok((FittedModel::Several(Box::new(path), size), provenance));
        }
        let Method::Projected(projected) = params.get().method else {
            let model = params.fit_with(data, see).map_err(of_engine)?;
            return Ok((FittedModel::Model(Box::new(model)), provenance));
        };
        let path = params.path(data, see).map_err(of_engine)?;
        let path = FittedModel::Path(Box::new(path), projected.size);
        Ok((path, provenance))
    });
    let (fitted, provenance) = fitted??;
    let (model, described) = match fitted {
        FittedModel::Model(model) => (*model, None),
        FittedModel::Path(path, size) => {
            // Before the path becomes the model: a copy of a full one would be large.
            let described = describe(py, &path)?;
            (path.into_model(size).map_err(of_engine)?, Some(described))
        }
        FittedModel::Several(path, size) => {
            let described = DescribedPath::of_classes(&path).describe(py)?;
            let model = path.model(size).map_err(of_engine)?;
            let model = MulticlassModel(model.with_provenance(provenance));
            return Ok((AnyModel::Several(model), Some(described)));
        }
    };
    let model = Model(model.with_provenance(provenance));
    Ok((AnyModel::Single(model), described))
}

/// Whether the data have more than two classes.
pub(crate) fn has_several(data: &Dataset) -> bool {
    matches!(data.target(), Target::Classes { names, .. } if names.len() > 2)
}

/// What a fit or an evaluation was asked for, taken from Python while the interpreter's lock was held.
pub(crate) struct Asked {
    params: CheckedParams,
    class_weight: ClassWeight,
    values: Vec<f64>,
    feature_names: Option<Vec<String>>,
    target: TargetArg,
    rows: Rows,
    facts: Facts,
}

impl Asked {
    pub(crate) fn new(
        py: Python<'_>,
        x: &NumberArray<'_>,
        target: TargetArg,
        settings: &Settings,
        feature_names: Option<Vec<String>>,
        (rows, facts): (Rows, Facts),
    ) -> PyResult<Self> {
        Ok(Self {
            params: settings.params()?.check().map_err(of_engine)?,
            class_weight: settings.class_weight()?,
            values: x.feature_major(py)?,
            feature_names,
            target,
            rows,
            facts,
        })
    }

    /// Parameters and data in the engine's terms; the work of it needs no lock.
    pub(crate) fn checked(self) -> PyResult<(CheckedParams, Dataset)> {
        let data = dataset(self.values, self.feature_names, self.target, self.rows)?;
        let data = data.with_class_weight(self.class_weight);
        Ok((self.params, self.facts.attach(data.map_err(of_engine)?)?))
    }
}

/// What the engine gives back.
enum FittedModel {
    Model(Box<rfvm::Model>),
    Path(Box<Path>, Size),
    Several(Box<MulticlassPath>, Size),
}

pub(crate) fn dataset(
    values: Vec<f64>,
    feature_names: Option<Vec<String>>,
    target: TargetArg,
    rows: Rows,
) -> PyResult<Dataset> {
    let (table, target, weight, groups) = parts(values, feature_names, target, rows)?;
    let mut data = Dataset::new(table, target).map_err(of_engine)?;
    if let Some(weight) = weight {
        data = data.with_sample_weight(weight).map_err(of_engine)?;
    }
    if let Some(groups) = groups {
        data = data.with_groups(groups).map_err(of_engine)?;
    }
    Ok(data)
}

/// Rows to judge a model on.
pub(crate) fn labelled(
    values: Vec<f64>,
    feature_names: Option<Vec<String>>,
    target: TargetArg,
    rows: Rows,
) -> PyResult<LabelledRows> {
    let (table, target, _, groups) = parts(values, feature_names, target, rows)?;
    LabelledRows::new(table, target, groups).map_err(of_engine)
}

/// A table, its target, and the weights and groups of its rows.
type LabelledParts = (Table, Target, Option<Vec<f64>>, Option<Vec<usize>>);

fn parts(
    values: Vec<f64>,
    feature_names: Option<Vec<String>>,
    target: TargetArg,
    rows: Rows,
) -> PyResult<LabelledParts> {
    let samples = match &target {
        TargetArg::Classes(_, labels) => labels.len(),
        TargetArg::Values(values) => values.len(),
    };
    let features = values.len().checked_div(samples).unwrap_or(0);
    let made_up = MadeUpNames {
        features: feature_names.is_none(),
        samples: rows.names.is_none(),
    };
    let feature_names = feature_names.map_or_else(|| Names::numbered('f', features), Names::from);
    let names = rows
        .names
        .unwrap_or_else(|| Names::numbered('s', samples).to_vec());
    let fits = |count: usize| count == samples;
    let counts_fit = fits(names.len())
        && rows.weight.as_ref().is_none_or(|weight| fits(weight.len()))
        && rows.groups.as_ref().is_none_or(|groups| fits(groups.len()))
        && values.len() == samples * feature_names.len();
    if !counts_fit {
        return Err(PyValueError::new_err(
            "names, weights, groups and target must have one entry per sample",
        ));
    }
    let target = match target {
        TargetArg::Values(target) => Target::Values(target),
        TargetArg::Classes(names, labels) => Target::Classes { names, labels },
    };
    let table = Table::with_missing(values, feature_names, names).map_err(of_engine)?;
    let table = table.with_made_up_names(made_up);
    Ok((table, target, rows.weight, rows.groups))
}

/// The path as plain values.
fn describe(py: Python<'_>, path: &Path) -> PyResult<Py<PyDict>> {
    let models = path.points().iter().map(|point| &point.model);
    let described = DescribedPath {
        sizes: path.sizes(),
        vectors: models.clone().map(|model| model.vector_count()).collect(),
        cost: models.clone().map(|model| model.cost()).collect(),
        features: models.map(|model| model.needed_features()).collect(),
        judgement: path.judgement(),
        full: path.full(),
    };
    described.describe(py)
}

/// What there is to say of a path, whatever its models.
struct DescribedPath {
    sizes: Vec<PathSize>,
    vectors: Vec<usize>,
    cost: Vec<Option<f64>>,
    features: Vec<Vec<String>>,
    judgement: Option<Judgement>,
    full: Option<Expected>,
}

impl DescribedPath {
    fn of_classes(path: &MulticlassPath) -> Self {
        Self {
            sizes: path.sizes(),
            vectors: path.models().map(|model| model.vector_count()).collect(),
            cost: path.models().map(|model| model.cost()).collect(),
            features: path.models().map(|model| model.needed_features()).collect(),
            judgement: path.judgement(),
            full: path.full(),
        }
    }

    /// A list per column, and what is said of the whole.
    fn describe(self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        let (described, sizes) = (PyDict::new(py), &self.sizes);
        let column = |name: &str, of: &dyn Fn(&PathSize) -> f64| {
            described.set_item(name, sizes.iter().map(of).collect::<Vec<_>>())
        };
        let features = sizes.iter().map(|size| size.features);
        described.set_item("size", features.collect::<Vec<_>>())?;
        if self.cost.iter().any(Option::is_some) {
            let cost = self.cost.iter().map(|cost| cost.unwrap_or(f64::NAN));
            described.set_item("cost", cost.collect::<Vec<_>>())?;
        }
        described.set_item("vectors", self.vectors)?;
        column("share", &|size| size.share)?;
        column("loss", &|size| size.expected.loss)?;
        column("se", &|size| size.expected.se)?;
        column("behind", &|size| size.behind.0)?;
        column("behind_se", &|size| size.behind.1)?;
        let chosen_as = sizes.iter().map(|size| {
            let names: Vec<String> = size.chosen_as.iter().map(Size::to_string).collect();
            names.join(", ")
        });
        described.set_item("chosen_as", chosen_as.collect::<Vec<_>>())?;
        described.set_item("features", self.features)?;
        let found = self.judgement;
        let verdict = found.map_or("nothing", |found| found.verdict.name());
        described.set_item("verdict", verdict)?;
        described.set_item("detection", found.map_or(0.0, |found| found.detection))?;
        described.set_item("chance", found.map_or(1.0, |found| found.chance))?;
        described.set_item("full_loss", self.full.map(|full| full.loss))?;
        described.set_item("full_se", self.full.map(|full| full.se))?;
        described.set_item("base_loss", self.full.map(|full| full.base))?;
        Ok(described.unbind())
    }
}
