//! Every recorded quantity of an independent slow program, met number by number.
//!
//! The full set lies in `../shared/oracle/cases` beside the project; a small committed set of golden numbers
//! in the same format (`scripts/golden_cases.py`) keeps the check alive without it.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::data::Task;
use crate::inference::columns::{CandidateRows, Columns};
use crate::inference::latent::Latent;
use crate::inference::narrow::Narrow;
use crate::inference::state::State;
use crate::inference::{sweep, wide};
use crate::numerics::parallel::Workers;
use crate::numerics::special::sigmoid;
use crate::params::Sweep;
use crate::posterior::family::Family;
use crate::posterior::moments::moderation;
use crate::posterior::prior::Hyper;
use crate::skipped::skipped;

#[derive(Deserialize)]
struct Case {
    #[serde(rename = "X")]
    x: Vec<Vec<f64>>,
    t: Vec<f64>,
    family: Family,
    sweep: String,
    tau_fixed: bool,
    hyper: Hyper,
    after: BTreeMap<usize, Snapshot>,
    predict: Prediction,
}

#[derive(Deserialize)]
struct Snapshot {
    v: Vec<f64>,
    v_var: Vec<f64>,
    a: Vec<f64>,
    a_cov_diag: Vec<f64>,
    b: f64,
    b_var: f64,
    y: Vec<f64>,
    y_var: Vec<f64>,
    xi: Vec<f64>,
    psi: Vec<f64>,
    delta: Vec<f64>,
    tau: f64,
    bound: Option<f64>,
}

#[derive(Deserialize)]
struct Prediction {
    #[serde(rename = "X")]
    x: Vec<Vec<f64>>,
    mean: Vec<f64>,
    variance: Vec<f64>,
    probability: Vec<f64>,
}

fn feature_major(rows: &[Vec<f64>]) -> Vec<f64> {
    (0..rows[0].len())
        .flat_map(|d| rows.iter().map(move |row| row[d]))
        .collect()
}

/// Relative to the largest entry of the vector: what the arithmetic of a sum can promise.
fn compare(what: &str, got: &[f64], want: &[f64], tolerance: f64) {
    assert_eq!(got.len(), want.len(), "{what}");
    let scale = want.iter().fold(0.0, |max: f64, w| max.max(w.abs()));
    for (i, (got, want)) in got.iter().zip(want).enumerate() {
        let error = (got - want).abs();
        assert!(
            error <= tolerance * want.abs() || error <= tolerance * 1e-3 * scale || error < 1e-15,
            "{what}[{i}]: got {got}, want {want}"
        );
    }
}

