//! A model on labelled new samples: what is told of a shift, what a recalibration mends, what is refused.

use rfvm::{
    Dataset, LabelledRows, Model, Params, Recalibrate, Simulation, Size, Table, Target, Validation,
    metrics,
};

fn study() -> (Dataset, Dataset) {
    let simulation = Simulation {
        samples: 240,
        features: 60,
        informative: 3,
        effect: 1.2,
        ..Simulation::default()
    };
    let all = simulation.draw().unwrap().data;
    let rows = |from: usize, to: usize| all.rows(&Vec::from_iter(from..to)).unwrap();
    (rows(0, 120), rows(120, 240))
}

fn fitted(data: &Dataset) -> Model {
    let params = Params::projected(Size::Compact).check().unwrap();
    params.fit(data.clone()).unwrap()
}

fn rows(data: &Dataset, keep: impl Fn(usize) -> bool) -> LabelledRows {
    let kept: Vec<usize> = (0..data.table().samples()).filter(|&n| keep(n)).collect();
    let labels = kept.iter().map(|&n| data.labels()[n]).collect();
    let Target::Classes { names, .. } = data.target().clone() else {
        panic!("classes");
    };
    let table = data.table().rows(&kept).unwrap();
    LabelledRows::new(table, Target::Classes { names, labels }, None).unwrap()
}

/// The same rows with every value of the features made larger by a factor.
fn scaled(data: &LabelledRows, factor: f64) -> LabelledRows {
    let table = data.table();
    let values = (0..table.features()).flat_map(|d| table.feature(d).to_vec());
    let values = values.map(|value| factor * value).collect();
    let names: Vec<String> = table.feature_names().iter().map(str::to_string).collect();
    let table = Table::new(values, names, table.sample_names().to_vec()).unwrap();
    LabelledRows::new(table, data.target().clone(), None).unwrap()
}

fn validated(model: &Model, data: &LabelledRows) -> Validation {
    let found = Validation::of(model, data, "new", 0.5).unwrap();
    let text = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<Validation>(&text).unwrap(), found);
    found
}

#[test]
fn new_samples_like_the_old_ones_are_as_expected() {
    let (train, test) = study();
    let model = fitted(&train);
    let new = rows(&test, |_| true);
    let found = validated(&model, &new);
    let probability = model.predict_probability(test.table()).unwrap();
    let loss = found.measures.log_loss.unwrap();
    assert!((loss.mean - metrics::log_loss(test.labels(), &probability)).abs() < 1e-12);
    let auc = metrics::auc(test.labels(), &probability).unwrap();
    assert!((found.measures.auc.unwrap().mean - auc).abs() < 1e-12);
    assert_eq!(found.class_counts, [60, 60]);
    // Less is no surprise: what is expected comes from folds that learn from four fifths of the rows.
    assert_ne!(found.against_expected.unwrap().is_more(), Some(true));
    assert!(found.own_base.gain.unwrap().low > 0.0);
    assert_eq!(found.shifts.len(), model.feature_count());
    assert!(found.shifts.iter().all(|shift| shift.shift.abs() < 0.5));
    assert!(
        found
            .shifts
            .windows(2)
            .all(|w| w[0].shift.abs() >= w[1].shift.abs())
    );
    assert!(!found.fitted_on() && found.measures.notes.is_empty());
    let own = validated(&model, &rows(&train, |_| true));
    assert!(own.fitted_on() && own.measures.notes[0].contains("fitted on"));
}

#[test]
fn another_scale_is_seen_and_another_share_of_cases_is_mended_by_the_intercept() {
    let (train, test) = study();
    let model = fitted(&train);
    let large = validated(&model, &scaled(&rows(&test, |_| true), 10.0));
    assert!(large.unlike.rows > 60, "{:?}", large.unlike);
    assert!(large.shifts[0].outside.unwrap() > 0.4);
    // Expression around 8 is now around 80.
    assert!(large.shifts.iter().all(|shift| shift.shift > 2.0));
    // One control in six stays: the base rate rises and probabilities are too low.
    let mut controls = 0;
    let keep: Vec<bool> = (test.labels().iter())
        .map(|&label| {
            controls += 1 - label;
            label == 1 || controls % 6 == 0
        })
        .collect();
    let rare = rows(&test, |n| keep[n]);
    let mut found = validated(&model, &rare);
    let calibration = found.measures.calibration.unwrap();
    assert!(calibration.in_the_large.unwrap().high < 0.0);
    assert!(calibration.intercept.unwrap().low > 0.0);
    for how in [Recalibrate::Intercept, Recalibrate::Slope] {
        let again = found.recalibrate(&model, &rare, how).unwrap();
        let check = found.recalibrated.clone().unwrap();
        let [before, after] = check.recalibration.loss.unwrap();
        assert!(after < before, "{how:?} {before} {after}");
        assert_eq!(check.repeats, 20);
        // On the rows themselves the mean is right, and the order is what it was.
        let after = validated(&again, &rare);
        let off = after.measures.calibration.unwrap().in_the_large.unwrap();
        assert!(off.mean.abs() < 1e-6, "{off:?}");
        assert_eq!(after.measures.auc, found.measures.auc);
        assert_eq!(
            again.recalibrations(),
            std::slice::from_ref(&check.recalibration)
        );
        if how == Recalibrate::Intercept {
            assert_eq!(again.correction().slope, model.correction().slope);
            let added = check.recalibration.change.intercept;
            assert!((added - calibration.intercept.unwrap().mean).abs() < 1e-9);
        }
        // Its file keeps it, and one that was made before there was such a thing has none.
        let back = Model::from_json(again.to_json().as_bytes()).unwrap();
        assert!(back == again);
        assert!(!model.to_json().contains("recalibrations"));
        let twice = found.recalibrate(&again, &rare, how);
        assert_eq!(twice.unwrap().recalibrations().len(), 2);
    }
}

