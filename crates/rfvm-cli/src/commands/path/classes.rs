//! The path of models of several classes.

use std::io::{self, Write};

use rfvm::{MulticlassPath, PathSize, Size};
use rfvm_report::{percent, thousands};
use serde_json::{Value, json};

use super::words::{not_kept, verdict};
use crate::printer::{Align, PrintedTable};

pub(super) fn write(
    out: &mut dyn Write,
    path: &MulticlassPath,
    (features, samples): (usize, usize),
    size: Size,
) -> io::Result<()> {
    let sizes = path.sizes();
    let Some(full) = path.full() else {
        return writeln!(
            out,
            "Too few samples to hold some back: nothing can be said of any size."
        );
    };
    let mut table = PrintedTable::new([
        ("features", Align::Right),
        ("explained share", Align::Right),
        ("expected log loss", Align::Right),
        ("se", Align::Right),
        ("behind full", Align::Right),
        ("se", Align::Right),
        ("vectors", Align::Right),
        ("chosen as", Align::Left),
    ]);
    for (size, model) in sizes.iter().zip(path.models()) {
        table.row([
            size.features.to_string(),
            percent(size.share),
            format!("{:.4}", size.expected.loss),
            format!("{:.4}", size.expected.se),
            format!("{:.4}", size.behind.0),
            format!("{:.4}", size.behind.1),
            model.vector_count().to_string(),
            names(size).join(", "),
        ]);
    }
    table.row([
        thousands(features),
        percent(1.0),
        format!("{:.4}", full.loss),
        format!("{:.4}", full.se),
        String::new(),
        String::new(),
        thousands(samples),
        Size::Full.to_string(),
    ]);
    table.write(out)?;
    writeln!(
        out,
        "\n  One panel for all classes. Their shares alone cost {:.4}. {}",
        full.base,
        path.judgement().map_or("", |found| verdict(found.verdict))
    )?;
    let chosen = sizes.iter().find(|own| own.chosen_as.contains(&size));
    match chosen.and_then(|own| not_kept(size, own.share, own.features)) {
        Some(words) => writeln!(out, "  {words}"),
        None => Ok(()),
    }
}

fn names(size: &PathSize) -> Vec<String> {
    size.chosen_as.iter().map(Size::to_string).collect()
}

pub(super) fn json(path: &MulticlassPath, (features, samples): (usize, usize)) -> Value {
    let sizes = path.sizes();
    let points = sizes.iter().zip(path.models()).map(|(size, model)| {
        json!({
            "size": size.features,
            "features": model.needed_features(),
            "vector_count": model.vector_count(),
            "share": size.share,
            "log_loss": size.expected.loss,
            "se": size.expected.se,
            "behind": size.behind.0,
            "behind_se": size.behind.1,
            "chosen_as": names(size),
        })
    });
    let full = path.full().map(|full| {
        json!({
            "features": features, "vectors": samples, "log_loss": full.loss, "se": full.se, "base": full.base,
            "gain_se": full.gain_se,
        })
    });
    let size = |wanted: Size| {
        let own = sizes.iter().find(|own| own.chosen_as.contains(&wanted));
        own.map(|own| own.features)
    };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "verdict": path.judgement().map(|found| found.verdict),
        "detection": path.judgement().map(|found| found.detection),
        "chance": path.judgement().map(|found| found.chance),
        "base_log_loss": path.full().map(|full| full.base),
        "compact": size(Size::Compact),
        "balanced": size(Size::Balanced),
        "accurate": size(Size::Accurate),
        "full": full,
        "points": points.collect::<Vec<_>>(),
    })
}
