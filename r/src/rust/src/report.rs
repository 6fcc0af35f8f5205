//! The page about a model, its data and its evaluation.

use std::path::Path;

use extendr_api::prelude::*;
use rfvm::summary::ClassesSummary;
use rfvm::{AnyModel, Summary, write_atomically};
use rfvm_report::{classes_report, report};

use crate::dataset::dataset;
use crate::given::{Given, Outcome, sentence, values};

extendr_module! {
    mod report;
    fn write_report;
}

/// Writes the page; the file appears whole or not at all.
#[extendr]
fn write_report(model: &str, x: Robj, given: List, file: &str, name: &str) -> Outcome<bool> {
    let given = Given::new(given);
    let data = dataset(values(&x)?, &given)?;
    let evaluation = given.text("evaluation")?;
    let page = match AnyModel::from_json(model.as_bytes())? {
        AnyModel::Single(model) => {
            let evaluation = evaluation.map(|text| serde_json::from_str(&text));
            let evaluation = evaluation.transpose().map_err(unread)?;
            let summary = Summary::of(&model, &data, evaluation.as_ref(), name, &[]);
            report(&summary.map_err(sentence)?)
        }
        AnyModel::Several(model) => {
            let evaluation = evaluation.map(|text| serde_json::from_str(&text));
            let evaluation = evaluation.transpose().map_err(unread)?;
            let summary = ClassesSummary::of(&model, &data, evaluation.as_ref(), name, &[]);
            classes_report(&summary.map_err(sentence)?)
        }
    };
    write_atomically(Path::new(file), page.as_bytes()).map_err(sentence)?;
    Ok(true)
}

fn unread(reason: serde_json::Error) -> String {
    format!("the evaluation is not what cv_rfvm or rfvm evaluate gives ({reason})")
}
