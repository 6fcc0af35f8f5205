//! Model files that somebody has altered, with a checksum that fits: each is refused, or says nothing that is no number.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use rfvm::{
    ClassWeight, Dataset, FeatureFacts, FeatureSet, Gaps, Model, Params, Signatures, Simulation,
    Size, Table,
};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn data() -> Dataset {
    let simulation = Simulation {
        samples: 40,
        features: 60,
        effect: 2.0,
        ..Simulation::default()
    };
    simulation.draw().unwrap().data
}

fn fitted(params: Params) -> Model {
    params.check().unwrap().fit(data()).unwrap()
}

/// A projected, a full and a committee's model.
fn models() -> [Model; 3] {
    let committee = Signatures {
        count: 2,
        ..Signatures::default()
    };
    [
        fitted(Params::default()),
        fitted(Params::projected(Size::Full)),
        fitted(Params::from(committee)),
    ]
}

fn content(model: &Model) -> Value {
    let file: Value = serde_json::from_str(&model.to_json()).unwrap();
    file["model"].clone()
}

/// The file with this content and the checksum that belongs to it.
fn forged(content: &Value) -> Result<Model, String> {
    let text = content.to_string();
    let digest = Sha256::digest(text.as_bytes());
    let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let file = format!(
        r#"{{"format":"rfvm-model","version":2,"checksum":"sha256:{sum}","model":{text}}}"#
    );
    Model::from_json(file.as_bytes())
}

fn doubles(values: &[f64]) -> Value {
    let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
    json!(BASE64_STANDARD.encode(bytes))
}

/// Everything that can be changed: numbers to numbers that they should not be, arrays in their first entry, names away.
fn alterations(at: &Value, pointer: &str, found: &mut Vec<(String, Value)>) {
    let mut change = |to: Value| found.push((pointer.to_string(), to));
    match at {
        Value::Number(number) if number.is_f64() => {
            for to in [-1.0, 0.0, 1e308, -1e308, 5e-324] {
                change(json!(to));
            }
        }
        Value::Number(_) => {
            for to in [0_u64, 1, 1_000_000, u64::MAX / 2] {
                change(json!(to));
            }
        }
        Value::String(text) => {
            change(json!(""));
            let values = BASE64_STANDARD.decode(text).unwrap_or_default();
            let (values, rest) = values.as_chunks::<8>();
            if rest.is_empty() && !values.is_empty() && text.len() > 8 {
                let values: Vec<f64> = values.iter().map(|v| f64::from_le_bytes(*v)).collect();
                for to in [-1.0, 0.0, 1e308, f64::NAN, f64::INFINITY] {
                    let first = std::iter::once(to);
                    let altered: Vec<f64> = first.chain(values[1..].iter().copied()).collect();
                    change(doubles(&altered));
                }
                change(doubles(&values[1..]));
            }
        }
        Value::Array(entries) => {
            change(json!([]));
            for (i, entry) in entries.iter().enumerate().take(3) {
                alterations(entry, &format!("{pointer}/{i}"), found);
            }
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                alterations(field, &format!("{pointer}/{name}"), found);
            }
        }
        Value::Null | Value::Bool(_) => {}
    }
}

/// The data without the first feature of a model.
fn lacking(model: &Model) -> Table {
    let data = data();
    let table = data.table();
    let lost = model.needed_features().into_iter().next();
    let kept: Vec<usize> = (0..table.features())
        .filter(|&d| lost.as_deref() != Some(&table.feature_names()[d]))
        .collect();
    let values = kept.iter().flat_map(|&d| table.feature(d)).copied();
    let names: Vec<String> = kept
        .iter()
        .map(|&d| table.feature_names()[d].to_owned())
        .collect();
    Table::new(values.collect(), names, table.sample_names().to_vec()).unwrap()
}

