//! Models of growing size from the command line.

use std::fs;

use crate::support::{json, run, study};

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
        "explained share",
        "expected log loss",
        "behind full",
        "compact",
        "balanced",
        "accurate",
        "The base rate costs",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let full = text.lines().find(|line| line.ends_with(" full")).unwrap();
    assert!(full.trim_start().starts_with("30 ") && full.contains("100 %"));
    let picture = fs::read_to_string(at.join("path.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    for words in [
        "base rate",
        "compact",
        "expected log loss",
        "explained share",
        ">full<",
        ">all<",
    ] {
        assert!(picture.contains(words), "{words}");
    }
    let path = json(at, &[&["path"], &TABLE[..], &["--json"]].concat());
    let points = path["points"].as_array().unwrap();
    // A circle a size in both panels, and a square for the full model.
    assert_eq!(picture.matches("<circle").count(), 2 * points.len());
    assert_eq!(path["verdict"], "signal");
    assert!(path["detection"].as_f64().unwrap() > 3.0);
    assert_eq!(path["full"]["features"], 30);
    assert_eq!(path["full"]["vectors"], 40);
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
        assert_eq!(fit["share"], chosen["share"], "{size}");
        assert_eq!(fit["full"]["loss"], path["full"]["log_loss"], "{size}");
        assert_eq!(fit["verdict"], path["verdict"], "{size}");
        assert_eq!(fit["detection"], path["detection"], "{size}");
        assert!(fit["correction"]["slope"].as_f64().unwrap() > 0.0);
        // What choosing this size costs is judged too, so that it may differ from the size's own.
        assert!(fit["expected"]["loss"].is_f64());
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
fn a_share_gives_the_fewest_features_that_keep_it_or_says_that_none_do() {
    let folder = study();
    let at = folder.path();
    let with = |command: &str, more: &[&str]| {
        let shown = run(at, &[&[command], &TABLE[..], more].concat()).success();
        String::from_utf8(shown.get_output().stdout.clone()).unwrap()
    };
    let path = json(
        at,
        &[&["path"], &TABLE[..], &["--share", "0.5", "--json"]].concat(),
    );
    let points = path["points"].as_array().unwrap();
    let enough = |p: &&serde_json::Value| p["share"].as_f64().unwrap() >= 0.5;
    let fewest = points.iter().find(enough).unwrap();
    let names = fewest["chosen_as"].as_array().unwrap();
    assert!(names.contains(&"share 0.5".into()), "{names:?}");
    let fit = json(
        at,
        &[&["fit"], &TABLE[..], &["--share", "0.5", "--json"]].concat(),
    );
    assert_eq!(fit["feature_count"], fewest["size"]);
    let most = points.iter().map(|p| p["share"].as_f64().unwrap());
    assert!(most.fold(0.0, f64::max) < 1.0, "no size keeps everything");
    let told = with("path", &["--share", "1"]);
    assert!(told.contains("No size keeps the 100 %"), "{told}");
    let told = with("fit", &["--share", "1"]);
    assert!(
        told.contains("No size of the path keeps the 100 %"),
        "{told}"
    );
}

#[test]
fn the_full_model_shows_its_strongest_features_and_its_file_has_all() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    // 40 samples, 200 features, the first of which tells the classes apart; the class is last.
    let value = |n: usize, d: usize| match d {
        200 => (n % 2) as f64,
        0 => ((n * 7919) % 1000) as f64 / 500.0 + 3.0 * (n % 2) as f64,
        _ => ((n * 7919 + d * 104_729 + n * d * 31) % 1000) as f64 / 500.0,
    };
    fs::write(at.join("t.npy"), crate::support::npy(40, 201, value)).unwrap();
    let fit = ["fit", "t.npy", "--target", "-1", "--size", "full"];
    let shown = run(at, &[&fit[..], &["-o", "m.json"]].concat()).success();
    let text = String::from_utf8(shown.get_output().stdout.clone()).unwrap();
    for words in [
        "Full model: 200 feature(s), 40 relevance vector(s); 4 sweeps",
        "and 180 more of smaller weight",
        "All 40 samples define the full model.",
        "This is the full model. It should cost ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let printed = json(at, &[&fit[..], &["--json"]].concat());
    assert_eq!(printed["feature_count"], 200);
    assert_eq!(printed["features"].as_array().unwrap().len(), 20);
    assert_eq!(printed["share"], 1.0);
    let whole = json(at, &["inspect", "m.json", "--json"]);
    assert_eq!(whole["features"].as_array().unwrap().len(), 200);
    let inspected = run(at, &["inspect", "m.json"]).success();
    let inspected = String::from_utf8(inspected.get_output().stdout.clone()).unwrap();
    assert!(inspected.contains("and 180 more"), "{inspected}");
    let evaluate = ["evaluate", "t.npy", "--target", "-1", "--size", "full"];
    let evaluate = [&evaluate[..], &["--repeats", "1"]].concat();
    let evaluation = json(at, &[&evaluate[..], &["--json"]].concat());
    assert_eq!(evaluation["features"]["mean"], 200.0);
    assert!(evaluation["selection"].as_array().unwrap().is_empty());
    let text = run(at, &evaluate).success();
    let text = String::from_utf8(text.get_output().stdout.clone()).unwrap();
    assert!(text.contains("it selects nothing"), "{text}");
    fs::write(at.join("e.json"), evaluation.to_string()).unwrap();
    let report = [
        "report", "m.json", "t.npy", "--target", "-1", "-o", "r.html",
    ];
    run(at, &[&report[..], &["--evaluation", "e.json"]].concat()).success();
    run(at, &["predict", "m.json", "t.npy", "-o", "p.csv"]).success();
}

#[test]
fn noise_gives_the_base_rate_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path();
    let noise = |n: usize, d: usize| {
        let mixed = ((n * 1009 + d + 1) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40) as f64
    };
    let value = |n, d| match d {
        50 => (n % 2) as f64,
        _ => noise(n, d),
    };
    fs::write(at.join("t.npy"), crate::support::npy(48, 51, value)).unwrap();
    let shown = run(at, &["fit", "t.npy", "--target", "-1"]).success();
    let text = String::from_utf8(shown.get_output().stdout.clone()).unwrap();
    for words in [
        "No feature carries enough signal",
        "The full model (all 50 features) should cost ",
        "not told apart clearly better than by chance.",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let object = json(at, &["fit", "t.npy", "--target", "-1", "--json"]);
    assert_eq!(object["verdict"], "nothing");
    assert_eq!(object["feature_count"], 0);
}

#[test]
fn sizes_that_make_no_sense_are_refused() {
    let folder = study();
    let at = folder.path();
    for (arguments, words) in [
        (&["fit", "--size", "0"][..], "a number of features from 1"),
        (
            &["fit", "--size", "tiny"],
            "compact, balanced, accurate, full",
        ),
        (&["fit", "--share", "1.5"], "a number from 0 to 1"),
        (&["fit", "--share", "NaN"], "a number from 0 to 1"),
        (
            &["evaluate", "--share", "0.5", "--size", "full"],
            "cannot be used with",
        ),
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
