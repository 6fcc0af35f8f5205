//! Which of two classes is the positive one, where nobody said so: the case of case and control, the yes of yes and no.

use rfvm::Target;

/// Words of a class that studies look for.
const POSITIVE: [&str; 50] = [
    "abnormal",
    "affected",
    "cancer",
    "carcinoma",
    "carrier",
    "case",
    "cases",
    "dead",
    "death",
    "deceased",
    "died",
    "disease",
    "diseased",
    "event",
    "failed",
    "failure",
    "ill",
    "infected",
    "infection",
    "lesion",
    "malignant",
    "metastases",
    "metastasis",
    "metastatic",
    "mut",
    "mutant",
    "mutated",
    "obese",
    "patient",
    "patients",
    "pos",
    "positive",
    "present",
    "progression",
    "progressive",
    "progressor",
    "recurred",
    "recurrence",
    "recurrent",
    "relapse",
    "relapsed",
    "responder",
    "resistant",
    "sick",
    "true",
    "tumor",
    "tumors",
    "tumour",
    "tumours",
    "yes",
];

/// Words of the class beside it.
const NEGATIVE: [&str; 33] = [
    "absent",
    "alive",
    "benign",
    "censored",
    "control",
    "controls",
    "ctl",
    "ctrl",
    "false",
    "free",
    "healthy",
    "lean",
    "living",
    "neg",
    "negative",
    "no",
    "non",
    "noncarrier",
    "none",
    "nonprogressor",
    "nonresponder",
    "normal",
    "normals",
    "not",
    "reference",
    "remission",
    "sensitive",
    "survived",
    "unaffected",
    "uninfected",
    "wildtype",
    "without",
    "wt",
];

/// Letters say something only in pairs: `F` is false beside `T` and female beside `M`.
const LETTERS: [[&str; 2]; 4] = [["n", "y"], ["n", "t"], ["f", "t"], ["n", "p"]];

/// The position of the positive class of two, or `None` where their names do not tell.
pub fn positive_class(classes: [&str; 2]) -> Option<usize> {
    let lower = classes.map(|class| class.trim().to_lowercase());
    let known = |negative: &str, positive: &str| {
        let found = lower.iter().position(|class| class == positive)?;
        (lower[1 - found] == negative).then_some(found)
    };
    if let Some(found) = (LETTERS.iter()).find_map(|[negative, positive]| known(negative, positive))
    {
        return Some(found);
    }
    let numbers = [0, 1].map(|at: usize| lower[at].parse::<f64>());
    if let [Ok(a), Ok(b)] = numbers {
        let one = usize::from(b > a);
        // 0 and 1, or -1 and 1; 1 and 2 may mean anything.
        return ([a, b][one] == 1.0 && [a, b][1 - one] <= 0.0).then_some(one);
    }
    // `ER+` beside `ER-`.
    let signs = lower.each_ref().map(|class| class.chars().last());
    match signs {
        [Some('+'), Some('-' | '−')] => return Some(0),
        [Some('-' | '−'), Some('+')] => return Some(1),
        _ => {}
    }
    let says = lower.map(|class| leaning(&class));
    match says {
        [Some(true), Some(false) | None] | [None, Some(false)] => Some(0),
        [Some(false) | None, Some(true)] | [Some(false), None] => Some(1),
        _ => None,
    }
}

/// Whether the words of a class are of a positive one; a negative word among them settles it.
fn leaning(class: &str) -> Option<bool> {
    let mut found = None;
    for word in class.split(|c: char| !c.is_alphanumeric()) {
        if NEGATIVE.contains(&word) {
            return Some(false);
        }
        if POSITIVE.contains(&word) {
            found = Some(true);
        }
    }
    found
}

/// Puts the positive class last: a model's, if it has the same two, else as far as the names tell. Where they do not, a
/// sentence about whose probability it will be.
pub(crate) fn put_in_order(target: &mut Target, as_model: &[String]) -> Option<String> {
    let Target::Classes { names, labels } = target else {
        return None;
    };
    let [first, second] = &names[..] else {
        return None;
    };
    let positive = match as_model {
        [negative, positive] if (negative, positive) == (second, first) => Some(0),
        [negative, positive] if (negative, positive) == (first, second) => Some(1),
        _ => positive_class([first, second]),
    };
    match positive {
        Some(0) => {
            names.swap(0, 1);
            labels.iter_mut().for_each(|label| *label = 1 - *label);
            None
        }
        Some(_) => None,
        None => Some(format!(
            "neither '{first}' nor '{second}' tells which class is the positive one; probabilities are of '{second}' (--positive names another)"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_positive_class_is_the_one_that_a_study_looks_for() {
        for (negative, positive) in [
            ("control", "case"),
            ("Normal tissue", "Tumour"),
            ("no", "yes"),
            ("N", "Y"),
            ("FALSE", "TRUE"),
            ("F", "T"),
            ("healthy", "type 1 diabetes"),
            ("negative", "positive"),
            ("ER-", "ER+"),
            ("disease-free", "relapse"),
            ("no relapse", "relapse"),
            ("0", "1"),
            ("-1", "1"),
            ("0.0", "1.0"),
            ("non-responder", "responder"),
            ("alive", "dead"),
            ("wild-type", "BRCA1 mutated"),
            ("wt", "V600E"),
        ] {
            assert_eq!(positive_class([negative, positive]), Some(1), "{positive}");
            assert_eq!(positive_class([positive, negative]), Some(0), "{positive}");
        }
    }

    #[test]
    fn names_that_do_not_tell_are_not_guessed_at() {
        for [a, b] in [
            ["ALL", "AML"],
            ["F", "M"],
            ["1", "2"],
            ["a", "b"],
            ["relapse", "death"],
            ["control", "normal"],
        ] {
            assert_eq!(positive_class([a, b]), None, "{a} {b}");
        }
    }
}
