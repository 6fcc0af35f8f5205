//! Model files: a round trip loses nothing, damage is refused in one sentence, nothing half-written is left.

use rfvm::{
    Dataset, Error, Family, MeanField, Model, Params, Signatures, Simulation, StopReason, Sweep,
};

fn data() -> Dataset {
    let simulation = Simulation {
        samples: 40,
        features: 300,
        effect: 2.0,
        ..Simulation::default()
    };
    simulation.draw().unwrap().data
}

fn projected() -> Model {
    let data = data().with_groups((0..40).map(|n| n / 2).collect());
    let params = Params::default().check().unwrap();
    params.fit(data.unwrap()).unwrap()
}

fn committee() -> Model {
    let mut method = Signatures {
        count: 3,
        ..Signatures::default()
    };
    method.stopping.max_iterations = 100;
    Params::from(method).check().unwrap().fit(data()).unwrap()
}

fn mean_field(max_iterations: usize) -> Model {
    let mut method = MeanField {
        sweep: Sweep::Simultaneous,
        ..MeanField::of(Family::Truncated)
    };
    method.stopping.max_iterations = max_iterations;
    Params::from(method).check().unwrap().fit(data()).unwrap()
}

const CUT: &str = "the model file is damaged or cut short; copy it again or fit again";

fn refusal(text: &str) -> String {
    Model::from_json(text.as_bytes()).unwrap_err()
}

#[test]
fn a_round_trip_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for (name, model) in [
        ("projected", projected()),
        ("committee", committee()),
        ("mean-field", mean_field(20)),
    ] {
        let path = folder.path().join(name);
        model.save(&path).unwrap();
        let back = Model::load(&path).unwrap();
        assert!(back == model, "{name}");
        assert_eq!(
            back.predict(data().table()).unwrap(),
            model.predict(data().table()).unwrap()
        );
        assert_eq!(back.to_json(), model.to_json());
    }
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        3,
        "no temporary file is left"
    );
}

#[test]
fn a_long_trace_is_thinned_in_the_file_but_keeps_its_ends() {
    let model = mean_field(1200);
    let back = Model::from_json(model.to_json().as_bytes()).unwrap();
    let (full, thin) = (model.signatures()[0].trace(), back.signatures()[0].trace());
    assert_eq!(full.len(), 1200);
    assert!(thin.len() <= 502, "{}", thin.len());
    assert_eq!((thin.first(), thin.last()), (full.first(), full.last()));
}

#[test]
fn a_model_of_a_hundred_features_and_ten_vectors_stays_below_100_kb() {
    let simulation = Simulation {
        samples: 60,
        features: 100,
        ..Simulation::default()
    };
    let study = simulation.draw().unwrap();
    let mut method = Signatures {
        candidates: rfvm::Candidates::Rows((0..10).collect()),
        ..Signatures::default()
    };
    method.pruning.after = 1000;
    // Stopped before anything is pruned: the joint covariance of a hundred features is all there.
    let mut left = 500;
    let model = Params::from(method)
        .check()
        .unwrap()
        .fit_with(study.data, |_| {
            left -= 1;
            if left == 0 {
                std::ops::ControlFlow::Break(())
            } else {
                std::ops::ControlFlow::Continue(())
            }
        })
        .unwrap();
    assert_eq!(model.stop_reason(), StopReason::Interrupted);
    assert_eq!((model.feature_count(), model.vector_count()), (100, 10));
    let size = model.to_json().len();
    assert!(size < 100_000, "{size} bytes");
}

#[test]
fn damage_truncation_and_foreign_files_are_refused() {
    let text = committee().to_json();
    assert_eq!(refusal(""), CUT);
    for cut in (1..text.len()).step_by(97) {
        assert_eq!(refusal(&text[..cut]), CUT);
    }
    let damaged = text.replacen("0.", "1.", 1);
    assert!(
        refusal(&damaged).contains("its checksum does not match"),
        "{}",
        refusal(&damaged)
    );
    assert_eq!(refusal("{\"a\": 1}"), "this is not an rfvm model file");
    assert_eq!(refusal("PK\u{3}\u{4}"), "this is not an rfvm model file");
    let foreign = refusal("{\"format\": \"other\", \"version\": 1}");
    assert_eq!(
        foreign,
        "this is not an rfvm model file (its format is 'other')"
    );
    let newer = refusal(&text.replacen("\"version\":2", "\"version\":3", 1));
    assert_eq!(
        newer,
        "this model has format version 3, and this program reads up to 2; update rfvm"
    );
    let older = refusal(&text.replacen("\"version\":2", "\"version\":1", 1));
    assert_eq!(
        older,
        "this model has format version 1, which this version of rfvm no longer reads; fit it again"
    );
}

#[test]
fn a_model_keeps_the_parameters_of_its_own_method_alone() {
    let kept = |model: Model| serde_json::to_value(model.parameters()).unwrap();
    let projected = kept(projected());
    let own = &projected["method"]["projected"];
    assert_eq!(
        (&own["size"], &own["sweeps"]),
        (&"balanced".into(), &4.into())
    );
    assert!(own["count"].is_null() && own["hyper"].is_null());
    assert_eq!(projected["data"]["groups"], true);
    assert_eq!(projected["preprocessing"]["scaling"], "robust");
    let committee = kept(committee());
    let own = &committee["method"]["signatures"];
    assert_eq!(
        (&own["count"], &own["candidates"]),
        (&3.into(), &"all".into())
    );
    assert!(own["family"].is_null() && own["hyper"]["psi_shape"].is_number());
    let own = &kept(mean_field(20))["method"]["mean_field"];
    assert!(own["family"] == "truncated" && own["narrow_at"].is_null());
}

#[test]
fn a_file_that_cannot_be_written_or_read_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let nowhere = folder.path().join("no/such/folder/model.json");
    let error = committee().save(&nowhere).unwrap_err();
    assert!(matches!(error, Error::File { .. }));
    assert!(error.to_string().contains("model.json"), "{error}");
    assert!(
        Model::load(&nowhere)
            .unwrap_err()
            .to_string()
            .contains("model.json")
    );
    // A folder in the way: nothing is written, nothing is left.
    let error = committee().save(folder.path()).unwrap_err();
    assert!(matches!(error, Error::File { .. }), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn messages_about_forged_files_stay_on_one_line() {
    use sha2::{Digest as _, Sha256};
    let model = r#"{"task":{"a\nb":1}}"#;
    let sum: String = Sha256::digest(model)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let forged = format!(
        r#"{{"format":"rfvm-model","version":2,"checksum":"sha256:{sum}","model":{model}}}"#
    );
    for text in [forged.as_str(), r#"{"format":"a\nb","version":1}"#] {
        let message = Model::from_json(text.as_bytes()).unwrap_err();
        assert!(!message.contains('\n'), "{message:?}");
    }
}
