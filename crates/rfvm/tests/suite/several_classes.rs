//! Models of several classes: what must hold of them whatever the data.

use std::collections::BTreeMap;

use rfvm::{
    AnyModel, ClassWeight, Covariate, CovariateValues, Dataset, FeatureFacts, FeatureSet, Model,
    MulticlassModel, Names, Params, Projected, Signature, Simulation, Size, StopReason, Table,
    Target, Verdict,
};
use serde_json::{Value, json};

/// Rows of `classes` classes, in turn; the first features tell one class each from the rest.
fn several(samples: usize, features: usize, classes: usize, effect: f64, seed: u64) -> Dataset {
    let simulation = Simulation {
        samples,
        features,
        informative: 0,
        seed,
        ..Simulation::default()
    };
    let table = simulation.draw().unwrap().data.table().clone();
    let value = |d: usize, n: usize| {
        let raised = d < 2 * classes && d % classes == n % classes;
        table.feature(d)[n] + if raised { effect } else { 0.0 }
    };
    let values = (0..features).flat_map(|d| (0..samples).map(move |n| (d, n)));
    let values = values.map(|(d, n)| value(d, n)).collect();
    let names = (table.feature_names().clone(), table.sample_names().to_vec());
    let target = Target::Classes {
        names: (0..classes).map(|class| format!("class {class}")).collect(),
        labels: (0..samples).map(|n| n % classes).collect(),
    };
    Dataset::new(Table::new(values, names.0, names.1).unwrap(), target).unwrap()
}

/// Rows held back twice: what holds of two repeats holds of four, in half the time.
fn sized(size: Size) -> Params {
    Params::from(Projected {
        most_repeats: 2,
        ..Projected::of(size)
    })
}

fn fit(params: Params, data: Dataset) -> MulticlassModel {
    params.check().unwrap().fit_classes(data).unwrap()
}

fn probabilities(model: &MulticlassModel, table: &Table) -> Vec<Vec<f64>> {
    let said = model.predict(table).unwrap();
    said.into_iter().map(|said| said.probability).collect()
}

fn assert_close(one: &[Vec<f64>], two: &[Vec<f64>], tolerance: f64) {
    assert_eq!(one.len(), two.len());
    for (one, two) in one.iter().flatten().zip(two.iter().flatten()) {
        assert!((one - two).abs() <= tolerance, "{one} {two}");
    }
}

