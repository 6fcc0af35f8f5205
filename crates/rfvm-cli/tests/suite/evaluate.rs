//! `rfvm evaluate` and `rfvm compare`: measures that may go to print.

use std::fs;
use std::path::Path;

use crate::support::{json, mistake, run, samples_as_rows, study};

const TABLE: [&str; 5] = ["evaluate", "table.csv", "--target", "outcome", "--method"];
const FEW: [&str; 5] = ["signatures", "--repeats", "1", "--cv", "4"];

fn evaluate<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&TABLE[..], &FEW[..], more].concat()
}

/// Whether every number of a JSON text is one, and every estimate lies in its interval.
fn check(value: &serde_json::Value) {
    if let Some(low) = value["low"].as_f64() {
        let (mean, high) = (value["mean"].as_f64(), value["high"].as_f64());
        assert!(mean.is_some_and(|mean| low <= mean + 1e-12), "{value}");
        assert!(
            high.zip(mean)
                .is_some_and(|(high, mean)| mean <= high + 1e-12),
            "{value}"
        );
    }
    let children: Vec<&serde_json::Value> = match value {
        serde_json::Value::Array(all) => all.iter().collect(),
        serde_json::Value::Object(all) => all.values().collect(),
        _ => Vec::new(),
    };
    children.into_iter().for_each(check);
}

