//! What must hold whatever the data: threads, order and units change nothing, the bound never falls, bad luck never kills.

use std::ops::ControlFlow;

use proptest::prelude::*;
use rfvm::{
    Candidates, ClassWeight, Dataset, Family, MeanField, Method, Missing, Model, Names, Params,
    Phase, Preprocessing, Projected, Signatures, Simulation, Size, Start, StopReason, Sweep, Table,
    Target, Transform,
};

fn simulated(samples: usize, features: usize, seed: u64) -> Dataset {
    let simulation = Simulation {
        samples,
        features,
        informative: 3,
        effect: 2.0,
        seed,
        ..Simulation::default()
    };
    simulation.draw().unwrap().data
}

fn fit(params: Params, data: Dataset) -> Model {
    params.check().unwrap().fit(data).unwrap()
}

fn mean_field(family: Family, sweep: Sweep) -> Params {
    let mut method = MeanField {
        sweep,
        ..MeanField::of(family)
    };
    method.stopping.max_iterations = 30;
    Params::from(method)
}

fn committee(count: usize) -> Params {
    Params::from(Signatures {
        count,
        ..Signatures::default()
    })
}

/// The default method with rows held back twice: what holds of two repeats holds of four, in half the time.
fn projected(size: Size) -> Params {
    Params::from(Projected {
        most_repeats: 2,
        ..Projected::of(size)
    })
}

fn every_method() -> Vec<Params> {
    vec![
        projected(Size::Balanced),
        projected(Size::Full),
        Params::signatures(),
        committee(3),
        mean_field(Family::Folded, Sweep::Simultaneous),
        mean_field(Family::Truncated, Sweep::Sequential),
        mean_field(Family::Gaussian, Sweep::Simultaneous),
    ]
}

fn preprocessed(change: impl Fn(&mut Preprocessing)) -> Params {
    let mut params = Params::signatures();
    change(&mut params.preprocessing);
    params
}

/// The same table with rows and columns in another order, the target along with them.
fn reorder(data: &Dataset, rows: &[usize], columns: &[usize]) -> Dataset {
    let moved = data.rows(rows).unwrap();
    let table = moved.table();
    let values = columns
        .iter()
        .flat_map(|&d| table.feature(d).to_vec())
        .collect();
    let names: Names = columns.iter().map(|&d| &table.feature_names()[d]).collect();
    let table = Table::new(values, names, table.sample_names().to_vec()).unwrap();
    Dataset::new(table, moved.target().clone()).unwrap()
}

fn shuffled(count: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..count).collect::<Vec<_>>()).prop_shuffle()
}

/// Selected features and vectors by name, sorted, with their weights.
fn contents(model: &Model) -> Vec<Vec<(String, f64)>> {
    let sorted = |mut list: Vec<(String, f64)>| {
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list
    };
    let signatures = model.signatures().iter();
    signatures
        .flat_map(|s| {
            let features = s.features().iter().map(|f| (f.name.clone(), f.weight));
            let vectors = s
                .vectors()
                .iter()
                .map(|v| (v.sample.clone(), v.coefficient.abs()));
            [sorted(features.collect()), sorted(vectors.collect())]
        })
        .collect()
}

fn assert_same_contents(a: &Model, b: &Model, tolerance: f64) {
    assert_eq!(a.signatures().len(), b.signatures().len(), "signatures");
    for (a, b) in contents(a).iter().zip(&contents(b)) {
        let names = |list: &[(String, f64)]| list.iter().map(|x| x.0.clone()).collect::<Vec<_>>();
        assert_eq!(names(a), names(b));
        for ((name, a), (_, b)) in a.iter().zip(b) {
            assert!(
                (a - b).abs() <= tolerance * (1.0 + a.abs()),
                "{name}: {a} {b}"
            );
        }
    }
}