#[test]
fn one_panel_tells_every_class_and_each_has_weights_of_its_own() {
    let data = several(90, 300, 3, 2.5, 1);
    let train: Vec<usize> = (0..60).collect();
    let test: Vec<usize> = (60..90).collect();
    let model = fit(sized(Size::Balanced), data.rows(&train).unwrap());
    assert_eq!(model.judgement().unwrap().verdict, Verdict::Signal);
    assert_eq!(model.stop_reason(), StopReason::Converged);
    assert!(model.feature_count() <= 54 && model.feature_count() >= 3);
    let unseen = data.rows(&test).unwrap();
    let said = model.predict(unseen.table()).unwrap();
    let right = said.iter().zip(unseen.labels());
    let right = right
        .filter(|(said, label)| said.class() == **label)
        .count();
    assert!(right >= 27, "{right} of 30");
    for said in &said {
        assert!((said.probability.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(
            said.scores
                .iter()
                .all(|(mean, variance)| mean.is_finite() && *variance > 0.0)
        );
    }
    // What tells a class is there for all of them, and speaks for it.
    let panel = model.features();
    for (class, name) in ["gene00001", "gene00002", "gene00003"].iter().enumerate() {
        let found = panel.iter().find(|feature| feature.name == *name).unwrap();
        let largest = |class: usize| found.weights[class].0;
        assert!(
            (0..3).all(|other| largest(other) <= largest(class)),
            "{found:?}"
        );
    }
    for signature in model.signatures() {
        let names = |of: &Signature| -> Vec<String> {
            of.features().iter().map(|f| f.name.clone()).collect()
        };
        assert_eq!(names(signature), names(&model.signatures()[0]));
        assert!(!signature.vectors().is_empty() && signature.vectors().len() < 30);
    }
    let expected = model.expected().unwrap();
    assert!(expected.loss < expected.base && (expected.base - 3_f64.ln()).abs() < 0.1);
}

#[test]
fn sizes_grow_and_the_full_model_has_all_features() {
    let data = several(60, 200, 3, 2.0, 2);
    let go_on = |_: &_| std::ops::ControlFlow::Continue(());
    let path = sized(Size::Full)
        .check()
        .unwrap()
        .path_classes(data.clone(), go_on)
        .unwrap();
    let sizes: Vec<usize> = path.sizes().iter().map(|size| size.features).collect();
    let usual = [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 21, 27, 34, 43, 55, 69, 87];
    assert_eq!(sizes, usual);
    let shares: Vec<f64> = path.sizes().iter().map(|size| size.share).collect();
    assert!(shares[0] < shares[8] && shares[14] > 0.8, "{shares:?}");
    let full = path.model(Size::Full).unwrap();
    assert_eq!((full.feature_count(), full.vector_count()), (200, 60));
    assert!(full.is_full() && full.expected() == path.full());
    // Three for each class beyond the first.
    assert!(path.model(Size::Compact).unwrap().feature_count() <= 6);
    for size in [Size::Full, Size::Compact] {
        let model = path.model(size).unwrap();
        let again = MulticlassModel::from_json(model.to_json().as_bytes()).unwrap();
        assert_eq!(again, model);
        assert_eq!(
            probabilities(&again, data.table()),
            probabilities(&model, data.table())
        );
    }
}

#[test]
fn the_number_of_threads_changes_nothing_to_the_bit() {
    for size in [Size::Balanced, Size::Full] {
        let with_threads = |threads| {
            let params = Params {
                threads: Some(threads),
                ..sized(size)
            };
            fit(params, several(45, 3000, 3, 2.0, 3)).to_json()
        };
        let one = with_threads(1);
        assert!(one == with_threads(2), "two threads");
        assert!(one == with_threads(13), "more threads than fits");
    }
}

#[test]
fn the_order_of_rows_and_columns_and_the_units_change_nothing() {
    let data = several(48, 120, 3, 2.0, 4);
    let model = fit(sized(Size::Balanced), data.clone());
    let plain = probabilities(&model, data.table());
    let rows: Vec<usize> = (0..48).map(|n| n * 29 % 48).collect();
    let columns: Vec<usize> = (0..120).map(|d| d * 77 % 120).collect();
    let moved = data.rows(&rows).unwrap();
    let table = moved.table();
    let values = columns.iter().flat_map(|&d| {
        let unit = 1.0 + d as f64;
        table.feature(d).iter().map(move |x| 3.0 + unit * x)
    });
    let names: Names = columns.iter().map(|&d| &table.feature_names()[d]).collect();
    let table = Table::new(values.collect(), names, table.sample_names().to_vec()).unwrap();
    let other = Dataset::new(table.clone(), moved.target().clone()).unwrap();
    let other = fit(sized(Size::Balanced), other);
    let said = probabilities(&other, &table);
    let want: Vec<Vec<f64>> = rows.iter().map(|&n| plain[n].clone()).collect();
    assert_close(&said, &want, 1e-7);
    let contents = |model: &MulticlassModel| -> Vec<String> {
        let mut names = model.needed_features();
        names.sort();
        names
    };
    assert_eq!(contents(&other), contents(&model));
}

#[test]
fn a_weight_is_so_many_copies_and_balance_counts_rare_classes_up() {
    let data = several(42, 90, 3, 2.0, 5);
    let mut rows: Vec<usize> = (0..42).collect();
    rows.extend([0, 0, 4, 8]);
    let mut weight = vec![1.0; 42];
    (weight[0], weight[4], weight[8]) = (3.0, 2.0, 2.0);
    let names: Vec<String> = (0..rows.len()).map(|n| format!("row {n}")).collect();
    let table = data.table();
    let columns = (0..90).flat_map(|d| rows.iter().map(move |&n| table.feature(d)[n]));
    let copies = Table::new(columns.collect(), table.feature_names().clone(), names).unwrap();
    let target = Target::Classes {
        names: ["class 0", "class 1", "class 2"].map(String::from).to_vec(),
        labels: rows.iter().map(|n| n % 3).collect(),
    };
    let copied = fit(sized(Size::Balanced), Dataset::new(copies, target).unwrap());
    let weighted = data.clone().with_sample_weight(weight).unwrap();
    let weighted = fit(sized(Size::Balanced), weighted);
    assert_close(
        &probabilities(&copied, table),
        &probabilities(&weighted, table),
        1e-9,
    );

    // Of a class of four in thirty-two, where little is known, balance makes more.
    let some: Vec<usize> = (0..42).filter(|n| n % 3 != 2 || *n < 12).collect();
    let rare = several(42, 90, 3, 0.7, 6).rows(&some).unwrap();
    let mean = |data: Dataset| -> f64 {
        let model = fit(sized(Size::Features(4)), data);
        let said = probabilities(&model, rare.table());
        said.iter().map(|p| p[2]).sum::<f64>() / said.len() as f64
    };
    let balanced = rare
        .clone()
        .with_class_weight(ClassWeight::Balanced)
        .unwrap();
    let (plain, balanced) = (mean(rare.clone()), mean(balanced));
    assert!(balanced > 1.5 * plain, "{plain} {balanced}");
}

#[test]
fn groups_stay_whole_and_noise_gives_the_shares() {
    let data = several(60, 100, 3, 0.0, 7);
    let groups = (0..60).map(|n| n / 6).collect();
    let grouped = data.clone().with_groups(groups).unwrap();
    let model = fit(sized(Size::Balanced), grouped.clone());
    assert_eq!(model.judgement().unwrap().verdict, Verdict::Nothing);
    assert_eq!((model.feature_count(), model.vector_count()), (0, 0));
    for p in probabilities(&model, data.table()).iter().flatten() {
        assert!((p - 1.0 / 3.0).abs() < 1e-12, "{p}");
    }
    let again = MulticlassModel::from_json(model.to_json().as_bytes()).unwrap();
    assert_eq!(again, model);
    // The full model names no features; it is drawn to the shares and claims no more.
    let full = fit(sized(Size::Full), grouped);
    let (own, claimed) = (full.full().unwrap(), full.expected().unwrap());
    assert_eq!((full.feature_count(), claimed.loss), (100, own.base));
    let apart = |p: &Vec<f64>| (p[0] - 1.0 / 3.0).abs();
    let p = probabilities(&full, data.table());
    assert!(p.iter().all(|p| apart(p) < 0.1), "{p:?}");
    assert!(p.iter().any(|p| apart(p) > 1e-6), "{p:?}");
}

/// How many of hundreds do is for `simulated_claims -- classes` to tell.
#[test]
#[ignore = "slow: fits 20 tables of noise"]
fn tables_of_noise_give_no_model() {
    let gives = |seed: u64| {
        let data = several(60, 500, 4, 0.0, 1000 + seed);
        let params = Params::default().check().unwrap();
        params.fit_classes(data).unwrap().feature_count() > 0
    };
    let found = (0..20).filter(|&seed| gives(seed)).count();
    // One is expected of five per cent.
    assert!(found <= 2, "{found} of 20");
}

#[test]
fn a_class_of_one_row_and_one_of_none_are_there_and_unlikely() {
    let data = several(40, 60, 4, 2.5, 8);
    let some: Vec<usize> = (0..40).filter(|n| n % 4 < 2 || *n == 2).collect();
    let data = data.rows(&some).unwrap();
    let model = fit(sized(Size::Balanced), data.clone());
    assert_eq!(model.classes().len(), 4);
    assert_eq!(model.training().class_counts, [10, 10, 1, 0]);
    let said = probabilities(&model, data.table());
    assert!(said.iter().all(|p| p[3] < 0.1), "{said:?}");
}

#[test]
fn what_several_classes_do_not_take_is_refused_by_name() {
    let data = || several(30, 20, 3, 1.0, 9);
    let refused = |params: Params, data: Dataset| {
        params
            .check()
            .unwrap()
            .fit_classes(data)
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        refused(Params::signatures(), data()),
        "the method signatures tells two classes apart, found 3 ('class 0', 'class 1', 'class 2'); set one class against the rest, or fit all of them by the method projected"
    );
    let binary = data().one_against_rest(&["class 1"]).unwrap();
    let found = refused(Params::default(), binary);
    assert!(found.contains("more than two"), "{found}");
    let weighted = data()
        .with_class_weight(ClassWeight::PerClass(1.0, 2.0))
        .unwrap();
    let found = refused(Params::default(), weighted);
    assert!(found.contains("class_weight is given for two classes together with 3 classes"));
    let age = Covariate {
        name: "age".to_string(),
        values: CovariateValues::Numbers((0..30).map(f64::from).collect()),
    };
    let table = data().table().clone().with_covariates(vec![age]).unwrap();
    let found = refused(
        Params::default(),
        Dataset::new(table, data().target().clone()).unwrap(),
    );
    assert!(
        found.contains("covariates is given together with 3 classes"),
        "{found}"
    );
    let large = refused(Params::default(), several(1001, 2, 4, 1.0, 1));
    assert!(large.contains("samples times classes is 4004"), "{large}");
    // Other methods, and the fit of two classes, name the classes.
    let plain = Params::default().check().unwrap().fit(data()).unwrap_err();
    assert!(
        plain
            .to_string()
            .contains("found 3 ('class 0', 'class 1', 'class 2')")
    );
}

fn record() -> Value {
    let text = fit(sized(Size::Features(3)), several(42, 30, 3, 2.5, 10)).to_json();
    serde_json::from_str(&text).unwrap()
}

/// A file of this record, with its checksum.
fn file(record: &Value) -> Vec<u8> {
    use sha2::{Digest, Sha256};
    let model = serde_json::to_string(&record["model"]).unwrap();
    let digest = Sha256::digest(model.as_bytes());
    let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{{\"format\":\"rfvm-model\",\"version\":2,\"checksum\":\"sha256:{hex}\",\"model\":{model}}}")
        .into_bytes()
}

#[test]
fn a_forged_file_is_refused_and_none_gives_no_number() {
    let sound = record();
    let read = |record: &Value| AnyModel::from_json(&file(record));
    assert!(matches!(read(&sound), Ok(AnyModel::Several(_))));
    let found = Model::from_json(&file(&sound)).unwrap_err();
    assert!(found.contains("tells 3 classes apart"), "{found}");
    let forge = |path: &str, value: Value| {
        let mut forged = sound.clone();
        let (parent, key) = path.rsplit_once('/').unwrap();
        let place = forged.pointer_mut(&format!("/model{parent}")).unwrap();
        match key.parse::<usize>() {
            Ok(at) => place[at] = value,
            Err(_) => place[key] = value,
        }
        forged
    };
    let first = &sound["model"]["signatures"][0];
    let mut other_panel = first.clone();
    other_panel["posterior"]["few"]["features"][0]["name"] = json!("another");
    let mut other_scale = first.clone();
    other_scale["posterior"]["few"]["features"][1]["scale"]["sd"] = json!(9.0);
    let forged: BTreeMap<&str, Value> = [
        ("a class too few", forge("/classes", json!(["a", "b"]))),
        (
            "a class too many",
            forge("/classes", json!(["a", "b", "c", "d"])),
        ),
        ("two of a name", forge("/classes", json!(["a", "b", "a"]))),
        ("no intercepts", forge("/class_intercepts", json!([]))),
        (
            "an intercept too few",
            forge("/class_intercepts", json!([0.0, 1.0])),
        ),
        (
            "a huge intercept",
            forge("/class_intercepts", json!([0.0, 1.0, 1e300])),
        ),
        ("a turned slope", forge("/correction/slope", json!(-1.0))),
        (
            "an intercept for all",
            forge("/correction/intercept", json!(0.5)),
        ),
        ("another panel", forge("/signatures/0", other_panel)),
        ("another scale", forge("/signatures/0", other_scale)),
        (
            "other rows",
            forge("/training/class_counts", json!([40, 2])),
        ),
        (
            "another v",
            forge(
                "/signatures/1/posterior/few/v",
                first["posterior"]["few"]["a_cov"].clone(),
            ),
        ),
        (
            "a signature too few",
            forge("/signatures", json!([first, first])),
        ),
        ("a regression", forge("/task", json!("regression"))),
    ]
    .into();
    for (what, forged) in &forged {
        let found = read(forged);
        assert!(found.is_err(), "{what}: {found:?}");
    }
    // What is far from all training rows is refused, and gives no probability that is none.
    let model = MulticlassModel::from_json(&file(&sound)).unwrap();
    let names: Names = model.needed_features().iter().collect();
    for value in [1e300, -1e300, 1e12, 0.0] {
        let table = Table::new(vec![value; 3], names.clone(), vec!["s".to_string()]).unwrap();
        if let Ok(said) = model.predict(&table) {
            assert!(
                said[0].probability.iter().all(|p| (0.0..=1.0).contains(p)),
                "{said:?}"
            );
        }
    }
}

#[test]
fn what_comes_with_a_panel_costs_nothing_more() {
    let data = several(90, 2, 3, 1.5, 4);
    let weights = |model: &MulticlassModel| -> BTreeMap<String, Vec<f64>> {
        let weights = |class: &(f64, f64)| class.0;
        let features = model.features().into_iter();
        features
            .map(|own| {
                (
                    own.name.to_string(),
                    own.weights.iter().map(weights).collect(),
                )
            })
            .collect()
    };
    let first = fit(sized(Size::Features(1)), data.clone()).needed_features();
    let names = data.table().feature_names().to_vec();
    let panel = FeatureFacts {
        panels: vec![FeatureSet {
            name: "kit".to_string(),
            members: names.clone(),
        }],
        cost_prior: 30.0,
        ..FeatureFacts::default()
    };
    let bought = fit(
        sized(Size::Features(2)),
        data.clone().with_facts(panel).unwrap(),
    );
    // The first pays for both: the same as a price on it alone.
    let priced = |names: &[String]| {
        let cost = names.iter().map(|name| (name.clone(), 31.0)).collect();
        let data = data.clone().with_feature_cost(cost).unwrap();
        weights(&fit(sized(Size::Features(2)), data))
    };
    let [bought, one, both] = [weights(&bought), priced(&first), priced(&names)];
    let apart = |other: &BTreeMap<String, Vec<f64>>| {
        let gaps = bought.iter().flat_map(|(name, own)| {
            let other = other[name].iter();
            own.iter()
                .zip(other)
                .map(|(a, b)| (a - b).abs())
                .collect::<Vec<f64>>()
        });
        gaps.fold(0.0, f64::max)
    };
    // The folds' orders of entry differ, and with them how the labels' precision is learned.
    let (one, both) = (apart(&one), apart(&both));
    assert!(one < 1e-3 && both > 20.0 * one, "{one} {both}");
}