#[test]
fn a_file_without_companions_is_read_and_one_with_impossible_ones_is_not() {
    let model = &models()[0];
    let mut content = content(model);
    let mut altered = content.clone();
    let kept = &content["companions"];
    let count = |of: &str| kept[of].as_array().unwrap().len();
    let size = count("stand_ins") + count("companions");
    // Two features of variance 1 that vary together by 2.
    let mut triangle = vec![0.0; size * (size + 1) / 2];
    let mut at = 0;
    for j in 0..size {
        triangle[at] = 1.0;
        at += size - j;
    }
    triangle[1] = 2.0;
    altered["companions"]["correlation"] = doubles(&triangle);
    let message = forged(&altered).unwrap_err();
    assert!(
        message.contains("correlation of its features is none"),
        "{message}"
    );
    let twice = kept["companions"][0]["name"].clone();
    altered = content.clone();
    altered["companions"]["companions"][1]["name"] = twice;
    let message = forged(&altered).unwrap_err();
    assert!(message.contains("two of its features"), "{message}");

    content.as_object_mut().unwrap().remove("companions");
    let old = forged(&content).unwrap();
    let plain = model.predict(data().table()).unwrap();
    assert_eq!(old.predict(data().table()).unwrap(), plain);
    let refusal = old.predict_with(&lacking(model), Gaps::Integrate);
    assert_eq!(
        refusal.unwrap_err().to_string(),
        "the model was fitted by an older version and does not know how its features hang together, so that what is missing cannot be integrated over; fit it again"
    );
}

/// All numbers of a text of JSON are finite: serde writes others as null, which nothing here is.
fn assert_finite(what: &str, value: &impl serde::Serialize) {
    let text = serde_json::to_string(value).unwrap();
    assert!(!text.contains("null"), "{what}: {text}");
}

#[test]
fn an_altered_model_is_refused_or_says_nothing_but_numbers() {
    let (mut tried, mut refused) = (0, 0);
    for model in models() {
        let content = content(&model);
        assert!(forged(&content).unwrap() == model);
        let mut found = Vec::new();
        alterations(&content, "", &mut found);
        for (pointer, to) in found {
            let mut altered = content.clone();
            *altered.pointer_mut(&pointer).unwrap() = to.clone();
            tried += 1;
            let Ok(model) = forged(&altered) else {
                refused += 1;
                continue;
            };
            let what = format!("{pointer} = {to}");
            let predictions = model.predict(data().table()).unwrap_or_default();
            assert_finite(&what, &predictions);
            let filled = model.predict_with(&lacking(&model), Gaps::Substitute);
            assert_finite(
                &what,
                &filled.map_or(Vec::new(), |filled| filled.predictions),
            );
            assert_finite(&what, &model.expected().map_or(0.0, |e| e.loss));
            for feature in model.signatures().iter().flat_map(|s| s.features()) {
                assert!(feature.sd >= 0.0 && feature.weight.is_finite(), "{what}");
            }
            assert!(model.training().samples > 0, "{what}");
            assert!(model.feature_count() <= model.training().features, "{what}");
        }
    }
    // Titles, seconds and the like may be anything; what a prediction or a claim rests on may not.
    assert!(tried > 1000 && 2 * refused > tried, "{refused} of {tried}");
}

#[test]
fn a_recalibration_that_cannot_be_is_refused() {
    let mut content = content(&models()[0]);
    let fine = json!({
        "how": "slope", "change": {"slope": 2.0, "intercept": 1.0}, "data": "sha256:0",
        "samples": 34, "positive": 25, "loss": [0.5, 0.25], "version": "0.1.0",
    });
    content["recalibrations"] = json!([fine]);
    assert_eq!(forged(&content).unwrap().recalibrations().len(), 1);
    for (pointer, to) in [
        ("/positive", json!(35)),
        ("/samples", json!(0)),
        ("/change/slope", json!(1e300)),
        ("/loss/0", json!(-1.0)),
        ("/how", json!("by hand")),
    ] {
        let mut altered = content.clone();
        *altered["recalibrations"][0].pointer_mut(pointer).unwrap() = to;
        assert!(forged(&altered).is_err(), "{pointer}");
    }
}