#[test]
fn perfect_prediction_is_not_certain_and_the_positive_class_is_named() {
    let folder = study();
    let at = folder.path();
    let found = json(at, &evaluate(&["--json"]));
    check(&found);
    assert_eq!(found["auc"]["mean"], 1.0);
    let low = found["auc"]["low"].as_f64().unwrap();
    assert!(low > 0.7 && low < 0.96, "{low}");
    assert!(found["accuracy"]["low"].as_f64().unwrap() < 0.97);
    let printed = run(at, &evaluate(&["--threshold", "0.3"])).success();
    let text = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    for words in [
        "Above a probability of 0.3",
        "sensitivity for ill",
        "PPV (ill among those above)",
        "NPV (healthy among the others)",
        "predicted less seen",
        "Net benefit",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(!text.contains("NaN"), "{text}");
    let wrong = mistake(at, &evaluate(&["--sensitivity", "90"]));
    assert!(wrong.contains("0.9 for 90 %"), "{wrong}");
}

#[test]
fn a_threshold_for_a_sensitivity_is_chosen_and_what_it_reaches_told() {
    let folder = study();
    let found = json(
        folder.path(),
        &evaluate(&["--sensitivity", "0.9", "--json"]),
    );
    let chosen = &found["thresholds"][1];
    assert_eq!(chosen["wanted"]["sensitivity"], 0.9);
    assert!(
        chosen["sensitivity"]["mean"].as_f64().unwrap() >= 0.8,
        "{chosen}"
    );
    check(&found);
}

#[test]
fn leaving_one_out_has_an_auc() {
    let folder = study();
    let arguments = [
        &TABLE[..],
        &["signatures", "--repeats", "1", "--cv", "40", "--json"],
    ]
    .concat();
    let found = json(folder.path(), &arguments);
    check(&found);
    assert!(
        found["auc"]["mean"].as_f64().unwrap() > 0.9,
        "{}",
        found["auc"]
    );
    let note = found["notes"][0].as_str().unwrap();
    assert!(note.contains("lack a class"), "{note}");
}

/// The first samples of the study alone, those of the positive class only so far as the rule keeps them.
fn cut(at: &Path, keep: impl Fn(usize) -> bool) {
    let text = samples_as_rows();
    let mut lines = text.lines();
    let header = lines.next().unwrap();
    let rows = lines.enumerate().filter(|(n, _)| keep(*n));
    let rows: Vec<&str> = rows.map(|(_, line)| line).collect();
    fs::write(
        at.join("table.csv"),
        format!("{header}\n{}\n", rows.join("\n")),
    )
    .unwrap();
}

#[test]
fn twelve_samples_and_two_cases_are_evaluated_without_a_number_that_is_none() {
    let folder = study();
    let at = folder.path();
    for keep in [
        (|n| n < 12) as fn(usize) -> bool,
        // Two of 22: in most folds there is no case.
        |n| n % 2 == 0 || n == 1 || n == 3,
    ] {
        cut(at, keep);
        let arguments = [&TABLE[..], &["signatures", "--repeats", "2", "--cv", "2"]].concat();
        let arguments = [&arguments[..], &["--sensitivity", "0.9", "--json"]].concat();
        let assert = run(at, &arguments);
        let output = assert.get_output();
        let told = String::from_utf8(output.stderr.clone()).unwrap();
        match output.status.success() {
            true => check(&serde_json::from_slice(&output.stdout).unwrap()),
            false => assert!(told.contains("every class needs at least two"), "{told}"),
        }
    }
}

#[test]
fn two_evaluations_are_compared_and_those_of_other_folds_refused() {
    let folder = study();
    let at = folder.path();
    run(at, &evaluate(&["-o", "a.json"])).success();
    run(at, &evaluate(&["-o", "b.json", "--drop", "g3"])).success();
    run(at, &evaluate(&["-o", "c.json", "--seed", "9"])).success();
    run(at, &evaluate(&["-o", "d.json", "--positive", "healthy"])).success();
    let wrong = mistake(at, &["compare", "a.json", "c.json"]);
    assert!(
        wrong.contains("c.json") && wrong.contains("other folds"),
        "{wrong}"
    );
    let wrong = mistake(at, &["compare", "a.json", "d.json"]);
    assert!(wrong.contains("positive class"), "{wrong}");
    // Fewer features of the same samples may be compared, and it is said.
    let printed = run(at, &["compare", "a.json", "b.json"]).success();
    let text = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    assert!(text.contains("The tables differ"), "{text}");
    let wrong = mistake(at, &["compare", "a.json", "table.csv"]);
    assert!(wrong.contains("rfvm evaluate"), "{wrong}");
    run(
        at,
        &[&evaluate(&["-o", "e.json"])[..], &["--signatures", "2"]].concat(),
    )
    .success();
    let printed = run(at, &["compare", "a.json", "e.json"]).success();
    let text = String::from_utf8(printed.get_output().stdout.clone()).unwrap();
    for words in [
        "positive class: ill",
        "DeLong",
        "corrected resampled t",
        "difference",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let found = json(at, &["compare", "a.json", "e.json", "--json"]);
    assert_eq!(found["measures"][4]["test"], "de_long");
}

#[test]
fn figures_are_files_that_stand_alone() {
    let folder = study();
    let at = folder.path();
    run(at, &evaluate(&["--figures", "figures", "-o", "a.json"])).success();
    for name in ["roc", "precision-recall", "calibration", "decision"] {
        let text = fs::read_to_string(at.join(format!("figures/{name}.svg"))).unwrap();
        assert!(
            text.starts_with("<svg") && text.contains("<style>"),
            "{name}"
        );
        assert!(!text.contains("var(--"), "{name}");
        let pixels = Pixels::read(&at.join(format!("figures/{name}.png")));
        assert_eq!((pixels.width, pixels.height), (1800, 1252), "{name}");
        // The words below the axis, in the last of the 320 units of the picture's height.
        let words = pixels.share(1180..1240, |rgb| rgb.iter().all(|&value| value < 100));
        assert!(words > 0.01 && words < 0.3, "{name}: {words}");
        let blue = pixels.share(0..1252, |rgb| rgb == [0x00, 0x72, 0xb2]);
        assert!(blue > 0.001 && blue < 0.2, "{name}: {blue}");
    }
}

/// A decoded picture.
struct Pixels {
    width: usize,
    height: usize,
    rgb: Vec<u8>,
}

impl Pixels {
    fn read(path: &Path) -> Self {
        let file = std::io::BufReader::new(fs::File::open(path).unwrap());
        let mut reader = png::Decoder::new(file).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut rgb).unwrap();
        assert_eq!(frame.color_type, png::ColorType::Rgb);
        let dots = reader.info().pixel_dims.unwrap();
        assert_eq!((dots.xppu, dots.yppu), (11811, 11811));
        Self {
            width: frame.width as usize,
            height: frame.height as usize,
            rgb,
        }
    }

    /// How much of some rows looks like this.
    fn share(&self, rows: std::ops::Range<usize>, like: impl Fn([u8; 3]) -> bool) -> f64 {
        let part = &self.rgb[3 * self.width * rows.start..3 * self.width * rows.end];
        let (pixels, _) = part.as_chunks::<3>();
        let alike = pixels.iter().filter(|&&rgb| like(rgb)).count();
        alike as f64 / pixels.len() as f64
    }
}
