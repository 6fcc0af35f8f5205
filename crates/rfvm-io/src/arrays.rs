//! From a file of several arrays to a [`Source`]: which array is the matrix, and what the vectors beside it say.

use std::path::Path;

use crate::common::{finish, known_orientation, number_text, transpose, truth_text};
use crate::error::IoError;
use crate::matrix::Matrix;
use crate::source::{Annotation, FeatureTexts, Orientation, ReadOptions, Source};

/// The array that holds the numbers where the caller names none.
pub(crate) const MATRIX_NAME: &str = "X";

/// Names of vectors that name the features.
const FEATURE_NAMES: [&str; 8] = [
    "feature_names",
    "features",
    "feature_name",
    "gene_names",
    "genes",
    "var_names",
    "probe_names",
    "columns",
];

/// Names of vectors that name the samples.
const SAMPLE_NAMES: [&str; 7] = [
    "sample_names",
    "samples",
    "sample_ids",
    "sample_id",
    "sample_name",
    "obs_names",
    "index",
];

/// Names that a vector of labels has.
const TARGET_NAMES: [&str; 7] = [
    "y", "label", "labels", "target", "class", "classes", "groups",
];

/// The names of the classes whose numbers `y` holds.
const CLASS_NAMES: &str = "class_names";

/// The content of a vector.
#[derive(Debug, Clone)]
pub(crate) enum Content {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Truth values.
    Truths(Vec<bool>),
    /// Strings.
    Texts(Vec<String>),
}

impl Content {
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Numbers(values) => values.len(),
            Self::Truths(values) => values.len(),
            Self::Texts(values) => values.len(),
        }
    }

    fn into_texts(self) -> Vec<String> {
        match self {
            Self::Numbers(values) => values.into_iter().map(number_text).collect(),
            Self::Truths(values) => values.into_iter().map(truth_text).collect(),
            Self::Texts(values) => values,
        }
    }
}

/// A vector that lies beside the matrix.
#[derive(Debug, Clone)]
pub(crate) struct NamedVector {
    pub(crate) name: String,
    pub(crate) content: Content,
}

/// An array that might be the matrix.
pub(crate) struct Candidate<'a> {
    pub(crate) name: &'a str,
    pub(crate) rows: usize,
    pub(crate) columns: usize,
}

