//! What is said of samples unlike those that a model was trained on.

use rfvm::{Extrapolation, FarValue, Table};

/// What to say of samples unlike those that the model was trained on; nothing where there are none.
pub(super) fn extrapolated(table: &Table, unlike: &[Extrapolation]) -> Option<String> {
    let names = table.sample_names();
    let found: Vec<usize> = (0..unlike.len())
        .filter(|&n| !unlike[n].is_none())
        .collect();
    let &first = found.first()?;
    let example = found
        .iter()
        .find_map(|&n| Some((n, unlike[n].farthest.as_ref()?)));
    let why = match example {
        Some((
            n,
            FarValue {
                feature,
                value,
                range: [low, high],
            },
        )) => format!(
            "{feature} of {} is {value}, where the training rows had {low:.4} to {high:.4}",
            names[n]
        ),
        None => format!(
            "the score of {} is more uncertain than that of any training row",
            names[first]
        ),
    };
    Some(format!(
        "{} of {} sample(s) are unlike those that the model was trained on ({why}): their predictions extrapolate and are marked in `unlike_training`",
        found.len(),
        unlike.len()
    ))
}

/// The same of one sample, in a cell.
pub(super) fn mark(unlike: &Extrapolation) -> String {
    match (unlike.far, unlike.uncertain) {
        (0, false) => String::new(),
        (0, true) => "uncertain".to_string(),
        (far, _) => format!("{far} value(s) out of range"),
    }
}
