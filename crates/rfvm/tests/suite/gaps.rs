//! Predictions of samples that lack features or values, as a user of the library meets them.

use rfvm::{Gaps, Missing, Model, Names, Params, Simulation, Size, Table};

fn study() -> (Table, Model) {
    let simulation = Simulation {
        samples: 60,
        features: 80,
        informative: 4,
        effect: 1.5,
        block: 10,
        correlation: 0.8,
        ..Simulation::default()
    };
    let study = simulation.draw().unwrap();
    let params = Params::projected(Size::Features(4)).check().unwrap();
    let table = study.data.table().clone();
    (table, params.fit(study.data).unwrap())
}

/// The table without some features.
fn without(table: &Table, names: &[String]) -> Table {
    let kept: Vec<usize> = (0..table.features())
        .filter(|&d| !names.iter().any(|name| *name == table.feature_names()[d]))
        .collect();
    let values = kept.iter().flat_map(|&d| table.feature(d)).copied();
    let features: Names = kept.iter().map(|&d| &table.feature_names()[d]).collect();
    Table::with_missing(values.collect(), features, table.sample_names().to_vec()).unwrap()
}

#[test]
fn without_gaps_nothing_changes_to_the_bit() {
    let (table, model) = study();
    let plain = model.predict(&table).unwrap();
    for gaps in [Gaps::Refuse, Gaps::Integrate, Gaps::Substitute] {
        let found = model.predict_with(&table, gaps).unwrap();
        assert_eq!((&found.predictions, found.rows_filled()), (&plain, 0));
    }
}

#[test]
fn a_feature_that_is_not_there_widens_every_prediction_and_a_stand_in_less() {
    let (table, model) = study();
    let lost = &model.needed_features()[..1];
    let less = without(&table, lost);
    let refused = model.predict(&less).unwrap_err().to_string();
    assert!(refused.contains("lacks 1 feature(s)"), "{refused}");
    let plain = model.predict(&table).unwrap();
    let integrated = model.predict_with(&less, Gaps::Integrate).unwrap();
    let substituted = model.predict_with(&less, Gaps::Substitute).unwrap();
    let variance = |of: &[rfvm::Prediction]| of.iter().map(|p| p.variance).sum::<f64>();
    let (least, most) = (variance(&plain), variance(&integrated.predictions));
    let between = variance(&substituted.predictions);
    assert!(
        least < between && between < most,
        "{least} {between} {most}"
    );
    assert_eq!(integrated.rows_filled(), 60);
    let by = &substituted.features()[0].by;
    assert!(by.as_ref().is_some_and(|by| model.stand_ins().contains(by)));
    // Without the stand-in too, all that is left is to integrate.
    let none = without(&less, &model.stand_ins());
    let found = model.predict_with(&none, Gaps::Substitute).unwrap();
    assert_eq!(found.predictions, integrated.predictions);
    // A table of gaps compares with the training rows as far as it can.
    let seen = model.with_gaps(&less).unwrap();
    let unlike = model.extrapolation(&seen, &integrated.predictions).unwrap();
    assert!(unlike.iter().all(|row| row.far == 0));
    assert!((0..60).all(|n| integrated.spread(n) > substituted.spread(n)));
}

#[test]
fn a_table_with_nothing_of_the_model_is_refused() {
    let (table, model) = study();
    let mut all = model.needed_features();
    all.extend(model.stand_ins());
    let error = model
        .predict_with(&without(&table, &all), Gaps::Integrate)
        .unwrap_err();
    assert!(error.to_string().contains("lacks 4 feature(s)"), "{error}");
}

#[test]
fn what_was_asked_for_comes_before_the_median_of_the_fit() {
    let study = Simulation {
        samples: 60,
        features: 40,
        effect: 2.0,
        ..Simulation::default()
    };
    let study = study.draw().unwrap();
    let mut params = Params::projected(Size::Features(3));
    params.preprocessing.missing = Missing::Median;
    let table = study.data.table().clone();
    let model = params.check().unwrap().fit(study.data).unwrap();
    let d = table.find_features(&model.needed_features()).unwrap()[0];
    let mut values: Vec<f64> = (0..40).flat_map(|d| table.feature(d)).copied().collect();
    values[d * 60] = f64::NAN;
    let names = table.feature_names().to_vec();
    let gap = Table::with_missing(values, names, table.sample_names().to_vec()).unwrap();
    let median = model.predict(&gap).unwrap();
    let integrated = model.predict_with(&gap, Gaps::Integrate).unwrap();
    assert!(integrated.predictions[0].variance > median[0].variance);
    assert_eq!(integrated.predictions[1..], median[1..]);
}

#[test]
fn companions_go_through_a_file() {
    let (table, model) = study();
    let text = model.to_json();
    let back = Model::from_json(text.as_bytes()).unwrap();
    assert_eq!(back, model);
    let less = without(&table, &model.needed_features()[1..2]);
    assert_eq!(
        back.predict_with(&less, Gaps::Substitute).unwrap(),
        model.predict_with(&less, Gaps::Substitute).unwrap()
    );
}
