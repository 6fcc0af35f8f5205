//! The sizes of a path as a table and as JSON, of two classes, of several or of a number.

use rfvm::{Expected, Judgement, PathSize, Size};
use rfvm_report::{percent, thousands};
use serde_json::{Value, json};

use crate::printer::{Align, PrintedTable};

/// One row a size, and the full model with its features and samples last; `measure` is what is expected of each.
pub(super) fn sizes_table(
    sizes: &[PathSize],
    vectors: impl Iterator<Item = usize>,
    measure: &str,
    (full, (features, samples)): (Expected, (usize, usize)),
) -> PrintedTable {
    let priced = sizes.iter().any(|size| size.cost.is_some());
    let cost = |cost: String| priced.then_some(cost);
    let own = [
        ("features", Align::Right),
        ("explained share", Align::Right),
        (measure, Align::Right),
        ("se", Align::Right),
        ("behind full", Align::Right),
        ("se", Align::Right),
        ("vectors", Align::Right),
        ("chosen as", Align::Left),
    ];
    let last = priced.then_some(("cost", Align::Right));
    let mut table = PrintedTable::new(own.into_iter().chain(last));
    for (size, vectors) in sizes.iter().zip(vectors) {
        let own = [
            size.features.to_string(),
            percent(size.share),
            format!("{:.4}", size.expected.loss),
            format!("{:.4}", size.expected.se),
            format!("{:.4}", size.behind.0),
            format!("{:.4}", size.behind.1),
            vectors.to_string(),
            names(size).join(", "),
        ];
        let price = size.cost.map_or(String::new(), |cost| format!("{cost:.2}"));
        table.row(own.into_iter().chain(cost(price)));
    }
    let own = [
        thousands(features),
        percent(1.0),
        format!("{:.4}", full.loss),
        format!("{:.4}", full.se),
        String::new(),
        String::new(),
        thousands(samples),
        Size::Full.to_string(),
    ];
    table.row(own.into_iter().chain(cost(String::new())));
    table
}

fn names(size: &PathSize) -> Vec<String> {
    size.chosen_as.iter().map(Size::to_string).collect()
}

/// A size with the names of its features.
pub(super) fn size_json(size: &PathSize, features: Vec<&str>) -> Value {
    json!({
        "size": size.features,
        "features": features,
        "share": size.share,
        "log_loss": size.expected.loss,
        "se": size.expected.se,
        "behind": size.behind.0,
        "behind_se": size.behind.1,
        "chosen_as": names(size),
        "cost": size.cost,
    })
}

/// The points of a path with what is said of all of them; `full` is what the full model should cost, with how many features
/// and samples it has.
pub(super) fn whole_json(
    judgement: Option<Judgement>,
    full: Option<(Expected, (usize, usize))>,
    size: impl Fn(Size) -> Option<usize>,
    points: Vec<Value>,
) -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "verdict": judgement.map(|found| found.verdict),
        "detection": judgement.map(|found| found.detection),
        "chance": judgement.map(|found| found.chance),
        "base_log_loss": full.map(|(full, _)| full.base),
        "compact": size(Size::Compact),
        "balanced": size(Size::Balanced),
        "accurate": size(Size::Accurate),
        "full": full.map(|(full, (features, vectors))| json!({
            "features": features, "vectors": vectors, "log_loss": full.loss, "se": full.se, "base": full.base,
            "gain_se": full.gain_se,
        })),
        "points": points,
    })
}
