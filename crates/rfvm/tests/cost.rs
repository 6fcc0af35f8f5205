//! Cost factors: of two features that tell the same, the cheap one is chosen, and factors of one change nothing.

#![allow(clippy::unwrap_used)]

use rfvm::{Dataset, Params, Simulation, Size, Table};

/// A simulated study whose informative feature comes twice, the copy named `cheap`.
fn with_copy() -> (Dataset, String) {
    let simulation = Simulation {
        samples: 80,
        features: 40,
        informative: 1,
        effect: 2.0,
        ..Simulation::default()
    };
    let study = simulation.draw().unwrap();
    let table = study.data.table();
    let (n, original) = (table.samples(), study.truth[0]);
    let mut values: Vec<f64> = (0..table.features())
        .flat_map(|d| table.feature(d).to_vec())
        .collect();
    // Slightly noisy, so that it would lose on merit alone.
    let copy = |(i, x): (usize, &f64)| x + 0.05 * if i % 4 < 2 { 1.0 } else { -1.0 };
    values.extend(table.feature(original).iter().enumerate().map(copy));
    let mut names = table.feature_names().to_vec();
    let original = names[original].clone();
    names.push("cheap".to_string());
    assert_eq!(values.len(), n * names.len());
    let table = Table::new(values, names, table.sample_names().to_vec()).unwrap();
    let data = Dataset::new(table, study.data.target().clone()).unwrap();
    (data, original)
}

fn chosen(params: Params, data: &Dataset) -> Vec<String> {
    let model = params.check().unwrap().fit(data.clone()).unwrap();
    model.needed_features()
}

#[test]
fn the_cheap_one_of_two_equals_is_chosen_on_the_path() {
    let (data, original) = with_copy();
    let params = Params {
        size: Some(Size::Features(1)),
        ..Params::default()
    };
    assert_eq!(chosen(params.clone(), &data).join(","), original);
    let costly = Params {
        feature_cost: Some(vec![(original, 1e6)]),
        ..params
    };
    assert_eq!(chosen(costly, &data), ["cheap"]);
}

#[test]
fn factors_of_one_are_no_factors() {
    let (data, original) = with_copy();
    for size in [Some(Size::Balanced), None] {
        let params = Params {
            size,
            ..Params::default()
        };
        let plain = params.clone().check().unwrap().fit(data.clone()).unwrap();
        let priced = Params {
            feature_cost: Some(vec![(original.clone(), 1.0), ("elsewhere".into(), 9.0)]),
            ..params
        };
        let priced = priced.check().unwrap().fit(data.clone()).unwrap();
        assert_eq!(plain.signatures(), priced.signatures());
        assert_eq!(priced.parameters().feature_costs, 2);
    }
}

#[test]
fn a_costly_weight_is_smaller() {
    let (data, original) = with_copy();
    let weight = |cost: f64| {
        let params = Params {
            size: Some(Size::Features(41)),
            feature_cost: Some(vec![(original.clone(), cost)]),
            ..Params::default()
        };
        let model = params.check().unwrap().fit(data.clone()).unwrap();
        let features = model.signatures()[0].features();
        let own = features.iter().find(|f| f.name == original).unwrap();
        own.weight.abs()
    };
    let (usual, costly) = (weight(1.0), weight(20.0));
    assert!(costly > 0.0 && costly < 0.2 * usual, "{usual} {costly}");
}
