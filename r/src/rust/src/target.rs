//! From the labels of samples to classes, by the rules of the program.

use std::collections::BTreeSet;

use extendr_api::prelude::*;
use rfvm_io::positive_class;

use crate::given::{Given, Outcome};

extendr_module! {
    mod target;
    fn classes_of;
}

/// Names of the classes, the positive one last of two, and the position (from 1) of every sample's; a sentence where the names do
/// not tell which is the positive one. `positive` names the classes that together are the positive one, `as_model` the classes as
/// a model has them.
#[extendr]
fn classes_of(texts: Vec<String>, given: List) -> Outcome<List> {
    let given = Given::new(given);
    let (names, labels, note) = match (given.texts("as_model")?, given.texts("positive")?) {
        (Some(classes), _) => {
            let labels = as_model(&texts, &classes)?;
            (classes, labels, None)
        }
        (None, Some(listed)) => {
            let (names, labels) = against_rest(&texts, &listed)?;
            (names, labels, None)
        }
        (None, None) => in_order(&texts),
    };
    let labels: Vec<i32> = labels.iter().map(|&label| label as i32 + 1).collect();
    Ok(list!(names = names, labels = labels, note = note))
}

/// The different texts: numbers in the order of numbers, words in the order of words.
fn different(texts: &[String]) -> Vec<String> {
    let classes: BTreeSet<&String> = texts.iter().collect();
    let mut classes: Vec<String> = classes.into_iter().cloned().collect();
    let number = |class: &String| class.parse::<f64>();
    if classes.iter().all(|class| number(class).is_ok()) {
        let number = |class: &String| number(class).unwrap_or(0.0);
        classes.sort_by(|a, b| number(a).total_cmp(&number(b)));
    }
    classes
}

fn in_order(texts: &[String]) -> (Vec<String>, Vec<usize>, Option<String>) {
    let mut names = different(texts);
    let mut note = None;
    if let [first, second] = &names[..] {
        match positive_class([first, second]) {
            Some(0) => names.swap(0, 1),
            Some(_) => {}
            None => {
                note = Some(format!(
                    "neither '{first}' nor '{second}' tells which class is the positive one; probabilities are of '{second}' (positive = names another)"
                ));
            }
        }
    }
    let label = |text: &String| names.iter().position(|class| class == text).unwrap_or(0);
    let labels = texts.iter().map(label).collect();
    (names, labels, note)
}

fn against_rest(texts: &[String], listed: &[String]) -> Outcome<(Vec<String>, Vec<usize>)> {
    let classes = different(texts);
    if let Some(unknown) = listed.iter().find(|class| !classes.contains(class)) {
        return Err(format!(
            "there is no class '{unknown}'; the classes are {}",
            quoted(&classes)
        ));
    }
    let name = listed.join("+");
    let rest: Vec<&String> = classes.iter().filter(|c| !listed.contains(c)).collect();
    let other = match rest[..] {
        [only] => only.clone(),
        _ => format!("not {name}"),
    };
    let labels = texts.iter().map(|text| usize::from(listed.contains(text)));
    Ok((vec![other, name], labels.collect()))
}

fn as_model(texts: &[String], classes: &[String]) -> Outcome<Vec<usize>> {
    let label = |text: &String| {
        let found = classes.iter().position(|class| class == text);
        // A class that was set against all others.
        let rest = || match classes {
            [negative, positive] if *negative == format!("not {positive}") => Some(0),
            [negative, positive] if *positive == format!("not {negative}") => Some(1),
            _ => None,
        };
        // Or one of several that were taken together.
        let part = || {
            let holds = |class: &String| {
                !class.starts_with("not ") && class.split('+').any(|part| part == text)
            };
            classes.iter().position(holds)
        };
        found.or_else(part).or_else(rest).ok_or_else(|| {
            format!(
                "there is a class '{text}' that the model does not know; its classes are {}",
                quoted(classes)
            )
        })
    };
    texts.iter().map(label).collect()
}

fn quoted(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("'{name}'")).collect();
    names.join(", ")
}
