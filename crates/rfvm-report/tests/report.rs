//! The page as a whole: what it says with and without an evaluation, what it refuses, how large it gets.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;

use rfvm::{
    Dataset, Evaluation, Folds, LabelledRows, Missing, Model, Params, Projected, Recalibrate,
    Scaling, Signatures, Simulation, Size, Summary, Table, Target, Validation,
};
use rfvm_report::{report, validated, validation_figures, validation_page};

fn study(samples: usize, features: usize) -> Dataset {
    let simulation = Simulation {
        samples,
        features,
        informative: 2,
        effect: 2.5,
        ..Simulation::default()
    };
    simulation.draw().unwrap().data
}

/// The default method with few folds, which is enough for a page.
fn quick(size: Size) -> Params {
    Params::from(Projected {
        folds: 3,
        most_repeats: 1,
        ..Projected::of(size)
    })
}

fn compact() -> Params {
    quick(Size::Compact)
}

fn fit(params: &Params, data: &Dataset) -> Model {
    params.clone().check().unwrap().fit(data.clone()).unwrap()
}

fn evaluate(params: &Params, data: &Dataset) -> Evaluation {
    let strata = match data.labels() {
        [] => vec![0; data.table().samples()],
        labels => labels.to_vec(),
    };
    let folds = Folds::stratified(&strata, None, 3, 2, 1).unwrap();
    let params = params.clone().check().unwrap();
    let go_on = |_, _| ControlFlow::Continue(());
    let mut evaluation = params.evaluate(data, &folds, go_on).unwrap().unwrap();
    params
        .evaluate_permuted(data, &mut evaluation, 2, 1, go_on)
        .unwrap();
    // As a file would have it.
    serde_json::from_str(&serde_json::to_string(&evaluation).unwrap()).unwrap()
}

fn summary(model: &Model, data: &Dataset, evaluation: Option<&Evaluation>) -> Summary {
    Summary::of(model, data, evaluation, "study.csv", &[]).unwrap()
}

/// The page, of a summary that has been a file: JSON has no number that is not finite, so none is lost.
fn page(model: &Model, data: &Dataset, evaluation: Option<&Evaluation>) -> Result<String, String> {
    let notes = ["2 samples without a label were set aside".to_string()];
    let summary = Summary::of(model, data, evaluation, "study.csv", &notes)
        .map_err(|error| error.to_string())?;
    let text = serde_json::to_string(&summary).unwrap();
    let read: Summary = serde_json::from_str(&text).unwrap();
    assert_eq!(read, summary);
    assert_eq!(report(&read), report(&summary));
    Ok(report(&read))
}

/// What no page may hold.
fn sound(html: &str) {
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>"));
    for word in ["NaN", "inf ", "undefined"] {
        // The script and the style are the same in every page.
        let body = html.split("<body>").nth(1).unwrap();
        let body = body.rsplit_once("<script>").unwrap().0;
        assert!(!body.contains(word), "{word}");
    }
    for (from, _) in html.match_indices("href=\"#") {
        let id = html[from + 7..].split('"').next().unwrap();
        assert!(html.contains(&format!("id=\"{id}\"")), "no place #{id}");
    }
    let svg = "http://www.w3.org/2000/svg";
    assert_eq!(
        html.matches("http").count(),
        html.matches(svg).count() + 1,
        "an address besides that of SVG"
    );
}

#[test]
fn with_an_evaluation_every_section_is_filled() {
    let data = study(60, 200);
    let model = fit(&compact(), &data);
    let html = page(&model, &data, Some(&evaluate(&compact(), &data))).unwrap();
    sound(&html);
    for words in [
        "area under the ROC curve",
        "id=\"weights-title\"",
        "id=\"signature-heat-title\"",
        "id=\"subject-map-title\"",
        "id=\"roc-title\"",
        "id=\"precision-recall-title\"",
        "id=\"calibration-title\"",
        "id=\"decision-title\"",
        "id=\"frequency-title\"",
        "id=\"stability-scale-title\"",
        "id=\"chance-fit-title\"",
        "id=\"chance-feature-title\"",
        "id=\"path-share-title\"",
        "id=\"path-loss-title\"",
        "explained share, %",
        "The full model (all 200 features) should cost",
        "Parameters of the method",
        "held_back_rows 400",
        "The signature and what could stand in for it",
        "id=\"substitutes\"",
        "id=\"active-title\"",
        "id=\"features-table\"",
        "id=\"samples-table\"",
        "2 samples without a label were set aside",
        "the data that the model was fitted on",
        "TRIPOD+AI",
    ] {
        assert!(html.contains(words), "{words}");
    }
    assert_eq!(html.matches("Not shown.").count(), 0);
    assert_eq!(
        page(&model, &data, Some(&evaluate(&compact(), &data))).unwrap(),
        html,
        "the same page every time"
    );
}