#[test]
fn the_number_of_threads_changes_nothing_to_the_bit() {
    for params in every_method() {
        let with_threads = |threads| {
            let params = Params {
                threads: Some(threads),
                ..params.clone()
            };
            // Eight chunks of 512 features, more than there are threads.
            fit(params, simulated(50, 4000, 3)).to_json()
        };
        let one = with_threads(1);
        assert!(one == with_threads(2), "two threads: {:?}", params.method);
        assert!(one == with_threads(7), "seven threads: {:?}", params.method);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn order_of_rows_and_columns_does_not_matter(
        seed in 0..1000u64, rows in shuffled(40), columns in shuffled(300),
    ) {
        let data = simulated(40, 300, seed);
        for params in every_method() {
            // A sequential sweep depends on the order of the features by definition.
            if matches!(&params.method, Method::MeanField(own) if own.sweep == Sweep::Sequential) {
                continue;
            }
            let plain = fit(params.clone(), data.clone());
            let moved = fit(params, reorder(&data, &rows, &columns));
            assert_same_contents(&plain, &moved, 1e-4);
        }
    }

    #[test]
    fn units_of_a_column_do_not_matter(
        seed in 0..1000u64, factor in -1e6..1e6f64, offset in -1e3..1e3f64,
    ) {
        prop_assume!(factor.abs() > 1e-3);
        let data = simulated(40, 200, seed);
        let table = data.table();
        let values = (0..table.features()).flat_map(|d| {
            let own = if d % 3 == 0 { factor.abs() } else { 1.0 };
            table.feature(d).iter().map(move |x| x * own + if d % 2 == 0 { offset } else { 0.0 }).collect::<Vec<_>>()
        }).collect();
        let scaled = Table::new(values, table.feature_names().to_vec(), table.sample_names().to_vec()).unwrap();
        let scaled = Dataset::new(scaled, data.target().clone()).unwrap();
        for params in [projected(Size::Balanced), projected(Size::Full), Params::signatures()] {
            let (plain, moved) = (fit(params.clone(), data.clone()), fit(params, scaled.clone()));
            assert_same_contents(&plain, &moved, 1e-5);
            let p = plain.predict_probability(data.table()).unwrap();
            let q = moved.predict_probability(scaled.table()).unwrap();
            prop_assert_eq!(p.len(), q.len());
            for (p, q) in p.iter().zip(&q) {
                prop_assert!((p - q).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn the_bound_never_falls_in_the_narrow_phase_while_it_prunes(seed in 0..1000u64, effect in 0.0..3.0f64) {
        let simulation = Simulation { samples: 60, features: 140, effect, seed, ..Simulation::default() };
        let model = fit(Params::signatures(), simulation.draw().unwrap().data);
        let bounds: Vec<f64> = model.signatures()[0].trace().iter().filter_map(|i| i.bound).collect();
        prop_assert!(bounds.len() > 2, "{} bounds", bounds.len());
        for pair in bounds.windows(2) {
            // The fixed point ignores the hyperprior's 1e-6; nothing larger may be lost.
            prop_assert!(pair[1] >= pair[0] - 1e-5, "{} -> {}", pair[0], pair[1]);
        }
    }

    #[test]
    fn labels_that_are_pure_noise_still_give_a_usable_model(seed in 0..1000u64, features in 2..400usize) {
        let simulation = Simulation { samples: 24, features, effect: 0.0, seed, ..Simulation::default() };
        let data = simulation.draw().unwrap().data;
        for params in every_method() {
            let model = fit(params, data.clone());
            for p in model.predict(data.table()).unwrap() {
                prop_assert!(p.mean.is_finite() && p.variance.is_finite());
                prop_assert!((0.0..=1.0).contains(&p.probability.unwrap()));
            }
            if model.stop_reason() == StopReason::NoSignal {
                prop_assert!((model.predict_probability(data.table()).unwrap()[0] - 0.5).abs() < 1e-12);
            }
        }
    }
}

/// Labels that no feature knows anything of: every feature takes each value once in every class.
fn hopeless(positive: usize) -> Dataset {
    let levels = [-1.0, 0.0, 1.0, 2.0];
    let labels: Vec<usize> = (0..4 * (1 + positive))
        .map(|n| usize::from(n >= 4))
        .collect();
    let values = (0..3)
        .flat_map(|d| (0..labels.len()).map(move |n| levels[(n + d) % 4]))
        .collect();
    let table = Table::unnamed(values, labels.len()).unwrap();
    let names = vec!["no".to_string(), "yes".to_string()];
    Dataset::new(table, Target::Classes { names, labels }).unwrap()
}

#[test]
fn without_signal_the_model_is_the_base_rate_and_says_so() {
    let data = hopeless(3);
    let model = fit(Params::signatures(), data.clone());
    assert_eq!(model.stop_reason(), StopReason::NoSignal);
    assert_eq!((model.feature_count(), model.vector_count()), (0, 0));
    for p in model.predict_probability(data.table()).unwrap() {
        assert!((p - 0.75).abs() < 1e-12, "{p}");
    }
    let balanced = data.clone().with_class_weight(ClassWeight::Balanced);
    for p in fit(Params::signatures(), balanced.unwrap())
        .predict_probability(data.table())
        .unwrap()
    {
        assert!((p - 0.5).abs() < 1e-12, "{p}");
    }
}

#[test]
fn informative_features_are_found_and_the_rest_left() {
    let study = Simulation::default().draw().unwrap();
    let truth: Vec<String> = study
        .truth
        .iter()
        .map(|&d| study.data.table().feature_names()[d].to_owned())
        .collect();
    let model = fit(committee(5), study.data);
    let found: Vec<Vec<&String>> = model
        .signatures()
        .iter()
        .map(|s| s.features().iter().map(|f| &f.name).collect())
        .collect();
    // The informative ones come first, all of them; what the committee finds beside them comes after.
    let mut first = found[..2].concat();
    first.sort();
    assert_eq!(first, Vec::from_iter(&truth), "{found:?}");
    let names = found.concat();
    let mut distinct = names.clone();
    distinct.sort();
    distinct.dedup();
    assert_eq!(names.len(), distinct.len(), "signatures are disjoint");
}

#[test]
fn a_callback_sees_every_iteration_and_can_stop_the_fit() {
    // The plain gaussian family may die at w = 0 within nine iterations, which is another stop reason.
    let gaussian =
        |p: &Params| matches!(&p.method, Method::MeanField(own) if own.family == Family::Gaussian);
    // The projected method tells of its steps by the clock; it has a test of its own.
    let skipped = |p: &Params| gaussian(p) || matches!(p.method, Method::Projected(_));
    for params in every_method().into_iter().filter(|p| !skipped(p)) {
        for stop_at in [1, 3, 9] {
            let mut seen = 0;
            let checked = params.clone().check().unwrap();
            let model = checked
                .fit_with(simulated(40, 500, 5), |iteration| {
                    seen += 1;
                    assert_eq!(iteration.number, seen);
                    if seen >= stop_at {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                })
                .unwrap();
            assert_eq!(
                model.stop_reason(),
                StopReason::Interrupted,
                "{:?} at {stop_at}",
                params.method
            );
            assert_eq!(model.signatures().len(), 1);
            // A stop in the wide phase is followed by the one narrow iteration that makes a sound model.
            let wide = model.signatures()[0].trace()[stop_at - 1].phase == Phase::Wide;
            assert_eq!(seen, stop_at + usize::from(wide));
            assert!(model.predict(simulated(40, 500, 5).table()).is_ok());
        }
    }
}

#[test]
fn weights_move_the_model_towards_the_heavier_class() {
    let data = simulated(60, 300, 8);
    for params in every_method() {
        let mean_probability = |class_weight, sample_weight| {
            let weighted = data.clone().with_class_weight(class_weight).unwrap();
            let weighted = match sample_weight {
                Some(weight) => weighted.with_sample_weight(weight).unwrap(),
                None => weighted,
            };
            let model = fit(params.clone(), weighted);
            let p = model.predict_probability(data.table()).unwrap();
            p.iter().sum::<f64>() / p.len() as f64
        };
        let method = params.method.name();
        let plain = mean_probability(ClassWeight::None, None);
        let positive = mean_probability(ClassWeight::PerClass(1.0, 5.0), None);
        assert!(positive > plain + 0.005, "{method}: {plain} {positive}");
        // The same weights given row by row are the same fit; balanced classes change nothing when they are equal.
        let by_row = (0..60).map(|n| if n % 2 == 1 { 5.0 } else { 1.0 });
        let by_row = mean_probability(ClassWeight::None, Some(by_row.collect()));
        assert!(
            (by_row - positive).abs() < 1e-6,
            "{method}: {by_row} {positive}"
        );
        assert_eq!(mean_probability(ClassWeight::Balanced, None), plain);
    }
}

#[test]
fn candidates_can_be_rows_or_new_points() {
    let data = simulated(50, 300, 9);
    let params = |candidates| {
        Params::from(Signatures {
            candidates,
            ..Signatures::default()
        })
    };
    let rows = fit(params(Candidates::Rows((0..10).collect())), data.clone());
    let allowed = &data.table().sample_names()[..10];
    let vectors = rows.signatures()[0].vectors();
    assert!(!vectors.is_empty() && vectors.iter().all(|v| allowed.contains(&v.sample)));
    // The same ten rows, given as points of their own, make the same model.
    let points = data.table().rows(&(0..10).collect::<Vec<_>>()).unwrap();
    let points = fit(params(Candidates::Points(points)), data.clone());
    assert_same_contents(&rows, &points, 1e-6);
    let error = params(Candidates::Rows(vec![50]))
        .check()
        .unwrap()
        .fit(data)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "row 50 does not exist: the table has 50 samples"
    );
}

#[test]
fn starting_points_and_warm_starts_reach_the_signal() {
    let data = simulated(80, 1000, 4);
    let truth = ["gene00001", "gene00321", "gene00661"];
    let starts = [
        Start::Uniform,
        Start::Correlation { power: 3.0 },
        Start::Random { seed: 7 },
        Start::Warm(fit(Params::signatures(), data.clone()).warm_start()),
    ];
    for start in starts {
        let method = Signatures {
            start: start.clone(),
            ..Signatures::default()
        };
        let model = fit(Params::from(method), data.clone());
        let features = model.signatures()[0].features();
        assert!(!features.is_empty(), "{start:?}");
        assert!(
            features.iter().all(|f| truth.contains(&f.name.as_str())),
            "{start:?} {features:?}"
        );
    }
}

#[test]
fn regression_finds_the_features_and_scales_back() {
    let data = simulated(80, 600, 6);
    let table = data.table();
    let target: Vec<f64> = (0..80)
        .map(|n| 100.0 + 7.0 * table.feature(40)[n] - 3.0 * table.feature(300)[n])
        .collect();
    let shift = target[0] * 1e-3;
    let noisy: Vec<f64> = target
        .iter()
        .enumerate()
        .map(|(n, y)| y + shift * ((n * 37 % 11) as f64 - 5.0))
        .collect();
    let data = Dataset::new(table.clone(), Target::Values(noisy)).unwrap();
    for params in [
        Params::signatures(),
        mean_field(Family::Gaussian, Sweep::Sequential),
    ] {
        let method = params.method.name();
        let model = fit(params, data.clone());
        let features = model.signatures()[0].features();
        assert_eq!(features[0].name, "gene00041", "{method}");
        assert_eq!(features[1].name, "gene00301", "{method}");
        let error: f64 = model
            .predict(data.table())
            .unwrap()
            .iter()
            .zip(&target)
            .map(|(p, y)| (p.mean - y).abs())
            .sum::<f64>()
            / 80.0;
        // The noise has a mean size of 0.3, and the values a standard deviation of 7.6.
        assert!(error < 0.15, "{method}: mean error {error}");
        assert!(model.predict_probability(data.table()).is_err());
    }
    assert!(data.with_class_weight(ClassWeight::Balanced).is_err());
}

#[test]
fn three_classes_are_refused_with_their_names() {
    let table = simulated(9, 10, 1).table().clone();
    let names = ["a", "b", "c"].map(String::from).to_vec();
    let data = Dataset::new(
        table,
        Target::Classes {
            names,
            labels: (0..9).map(|n| n % 3).collect(),
        },
    )
    .unwrap();
    let error = Params::signatures().check().unwrap().fit(data).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the method signatures tells two classes apart, found 3 ('a', 'b', 'c'); set one class against the rest, or fit all of them by the method projected"
    );
}

/// What a model says of a weight's spread, over what repeated studies show of it.
fn spread_ratio(params: &Params, features: usize) -> f64 {
    let fits: Vec<(f64, f64)> = (0..60)
        .map(|seed| {
            let simulation = Simulation {
                samples: 100,
                features,
                informative: 1,
                effect: 1.5,
                // A correlated neighbour that is sometimes selected too would move the weight.
                correlation: 0.0,
                seed,
                ..Simulation::default()
            };
            let model = fit(params.clone(), simulation.draw().unwrap().data);
            let features = model.signatures()[0].features();
            let first = features.iter().find(|f| f.name == "gene00001").unwrap();
            (first.weight, first.sd)
        })
        .collect();
    let mean =
        |of: &dyn Fn(&(f64, f64)) -> f64| fits.iter().map(of).sum::<f64>() / fits.len() as f64;
    let weight = mean(&|fit| fit.0);
    let spread = mean(&|fit| (fit.0 - weight).powi(2)).sqrt();
    mean(&|fit| fit.1) / spread
}

#[test]
#[ignore = "slow: 180 fits"]
fn the_reported_spread_of_a_weight_is_that_of_repeated_studies() {
    let signatures = spread_ratio(&Params::signatures(), 10);
    assert!((0.7..1.4).contains(&signatures), "{signatures}");
    for size in [Size::Features(1), Size::Features(3)] {
        let projected = spread_ratio(&Params::projected(size), 300);
        // One strong feature alone moves less from study to study than its labels would let it; too narrow is never right.
        assert!((0.8..2.2).contains(&projected), "{size}: {projected}");
    }
}

#[test]
fn evidence_tells_signal_from_noise() {
    let evidence = |effect: f64, seed: u64| {
        let simulation = Simulation {
            samples: 100,
            features: 1000,
            effect,
            seed,
            ..Simulation::default()
        };
        let model = fit(Params::signatures(), simulation.draw().unwrap().data);
        model.signatures()[0].evidence().unwrap_or(0.0)
    };
    for seed in 0..5 {
        let (noise, signal) = (evidence(0.0, seed), evidence(1.2, seed));
        assert!(
            noise < 1000f64.ln() && signal > 1000f64.ln(),
            "noise {noise}, signal {signal}"
        );
    }
}

#[test]
fn missing_values_are_refused_or_filled_with_the_training_median() {
    let data = simulated(60, 100, 2);
    let table = data.table();
    let mut values: Vec<f64> = (0..100).flat_map(|d| table.feature(d).to_vec()).collect();
    values
        .iter_mut()
        .step_by(37)
        .for_each(|value| *value = f64::NAN);
    let names = (
        table.feature_names().to_vec(),
        table.sample_names().to_vec(),
    );
    let holes = Table::with_missing(values, names.0, names.1).unwrap();
    let with_holes = Dataset::new(holes.clone(), data.target().clone()).unwrap();
    let refused = Params::signatures()
        .check()
        .unwrap()
        .fit(with_holes.clone())
        .unwrap_err()
        .to_string();
    assert!(
        refused.starts_with("163 values are missing, most of them in 'gene"),
        "{refused}"
    );
    let median = preprocessed(|own| own.missing = Missing::Median);
    let model = fit(median, with_holes);
    assert!(model.feature_count() > 0);
    for p in model.predict(&holes).unwrap() {
        assert!(p.mean.is_finite());
    }
    // A model that was not asked to fill in refuses to predict from a hole, and names it.
    let strict = fit(Params::signatures(), data.clone());
    let error = strict.predict(&holes).unwrap_err().to_string();
    assert!(
        error.contains("is NaN; impute or drop missing values first"),
        "{error}"
    );
}

#[test]
fn logarithms_are_taken_alike_in_fit_and_prediction() {
    let data = simulated(60, 50, 2);
    let table = data.table();
    let raised = |d: usize| table.feature(d).iter().map(|x| x.exp2() - 1.0);
    let values: Vec<f64> = (0..50).flat_map(raised).collect();
    let (features, samples) = (
        table.feature_names().to_vec(),
        table.sample_names().to_vec(),
    );
    let raw = Table::new(values, features, samples).unwrap();
    let params = preprocessed(|own| own.transform = Transform::Log2);
    let model = fit(
        params.clone(),
        Dataset::new(raw.clone(), data.target().clone()).unwrap(),
    );
    let plain = fit(Params::signatures(), data.clone());
    assert_same_contents(&model, &plain, 1e-6);
    let p = model.predict_probability(&raw).unwrap();
    let q = plain.predict_probability(data.table()).unwrap();
    assert_eq!(p.len(), q.len());
    assert!(p.iter().zip(&q).all(|(p, q)| (p - q).abs() < 1e-6));
    let negative = Table::unnamed(vec![-2.0, 1.0, 2.0, 3.0], 4).unwrap();
    let target = Target::Classes {
        names: vec!["a".into(), "b".into()],
        labels: vec![0, 1, 0, 1],
    };
    let refused = params
        .check()
        .unwrap()
        .fit(Dataset::new(negative, target).unwrap())
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        "feature 'f1' of sample 's1' is -2; log2(1 + x) needs values above -1"
    );
}
