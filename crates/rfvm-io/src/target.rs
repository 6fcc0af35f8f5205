//! From texts to a target: classes, or numbers.

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
    /// Columns to be allowed for and not selected: age, sex, site.
    pub covariates: Vec<String>,
    /// Column with the batch, site or plate of each sample, which is then no feature; without one it is known by its name.
    pub batch: Option<String>,
}

/// The target as a model has it, whose classes `as_model` names (none: a number is predicted), and what to say of classes that
/// are called otherwise. A class of the model may be absent; one that it does not know is refused.
pub(crate) fn target_of_model(
    texts: &[String],
    choice: &TargetChoice,
    path: &Path,
) -> Result<(Target, Option<String>), IoError> {
    let [negative, positive] = choice.as_model.as_slice() else {
        let advice = "correct it, or name the target of the model";
        return Ok((Target::Values(numbers(texts, path, advice)?), None));
    };
    let label = |text: &String| -> Result<usize, IoError> {
        if same(text, positive) || same(text, negative) {
            return Ok(usize::from(same(text, positive)));
        }
        // One class was set against all others.
        if *negative == against(positive) || *positive == against(negative) {
            return Ok(usize::from(*positive == against(negative)));
        }
        let what = format!(
            "there is a class '{text}' that the model does not know; its classes are '{negative}' and '{positive}' (--positive says which classes here are its '{positive}')"
        );
        Err(IoError::choice(path, what))
    };
    let (listed, class) = match (&choice.positive, &choice.positive_not) {
        (None, None) => {
            let labels = texts.iter().map(label).collect::<Result<_, _>>()?;
            let names = choice.as_model.clone();
            return Ok((Target::Classes { names, labels }, None));
        }
        (Some(listed), _) => (listed, 1),
        (None, Some(listed)) => (listed, 0),
    };
    let (own, other) = (&choice.as_model[class], &choice.as_model[1 - class]);
    if listed.contains(other) {
        let what = format!(
            "'{other}' is not the model's {} class but its other one; the positive class is '{positive}'",
            ["negative", "positive"][class]
        );
        return Err(IoError::choice(path, what));
    }
    let classes: BTreeSet<&str> = texts.iter().map(String::as_str).collect();
    check_listed(&Vec::from_iter(classes), choice, path)?;
    let labels = texts.iter().map(|text| match listed.contains(text) {
        true => class,
        false => 1 - class,
    });
    let labels: Vec<usize> = labels.collect();
    let rest = |text: &String| !listed.contains(text) && !same(text, other);
    let unlike = texts.iter().any(rest) && *other != against(own);
    let note = (listed.join("+") != *own || unlike).then(|| {
        format!(
            "{} taken for the model's '{own}', all others for its '{other}'",
            quoted_list(listed.iter().map(String::as_str))
        )
    });
    let names = choice.as_model.clone();
    Ok((Target::Classes { names, labels }, note))
}

/// Whether two classes are one: `1.0` is `1`.
fn same(text: &str, class: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    text == class || number(text).is_some_and(|value| number(class) == Some(value))
}

/// What all classes but one are called together.
fn against(class: &str) -> String {
    format!("not {class}")
}

/// Makes sure that all classes that were listed are there.
pub(crate) fn check_listed(
    classes: &[&str],
    choice: &TargetChoice,
    path: &Path,
) -> Result<(), IoError> {
    let lists = choice.positive.iter().chain(&choice.positive_not);
    // A class of the model may be absent from other data.
    let listed = lists.filter(|list| !choice.as_model.contains(&list.join("+")));
    let mut unknown = listed
        .flatten()
        .filter(|class| !classes.contains(&class.as_str()));
    let Some(unknown) = unknown.next() else {
        return Ok(());
    };
    let what = format!(
        "there is no class '{unknown}'; the classes are {}",
        quoted_list(classes.iter().copied())
    );
    Err(IoError::choice(path, what))
}

/// The numbers of a regression.
fn numbers(texts: &[String], path: &Path, advice: &str) -> Result<Vec<f64>, IoError> {
    let number = |(n, text): (usize, &String)| {
        text.parse::<f64>().map_err(|_| {
            let at = n + 1;
            let what =
                format!("the target of sample {at} is '{text}', which is no number; {advice}");
            IoError::choice(path, what)
        })
    };
    texts.iter().enumerate().map(number).collect()
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
        let advice = "correct it, or leave out --task regression";
        return numbers(texts, path, advice).map(Target::Values);
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
        _ => against(&name),
    };
    let names = if means_positive {
        vec![other, name]
    } else {
        vec![name, other]
    };
    Ok(Target::Classes { names, labels })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn labels(
        texts: &[&str],
        model: [&str; 2],
        positive: Option<&[&str]>,
    ) -> Result<Vec<usize>, String> {
        let own = |list: &[&str]| list.iter().map(|text| text.to_string()).collect::<Vec<_>>();
        let choice = TargetChoice {
            as_model: own(&model),
            positive: positive.map(own),
            ..TargetChoice::default()
        };
        let found = target_of_model(&own(texts), &choice, Path::new("t.csv"));
        let (target, _) = found.map_err(|error| error.to_string())?;
        Ok(target.labels().to_vec())
    }

    #[test]
    fn classes_are_the_models_and_may_be_absent() {
        let found = labels(&["ill", "well", "ill"], ["well", "ill"], None);
        assert_eq!(found, Ok(vec![1, 0, 1]));
        assert_eq!(labels(&["well"; 2], ["well", "ill"], None), Ok(vec![0, 0]));
        assert_eq!(labels(&["1.0", "0"], ["0", "1"], None), Ok(vec![1, 0]));
        // One class was set against all others.
        assert_eq!(
            labels(&["a", "b", "c"], ["not a", "a"], None),
            Ok(vec![1, 0, 0])
        );
        assert_eq!(
            labels(&["a", "b", "c"], ["a", "not a"], None),
            Ok(vec![0, 1, 1])
        );
        let told = labels(&["ill", "dead"], ["well", "ill"], None).unwrap_err();
        assert!(
            told.contains("'dead' that the model does not know"),
            "{told}"
        );
    }

    #[test]
    fn classes_of_other_names_are_taken_where_that_is_asked_for() {
        let asked = Some(&["Tumor"][..]);
        assert_eq!(
            labels(&["Tumor", "Normal"], ["0", "1"], asked),
            Ok(vec![1, 0])
        );
        let told = labels(&["Tumour", "Normal"], ["0", "1"], asked).unwrap_err();
        assert!(told.contains("there is no class 'Tumor'"), "{told}");
        let told = labels(&["well", "ill"], ["well", "ill"], Some(&["well"])).unwrap_err();
        assert!(told.contains("the positive class is 'ill'"), "{told}");
        assert_eq!(
            labels(&["well"], ["well", "ill"], Some(&["ill"])),
            Ok(vec![0])
        );
    }
}