#[test]
fn replacements_are_judged_with_groups_kept_whole() {
    let data = study(60, 50);
    let model = fit(&compact(), &data);
    let families: Vec<usize> = (0..60).map(|sample| sample / 6).collect();
    let grouped = |groups| data.clone().with_groups(groups).unwrap();
    let html = page(&model, &grouped(families), None).unwrap();
    sound(&html);
    assert_ne!(html, page(&model, &data, None).unwrap());
    // Groups of one are none.
    let single: Vec<usize> = (0..60).collect();
    let html = page(&model, &grouped(single), None).unwrap();
    assert_eq!(html, page(&model, &data, None).unwrap());
}

#[test]
fn stand_ins_are_scaled_as_the_model_is() {
    let data = study(60, 50);
    let scaled = |scaling| {
        let mut params = compact();
        params.preprocessing.scaling = scaling;
        summary(&fit(&params, &data), &data, None)
    };
    let (plain, robust) = (scaled(Scaling::Plain), scaled(Scaling::Robust));
    let names = |summary: &Summary| -> Vec<String> {
        let features = summary.signatures[0].features.iter();
        features.map(|feature| feature.name.clone()).collect()
    };
    assert_eq!(names(&plain), names(&robust), "the same features");
    let loss = |summary: &Summary| summary.alternatives.stand_ins[0].expected.unwrap().loss;
    assert_ne!(loss(&plain), loss(&robust));
    // The signature's own features alone, by hand.
    let kept: Vec<usize> = data.table().find_features(&names(&plain)).unwrap();
    let values = kept.iter().flat_map(|&d| data.table().feature(d)).copied();
    let samples = data.table().sample_names().to_vec();
    let table = Table::new(values.collect(), names(&plain), samples).unwrap();
    let alone = Dataset::new(table, data.target().clone()).unwrap();
    let mut params = Params::projected(Size::Features(kept.len()));
    params.preprocessing.scaling = Scaling::Plain;
    let expected = fit(&params, &alone).expected().unwrap();
    assert_eq!(loss(&plain), expected.loss);
}

#[test]
fn a_stand_in_that_cannot_be_fitted_says_why() {
    let data = study(60, 50);
    let model = fit(&compact(), &data);
    // The same table with a hole in the model's closest substitute, which the model itself does not need.
    let closest = &summary(&model, &data, None).alternatives.substitutes[0].by[0].name;
    let names = data.table().feature_names().to_vec();
    let hole = names.iter().position(|name| name == closest).unwrap();
    let mut values: Vec<f64> = (0..names.len())
        .flat_map(|d| data.table().feature(d).to_vec())
        .collect();
    values[hole * 60] = f64::NAN;
    let samples = data.table().sample_names().to_vec();
    let table = Table::with_missing(values, names, samples).unwrap();
    let holey = Dataset::new(table, data.target().clone()).unwrap();
    let html = page(&model, &holey, None).unwrap();
    sound(&html);
    let reason = "1 values are missing, most of them in";
    assert!(html.contains(reason), "the reason is told");
    assert!(!html.contains("could not be fitted"));
    let built = summary(&model, &holey, None).alternatives.stand_ins;
    assert!(built[0].expected.is_some() && built[0].failure.is_none());
    assert!(built[1].failure.as_ref().unwrap().starts_with(reason));

    // Nothing is left outside the model.
    let all = study(60, 3);
    let model = fit(&quick(Size::Features(3)), &all);
    let html = page(&model, &all, None).unwrap();
    assert!(html.contains("no feature outside the model is left to stand in"));
}

#[test]
fn without_an_evaluation_it_says_what_is_missing_and_shows_no_curve() {
    let data = study(60, 200);
    let html = page(&fit(&compact(), &data), &data, None).unwrap();
    sound(&html);
    assert!(!html.contains("id=\"roc-title\"") && html.contains("rfvm evaluate"));
    assert!(html.contains("No evaluation."));
    assert!(html.contains("how often it is right needs an evaluation"));
}

