//! The signature path: what must hold of it whatever the data.

use std::ops::ControlFlow;

use rfvm::{
    Dataset, Folds, Method, Missing, Model, Params, Path, Preprocessing, Projected, Simulation,
    Size, StopReason, Table, Target, Verdict, metrics,
};

fn simulated(samples: usize, features: usize, informative: usize, seed: u64) -> Dataset {
    drawn(samples, features, informative, 1.5, seed)
}

fn drawn(samples: usize, features: usize, informative: usize, effect: f64, seed: u64) -> Dataset {
    let simulation = Simulation {
        samples,
        features,
        informative,
        effect,
        seed,
        ..Simulation::default()
    };
    simulation.draw().unwrap().data
}

fn sized(size: Size) -> Params {
    Params::projected(size)
}

fn path(params: Params, data: Dataset) -> Path {
    let go_on = |_: &_| ControlFlow::Continue(());
    params.check().unwrap().path(data, go_on).unwrap()
}

fn names(model: &Model) -> Vec<&str> {
    let features = model.signatures()[0].features();
    features.iter().map(|f| f.name.as_str()).collect()
}

#[test]
fn points_grow_and_each_is_a_complete_model() {
    let data = simulated(80, 300, 6, 1);
    let path = path(sized(Size::Balanced), data.clone());
    assert_eq!(path.judgement().unwrap().verdict, Verdict::Signal);
    let sizes: Vec<usize> = path
        .points()
        .iter()
        .map(|p| p.model.feature_count())
        .collect();
    assert_eq!(sizes, [1, 2, 3, 4, 5, 6, 8, 10, 13, 17, 21, 27, 34, 43, 55]);
    for point in path.points() {
        let model = &point.model;
        assert_eq!(model.expected(), Some(point.expected));
        assert_eq!(model.share(), Some(point.share));
        assert!(model.vector_count() >= 1 && model.vector_count() < 80);
        assert!(
            model.signatures()[0]
                .features()
                .iter()
                .all(|f| f.relevance > 0.0 && f.sd > 0.0)
        );
        for p in model.predict(data.table()).unwrap() {
            assert!(p.mean.is_finite() && p.variance > 0.0);
            assert!((0.0..=1.0).contains(&p.probability.unwrap()));
        }
        // The features of a point are those of the point before and more.
        let again = Model::from_json(model.to_json().as_bytes()).unwrap();
        assert_eq!(
            again.predict(data.table()).unwrap(),
            model.predict(data.table()).unwrap()
        );
    }
    for pair in path.points().windows(2) {
        let larger = names(&pair[1].model);
        assert!(
            names(&pair[0].model)
                .iter()
                .all(|name| larger.contains(name))
        );
    }
    let chosen = [Size::Compact, Size::Balanced, Size::Accurate]
        .map(|size| sizes[path.position(size).unwrap()]);
    assert!(chosen[0] <= 3 && chosen[1] <= 27, "{chosen:?}");
    // More features say more of what the full model says.
    let share = |at: usize| path.points()[at].share;
    assert!(share(0) < share(6) && share(6) < 1.0);
    assert_eq!(path.position(Size::Full), None);
    assert!(path.full().unwrap().loss < path.full().unwrap().base);
}

#[test]
fn the_full_model_has_all_features_and_a_small_file() {
    let data = simulated(60, 20_000, 6, 1);
    let model = sized(Size::Full)
        .check()
        .unwrap()
        .fit(data.clone())
        .unwrap();
    assert_eq!((model.feature_count(), model.vector_count()), (20_000, 60));
    assert_eq!((model.share(), model.full()), (Some(1.0), model.expected()));
    let text = model.to_json();
    assert!(text.len() < 1_000_000, "{} bytes", text.len());
    let again = Model::from_json(text.as_bytes()).unwrap();
    assert_eq!(again, model);
    let predictions = model.predict(data.table()).unwrap();
    assert_eq!(again.predict(data.table()).unwrap(), predictions);
    assert!(
        predictions
            .iter()
            .all(|p| p.variance > 0.0 && p.mean.is_finite())
    );
    let p = model.predict_probability(data.table()).unwrap();
    assert!(metrics::accuracy(data.labels(), &p) > 0.9);
}