// One at a time lives here, so that its size does not matter.
#[allow(clippy::large_enum_variant)]
enum Engine<'a, 'p> {
    Product(State<'a, 'p>),
    Joint(Narrow<'a>),
}

fn check(path: &Path) {
    let case: Case = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let name = path.file_stem().unwrap().to_str().unwrap();
    let data = feature_major(&case.x);
    let (n, d) = (case.x.len(), case.x[0].len());
    let weight = vec![1.0; n];
    let held = case.tau_fixed.then_some(1.0);
    let latent = Latent::start(Task::Classification, &case.t, &weight, case.hyper, held);
    let workers = Workers(None);
    let start = State::start(
        Columns::new(&data, n),
        CandidateRows::new(n, None, None),
        latent,
        case.hyper,
        vec![(d as f64).powf(-0.5); d],
        &workers,
    );
    let mut engine = match case.sweep.as_str() {
        "joint" => Engine::Joint(Narrow::from_state(start, |_| 1.0)),
        _ => Engine::Product(start),
    };
    for iteration in 1..=50 {
        match &mut engine {
            Engine::Joint(narrow) => narrow.iterate(false).unwrap(),
            Engine::Product(state) => match case.sweep.as_str() {
                "wide" => wide::iterate(state).unwrap(),
                "simultaneous" => sweep::iterate(state, case.family, Sweep::Simultaneous).unwrap(),
                "sequential" => sweep::iterate(state, case.family, Sweep::Sequential).unwrap(),
                other => panic!("unknown sweep {other}"),
            },
        }
        if let Some(want) = case.after.get(&iteration) {
            compare_snapshot(
                &format!("{name} after {iteration}"),
                &engine,
                want,
                &case,
                iteration,
            );
        }
    }
    let moments = match &engine {
        Engine::Joint(narrow) => narrow.moments(),
        Engine::Product(state) => state.moments(),
    };
    let latent = moments.latent();
    let got: Vec<(f64, f64)> = case.predict.x.iter().map(|x| latent(x)).collect();
    let column = |of: fn(&(f64, f64)) -> f64| got.iter().map(of).collect::<Vec<f64>>();
    compare(
        &format!("{name}: mean"),
        &column(|g| g.0),
        &case.predict.mean,
        1e-7,
    );
    compare(
        &format!("{name}: variance"),
        &column(|g| g.1),
        &case.predict.variance,
        1e-7,
    );
    let probability = column(|&(mean, variance)| sigmoid(mean / moderation(variance)));
    compare(
        &format!("{name}: probability"),
        &probability,
        &case.predict.probability,
        1e-7,
    );
}

fn compare_snapshot(at: &str, engine: &Engine, want: &Snapshot, case: &Case, iteration: usize) {
    let tolerance = if iteration == 50 { 1e-7 } else { 1e-9 };
    let (latent, v, v_var, a, a_var, psi, delta) = match engine {
        Engine::Joint(q) => (
            &q.latent,
            &q.v,
            q.v_cov.diagonal().collect(),
            &q.a,
            &q.a_cov,
            &q.psi,
            &q.delta,
        ),
        Engine::Product(q) => {
            let f = &q.features;
            (
                &q.latent,
                &f.v,
                f.v_var.clone(),
                &q.a,
                &q.a_cov,
                &q.psi,
                &f.delta,
            )
        }
    };
    let a_var: Vec<f64> = a_var.diagonal().collect();
    for (what, got, want) in [
        ("v", v, &want.v),
        ("v_var", &v_var, &want.v_var),
        ("a", a, &want.a),
        ("a_cov_diag", &a_var, &want.a_cov_diag),
        (
            "b, b_var, tau",
            &vec![latent.b, latent.b_var, latent.tau],
            &vec![want.b, want.b_var, want.tau],
        ),
        ("y", &latent.y, &want.y),
        ("y_var", &latent.y_var, &want.y_var),
        ("xi", &latent.xi, &want.xi),
        ("psi", psi, &want.psi),
        ("delta", delta, &want.delta),
    ] {
        compare(&format!("{at}: {what}"), got, want, tolerance);
    }
    if let Some(want) = want.bound {
        let bound = match engine {
            Engine::Joint(q) => q.bound(),
            Engine::Product(q) => q.bound(),
        };
        // The reference integrates the entropy of `folded` numerically.
        let tolerance = if case.family == Family::Folded {
            1e-7
        } else {
            tolerance
        };
        compare(&format!("{at}: bound"), &[bound], &[want], tolerance);
    }
}

fn cases(folder: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) else {
        return Vec::new();
    };
    // Cases named `full_...` are of another model and in another format.
    let of_this_model = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.ends_with(".json") && !name.starts_with("full_"))
    };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(of_this_model)
        .collect();
    files.sort();
    files
}

#[test]
fn every_case_of_the_oracle_is_met() {
    let files = cases("../../../shared/oracle/cases");
    if files.is_empty() {
        skipped(
            "rfvm inference::tests::oracle::every_case_of_the_oracle_is_met",
            "../shared/oracle/cases is not there; the committed golden numbers are checked all the same",
        );
        return;
    }
    files.iter().for_each(|file| check(file));
}

#[test]
fn the_committed_golden_numbers_are_met() {
    let files = cases("tests/data/golden");
    assert_eq!(
        files.len(),
        8,
        "three families by two sweeps, joint and wide"
    );
    files.iter().for_each(|file| check(file));
}
