//! What a model says of new samples.

use extendr_api::prelude::*;
use rfvm::{AnyModel, Gaps, Model, Prediction, Table};

use crate::dataset::table;
use crate::given::{Given, Outcome, sentence, values};

extendr_module! {
    mod predict;
    fn predict_rows;
}

/// Latent mean and sd, probability with its interval, whether that holds both classes, and whether the row is unlike those of the
/// training; of several classes mean, sd and probability, class by class.
#[extendr]
fn predict_rows(model: &str, x: Robj, samples: i32, given: List) -> Outcome<List> {
    let given = Given::new(given);
    let samples = usize::try_from(samples).map_err(sentence)?;
    let table = table(values(&x)?, samples, &given)?;
    match AnyModel::from_json(model.as_bytes())? {
        AnyModel::Single(model) => of_one(&model, table, &given),
        AnyModel::Several(model) => {
            let said = model.predict(&table).map_err(sentence)?;
            let classes = 0..model.classes().len();
            let column = |of: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
                let classes = classes.clone();
                classes
                    .flat_map(|class| (0..said.len()).map(move |n| of(n, class)))
                    .collect()
            };
            Ok(list!(
                mean = column(&|n, class| said[n].scores[class].0),
                sd = column(&|n, class| said[n].scores[class].1.sqrt()),
                probability = column(&|n, class| said[n].probability[class])
            ))
        }
    }
}

fn of_one(model: &Model, mut table: Table, given: &Given) -> Outcome<List> {
    let gaps = match given.text("missing")? {
        None => Gaps::Refuse,
        Some(name) => name
            .parse()
            .map_err(|rule| format!("missing is '{name}'; it must be {rule}"))?,
    };
    if gaps != Gaps::Refuse {
        table = model.with_gaps(&table).map_err(sentence)?;
    }
    let level = given.number("level")?.unwrap_or(0.95);
    if !(level > 0.0 && level < 1.0) {
        return Err(format!("level is {level}; it must be between 0 and 1"));
    }
    let said = model.predict_with(&table, gaps).map_err(sentence)?;
    let column =
        |of: &dyn Fn(&Prediction) -> f64| -> Vec<f64> { said.predictions.iter().map(of).collect() };
    let (mean, sd) = (column(&|p| p.mean), column(&|p| p.variance.sqrt()));
    let unlike = model.extrapolation(&table, &said.predictions);
    let unlike = unlike.map_err(sentence)?;
    let unlike: Vec<bool> = unlike.iter().map(|row| !row.is_none()).collect();
    if model.classes().is_empty() {
        return Ok(list!(mean = mean, sd = sd, unlike = unlike));
    }
    let end = |at: usize| column(&|p| p.interval(level).map_or(f64::NAN, |ends| ends[at]));
    let abstains: Vec<bool> = said
        .predictions
        .iter()
        .map(|p| p.abstains(level) == Some(true))
        .collect();
    Ok(list!(
        mean = mean,
        sd = sd,
        probability = column(&|p| p.probability.unwrap_or(f64::NAN)),
        low = end(0),
        high = end(1),
        abstains = abstains,
        unlike = unlike
    ))
}