#[test]
fn a_share_asks_for_the_fewest_features_that_keep_it() {
    let data = simulated(80, 300, 6, 1);
    let path = path(sized(Size::Share(0.8)), data);
    let at = path.position(Size::Share(0.8)).unwrap();
    let points = path.points();
    assert!(points[at].share >= 0.8);
    assert!(points[..at].iter().all(|point| point.share < 0.8));
    let features = points[at].model.feature_count();
    let model = path.into_model(Size::Share(0.8)).unwrap();
    assert_eq!(model.feature_count(), features);
    assert!(model.share().unwrap() >= 0.8);
}

#[test]
fn the_weights_are_those_of_the_features_and_vectors() {
    let data = simulated(60, 100, 4, 2);
    let model = sized(Size::Features(7))
        .check()
        .unwrap()
        .fit(data.clone())
        .unwrap();
    assert_eq!(model.feature_count(), 7);
    // Latent means must be the plain sum of weights times scaled values plus the bias.
    let signature = &model.signatures()[0];
    let columns = data
        .table()
        .find_features(&model.needed_features())
        .unwrap();
    for (n, prediction) in model.predict(data.table()).unwrap().iter().enumerate() {
        let features = signature.features().iter().zip(&columns);
        let sum: f64 = features
            .map(|(f, &d)| f.weight * f.scale.apply(data.table().feature(d)[n]))
            .sum();
        assert!((prediction.mean - sum - signature.bias().0).abs() < 1e-9);
    }
}

#[test]
fn threads_change_nothing() {
    let run = |threads| {
        let params = Params {
            threads: Some(threads),
            ..sized(Size::Balanced)
        };
        path(params, simulated(50, 120, 3, 3))
    };
    let one = run(1);
    assert!(!one.points().is_empty());
    assert_eq!(one.points(), run(3).points());
}

#[test]
#[ignore = "slow: the mean over twelve studies"]
fn what_the_path_expects_is_what_new_samples_cost() {
    // The mean over several studies: one alone is as uncertain as its own standard error says.
    let (mut expected, mut seen) = (0.0, 0.0);
    let studies = 12;
    for seed in 0..studies {
        let data = simulated(260, 150, 5, 100 + seed);
        let rows: Vec<usize> = (0..260).collect();
        let point = path(sized(Size::Balanced), data.rows(&rows[..60]).unwrap());
        let at = point.position(Size::Balanced).unwrap();
        let model = point.clone().into_model(Size::Balanced).unwrap();
        assert_eq!(
            model.feature_count(),
            point.points()[at].model.feature_count()
        );
        let new = data.rows(&rows[60..]).unwrap();
        let probability = model.predict_probability(new.table()).unwrap();
        seen += metrics::log_loss(new.labels(), &probability) / studies as f64;
        expected += model.expected().unwrap().loss / studies as f64;
    }
    // The folds train on four fifths of the rows, so they may expect a little too much loss, never too little.
    assert!(
        expected > seen - 0.02 && expected < seen + 0.08,
        "{expected} {seen}"
    );
}

#[test]
fn labels_that_know_nothing_are_called_so() {
    let mut called = 0;
    for seed in 0..8 {
        let path = path(sized(Size::Balanced), drawn(60, 400, 1, 0.0, 40 + seed));
        if path.judgement().unwrap().verdict == Verdict::Nothing {
            let model = path.clone().into_model(Size::Balanced).unwrap();
            assert_eq!(model.stop_reason(), StopReason::NoSignal);
            assert_eq!(model.feature_count(), 0);
        }
        called += usize::from(path.judgement().unwrap().verdict == Verdict::Nothing);
    }
    assert!(called >= 6, "{called} of 8");
}

