//! A model file, and the same bytes as the content of one whose checksum is right, as else all damage would end there.

#![no_main]

use rfvm::{Model, Params, Simulation, Table};
use sha2::{Digest as _, Sha256};

libfuzzer_sys::fuzz_target!(init: write_seed(), |bytes: &[u8]| {
    check(bytes);
    if let Ok(model) = std::str::from_utf8(bytes) {
        let digest = Sha256::digest(bytes);
        let sum: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        let file = format!(
            r#"{{"format":"rfvm-model","version":2,"checksum":"sha256:{sum}","model":{model}}}"#
        );
        check(file.as_bytes());
    }
});

/// Writes a small model to the path in `MODEL_SEED` and ends, where there is one: only this program has a model at hand.
fn write_seed() {
    let Some(path) = std::env::var_os("MODEL_SEED") else {
        return;
    };
    let simulation = Simulation {
        samples: 24,
        features: 30,
        informative: 3,
        effect: 2.0,
        block: 1,
        ..Simulation::default()
    };
    let model = simulation
        .draw()
        .and_then(|study| Params::signatures().check()?.fit(study.data))
        .expect("a model of simulated data");
    model.save(path).expect("room for a small file");
    std::process::exit(0);
}

/// What can be read can be written, read again, and used.
fn check(bytes: &[u8]) {
    let model = match Model::from_json(bytes) {
        Ok(model) => model,
        Err(message) => return assert!(!message.is_empty() && !message.contains('\n')),
    };
    let text = model.to_json();
    let again = Model::from_json(text.as_bytes()).expect("what was written is whole");
    assert_eq!(again.to_json(), text);
    let mut names = model.needed_features();
    names.sort_unstable();
    names.dedup();
    let samples = vec!["s1".to_owned(), "s2".to_owned()];
    let values = (0..2 * names.len()).map(|i| i as f64 - 1.5).collect();
    if let Ok(table) = Table::with_missing(values, names, samples)
        && let Ok(predictions) = model.predict(&table)
    {
        assert_eq!(predictions.len(), 2);
    }
}
