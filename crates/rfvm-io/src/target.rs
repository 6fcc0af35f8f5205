//! From texts to a target: two classes, or numbers.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rfvm::Target;

use crate::error::{IoError, quoted_list};

/// Where the target comes from and what it means.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetChoice {
    /// Column of the table, or of the label file, as in [`crate::ReadOptions::target`].
    pub column: Option<String>,
    /// A file with the labels: a table with sample names and labels, or a CLS file.
    pub labels: Option<PathBuf>,
    /// These classes together are the positive one.
    pub positive: Option<Vec<String>>,
    /// All classes but these are the positive one.
    pub positive_not: Option<Vec<String>>,
    /// The negative and the positive class as a model has them; where the target has the same two, they are taken so.
    pub as_model: Vec<String>,
    /// The target is a number to be predicted.
    pub regression: bool,
    /// Column with the group of each sample, for cross-validation that keeps groups whole.
    pub group: Option<String>,
    /// Column with the batch, site or plate of each sample, which is then no feature; without one it is known by its name.
    pub batch: Option<String>,
}

/// Makes sure that all classes that were listed are there.
pub(crate) fn check_listed(
    classes: &[&str],
    choice: &TargetChoice,
    path: &Path,
) -> Result<(), IoError> {
    let listed = choice.positive.iter().chain(&choice.positive_not).flatten();
    let mut unknown = listed.filter(|class| !classes.contains(&class.as_str()));
    let Some(unknown) = unknown.next() else {
        return Ok(());
    };
    let what = format!(
        "there is no class '{unknown}'; the classes are {}",
        quoted_list(classes.iter().copied())
    );
    Err(IoError::choice(path, what))
}

/// More numbers than this are no codes of classes.
const MOST_NUMBERED_CLASSES: usize = 10;

/// The target that the texts, one a sample, stand for.
pub(crate) fn make_target(
    texts: &[String],
    choice: &TargetChoice,
    path: &Path,
) -> Result<Target, IoError> {
    if choice.regression {
        let number = |(n, text): (usize, &String)| {
            text.parse::<f64>().map_err(|_| {
                IoError::choice(
                    path,
                    format!(
                        "the target of sample {} is '{text}', which is no number; correct it, or leave out --task regression",
                        n + 1
                    ),
                )
            })
        };
        return texts
            .iter()
            .enumerate()
            .map(number)
            .collect::<Result<_, _>>()
            .map(Target::Values);
    }
    let mut classes: Vec<&str> = texts
        .iter()
        .map(String::as_str)
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    // Numbers in the order of numbers, words in the order of words.
    let numbers = classes.iter().all(|class| class.parse::<f64>().is_ok());
    if numbers {
        let number = |class: &str| class.parse::<f64>().unwrap_or(0.0);
        classes.sort_by(|a, b| number(a).total_cmp(&number(b)));
    }
    if numbers
        && classes.len() > MOST_NUMBERED_CLASSES
        && choice.positive.is_none()
        && choice.positive_not.is_none()
    {
        return Err(IoError::choice(
            path,
            format!(
                "the target has {} different numbers; predict the number with --task regression, or say which of them are the positive class with --positive",
                classes.len()
            ),
        ));
    }
    let (listed, means_positive) = match (&choice.positive, &choice.positive_not) {
        (Some(listed), _) => (listed, true),
        (None, Some(listed)) => (listed, false),
        (None, None) => {
            let label = |text: &String| classes.iter().position(|class| class == text).unwrap_or(0);
            let labels = texts.iter().map(label).collect();
            let names = classes.iter().map(|class| class.to_string()).collect();
            return Ok(Target::Classes { names, labels });
        }
    };
    check_listed(&classes, choice, path)?;
    let labels = texts
        .iter()
        .map(|text| usize::from(listed.contains(text) == means_positive))
        .collect();
    let name = listed.join("+");
    let rest: Vec<&&str> = classes
        .iter()
        .filter(|class| !listed.iter().any(|l| l == *class))
        .collect();
    let other = match rest[..] {
        [only] => only.to_string(),
        _ => format!("not {name}"),
    };
    let names = if means_positive {
        vec![other, name]
    } else {
        vec![name, other]
    };
    Ok(Target::Classes { names, labels })
}