#[test]
fn where_nothing_is_found_the_full_model_is_drawn_to_the_base_rate() {
    let logit = |p: f64| (p / (1.0 - p)).ln();
    let mut drawn_ones = 0;
    for seed in 0..4 {
        let data = drawn(60, 400, 1, 0.0, 40 + seed);
        let whole = path(sized(Size::Full), data.clone());
        let (found, own) = (whole.judgement().unwrap(), whole.full().unwrap());
        if found.verdict != Verdict::Nothing {
            continue;
        }
        let held = whole.into_model(Size::Full).unwrap();
        assert_eq!(held.feature_count(), 400);
        assert_eq!(held.judgement().unwrap().verdict, Verdict::Nothing);
        // It claims what the base rate does.
        let claimed = held.expected().unwrap();
        assert_eq!((claimed.loss, claimed.gain_se), (own.base, 0.0));
        // Where every table is taken for a signal the model is left as it is.
        let believing = Projected {
            evidence: 1.0,
            ..Projected::of(Size::Full)
        };
        let believing = Params {
            method: Method::Projected(believing),
            ..Params::default()
        };
        let free = believing.check().unwrap().fit(data.clone()).unwrap();
        assert_eq!(free.expected(), Some(own));
        let odds = (60.0 * (own.base - own.loss)).exp();
        let share = odds / (1.0 + odds);
        let new = drawn(40, 400, 1, 0.0, 90 + seed);
        let said = |model: &Model| model.predict_probability(new.table()).unwrap();
        for (held, free) in said(&held).into_iter().zip(said(&free)) {
            // Thirty rows of each class: the base rate's score is 0.
            let want = share * logit(free);
            assert!((logit(held) - want).abs() < 1e-12, "{held} {free} {share}");
        }
        let again = Model::from_json(held.to_json().as_bytes()).unwrap();
        assert_eq!(again, held);
        drawn_ones += 1;
    }
    assert!(drawn_ones >= 3, "{drawn_ones} of 4");
}

#[test]
fn a_number_of_which_nothing_tells_is_drawn_to_its_mean() {
    let noise = drawn(60, 300, 1, 0.0, 5);
    let y: Vec<f64> = (0..60).map(|n| f64::from(n * 37 % 61)).collect();
    let mean = y.iter().sum::<f64>() / 60.0;
    let data = Dataset::new(noise.table().clone(), Target::Values(y)).unwrap();
    let fit = |evidence: f64| {
        let method = Projected {
            evidence,
            ..Projected::of(Size::Full)
        };
        let params = Params {
            method: Method::Projected(method),
            ..Params::default()
        };
        params.check().unwrap().fit(data.clone()).unwrap()
    };
    let (held, free) = (fit(Projected::default().evidence), fit(1.0));
    assert_eq!(held.judgement().unwrap().verdict, Verdict::Nothing);
    let own = free.expected().unwrap();
    let odds = (own.base / own.loss).powf(30.0);
    let share = odds / (1.0 + odds);
    let new = drawn(40, 300, 1, 0.0, 6);
    let said = |model: &Model| model.predict(new.table()).unwrap();
    for (held, free) in said(&held).into_iter().zip(said(&free)) {
        let want = mean + share * (free.mean - mean);
        // Full models keep their weights in single precision.
        assert!((held.mean - want).abs() < 1e-6, "{held:?} {free:?}");
        // The spread of the values themselves: sixty of 0 to 60.
        assert!(held.variance.sqrt() > 17.0, "{held:?}");
    }
}

#[test]
fn many_features_that_tell_a_little_each_are_noticed() {
    // Half of 1000 features differ by a fifth of a standard deviation, less than the strongest of 1000 does by chance.
    let noise = drawn(60, 1000, 1, 0.0, 3);
    let labels = noise.labels().to_vec();
    let shifted = |d: usize| {
        let shift = if d < 500 { 0.2 } else { 0.0 };
        let rows = noise.table().feature(d).iter().zip(&labels);
        Vec::from_iter(rows.map(move |(x, &t)| x + shift * t as f64))
    };
    let table = Table::new(
        (0..1000).flat_map(shifted).collect(),
        noise.table().feature_names().to_vec(),
        noise.table().sample_names().to_vec(),
    );
    let data = Dataset::new(table.unwrap(), noise.target().clone()).unwrap();
    let judgement = path(sized(Size::Balanced), data).judgement().unwrap();
    assert!(judgement.chance <= 0.02, "{judgement:?}");
}

#[test]
fn missing_values_are_filled_in_where_that_is_asked_for() {
    let data = simulated(60, 80, 3, 4);
    let mut values: Vec<f64> = (0..80)
        .flat_map(|d| data.table().feature(d).to_vec())
        .collect();
    for at in (0..values.len()).step_by(37) {
        values[at] = f64::NAN;
    }
    let table = Table::with_missing(
        values,
        data.table().feature_names().to_vec(),
        data.table().sample_names().to_vec(),
    )
    .unwrap();
    let holed = Dataset::new(table, data.target().clone()).unwrap();
    let params = Params {
        preprocessing: Preprocessing {
            missing: Missing::Median,
            ..Preprocessing::default()
        },
        ..sized(Size::Compact)
    };
    let model = params.check().unwrap().fit(holed.clone()).unwrap();
    let p = model.predict_probability(holed.table()).unwrap();
    assert!(metrics::accuracy(data.labels(), &p) > 0.8);
    // Without leave to fill them in, missing values are refused as ever.
    let refused = sized(Size::Compact)
        .check()
        .unwrap()
        .fit(holed)
        .unwrap_err();
    assert!(refused.to_string().contains("missing"), "{refused}");
}

