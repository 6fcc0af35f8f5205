//! Prices, panels that are bought whole, blocks that are weighted apart, and gaps of training rows.

use rfvm::{
    Dataset, Error, FeatureFacts, FeatureSet, Missing, Model, Params, Simulation, Size, Table,
    Target, metrics,
};

fn set(name: &str, members: &[&str]) -> FeatureSet {
    FeatureSet {
        name: name.to_string(),
        members: members.iter().map(|member| member.to_string()).collect(),
    }
}

fn fitted(params: Params, data: Dataset) -> Model {
    params.check().unwrap().fit(data).unwrap()
}

/// Two informative features, the one that enters first before, and a copy of the other one, slightly worse.
fn with_copy() -> (Dataset, [String; 2]) {
    let simulation = Simulation {
        samples: 80,
        features: 40,
        informative: 2,
        effect: 2.0,
        ..Simulation::default()
    };
    let study = simulation.draw().unwrap();
    let table = study.data.table();
    let mut values: Vec<f64> = (0..40).flat_map(|d| table.feature(d).to_vec()).collect();
    let copy = |(i, x): (usize, &f64)| x + 0.05 * if i % 4 < 2 { 1.0 } else { -1.0 };
    let one = fitted(Params::projected(Size::Features(1)), study.data.clone());
    let mut names = table.feature_names().to_vec();
    let mut informative = [0, 1].map(|at| names[study.truth[at]].clone());
    if one.needed_features()[0] != informative[0] {
        informative.reverse();
    }
    let second = table.find_features(&informative[1..]).unwrap()[0];
    values.extend(table.feature(second).iter().enumerate().map(copy));
    names.push("copy".to_string());
    let table = Table::new(values, names, table.sample_names().to_vec()).unwrap();
    let data = Dataset::new(table, study.data.target().clone()).unwrap();
    (data, informative)
}

#[test]
fn a_panel_is_bought_whole_and_paid_for_once() {
    let (data, [first, second]) = with_copy();
    let two = || Params::projected(Size::Features(2));
    let alone = fitted(two(), data.clone()).needed_features();
    assert!(
        alone.contains(&first) && alone.contains(&second),
        "{alone:?}"
    );
    let facts = FeatureFacts {
        panels: vec![set("kit", &[&first, "copy"])],
        cost_prior: 10.0,
        ..FeatureFacts::default()
    };
    let model = fitted(two(), data.clone().with_facts(facts.clone()).unwrap());
    let bought = model.needed_features();
    // The copy is a little worse than the feature that it repeats, and comes with the first one.
    assert!(
        bought.contains(&first) && bought.contains(&"copy".to_string()),
        "{bought:?}"
    );
    assert_eq!(model.cost(), Some(1.0));
    assert_eq!(model.known().panels[0].features, 2);
    let back = Model::from_json(model.to_json().as_bytes()).unwrap();
    assert_eq!(back, model);
    // With strength 0 they are told and have no part in the choice.
    let told = FeatureFacts {
        cost_prior: 0.0,
        ..facts
    };
    let model = fitted(two(), data.with_facts(told).unwrap());
    assert_eq!((model.needed_features(), model.cost()), (alone, Some(2.0)));
}

#[test]
fn prices_make_the_factors_that_can_be_given() {
    let (data, [first, second]) = with_copy();
    let three = || Params::projected(Size::Features(3));
    let facts = FeatureFacts {
        prices: vec![(first.clone(), 30.0), (second.clone(), 10.0)],
        cost_prior: 2.0,
        ..FeatureFacts::default()
    };
    // 1 + 2 · price / 20.
    let factors = vec![(first, 4.0), (second, 2.0)];
    let priced = fitted(three(), data.clone().with_facts(facts).unwrap());
    let factored = fitted(three(), data.with_feature_cost(factors).unwrap());
    assert_eq!(priced.signatures(), factored.signatures());
    assert_eq!(factored.cost(), None);
    // A size costs what its features do; all three cost no more than both that have a price.
    let costs: Vec<f64> = priced.sizes().iter().filter_map(|size| size.cost).collect();
    assert_eq!(costs.len(), 3);
    assert!(
        costs
            .iter()
            .all(|cost| [0.0, 10.0, 30.0, 40.0].contains(cost)),
        "{costs:?}"
    );
    assert_eq!(costs.last().copied(), priced.cost());
}

