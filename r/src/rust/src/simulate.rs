//! Studies with known truth.

use extendr_api::prelude::*;
use rfvm::{Simulation, Target};

use crate::given::{Given, Outcome, sentence};

extendr_module! {
    mod simulate;
    fn simulate_study;
}

/// Draws a study: its values column by column, names, classes, and where the informative features are.
#[extendr]
fn simulate_study(given: List) -> Outcome<List> {
    let given = Given::new(given);
    let plain = Simulation::default();
    let count = |name, plain| Ok::<_, String>(given.count(name)?.unwrap_or(plain));
    let number = |name, plain| Ok::<_, String>(given.number(name)?.unwrap_or(plain));
    let simulation = Simulation {
        samples: count("samples", plain.samples)?,
        features: count("features", plain.features)?,
        informative: count("informative", plain.informative)?,
        effect: number("effect", plain.effect)?,
        block: count("block", plain.block)?,
        correlation: number("correlation", plain.correlation)?,
        seed: count("seed", plain.seed as usize)? as u64,
    };
    let study = simulation.draw().map_err(sentence)?;
    let table = study.data.table();
    let values: Vec<f64> = (0..table.features())
        .flat_map(|d| table.feature(d))
        .copied()
        .collect();
    let position = |at: &usize| *at as i32 + 1;
    let classes = match study.data.target() {
        Target::Classes { names, .. } => names.clone(),
        Target::Values(_) => Vec::new(),
    };
    Ok(list!(
        values = values,
        feature_names = table.feature_names().to_vec(),
        sample_names = table.sample_names().to_vec(),
        classes = classes,
        labels = study.data.labels().iter().map(position).collect::<Vec<_>>(),
        truth = study.truth.iter().map(position).collect::<Vec<_>>()
    ))
}