#[test]
fn what_no_model_can_be_is_refused_by_name() {
    let content = content(&models()[0]);
    let refusal = |pointer: &str, to: Value| {
        let mut altered = content.clone();
        *altered.pointer_mut(pointer).expect(pointer) = to;
        forged(&altered).expect_err(pointer)
    };
    for (pointer, to, why) in [
        ("/classes", json!(["case", "case"]), "two of its classes"),
        ("/classes", json!(["", "case"]), "has no name"),
        ("/training/samples", json!(0), "fitted on no sample"),
        ("/training/samples", json!(41), "do not add up"),
        ("/training/features", json!(1), "more features than"),
        ("/training/class_counts", json!([40, 40]), "do not add up"),
        ("/correction/slope", json!(-1.0), "negative"),
        ("/correction/slope", json!(1e300), "is 1e300"),
        ("/signatures/0/noise", json!(-1.0), "the noise is -1"),
        ("/signatures/0/bias", json!(1e308), "the bias is"),
        (
            "/signatures/0/bias_variance",
            json!(-0.5),
            "variance of the bias",
        ),
        (
            "/signatures/0/vectors/0/coefficient",
            json!(1e308),
            "coefficient",
        ),
        (
            "/signatures/0/vectors/0/coefficient",
            json!(7.0),
            "not that of its posterior",
        ),
        (
            "/signatures/0/posterior/few/features/0/scale/sd",
            json!(0.0),
            "the scale of",
        ),
        (
            "/signatures/0/posterior/few/features/0/name",
            json!(""),
            "has no name",
        ),
        (
            "/signatures/0/posterior/few/features/0/range",
            json!([1.0, 0.0]),
            "a range",
        ),
        ("/share", json!(1.5), "above 1"),
        ("/expected/se", json!(-1.0), "a standard error is -1"),
        ("/parameters/method/projected/sweeps", json!(0), "sweeps"),
        ("/signatures", json!([]), "no signature"),
        ("/companions/stand_ins/0", json!(1000), "not those of"),
        ("/companions/shrinkage", json!(1.5), "no share"),
        (
            "/companions/companions/0/scale/sd",
            json!(0.0),
            "the scale of",
        ),
    ] {
        let message = refusal(pointer, to);
        assert!(message.contains(why), "{pointer}: {message}");
        assert!(message.contains("fit again"), "{message}");
    }
    // A covariance with a negative direction: two features that vary by 1 and together by 2.
    let few = &content["signatures"][0]["posterior"]["few"];
    let count = few["features"].as_array().unwrap().len();
    let mut triangle = vec![0.0; count * (count + 1) / 2];
    let mut at = 0;
    for j in 0..count {
        triangle[at] = 1.0;
        at += count - j;
    }
    triangle[1] = 2.0;
    let message = refusal(
        "/signatures/0/posterior/few/v_spread/joint",
        doubles(&triangle),
    );
    assert!(message.contains("covariance is not positive"), "{message}");
}

#[test]
fn extreme_weights_are_refused_or_give_a_model_that_loads() {
    let refusal = data()
        .with_class_weight(ClassWeight::PerClass(1.0, 1e100))
        .unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "parameter class_weight (positive class) is 1e100; it must be between 1e-9 and 1e9"
    );
    let apart = data().with_class_weight(ClassWeight::PerClass(1e-9, 1e9));
    let refusal = Params::default().check().unwrap().fit(apart.unwrap());
    assert_eq!(
        refusal.unwrap_err().to_string(),
        "parameter weights is from 1e-9 to 1000000000.0; it must be within a factor of 1e12 of each other, class and sample weights together"
    );
    for weight in [(1.0, 1e9), (1e-3, 1e9), (1e9, 1e9), (1e-9, 1e-9)] {
        let data = data().with_class_weight(ClassWeight::PerClass(weight.0, weight.1));
        let model = Params::default()
            .check()
            .unwrap()
            .fit(data.unwrap())
            .unwrap();
        let back = Model::from_json(model.to_json().as_bytes());
        assert!(back.is_ok(), "{weight:?}: {:?}", back.err());
        assert_finite("weights", &model.predict(self::data().table()).unwrap());
    }
}