#[test]
fn a_regression_is_measured_and_recalibrated() {
    let (train, test) = study();
    let target = |data: &Dataset, slope: f64| {
        let column = data.table().feature(7).iter().zip(data.table().feature(20));
        let noise = |n: usize| (n * 7919 % 100) as f64 / 100.0 - 0.5;
        let values = column.enumerate();
        values
            .map(|(n, (a, b))| slope * (3.0 + 2.0 * a - b + noise(n)))
            .collect::<Vec<f64>>()
    };
    let data = Dataset::new(train.table().clone(), Target::Values(target(&train, 1.0))).unwrap();
    let model = fitted(&data);
    let new = Target::Values(target(&test, 1.0));
    let new = LabelledRows::new(test.table().clone(), new, None).unwrap();
    let found = validated(&model, &new);
    assert!(found.measures.r2.unwrap().mean > 0.8 && found.measures.auc.is_none());
    assert_eq!(found.against_expected.unwrap().is_more(), None);
    // The same target in another unit: twice as large.
    let double = Target::Values(target(&test, 2.0));
    let double = LabelledRows::new(test.table().clone(), double, None).unwrap();
    let mut off = validated(&model, &double);
    assert!(off.against_expected.unwrap().is_more() == Some(true));
    let slope = off.measures.calibration.unwrap().slope.unwrap();
    assert!((slope.mean - 2.0).abs() < 0.2, "{slope:?}");
    let again = off
        .recalibrate(&model, &double, Recalibrate::Slope)
        .unwrap();
    let check = off.recalibrated.clone().unwrap();
    assert!(check.measures.unwrap().r2.unwrap().mean > 0.8);
    let change = check.recalibration.change;
    assert!((change.slope - slope.mean).abs() < 1e-9);
    let (before, after) = (
        model.predict(test.table()).unwrap(),
        again.predict(test.table()).unwrap(),
    );
    for (before, after) in before.iter().zip(&after) {
        assert!((change.apply(before.mean) - after.mean).abs() < 1e-9);
        let wider = before.variance * change.slope.powi(2);
        assert!((wider - after.variance).abs() < 1e-9 * wider);
    }
    let Target::Values(values) = double.target() else {
        panic!("values");
    };
    let turned = Target::Values(values.iter().map(|value| -value).collect());
    let turned = LabelledRows::new(test.table().clone(), turned, None).unwrap();
    let refused = off.recalibrate(&model, &turned, Recalibrate::Slope);
    let told = refused.unwrap_err().to_string();
    assert!(told.contains("do not rise with the true values"), "{told}");
}

#[test]
fn one_class_has_no_auc_and_teaches_no_correction() {
    let (train, test) = study();
    let model = fitted(&train);
    let cases = rows(&test, |n| test.labels()[n] == 1);
    let mut found = validated(&model, &cases);
    assert!(found.measures.auc.is_none() && found.measures.brier.is_some());
    assert!(found.measures.notes[0].contains("all samples are of one class"));
    let refused = found.recalibrate(&model, &cases, Recalibrate::Intercept);
    let told = refused.unwrap_err().to_string();
    assert!(
        told.contains("none of them is of class 'control'"),
        "{told}"
    );
    for (threshold, words) in [(0.0, "threshold is 0"), (f64::NAN, "threshold is NaN")] {
        let told = Validation::of(&model, &cases, "new", threshold).unwrap_err();
        assert!(told.to_string().contains(words), "{told}");
    }
    let number = Target::Values(vec![1.0; cases.table().samples()]);
    let number = LabelledRows::new(cases.table().clone(), number, None).unwrap();
    let told = Validation::of(&model, &number, "new", 0.5).unwrap_err();
    assert!(
        told.to_string().contains("the target is a number"),
        "{told}"
    );
}