/// Four almost equal rows of each of twenty people, of whom no feature knows the class.
fn people_measured_four_times() -> Dataset {
    let people = drawn(20, 300, 1, 0.0, 8);
    let table = people.table();
    let again = |d: usize| {
        let own = table.feature(d);
        (0..80).map(move |n| own[n / 4] + 1e-3 * ((n * 7 + d) % 5) as f64)
    };
    let table = Table::unnamed((0..300).flat_map(again).collect(), 80).unwrap();
    let target = Target::Classes {
        names: vec!["well".into(), "ill".into()],
        labels: (0..80).map(|n| people.labels()[n / 4]).collect(),
    };
    Dataset::new(table, target).unwrap()
}

#[test]
fn rows_of_a_group_are_held_back_and_shuffled_together() {
    let told = people_measured_four_times();
    let told = told.with_groups((0..80).map(|n| n / 4).collect()).unwrap();
    let told = path(sized(Size::Balanced), told);
    let untold = path(sized(Size::Balanced), people_measured_four_times());
    // A person in training and in the held-back rows alike is recognised, and shuffled row by row looks like no chance.
    let (full, chance) = (untold.full().unwrap(), untold.judgement().unwrap().chance);
    assert!(full.loss < 0.1 * full.base, "{full:?}");
    assert_eq!(chance, 0.002);
    // A person that is wholly held back is not.
    let (full, judgement) = (told.full().unwrap(), told.judgement().unwrap());
    assert!(full.loss > 0.9 * full.base, "{full:?}");
    assert!(judgement.chance > 0.05, "{judgement:?}");
    assert_eq!(judgement.verdict, Verdict::Nothing);
    assert!(told.points()[0].model.parameters().data.groups);
}

/// Every row so many times, under names of their own.
fn copied(data: &Dataset, times: impl Fn(usize) -> usize) -> Dataset {
    let table = data.table();
    let rows = (0..table.samples()).flat_map(|n| std::iter::repeat_n(n, times(n)));
    let rows = Vec::from_iter(rows);
    let column = |d: usize| rows.iter().map(move |&n| table.feature(d)[n]);
    let values = (0..table.features()).flat_map(column).collect();
    let names = table.feature_names().to_vec();
    let samples = (0..rows.len()).map(|n| format!("row{n}")).collect();
    let target = Target::Classes {
        names: vec!["control".into(), "case".into()],
        labels: rows.iter().map(|&n| data.labels()[n]).collect(),
    };
    Dataset::new(Table::new(values, names, samples).unwrap(), target).unwrap()
}

#[test]
fn a_weight_counts_as_so_many_rows() {
    let data = simulated(60, 80, 3, 4);
    let weight = |n: usize| if n.is_multiple_of(3) { 4.0 } else { 1.0 };
    let fit = |data: Dataset| sized(Size::Balanced).check().unwrap().fit(data).unwrap();
    let weighted = data
        .clone()
        .with_sample_weight((0..60).map(weight).collect());
    let weighted = fit(weighted.unwrap());
    let copied = fit(copied(&data, |n| weight(n) as usize));
    let weights = |model: &Model| {
        let features = model.signatures()[0].features().iter();
        Vec::from_iter(features.map(|f| (f.name.clone(), f.weight, f.sd)))
    };
    assert_eq!(weights(&weighted), weights(&copied));
    assert_eq!(weighted.expected(), copied.expected());
    // Both would be the same if nothing was weighed at all.
    let largest = |model: &Model| model.signatures()[0].features()[0].weight.abs();
    let plain = fit(data);
    let (weighted, plain) = (largest(&weighted), largest(&plain));
    assert!((weighted / plain - 1.0).abs() > 0.02, "{weighted} {plain}");
}