/// Which of the two-dimensional arrays of numbers is the matrix: the one asked for, `X`, or the only one.
pub(crate) fn choose(
    path: &Path,
    candidates: &[Candidate<'_>],
    options: &ReadOptions,
) -> Result<String, IoError> {
    let names = || {
        let names: Vec<&str> = candidates.iter().map(|c| c.name).collect();
        if names.is_empty() {
            "it has no two-dimensional array of numbers".to_owned()
        } else {
            format!(
                "its two-dimensional arrays of numbers are {}",
                names.join(", ")
            )
        }
    };
    let has = |name: &str| candidates.iter().any(|c| c.name == name);
    if let Some(name) = options.array.as_deref() {
        return if has(name) {
            Ok(name.to_owned())
        } else {
            Err(IoError::missing(path, name, names()))
        };
    }
    if has(MATRIX_NAME) {
        return Ok(MATRIX_NAME.to_owned());
    }
    let mut wide = candidates.iter().filter(|c| c.rows > 1 && c.columns > 1);
    match (wide.next(), wide.next()) {
        (Some(only), None) => Ok(only.name.to_owned()),
        (None, _) => Err(IoError::missing(path, MATRIX_NAME, names())),
        _ => Err(IoError::missing(
            path,
            MATRIX_NAME,
            format!("{}, and it must be said which one to read", names()),
        )),
    }
}

/// Which way the samples lie, and whether that is certain.
fn orient(
    rows: usize,
    columns: usize,
    vectors: &[NamedVector],
    options: &ReadOptions,
) -> (Orientation, bool) {
    let texts = |length: usize| -> Vec<&[String]> {
        vectors
            .iter()
            .filter_map(|vector| match &vector.content {
                Content::Texts(texts) if texts.len() == length => Some(texts.as_slice()),
                _ => None,
            })
            .collect()
    };
    if let Some(known) = known_orientation(options, &texts(rows), &texts(columns)) {
        return (known, true);
    }
    // A vector fits one side only, unless the matrix is square.
    let side = |length: usize| match (length == rows, length == columns) {
        (true, false) => Some(Orientation::SamplesAsRows),
        (false, true) => Some(Orientation::FeaturesAsRows),
        _ => None,
    };
    let other = |side| match side {
        Orientation::SamplesAsRows => Orientation::FeaturesAsRows,
        Orientation::FeaturesAsRows => Orientation::SamplesAsRows,
    };
    let length = |test: &dyn Fn(&str) -> bool| {
        let found = vectors.iter().find(|v| test(&v.name.to_lowercase()));
        found.and_then(|vector| side(vector.content.len()))
    };
    let target = options.target.as_deref().map(str::to_lowercase);
    let decided = length(&|name| Some(name) == target.as_deref())
        .or_else(|| length(&|name| TARGET_NAMES.contains(&name) || SAMPLE_NAMES.contains(&name)))
        .or_else(|| length(&|name| FEATURE_NAMES.contains(&name)).map(other))
        .or_else(|| side(options.sample_names.as_ref()?.len()));
    match decided {
        Some(decided) => (decided, true),
        None => (Orientation::SamplesAsRows, false),
    }
}

/// Makes a source of a matrix, rows taken as samples, and of the vectors beside it.
pub(crate) fn assemble(
    format: String,
    mut matrix: Matrix,
    vectors: Vec<NamedVector>,
    mut notes: Vec<String>,
    options: &ReadOptions,
) -> Source {
    let (rows, columns) = (matrix.samples, matrix.features);
    let (orientation, orientation_certain) = orient(rows, columns, &vectors, options);
    if orientation == Orientation::FeaturesAsRows {
        transpose(&mut matrix.values, columns, rows);
        (matrix.samples, matrix.features) = (columns, rows);
    }
    let (samples, features) = (matrix.samples, matrix.features);

    let mut feature_names = None;
    let mut sample_names = None;
    let mut annotations: Vec<Annotation> = Vec::new();
    let mut class_names = None;
    let mut codes = None;
    for NamedVector { name, content } in vectors {
        let lower = name.to_lowercase();
        let (length, is_text) = (content.len(), matches!(content, Content::Texts(_)));
        if lower == CLASS_NAMES {
            class_names = Some(content.into_texts());
        } else if length == features
            && feature_names.is_none()
            && (FEATURE_NAMES.contains(&lower.as_str()) || is_text && length != samples)
        {
            feature_names = Some(content.into_texts());
        } else if length == samples
            && sample_names.is_none()
            && SAMPLE_NAMES.contains(&lower.as_str())
        {
            sample_names = Some(content.into_texts());
        } else if length == samples {
            if lower == "y"
                && let Content::Numbers(values) = &content
            {
                codes = Some(values.clone());
            }
            annotations.push(Annotation {
                name,
                values: content.into_texts(),
            });
        } else if length > 1 {
            notes.push(format!(
                "array `{name}` was not used: it has {length} values, for {samples} samples and {features} features"
            ));
        }
    }
    if let (Some(names), Some(codes)) = (class_names, codes) {
        match classes(&names, &codes) {
            Some(values) => annotations.push(Annotation {
                name: "class".to_owned(),
                values,
            }),
            None => notes.push(format!(
                "array `{CLASS_NAMES}` was not used: the numbers in `y` do not count its {} names",
                names.len()
            )),
        }
    }
    finish(
        Source {
            feature_names_made_up: false,
            about_features: FeatureTexts::default(),
            format,
            orientation,
            orientation_certain,
            matrix,
            feature_names,
            sample_names,
            annotations,
            notes,
        },
        options,
    )
}

/// The names of classes by their numbers, which count from 0, or from 1 where they reach beyond the last name.
fn classes(names: &[String], codes: &[f64]) -> Option<Vec<String>> {
    let last = names.len() as f64;
    let shift = if codes.contains(&last) && !codes.contains(&0.0) {
        1.0
    } else {
        0.0
    };
    codes
        .iter()
        .map(|&code| {
            let place = code - shift;
            let whole = place.fract() == 0.0 && (0.0..last).contains(&place);
            names.get(place as usize).filter(|_| whole).cloned()
        })
        .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn matrix(samples: usize, features: usize) -> Matrix {
        Matrix {
            samples,
            features,
            values: (0..samples * features).map(|i| i as f64).collect(),
        }
    }

    fn numbers(name: &str, values: &[f64]) -> NamedVector {
        NamedVector {
            name: name.to_owned(),
            content: Content::Numbers(values.to_vec()),
        }
    }

    fn texts(name: &str, values: &[&str]) -> NamedVector {
        NamedVector {
            name: name.to_owned(),
            content: Content::Texts(values.iter().map(|&v| v.to_owned()).collect()),
        }
    }

    #[test]
    fn labels_settle_the_orientation() {
        let options = ReadOptions::default();
        let source = assemble(
            String::new(),
            matrix(3, 2),
            vec![
                numbers("Y", &[1.0, -1.0]),
                texts("probes", &["a", "b", "c"]),
            ],
            Vec::new(),
            &options,
        );
        assert_eq!(source.orientation, Orientation::FeaturesAsRows);
        assert!(source.orientation_certain);
        assert_eq!((source.matrix.samples, source.matrix.features), (2, 3));
        assert_eq!(source.matrix.values, [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        assert_eq!(source.feature_names.unwrap(), ["a", "b", "c"]);
        assert_eq!(source.annotations[0].values, ["1", "-1"]);
    }

    #[test]
    fn classes_are_named() {
        let names = ["a".to_owned(), "b".to_owned()];
        assert_eq!(classes(&names, &[0.0, 1.0]).unwrap(), ["a", "b"]);
        assert_eq!(classes(&names, &[2.0, 1.0]).unwrap(), ["b", "a"]);
        assert_eq!(classes(&names, &[0.0, 2.0]), None);
        assert_eq!(classes(&names, &[0.5]), None);
        assert_eq!(classes(&names, &[f64::NAN]), None);
    }

    #[test]
    fn the_target_is_no_feature() {
        let options = ReadOptions {
            target: Some("b".to_owned()),
            max_features: Some(1),
            ..ReadOptions::default()
        };
        let vectors = vec![texts("feature_names", &["a", "b", "c"])];
        let source = assemble(String::new(), matrix(2, 3), vectors, Vec::new(), &options);
        assert_eq!(source.feature_names.unwrap(), ["a"]);
        assert_eq!(source.matrix.values, [0.0, 1.0]);
        assert_eq!(source.annotations[0].values, ["2", "3"]);
    }

    #[test]
    fn the_matrix_is_found() {
        let candidate = |name, rows, columns| Candidate {
            name,
            rows,
            columns,
        };
        let path = Path::new("file");
        let options = ReadOptions::default();
        let found = choose(
            path,
            &[candidate("A", 3, 4), candidate("v", 3, 1)],
            &options,
        );
        assert_eq!(found.unwrap(), "A");
        let two = [candidate("A", 3, 4), candidate("B", 3, 4)];
        let message = choose(path, &two, &options).unwrap_err().to_string();
        assert!(
            message.contains("A, B") && message.contains("which"),
            "{message}"
        );
        let none = choose(path, &[], &options).unwrap_err().to_string();
        assert!(none.contains("no two-dimensional"), "{none}");
    }
}
