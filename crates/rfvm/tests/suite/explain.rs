//! Why a sample has its score, when a model had better abstain, and what its score is without this program.

use std::ops::ControlFlow;
use std::sync::LazyLock;

use rfvm::{
    Dataset, Folds, Formula, Method, Missing, Model, Params, PointLoss, Preprocessing, ScorePart,
    Simulation, Size, Table, Target, Task, Transform, special,
};

fn study() -> Dataset {
    let simulation = Simulation {
        samples: 80,
        features: 120,
        informative: 3,
        effect: 1.5,
        ..Simulation::default()
    };
    simulation.draw().unwrap().data
}

/// The same numbers made counts, one of which in seven is missing, to be predicted as classes or as a number.
fn counts(task: Task) -> Dataset {
    let study = study();
    let table = study.table();
    let all = (0..table.features()).flat_map(|d| table.feature(d).to_vec());
    let values: Vec<f64> = all
        .enumerate()
        .map(|(at, value)| match at % 7 {
            3 => f64::NAN,
            _ => (8.0 * value.exp()).round(),
        })
        .collect();
    let names: Vec<String> = table.feature_names().iter().map(str::to_string).collect();
    let made = Table::with_missing(values, names, table.sample_names().to_vec()).unwrap();
    let target = match task {
        Task::Classification => study.target().clone(),
        Task::Regression => {
            let values = (0..80).map(|n| 50.0 + 7.0 * table.feature(0)[n] + (n % 5) as f64);
            Target::Values(values.collect())
        }
    };
    Dataset::new(made, target).unwrap()
}

fn of_counts(task: Task) -> (Model, Table) {
    let data = counts(task);
    let table = data.table().clone();
    let preprocessing = Preprocessing {
        transform: Transform::Log2,
        missing: Missing::Median,
        ..Preprocessing::default()
    };
    let params = Params {
        preprocessing,
        ..Params::projected(Size::Balanced)
    };
    (params.check().unwrap().fit(data).unwrap(), table)
}

fn of_study(params: Params) -> (Model, Table) {
    let data = study();
    let table = data.table().clone();
    (params.check().unwrap().fit(data).unwrap(), table)
}

fn committee() -> Params {
    let mut params = Params::signatures();
    if let Method::Signatures(own) = &mut params.method {
        own.count = 3;
    }
    params
}

/// Models of every kind, with the samples that they were fitted on; fitted once for all tests.
fn models() -> &'static [(&'static str, Model, Table)] {
    static MODELS: LazyLock<Vec<(&'static str, Model, Table)>> = LazyLock::new(|| {
        let named = |name, (model, table)| (name, model, table);
        vec![
            named("balanced", of_study(Params::projected(Size::Balanced))),
            named("full", of_study(Params::projected(Size::Full))),
            named("committee", of_study(committee())),
            named("counts", of_counts(Task::Classification)),
            named("regression", of_counts(Task::Regression)),
        ]
    });
    assert!(MODELS[2].1.signatures().len() > 1);
    &MODELS
}

#[test]
fn contributions_add_up_to_the_score() {
    for (name, model, table) in models() {
        assert!(model.feature_count() > 0, "{name}");
        let predictions = model.predict(table).unwrap();
        let explained = model.explain(table).unwrap();
        let mut gaps = 0;
        for (prediction, explanation) in predictions.iter().zip(&explained) {
            let parts = &explanation.contributions;
            let sum: f64 = parts.iter().map(|part| part.contribution).sum();
            let size = prediction.mean.abs().max(1.0);
            assert!((sum - prediction.mean).abs() < 1e-12 * size, "{name}");
            assert_eq!(explanation.mean, prediction.mean);
            let (base, rest) = parts.split_last().unwrap();
            assert_eq!(base.part, ScorePart::Base);
            let features = rest.iter().filter(|p| p.part == ScorePart::Feature);
            let sizes: Vec<f64> = features.clone().map(|p| p.contribution.abs()).collect();
            assert!(sizes.is_sorted_by(|one, other| one >= other), "{name}");
            gaps += features.filter(|part| part.value.is_none()).count();
            for part in parts {
                let reach = 1.959_963_984_540_054 * part.sd;
                assert!((part.high - part.contribution - reach).abs() < 1e-9 * size);
                assert!((part.contribution - part.low - reach).abs() < 1e-9 * size);
            }
            match *name {
                "full" => {
                    let words: Vec<&str> = parts.iter().map(|p| p.feature.as_str()).collect();
                    assert_eq!(words.len(), 22);
                    assert_eq!(words[20], "all 100 others");
                }
                _ => assert_eq!(parts.len(), model.feature_count() + 1, "{name}"),
            }
        }
        assert_eq!(gaps > 0, ["counts", "regression"].contains(name), "{name}");
    }
}

/// One feature alone: what it adds, and how sure that is, by hand.
#[test]
fn a_contribution_is_the_weight_times_the_standardised_value() {
    let (model, table) = of_study(Params::projected(Size::Features(1)));
    let feature = &model.signatures()[0].features()[0];
    let at = table
        .find_features(std::slice::from_ref(&feature.name))
        .unwrap()[0];
    for (n, explanation) in model.explain(&table).unwrap().iter().enumerate() {
        let value = table.feature(at)[n];
        let x = feature.scale.apply(value);
        let part = &explanation.contributions[0];
        assert_eq!(part.feature, feature.name);
        assert_eq!(part.value, Some(value));
        assert!((part.contribution - feature.weight * x).abs() < 1e-12);
        assert!((part.sd - feature.sd * x.abs()).abs() < 1e-12);
    }
}