#[test]
fn a_regression_has_a_path_too() {
    let study = simulated(90, 200, 4, 5);
    let y: Vec<f64> = (0..90)
        .map(|n| 10.0 + 3.0 * study.table().feature(0)[n] - 2.0 * study.table().feature(1)[n])
        .collect();
    let data = Dataset::new(study.table().clone(), Target::Values(y.clone())).unwrap();
    let path = path(sized(Size::Balanced), data.clone());
    assert_eq!(path.judgement().unwrap().verdict, Verdict::Signal);
    let model = path.into_model(Size::Accurate).unwrap();
    let predicted = model.predict(data.table()).unwrap();
    assert_eq!(names(&model)[..2], ["gene00001", "gene00002"]);
    assert_eq!(predicted.len(), y.len());
    let errors = predicted.iter().zip(&y).map(|(p, y)| (p.mean - y).abs());
    let error = errors.sum::<f64>() / 90.0;
    // Of a standard deviation of 3.4; it is the bent tails that are missed.
    assert!(error < 0.5, "{error}");
    assert!(
        predicted
            .iter()
            .all(|p| p.probability.is_none() && p.variance > 0.0)
    );
}

#[test]
fn too_few_of_a_class_give_the_base_rate_and_a_break_ends_the_work() {
    let data = simulated(40, 30, 2, 6);
    let labels = (0..40).map(|n| usize::from(n < 2)).collect();
    let rare = Target::Classes {
        names: vec!["no".into(), "yes".into()],
        labels,
    };
    let rare = Dataset::new(data.table().clone(), rare).unwrap();
    for size in [Size::Balanced, Size::Features(5)] {
        let model = sized(size).check().unwrap().fit(rare.clone()).unwrap();
        assert_eq!(model.stop_reason(), StopReason::NoSignal);
    }
    let params = sized(Size::Balanced).check().unwrap();
    let stopped = params.fit_with(data, |_| ControlFlow::Break(())).unwrap();
    assert_eq!(stopped.stop_reason(), StopReason::Interrupted);
}

#[test]
fn no_point_is_larger_than_what_varies() {
    let data = simulated(40, 9, 2, 7);
    let mut values: Vec<f64> = (0..4)
        .flat_map(|d| data.table().feature(d).to_vec())
        .collect();
    values.resize(9 * 40, 1.0);
    let table = Table::unnamed(values, 40).unwrap();
    let data = Dataset::new(table, data.target().clone()).unwrap();
    for size in [Size::Accurate, Size::Features(7)] {
        let path = path(sized(size), data.clone());
        let last = path.points().last().unwrap();
        assert_eq!(last.model.feature_count(), 4);
    }
}

#[test]
fn only_the_projected_method_has_a_path() {
    let data = simulated(40, 9, 2, 7);
    let go_on = |_: &_| ControlFlow::Continue(());
    let refused = Params::signatures().check().unwrap().path(data, go_on);
    assert_eq!(
        refused.unwrap_err().to_string(),
        "parameter method is signatures; it must be projected, for no other method has a path"
    );
}

/// One path with the full model gives every size as a fit that asks for it does.
#[test]
fn a_path_gives_the_models_that_fits_give() {
    let data = simulated(60, 200, 4, 7);
    let every = path(sized(Size::Full), data.clone());
    for size in [Size::Compact, Size::Balanced, Size::Accurate, Size::Full] {
        let fitted = sized(size).check().unwrap().fit(data.clone()).unwrap();
        assert_eq!(every.clone().into_model(size).unwrap(), fitted, "{size}");
    }
    let few = path(sized(Size::Balanced), data);
    for size in [Size::Full, Size::Features(7), Size::Share(0.5)] {
        let refused = few.clone().into_model(size).unwrap_err().to_string();
        assert!(refused.contains(&size.to_string()), "{refused}");
    }
}

#[test]
fn groups_that_cannot_be_held_back_are_refused_and_a_fold_may_leave_one() {
    let data = || simulated(80, 60, 3, 1);
    let params = sized(Size::Balanced).check().unwrap();
    let fit = |groups: Vec<usize>| params.fit(data().with_groups(groups).unwrap());
    let refusal = |groups: Vec<usize>| fit(groups).unwrap_err().to_string();
    assert!(refusal(vec![3; 80]).contains("all samples are in one"));
    assert!(refusal(data().labels().to_vec()).contains("go with the classes"));
    let halves: Vec<usize> = (0..80).map(|n| usize::from(n < 40)).collect();
    assert!(fit(halves.clone()).is_ok());
    let data = data().with_groups(halves.clone()).unwrap();
    let folds = Folds::stratified(data.labels(), Some(&halves), 2, 1, 1).unwrap();
    let evaluation = params.evaluate(&data, &folds, |_, _| ControlFlow::Continue(()));
    assert!(evaluation.unwrap().unwrap().auc.is_some());
}