#[test]
fn signatures_regressions_missing_values_and_nothing_to_find_have_reports_too() {
    let data = study(60, 100);
    let committee = Params::from(Signatures {
        count: 2,
        ..Signatures::default()
    });
    let html = page(&fit(&committee, &data), &data, None).unwrap();
    sound(&html);
    assert!(html.contains("Signatures side by side") && html.contains("id=\"bound-title\""));
    assert!(!html.contains("The full model (all"), "it knows of none");

    let mut values: Vec<f64> = (0..data.table().features())
        .flat_map(|d| data.table().feature(d).to_vec())
        .collect();
    values[5] = f64::NAN;
    let names = data.table().feature_names().to_vec();
    let samples = data.table().sample_names().to_vec();
    let table = Table::with_missing(values, names, samples).unwrap();
    let mut imputing = compact();
    imputing.preprocessing.missing = Missing::Median;
    let holey = Dataset::new(table.clone(), data.target().clone()).unwrap();
    let html = page(&fit(&imputing, &holey), &holey, None).unwrap();
    sound(&html);
    assert!(
        html.contains("gene00001 (1)"),
        "the missing value is counted"
    );

    let target: Vec<f64> = data
        .table()
        .feature(7)
        .iter()
        .map(|v| 3.0 * v + 1.0)
        .collect();
    let numbers = Dataset::new(data.table().clone(), Target::Values(target)).unwrap();
    let html = page(
        &fit(&compact(), &numbers),
        &numbers,
        Some(&evaluate(&compact(), &numbers)),
    )
    .unwrap();
    sound(&html);
    assert!(html.contains("id=\"predicted-title\"") && !html.contains("id=\"roc-title\""));
    assert!(!html.contains("isclassified"), "a number has no class");

    let noise = data.permuted(3).unwrap();
    let model = fit(&Params::signatures(), &noise);
    sound(&page(&model, &noise, None).unwrap());
}

#[test]
fn the_full_model_has_a_report_that_is_not_drowned_in_features() {
    let data = study(70, 3000);
    let full = quick(Size::Full);
    let model = fit(&full, &data);
    assert_eq!(model.feature_count(), 3000);
    let mut evaluation = evaluate(&full, &study(70, 80));
    (evaluation.d, evaluation.data) = (3000, Some(data.fingerprint()));
    for evaluation in [None, Some(&evaluation)] {
        let html = page(&model, &data, evaluation).unwrap();
        sound(&html);
        for words in [
            "This is the full model. It should cost",
            "It needs all of the 3000 features that vary",
            "all of whom define it",
            "All samples define the full model.",
            "The 200 heaviest of 3000 features",
            "This model is the full one.",
            "The full model uses every feature, so that none is left",
            "4 sweeps over 3000 features give the full posterior",
        ] {
            assert!(html.contains(words), "{words}");
        }
        assert!(!html.contains("id=\"bound-title\""));
        assert!(html.len() < 1_500_000, "{} bytes", html.len());
    }
}

#[test]
fn every_size_and_both_tasks_have_sound_reports() {
    let data = study(50, 120);
    let noise = data.permuted(3).unwrap();
    let target: Vec<f64> = (0..50).map(|n| data.table().feature(7)[n] + 0.1).collect();
    let numbers = Dataset::new(data.table().clone(), Target::Values(target)).unwrap();
    for data in [&data, &noise, &numbers] {
        for size in [
            Size::Balanced,
            Size::Accurate,
            Size::Full,
            Size::Features(70),
            Size::Share(0.9),
        ] {
            let model = fit(&quick(size), data);
            sound(&page(&model, data, None).unwrap());
        }
    }
    let few = data.rows(&[0, 1, 2, 3]).unwrap();
    let html = page(&fit(&quick(Size::Balanced), &few), &few, None).unwrap();
    sound(&html);
    assert!(html.contains("Too few samples to hold some back"));
    let html = page(&fit(&quick(Size::Features(2)), &data), &few, None).unwrap();
    assert!(html.contains("too few samples to hold some back, so its loss cannot be told"));
}

#[test]
fn names_are_data_never_markup() {
    let data = study(40, 60);
    let mut names = data.table().feature_names().to_vec();
    names[0] = "<img src=x onerror=alert(1)>\"'&</script>".to_string();
    let values: Vec<f64> = (0..60)
        .flat_map(|d| data.table().feature(d).to_vec())
        .collect();
    let samples = data.table().sample_names().to_vec();
    let table = Table::new(values, names, samples).unwrap();
    let data = Dataset::new(table, data.target().clone()).unwrap();
    let html = page(&fit(&compact(), &data), &data, None).unwrap();
    assert!(html.contains("&lt;img src=x"));
    assert!(!html.contains("<img"));
}

