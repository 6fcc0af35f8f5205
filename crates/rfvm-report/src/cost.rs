//! What a model's features cost, in a sentence.

use rfvm::{KnownFeatures, KnownPanel, Overview};

/// What the features of a model cost together; `None` where nothing has a price.
pub fn cost_words<'f>(
    model: &Overview,
    known: &KnownFeatures,
    features: impl Iterator<Item = &'f str>,
) -> Option<String> {
    let cost = model.cost?;
    if model.feature_count == 0 {
        return Some("The model uses no feature, and costs nothing.".to_string());
    }
    let features: Vec<&str> = features.collect();
    let used = |panel: &KnownPanel| {
        let known = features.iter().filter_map(|name| known.get(name));
        known
            .filter(|feature| feature.panel.as_ref() == Some(&panel.name))
            .count()
    };
    let panels: Vec<String> = (known.panels.iter())
        .map(|panel| (panel, used(panel)))
        .filter(|(_, used)| *used > 0)
        .map(|(panel, used)| format!("{} ({used} of {} features)", panel.name, panel.features))
        .collect();
    let paid = match panels.len() {
        0 => String::new(),
        1 => format!("; the panel {} is paid for once", panels[0]),
        _ => format!("; panels are paid for once: {}", panels.join(", ")),
    };
    let strength = model.parameters.data.cost_prior;
    let prior = match strength {
        Some(strength) if strength > 0.0 => {
            format!(" Prices counted in the choice of features, with strength {strength}.")
        }
        _ => " Prices had no part in the choice of features.".to_string(),
    };
    Some(format!(
        "The model's features cost {cost:.2} a sample{paid}.{prior}"
    ))
}
