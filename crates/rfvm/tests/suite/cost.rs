//! Cost factors: of two features that tell the same, the cheap one is chosen, and factors of one change nothing.

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

fn chosen(params: &Params, data: Dataset) -> Vec<String> {
    let model = params.clone().check().unwrap().fit(data).unwrap();
    model.needed_features()
}

#[test]
fn the_cheap_one_of_two_equals_is_chosen_on_the_path() {
    let (data, original) = with_copy();
    let params = Params::projected(Size::Features(1));
    assert_eq!(chosen(&params, data.clone()).join(","), original);
    let costly = data.with_feature_cost(vec![(original, 1e6)]).unwrap();
    assert_eq!(chosen(&params, costly), ["cheap"]);
}

#[test]
fn factors_of_one_are_no_factors() {
    let (data, original) = with_copy();
    let costs = vec![(original, 1.0), ("elsewhere".into(), 9.0)];
    let priced = data.clone().with_feature_cost(costs).unwrap();
    for params in [Params::default(), Params::signatures()] {
        let params = params.check().unwrap();
        let plain = params.fit(data.clone()).unwrap();
        let priced = params.fit(priced.clone()).unwrap();
        assert_eq!(plain.signatures(), priced.signatures());
        assert_eq!(priced.parameters().data.feature_costs, 2);
    }
}

#[test]
fn a_mean_field_fit_refuses_costs() {
    let (data, original) = with_copy();
    let priced = data.with_feature_cost(vec![(original, 2.0)]).unwrap();
    let refused = Params::paper().check().unwrap().fit(priced).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "parameter feature_cost is given together with the method mean-field; it must be left out, or given to the method projected or signatures"
    );
}

#[test]
fn a_costly_weight_is_smaller() {
    let (data, original) = with_copy();
    let weight = |cost: f64| {
        let priced = data.clone();
        let priced = priced.with_feature_cost(vec![(original.clone(), cost)]);
        let params = Params::projected(Size::Features(41)).check().unwrap();
        let model = params.fit(priced.unwrap()).unwrap();
        let features = model.signatures()[0].features();
        let own = features.iter().find(|f| f.name == original).unwrap();
        own.weight.abs()
    };
    let (usual, costly) = (weight(1.0), weight(20.0));
    assert!(costly > 0.0 && costly < 0.2 * usual, "{usual} {costly}");
}
