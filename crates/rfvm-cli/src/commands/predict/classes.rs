//! What a model of several classes says of new samples, as CSV and as JSON.

use std::io::{self, Write};

use rfvm::{ClassPrediction, Extrapolation, MulticlassModel, Table};
use serde_json::{Value, json};

use super::unlike::mark;
use crate::harmless::cell;

/// What `--json` prints.
pub(super) fn json(
    model: &MulticlassModel,
    table: &Table,
    said: &[ClassPrediction],
    unlike: &[Extrapolation],
) -> Value {
    let rows = (0..said.len()).map(|n| {
        let (means, variances): (Vec<f64>, Vec<f64>) = said[n].scores.iter().copied().unzip();
        let sds: Vec<f64> = variances.iter().map(|variance| variance.sqrt()).collect();
        json!({
            "sample": table.sample_names()[n], "class": model.classes()[said[n].class()],
            "probability": said[n].probability, "means": means, "sds": sds,
            "unlike_training": unlike[n],
        })
    });
    json!({
        "classes": model.classes(), "probability_of": model.classes(),
        "predictions": rows.collect::<Vec<_>>(),
    })
}

/// Sample, likeliest class, probability of every class by its name, and whether the sample is unlike those of the training.
pub(super) fn write_csv(
    out: &mut dyn Write,
    model: &MulticlassModel,
    table: &Table,
    said: &[ClassPrediction],
    unlike: &[Extrapolation],
) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    let mut header = vec!["sample".to_string(), "class".to_string()];
    header.extend(
        model
            .classes()
            .iter()
            .map(|class| format!("probability_{class}")),
    );
    header.push("unlike_training".to_string());
    writer.write_record(header)?;
    for ((sample, said), unlike) in table.sample_names().iter().zip(said).zip(unlike) {
        let class = &model.classes()[said.class()];
        let mut cells = vec![cell(sample).into_owned(), cell(class).into_owned()];
        cells.extend(said.probability.iter().map(f64::to_string));
        cells.push(mark(unlike));
        writer.write_record(cells)?;
    }
    writer.flush()
}
