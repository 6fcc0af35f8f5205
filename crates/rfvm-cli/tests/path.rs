//! Models of growing size from the command line.

#![allow(clippy::unwrap_used)]

mod support;

use std::fs;

use support::{json, run, study};

const TABLE: [&str; 3] = ["table.csv", "--target", "outcome"];

#[test]
fn the_points_are_listed_and_drawn_and_the_chosen_ones_can_be_fitted() {
    let folder = study();
    let at = folder.path();
    let shown = run(
        at,
        &[&["path"], &TABLE[..], &["--plot", "path.svg"]].concat(),
    )
    .success();
    let text = String::from_utf8(shown.get_output().stdout.clone()).unwrap();
    for words in [
        "expected log loss",
        "compact",
        "balanced",
        "accurate",
        "The base rate costs",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let picture = fs::read_to_string(at.join("path.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    for words in ["base rate", "compact", "expected log loss"] {
        assert!(picture.contains(words), "{words}");
    }
    let path = json(at, &[&["path"], &TABLE[..], &["--json"]].concat());
    let points = path["points"].as_array().unwrap();
    assert_eq!(picture.matches("<circle").count(), points.len());
    assert_eq!(path["verdict"], "signal");
    for size in ["compact", "balanced", "accurate"] {
        let fit = json(
            at,
            &[&["fit"], &TABLE[..], &["--size", size, "--json"]].concat(),
        );
        let chosen = points
            .iter()
            .find(|point| point["size"] == path[size])
            .unwrap();
        assert_eq!(
            fit["features"].as_array().unwrap().len(),
            path[size].as_u64().unwrap() as usize
        );
        assert_eq!(fit["expected"]["loss"], chosen["log_loss"], "{size}");
        assert_eq!(fit["bound"], chosen["bound"], "{size}");
    }
    let four = json(
        at,
        &[&["fit"], &TABLE[..], &["--size", "4", "--json"]].concat(),
    );
    assert_eq!(four["features"].as_array().unwrap().len(), 4);
    let evaluation = json(
        at,
        &[
            &["evaluate"],
            &TABLE[..],
            &["--size", "2", "--repeats", "1", "--json"],
        ]
        .concat(),
    );
    assert_eq!(evaluation["features"]["mean"], 2.0);
}

#[test]
fn sizes_that_make_no_sense_are_refused() {
    let folder = study();
    let at = folder.path();
    for (arguments, words) in [
        (&["fit", "--size", "0"][..], "a number of features from 1"),
        (&["fit", "--size", "tiny"], "compact, balanced, accurate"),
        (
            &["path", "--signatures", "2"],
            "unexpected argument '--signatures'",
        ),
        (
            &["fit", "--class-weight", "heavy"],
            "balanced or two numbers, negative class first",
        ),
    ] {
        let refused = run(at, &[&arguments[..1], &TABLE[..], &arguments[1..]].concat()).code(2);
        let told = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(told.contains(words), "{told}");
    }
}
