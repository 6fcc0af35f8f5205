//! Text tables written by pandas hold the numbers and names that pandas reads from them.
//!
//! Needs Python with pandas (the interpreter is `python3`, or what `RFVM_PYTHON` names); says so where it skips.

use std::fs;

use crate::python::made_by;
use rfvm_io::{Orientation, ReadOptions, read_delimited};

#[test]
fn files_written_by_pandas() {
    let made = made_by(
        "make_text_files.py",
        "numpy, pandas",
        "rfvm-io text_files::files_written_by_pandas",
    );
    let Some(folder) = made else {
        return;
    };
    let expected = fs::read_to_string(folder.path().join("expected.tsv")).unwrap();
    let mut count = 0;
    for line in expected.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let &[
            name,
            way,
            target,
            samples,
            features,
            values,
            feature_names,
            sample_names,
        ] = fields.as_slice()
        else {
            panic!("{line:?}")
        };
        let options = ReadOptions {
            target: (!target.is_empty()).then(|| target.to_owned()),
            missing: vec!["not done".to_owned()],
            ..ReadOptions::default()
        };
        let source = read_delimited(&folder.path().join(name), &options).unwrap();
        let way = if way == "samples" {
            Orientation::SamplesAsRows
        } else {
            Orientation::FeaturesAsRows
        };
        assert_eq!(source.orientation, way, "{name}");
        assert_eq!(
            (source.matrix.samples, source.matrix.features),
            (samples.parse().unwrap(), features.parse().unwrap()),
            "{name}"
        );
        assert_eq!(
            source.feature_names.unwrap().join("\u{1f}"),
            feature_names,
            "{name}"
        );
        assert_eq!(
            source.sample_names.unwrap().join("\u{1f}"),
            sample_names,
            "{name}"
        );
        let values: Vec<f64> = values
            .split(' ')
            .map(|value| value.parse().unwrap())
            .collect();
        let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan();
        assert_eq!(values.len(), source.matrix.values.len(), "{name}");
        assert!(source.matrix.values.iter().zip(&values).all(same), "{name}");
        if !target.is_empty() {
            let labels = &source.annotations[0];
            assert_eq!(labels.name, target, "{name}");
            assert_eq!(labels.values.len(), source.matrix.samples, "{name}");
            assert!(
                labels
                    .values
                    .iter()
                    .all(|value| value == "0" || value == "1")
            );
        }
        count += 1;
    }
    assert_eq!(count, 15);
}