/// Twenty tests of which one is weakly informative, and `noise` features that know nothing.
fn two_blocks(samples: usize, noise: usize, seed: u64) -> Dataset {
    let simulation = Simulation {
        samples,
        features: 20 + noise,
        informative: 1,
        effect: 1.0,
        seed,
        ..Simulation::default()
    };
    simulation.draw().unwrap().data
}

fn clinical(data: &Dataset) -> FeatureFacts {
    let names: Vec<&str> = data.table().feature_names().iter().take(20).collect();
    FeatureFacts {
        blocks: vec![set("clinical", &names)],
        ..FeatureFacts::default()
    }
}

#[test]
fn a_large_block_does_not_drown_a_small_one() {
    let mut losses = [0.0; 2];
    for seed in 1..=6 {
        let both = two_blocks(300, 3000, seed);
        let (train, test) = ((0..60).collect::<Vec<_>>(), (60..300).collect::<Vec<_>>());
        let (data, new) = (both.rows(&train).unwrap(), both.rows(&test).unwrap());
        let facts = clinical(&data);
        for (loss, data) in losses
            .iter_mut()
            .zip([data.clone(), data.with_facts(facts).unwrap()])
        {
            let model = fitted(Params::projected(Size::Features(1)), data);
            let said = model.predict_probability(new.table()).unwrap();
            *loss += metrics::log_loss(new.labels(), &said) / 6.0;
        }
    }
    assert!(losses[1] < losses[0] - 0.03, "{losses:?}");
}

#[test]
fn one_block_of_all_features_changes_nothing() {
    let data = two_blocks(60, 100, 1);
    let names: Vec<&str> = data.table().feature_names().iter().collect();
    let facts = FeatureFacts {
        blocks: vec![set("all", &names)],
        ..FeatureFacts::default()
    };
    let apart = fitted(Params::default(), data.clone().with_facts(facts).unwrap());
    let plain = fitted(Params::default(), data);
    assert_eq!(apart.needed_features(), plain.needed_features());
    for (a, b) in apart.signatures()[0]
        .features()
        .iter()
        .zip(plain.signatures()[0].features())
    {
        assert!(
            (a.weight - b.weight).abs() < 1e-6,
            "{} {}",
            a.weight,
            b.weight
        );
    }
}

#[test]
fn other_methods_take_no_panels() {
    let (data, [first, _]) = with_copy();
    let facts = FeatureFacts {
        panels: vec![set("kit", &[&first])],
        ..FeatureFacts::default()
    };
    let data = data.with_facts(facts).unwrap();
    let refused = Params::signatures().check().unwrap().fit(data).unwrap_err();
    assert!(
        matches!(
            refused,
            Error::Parameter {
                name: "panels and blocks",
                ..
            }
        ),
        "{refused}"
    );
}

#[test]
fn gaps_of_training_rows_are_told_by_the_others() {
    let (data, _) = with_copy();
    let table = data.table();
    let mut values: Vec<f64> = (0..41).flat_map(|d| table.feature(d).to_vec()).collect();
    for (at, value) in values.iter_mut().enumerate() {
        if at * 7 % 11 < 2 {
            *value = f64::NAN;
        }
    }
    let names = table.feature_names().to_vec();
    let lacking = Table::with_missing(values, names, table.sample_names().to_vec()).unwrap();
    let labels = data.labels().to_vec();
    let classes = Target::Classes {
        names: vec!["a".into(), "b".into()],
        labels,
    };
    let lacking = Dataset::new(lacking, classes).unwrap();
    let mut params = Params::projected(Size::Features(3));
    params.preprocessing.missing = Missing::Conditional;
    let model = fitted(params.clone(), lacking.clone());
    // New samples with gaps are integrated over without being asked to.
    let integrated = model
        .predict_with(lacking.table(), rfvm::Gaps::Integrate)
        .unwrap();
    assert_eq!(
        model.predict(lacking.table()).unwrap(),
        integrated.predictions
    );
    assert!(integrated.rows_filled() > 0);
    params.preprocessing.missing = Missing::Median;
    let median = fitted(params, lacking.clone());
    assert_ne!(model.signatures(), median.signatures());
    let back = Model::from_json(model.to_json().as_bytes()).unwrap();
    assert_eq!(back, model);
}
