//! Words that several sections share.

use maud::{Markup, html};
use rfvm::Summary;

use super::view::other_data;

/// How `rfvm evaluate` is asked for what a section lacks. It fits anew, so that on other data than the model's it would say
/// nothing of the model.
pub(super) fn how_to_evaluate(summary: &Summary) -> &'static str {
    match other_data(summary) {
        true => {
            "The table is not the one that the model was fitted on: an evaluation fits anew and belongs to the report on the model's own data."
        }
        false => {
            "Run rfvm evaluate on the same table with the same options and --json, keep what it prints, and give that file to rfvm report as --evaluation."
        }
    }
}

/// The last line of a page about a model.
pub(super) fn footer() -> Markup {
    html! {
        "Made by rfvm " (env!("CARGO_PKG_VERSION"))
        ". This page is one file: it asks nothing of any network. It describes a model; it is no medical advice."
    }
}

/// Words for a number of things.
pub(super) fn count(n: usize, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        _ => format!("{n} {one}s"),
    }
}

/// Names of `total` things in a sentence, at most so many of them.
pub(super) fn listed<'a>(
    names: impl Iterator<Item = &'a str>,
    total: usize,
    most: usize,
) -> String {
    let mut shown: Vec<String> = names.take(most).map(str::to_string).collect();
    if total > most {
        shown.push(format!("{} more", total - most));
    }
    match shown.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(listed(["a"].into_iter(), 1, 3), "a");
        assert_eq!(listed(["a", "b", "c"].into_iter(), 3, 3), "a, b and c");
        assert_eq!(listed(["a", "b", "c"].into_iter(), 4, 2), "a, b and 2 more");
        assert_eq!(count(1, "sample"), "1 sample");
    }
}
