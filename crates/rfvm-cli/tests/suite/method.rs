//! The method of a fit: `--method` alone chooses it, and an option that it does not take is refused by name.

use crate::support::{json, run, study};

const TABLE: [&str; 3] = ["table.csv", "--target", "outcome"];

fn method(at: &std::path::Path, arguments: &[&str]) -> serde_json::Value {
    let fit = json(at, &[&["fit"], &TABLE[..], arguments, &["--json"]].concat());
    fit["parameters"]["method"].clone()
}

#[test]
fn an_option_of_another_method_is_refused_by_name() {
    let folder = study();
    let at = folder.path();
    let of = |option, method, methods| {
        format!("{option} is not an option of --method {method}; it belongs to --method {methods}")
    };
    let both = "signatures or mean-field";
    for (options, told) in [
        (
            &["--signatures", "2"][..],
            of("--signatures", "projected", both),
        ),
        (
            &["--start-seed", "3"],
            of("--start-seed", "projected", both),
        ),
        (
            &["--max-iterations", "9"],
            of("--max-iterations", "projected", both),
        ),
        (
            &["--family", "folded"],
            of("--family", "projected", "mean-field"),
        ),
        (
            &["--method", "signatures", "--size", "3"],
            of("--size", "signatures", "projected"),
        ),
        (
            &["--method", "signatures", "--share", "0.9"],
            of("--share", "signatures", "projected"),
        ),
        (
            &["--method", "signatures", "--family", "gaussian"],
            of("--family", "signatures", "mean-field"),
        ),
        (
            &["--method", "mean-field", "--size", "compact"],
            of("--size", "mean-field", "projected"),
        ),
    ] {
        for command in ["fit", "evaluate"] {
            let arguments = [&[command], &TABLE[..], options].concat();
            let refused = run(at, &arguments).code(2);
            let stderr = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
            assert_eq!(stderr, format!("rfvm: {told}\n"));
        }
    }
}

#[test]
fn the_method_is_the_one_that_was_asked_for() {
    let folder = study();
    let at = folder.path();
    assert_eq!(method(at, &[])["projected"]["size"], "balanced");
    let full = method(at, &["--size", "full"]);
    assert_eq!(full["projected"]["size"], "full");
    let share = method(at, &["--share", "0.9"]);
    assert_eq!(share["projected"]["size"]["share"], 0.9);
    let signatures = method(at, &["--method", "signatures", "--start-seed", "3"]);
    assert_eq!(signatures["signatures"]["start"]["random"]["seed"], 3);
    let options = ["--method", "mean-field", "--max-iterations", "9"];
    let mean_field = method(at, &options);
    assert_eq!(mean_field["mean_field"]["stopping"]["max_iterations"], 9);
    assert_eq!(mean_field["mean_field"]["family"], "folded");
}

#[test]
fn a_seed_never_switches_the_method() {
    let folder = study();
    let at = folder.path();
    run(at, &[&["fit"], &TABLE[..], &["--seed", "3"]].concat()).code(2);
    let evaluate = |seed| {
        let seeded = ["--seed", seed, "--repeats", "1", "--json"];
        json(at, &[&["evaluate"], &TABLE[..], &seeded].concat())
    };
    let (first, second) = (evaluate("3"), evaluate("4"));
    assert_eq!(first["parameters"], second["parameters"]);
    assert!(first["parameters"]["method"]["projected"].is_object());
    assert_ne!(first["results"][0]["rows"], second["results"][0]["rows"]);
}
