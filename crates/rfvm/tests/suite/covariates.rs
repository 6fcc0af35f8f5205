//! Covariates: allowed for in every model, never selected, and what features are measured against.

use std::ops::ControlFlow;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rfvm::{
    AddedVerdict, Covariate, CovariateValues, Dataset, Folds, Model, Params, ScorePart, Size,
    Table, Target, Verdict, special, standard_normal,
};

const SAMPLES: usize = 160;

/// Age moves the logit by 2 a decade, sex by 1; the first features have an effect each, or repeat the age.
fn drawn(own: f64, repeats: bool, samples: usize, seed: u64) -> Dataset {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut normals =
        |count: usize| -> Vec<f64> { (0..count).map(|_| standard_normal(&mut random)).collect() };
    let (age, draw) = (normals(samples), normals(samples));
    let mut values = normals(40 * samples);
    if repeats {
        for n in 0..5 * samples {
            values[n] = age[n % samples] + 0.4 * values[n];
        }
    }
    let man = |n: usize| n.is_multiple_of(3);
    let label = |n: usize| {
        let logit = 2.0 * age[n] + f64::from(man(n)) + own * (values[n] - values[samples + n]);
        usize::from(special::ndtr(draw[n]) < special::sigmoid(logit))
    };
    let labels = (0..samples).map(label).collect();
    let sex = (0..samples).map(|n| if man(n) { "man" } else { "woman" });
    let covariates = vec![
        Covariate {
            name: "age".to_string(),
            values: CovariateValues::Numbers(age.iter().map(|age| 60.0 + 10.0 * age).collect()),
        },
        Covariate {
            name: "sex".to_string(),
            values: CovariateValues::Levels(sex.map(str::to_string).collect()),
        },
    ];
    let table = Table::unnamed(values, samples).unwrap();
    let names = ["well", "ill"].map(str::to_string).to_vec();
    let table = table.with_covariates(covariates).unwrap();
    Dataset::new(table, Target::Classes { names, labels }).unwrap()
}

fn fitted(data: &Dataset) -> Model {
    Params::default()
        .check()
        .unwrap()
        .fit(data.clone())
        .unwrap()
}

#[test]
fn features_that_repeat_a_covariate_add_nothing_and_the_covariates_alone_are_the_model() {
    let data = drawn(0.0, true, SAMPLES, 4);
    let model = fitted(&data);
    assert_eq!(model.judgement().unwrap().verdict, Verdict::Nothing);
    assert_eq!(model.feature_count(), 0);
    let alone = model
        .predict_covariates_alone(data.table())
        .unwrap()
        .unwrap();
    assert_eq!(model.predict_probability(data.table()).unwrap(), alone);
    let effects = model.covariate_effects();
    let names: Vec<&str> = effects.iter().map(|e| e.column.as_str()).collect();
    assert_eq!(names, ["age", "sex: man against woman"]);
    for (effect, truth) in effects.iter().zip([0.2, 1.0]) {
        assert!(
            (effect.effect - truth).abs() < 3.0 * effect.sd,
            "{effect:?}"
        );
        assert!(effect.sd < 1.0 && effect.effect == effect.alone);
    }
    // Without the covariates the same features are a signal.
    let Target::Classes { names, labels } = data.target().clone() else {
        panic!("classes were drawn");
    };
    let bare = data.table().clone().with_covariates(Vec::new()).unwrap();
    let bare = Dataset::new(bare, Target::Classes { names, labels }).unwrap();
    assert_ne!(fitted(&bare).judgement().unwrap().verdict, Verdict::Nothing);
}

#[test]
fn features_of_their_own_are_found_beside_covariates() {
    let data = drawn(1.5, false, SAMPLES, 2);
    let model = fitted(&data);
    let features = model.needed_features();
    assert!(features.contains(&"f1".to_string()) && features.contains(&"f2".to_string()));
    let age = &model.covariate_effects()[0];
    assert!(age.effect > 3.0 * age.sd, "{age:?}");
    let new = drawn(1.5, false, 2000, 99);
    let loss = |p: &[f64]| rfvm::metrics::log_loss(new.labels(), p);
    let with = loss(&model.predict_probability(new.table()).unwrap());
    let alone = loss(
        &model
            .predict_covariates_alone(new.table())
            .unwrap()
            .unwrap(),
    );
    assert!(with < alone - 0.05, "{with} against {alone}");
    // The base of what is expected is what the covariates cost.
    let base = model.expected().unwrap().base;
    assert!((base - alone).abs() < 0.08, "{base} against {alone}");
    for (n, explained) in model.explain(data.table()).unwrap().iter().enumerate() {
        let sum: f64 = explained.contributions.iter().map(|p| p.contribution).sum();
        assert!((sum - explained.mean).abs() < 1e-12, "row {n}");
        let covariates = explained.contributions.iter();
        let covariates = covariates.filter(|p| p.part == ScorePart::Covariate);
        assert_eq!(covariates.count(), 2);
    }
    let again = Model::from_json(model.to_json().as_bytes()).unwrap();
    assert_eq!(again, model);
    assert_eq!(
        again.predict(new.table()).unwrap(),
        model.predict(new.table()).unwrap()
    );
}

#[test]
fn every_size_keeps_them() {
    let data = drawn(1.5, false, 80, 3);
    for size in [Size::Compact, Size::Features(3), Size::Full] {
        let params = Params::projected(size).check().unwrap();
        let model = params.fit(data.clone()).unwrap();
        assert_eq!(model.covariate_names(), ["age", "sex"]);
        assert!(model.covariate_effects()[0].effect > 0.0, "{size}");
        let bare = data.table().clone().with_covariates(Vec::new()).unwrap();
        let refused = model.predict(&bare).unwrap_err().to_string();
        assert!(refused.contains("covariate 'age'"), "{refused}");
    }
}

#[test]
fn an_evaluation_says_what_the_features_add() {
    let params = Params::default().check().unwrap();
    let evaluated = |data: &Dataset| {
        let folds = Folds::stratified(data.labels(), None, 4, 1, 1).unwrap();
        let go_on = |_, _| ControlFlow::Continue(());
        let found = params.evaluate(data, &folds, go_on).unwrap().unwrap();
        found.added_value.unwrap()
    };
    let added = evaluated(&drawn(2.0, false, SAMPLES, 5));
    assert_eq!(added.verdict, AddedVerdict::Adds);
    assert!(
        added
            .sentence()
            .starts_with("The features add to the covariates")
    );
    for measure in &added.measures[..2] {
        let gap = (measure.model - measure.covariates).abs();
        assert!(
            (gap - measure.better_by.mean.abs()).abs() < 1e-12,
            "{measure:?}"
        );
        assert!(measure.better_by.low > 0.0);
    }
    let none = evaluated(&drawn(0.0, true, SAMPLES, 4));
    assert_ne!(none.verdict, AddedVerdict::Adds);
}
