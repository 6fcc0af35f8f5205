//! From R's vectors to a data set, and from settings to parameters.

use rfvm::leakage::telling_features;
use rfvm::{
    CheckedParams, ClassWeight, Dataset, MadeUpNames, Missing, Names, Params, Provenance, Scaling,
    Size, Table, Target, Transform,
};

use crate::given::{Given, Outcome, sentence};

/// A table of all that R says of it: names of features and samples (made up where they are not given) and covariates.
pub(crate) fn table(values: Vec<f64>, samples: usize, given: &Given) -> Outcome<Table> {
    let features = values.len().checked_div(samples).unwrap_or(0);
    let names = (given.texts("feature_names")?, given.texts("sample_names")?);
    let made_up = MadeUpNames {
        features: names.0.is_none(),
        samples: names.1.is_none(),
    };
    let feature_names = names
        .0
        .map_or_else(|| Names::numbered('f', features), Names::from);
    let sample_names = names
        .1
        .unwrap_or_else(|| Names::numbered('s', samples).to_vec());
    let table = Table::with_missing(values, feature_names, sample_names).map_err(sentence)?;
    let table = table.with_covariates(given.covariates()?);
    Ok(table.map_err(sentence)?.with_made_up_names(made_up))
}

/// The data of a fit.
pub(crate) fn dataset(values: Vec<f64>, given: &Given) -> Outcome<Dataset> {
    let target = match (given.texts("classes")?, given.positions("labels")?) {
        (Some(names), Some(labels)) => Target::Classes { names, labels },
        _ => {
            let numbers = given.numbers("numbers")?;
            Target::Values(numbers.ok_or("y has neither classes nor numbers")?)
        }
    };
    let samples = match &target {
        Target::Classes { labels, .. } => labels.len(),
        Target::Values(numbers) => numbers.len(),
    };
    let table = table(values, samples, given)?;
    let mut data = Dataset::new(table, target).map_err(sentence)?;
    if let Some(weight) = given.numbers("weights")? {
        data = data.with_sample_weight(weight).map_err(sentence)?;
    }
    if let Some(groups) = given.positions("groups")? {
        data = data.with_groups(groups).map_err(sentence)?;
    }
    let weight = match given.numbers("class_weights")?.as_deref() {
        None if given.flag("balanced_classes")? => ClassWeight::Balanced,
        None => ClassWeight::None,
        Some(&[negative, positive]) => ClassWeight::PerClass(negative, positive),
        Some(_) => return Err("class_weights must be a number for each of two classes".into()),
    };
    data.with_class_weight(weight).map_err(sentence)
}

/// Whether the data have more than two classes.
pub(crate) fn has_several(data: &Dataset) -> bool {
    matches!(data.target(), Target::Classes { names, .. } if names.len() > 2)
}

/// What may make a result look better than it is.
pub(crate) fn provenance(data: &Dataset) -> Provenance {
    Provenance {
        warnings: telling_features(data),
        ..Provenance::default()
    }
}

/// The parameters of a fit, by the names and rules of the program.
pub(crate) fn params(given: &Given) -> Outcome<CheckedParams> {
    let size = match (given.text("size")?, given.number("share")?) {
        (Some(_), Some(_)) => {
            return Err("size and share both say how large the model is; give one of them".into());
        }
        (Some(size), None) => size
            .parse()
            .map_err(|rule| format!("size is '{size}'; it must be {rule}"))?,
        (None, Some(share)) => Size::Share(share),
        (None, None) => Size::Balanced,
    };
    let mut params = Params::projected(size);
    let preprocessing = &mut params.preprocessing;
    match given.text("scaling")?.as_deref() {
        Some("plain") => preprocessing.scaling = Scaling::Plain,
        Some("robust") => preprocessing.scaling = Scaling::Robust,
        _ => {}
    }
    match given.text("impute")?.as_deref() {
        Some("median") => preprocessing.missing = Missing::Median,
        Some("conditional") => preprocessing.missing = Missing::Conditional,
        _ => {}
    }
    if given.flag("log2")? {
        preprocessing.transform = Transform::Log2;
    }
    params.threads = given.count("threads")?;
    params.check().map_err(sentence)
}