#[test]
fn a_value_out_of_all_proportion_is_named() {
    for model in models() {
        let name = model.signatures()[0].features()[0].name.clone();
        let of = data();
        let d = of
            .table()
            .find_features(std::slice::from_ref(&name))
            .unwrap()[0];
        let features = of.table().features();
        let values = (0..features).flat_map(|at| {
            let value = of.table().feature(at)[0];
            [value, if at == d { 1.7e308 } else { value }]
        });
        let names = of.table().feature_names().clone();
        let table = Table::new(values.collect(), names, vec!["near".into(), "far".into()]);
        // A bent tail may take even this; a score that is no number may not come back.
        match model.predict(&table.unwrap()) {
            Ok(predictions) => assert_finite(&name, &predictions),
            Err(error) => {
                let error = error.to_string();
                assert!(error.contains(&name) && error.contains("'far'"), "{error}");
            }
        }
    }
}

#[test]
fn columns_of_any_size_are_fitted_and_kept() {
    let of = data();
    let table = of.table();
    // The same study in units of 1e300, of 1e-310 and 1e15 away from zero by steps of 7.
    let features = (0..table.features()).flat_map(|d| {
        let column = table.feature(d).to_vec();
        column.into_iter().map(move |value| match d % 3 {
            0 => value * 1e300,
            1 => value * 1e-310,
            _ => 1e15 + 7.0 * (10.0 * value).round(),
        })
    });
    let names = table.feature_names().clone();
    let samples = table.sample_names().to_vec();
    let extreme = Table::new(features.collect(), names, samples).unwrap();
    let extreme = Dataset::new(extreme, of.target().clone()).unwrap();
    for size in [Size::Balanced, Size::Full] {
        let params = Params::projected(size).check().unwrap();
        let model = params.fit(extreme.clone()).unwrap();
        assert_eq!(model.training().constant_features, 0);
        let back = Model::from_json(model.to_json().as_bytes()).unwrap();
        assert!(back == model, "{size}");
        let predictions = back.predict(extreme.table()).unwrap();
        assert_finite("units", &predictions);
        let right = predictions.iter().zip(of.labels());
        let right = right.filter(|(p, t)| p.class() == Some(**t)).count();
        assert!(right > 30, "{size}: {right} of 40");
    }
}

#[test]
fn prices_and_panels_that_fit_nothing_are_refused() {
    let data = data();
    let names = data.table().feature_names().to_vec();
    let facts = FeatureFacts {
        prices: names.iter().map(|name| (name.clone(), 2.0)).collect(),
        panels: vec![FeatureSet {
            name: "kit".to_string(),
            members: names[..30].to_vec(),
        }],
        ..FeatureFacts::default()
    };
    let data = data.with_facts(facts).unwrap();
    let params = Params::projected(Size::Features(8)).check().unwrap();
    let whole = content(&params.fit(data).unwrap());
    forged(&whole).unwrap();
    let panel = (whole["known"]["features"].as_array().unwrap().iter())
        .position(|feature| feature.get("panel").is_some())
        .unwrap();
    for (pointer, to) in [
        ("/known/panels/0/price".to_string(), json!(-1.0)),
        (format!("/known/features/{panel}/panel"), json!("another")),
        ("/known/features/0/annotation".to_string(), json!(["text"])),
        ("/known/features/0/name".to_string(), json!("zzz")),
    ] {
        let mut altered = whole.clone();
        match altered.pointer_mut(&pointer) {
            Some(at) => *at = to,
            None => altered["known"]["features"][0]["annotation"] = to,
        }
        assert!(forged(&altered).is_err(), "{pointer}");
    }
}