#[test]
fn data_and_evaluation_must_be_the_models() {
    let data = study(40, 60);
    let model = fit(&compact(), &data);
    let Target::Classes { labels, .. } = data.target().clone() else {
        panic!()
    };
    let other = Target::Classes {
        names: vec!["a".into(), "b".into()],
        labels,
    };
    let other = Dataset::new(data.table().clone(), other).unwrap();
    let told = page(&model, &other, None).unwrap_err();
    assert!(
        told.contains("'control' and 'case'") && told.contains("'a' and 'b'"),
        "{told}"
    );
    let numbers = Target::Values((0..40).map(f64::from).collect());
    let numbers = Dataset::new(data.table().clone(), numbers).unwrap();
    assert!(
        page(&model, &numbers, None)
            .unwrap_err()
            .contains("the target is a number")
    );

    let fewer = data.rows(&Vec::from_iter(0..30)).unwrap();
    let evaluation = evaluate(&compact(), &fewer);
    let told = page(&model, &data, Some(&evaluation)).unwrap_err();
    assert!(
        told.contains("30 samples") && told.contains("the table has 40"),
        "{told}"
    );
    let other = quick(Size::Features(5));
    let told = page(&model, &data, Some(&evaluate(&other, &data))).unwrap_err();
    assert!(told.contains("other options than the model's"), "{told}");
    let same = evaluate(&compact(), &data);
    assert!(page(&model, &data, Some(&same)).is_ok());
    // The same rows, features and class names, but another target.
    let Target::Classes { names, mut labels } = data.target().clone() else {
        panic!()
    };
    labels.swap(0, 39);
    let target = Target::Classes { names, labels };
    let other = Dataset::new(data.table().clone(), target).unwrap();
    let told = page(&model, &data, Some(&evaluate(&compact(), &other))).unwrap_err();
    assert!(told.contains("fingerprints differ"), "{told}");
    let nameless = Evaluation {
        classes: vec!["no".into(), "yes".into()],
        ..same.clone()
    };
    let told = page(&model, &data, Some(&nameless)).unwrap_err();
    assert!(told.contains("another target ('no' and 'yes')"), "{told}");
    let silent = Evaluation { data: None, ..same };
    let told = page(&model, &data, Some(&silent)).unwrap_err();
    assert!(told.contains("does not say what data it is of"), "{told}");
    let html = page(&model, &fewer, None).unwrap();
    assert!(html.contains("Other data."), "another table is told");
}

#[test]
fn ten_thousand_features_fit_into_two_megabytes() {
    let data = study(100, 10_000);
    let params = Params::signatures();
    let mut evaluation = evaluate(&params, &study(100, 50));
    (evaluation.d, evaluation.data) = (10_000, Some(data.fingerprint()));
    let html = page(&fit(&params, &data), &data, Some(&evaluation)).unwrap();
    assert!(html.len() < 2_000_000, "{} bytes", html.len());
    assert!(html.contains("All features; those of the model first"));
}

#[test]
fn a_validation_has_a_page_whatever_the_new_samples_are() {
    let data = study(80, 40);
    let model = fit(&compact(), &data.rows(&Vec::from_iter(0..40)).unwrap());
    let new = |keep: &dyn Fn(usize) -> bool| {
        let rows: Vec<usize> = (40..80).filter(|&n| keep(n)).collect();
        let labels = rows.iter().map(|&n| data.labels()[n]).collect();
        let Target::Classes { names, .. } = data.target().clone() else {
            panic!("classes");
        };
        let table = data.table().rows(&rows).unwrap();
        LabelledRows::new(table, Target::Classes { names, labels }, None).unwrap()
    };
    let all = new(&|_| true);
    let mut found = Validation::of(&model, &all, "<new>", 0.5).unwrap();
    let again = found.recalibrate(&model, &all, Recalibrate::Slope).unwrap();
    let page = validation_page(&found);
    sound(&page);
    for words in [
        "Validation: &lt;new&gt;",
        "id=\"roc-title\"",
        "id=\"shifts-title\"",
        "id=\"calibration-recalibrated-title\"",
        "cross-validated",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert_eq!(validation_figures(&found).len(), 6);
    assert!(
        validated(&found)
            .last()
            .unwrap()
            .starts_with("Recalibrated")
    );
    // The report on its own data tells of the recalibration, and the checklist knows.
    let page = page_of(&again, &data.rows(&Vec::from_iter(0..40)).unwrap());
    assert!(page.contains("Recalibrated on 40 other samples"));
    // One class, one sample.
    for keep in [&|n: usize| n % 2 == 1, &|n| n == 41] as [&dyn Fn(usize) -> bool; 2] {
        let few = new(keep);
        let found = Validation::of(&model, &few, "few", 0.5).unwrap();
        let page = validation_page(&found);
        sound(&page);
        assert!(!page.contains("id=\"roc-title\""));
        assert!(!validated(&found).is_empty());
    }
}

fn page_of(model: &Model, data: &Dataset) -> String {
    report(&summary(model, data, None))
}