/// What the formula says of a row, by its documentation.
fn by_formula(formula: &Formula, table: &Table, n: usize) -> f64 {
    let count = formula.signatures.len() as f64;
    let (mut mean, mut moderated) = (0.0, 0.0);
    for signature in &formula.signatures {
        let names: Vec<String> = signature.features.iter().map(|f| f.name.clone()).collect();
        let positions = table.find_features(&names).unwrap();
        let x: Vec<f64> = (signature.features.iter().zip(positions))
            .map(|(feature, d)| {
                let seen = formula.transform.apply(table.feature(d)[n]);
                let known = feature.median.filter(|_| seen.is_nan()).unwrap_or(seen);
                feature.scale.apply(known)
            })
            .collect();
        let (m, s) = signature.latent(&x);
        mean += m / count;
        moderated += m / (1.0 + std::f64::consts::PI / 8.0 * s).sqrt() / count;
    }
    match formula.task {
        Task::Classification => special::sigmoid(formula.correction.apply(moderated)),
        Task::Regression => {
            let value = formula.target_mean + formula.target_sd * mean;
            formula.correction.apply(value)
        }
    }
}

#[test]
fn the_formula_gives_what_the_model_predicts() {
    for (name, model, table) in models() {
        let formula = model.formula();
        for (n, prediction) in model.predict(table).unwrap().iter().enumerate() {
            let known = prediction.probability.unwrap_or(prediction.mean);
            let found = by_formula(&formula, table, n);
            assert!(
                (found - known).abs() < 1e-12 * known.abs().max(1.0),
                "{name}"
            );
        }
    }
}

#[test]
fn the_model_abstains_where_its_interval_holds_both_classes() {
    for (name, model, table) in models() {
        let predictions = model.predict(table).unwrap();
        if model.task() == Task::Regression {
            assert_eq!(predictions[0].interval(0.95), None);
            assert_eq!(predictions[0].abstains(0.95), None);
            continue;
        }
        let abstained = |level: f64| {
            let abstains = predictions.iter().map(|p| p.abstains(level).unwrap());
            abstains.filter(|&abstains| abstains).count()
        };
        for p in &predictions {
            let [low, high] = p.interval(0.9).unwrap();
            let probability = p.probability.unwrap();
            assert!(low < probability && probability < high, "{name}");
            assert_eq!(p.abstains(0.9), Some(low <= 0.5 && 0.5 <= high), "{name}");
        }
        // One signature: the interval of the score itself, moderated and corrected.
        if model.signatures().len() == 1 {
            let (p, correction) = (&predictions[0], model.correction());
            let moderation = (1.0 + std::f64::consts::PI / 8.0 * p.variance).sqrt();
            let end = p.mean + 1.959_963_984_540_054 * p.variance.sqrt();
            let high = special::sigmoid(correction.apply(end / moderation));
            assert!(
                (p.interval(0.95).unwrap()[1] - high).abs() < 1e-12,
                "{name}"
            );
        }
        assert!(abstained(0.5) <= abstained(0.95), "{name}");
        assert!(abstained(0.01) < predictions.len(), "{name}");
    }
}

#[test]
fn an_evaluation_tells_what_abstaining_leaves() {
    let data = study();
    let folds = Folds::stratified(data.labels(), None, 4, 1, 1).unwrap();
    let params = Params::projected(Size::Compact).check().unwrap();
    let go_on = |_, _| ControlFlow::Continue(());
    let found = params.evaluate(&data, &folds, go_on).unwrap().unwrap();
    let at = |level: f64| {
        let (mut kept, mut right) = (0, 0);
        for fold in &found.results {
            let rows = fold.rows.iter().zip(&fold.predicted).zip(&fold.log_odds_sd);
            for ((&row, &p), sd) in rows {
                if (p / (1.0 - p)).ln().abs() > special::two_sided(level) * sd {
                    kept += 1;
                    right += usize::from((p > 0.5) == (data.labels()[row] == 1));
                }
            }
        }
        (kept as f64 / 80.0, right as f64 / kept as f64)
    };
    for level in [0.95, 0.5] {
        let told = found.clone().with_rejection(level).unwrap();
        let rejection = told.rejection.unwrap();
        let (coverage, accuracy) = at(level);
        assert!(coverage > 0.0 && coverage < 1.0, "{coverage}");
        assert_eq!(rejection.level, level);
        assert!((rejection.coverage.mean - coverage).abs() < 1e-12);
        assert!((rejection.accuracy.unwrap().mean - accuracy).abs() < 1e-12);
    }
    assert_eq!(found.rejection.unwrap().level, 0.95);
    assert!(found.with_rejection(95.0).is_err());
}

#[test]
fn points_keep_most_of_the_score() {
    for (name, model, table) in models() {
        if *name == "full" {
            // As many features as are allowed: a larger model is refused.
            continue;
        }
        let points = model.point_score().unwrap();
        let given = points.of(table).unwrap();
        let most = points.totals.last().unwrap().points;
        assert!(
            given.iter().all(|total| (0..=most).contains(total)),
            "{name}"
        );
        let rises = |pair: &[rfvm::PointTotal]| pair[0].predicted < pair[1].predicted;
        assert!(points.totals.windows(2).all(rises), "{name}");
        let loss = PointLoss::of(model, &points, table, None).unwrap();
        assert!(loss.correlation.unwrap() > 0.95, "{name}: {loss:?}");
        assert_eq!((loss.auc, loss.accuracy), (None, None));
    }
    let (model, table) = of_study(Params::projected(Size::Balanced));
    let target = study().target().clone();
    let points = model.point_score().unwrap();
    let loss = PointLoss::of(&model, &points, &table, Some(&target)).unwrap();
    let [by_model, by_points] = loss.auc.unwrap();
    assert!(by_model > 0.9 && by_points > by_model - 0.05, "{loss:?}");
    assert!(loss.distance < 0.1, "{loss:?}");
}
