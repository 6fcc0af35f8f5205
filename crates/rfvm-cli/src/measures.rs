//! Measures with their intervals, as `evaluate` and `validate` print them.

use std::io::{self, Write};

use rfvm::{AtThreshold, Estimate, NetBenefit};

use crate::printer::{Align, PrintedTable};

/// A value and its interval, for two cells.
pub(crate) fn with_interval(estimate: Option<Estimate>) -> [String; 2] {
    match estimate {
        Some(e) => [
            format!("{:.4}", e.mean),
            format!("{:.4} to {:.4}", e.low, e.high),
        ],
        None => ["-".to_string(), String::new()],
    }
}

/// What is found and missed above a threshold.
pub(crate) fn threshold_measures(
    at: &AtThreshold,
    negative: &str,
    positive: &str,
) -> [(String, Option<Estimate>); 4] {
    [
        (format!("sensitivity for {positive}"), at.sensitivity),
        (format!("specificity (of {negative})"), at.specificity),
        (format!("PPV ({positive} among those above)"), at.ppv),
        (format!("NPV ({negative} among the others)"), at.npv),
    ]
}

/// What acting on samples above some thresholds is worth; nothing where there is none.
pub(crate) fn write_net_benefit(out: &mut dyn Write, benefits: &[NetBenefit]) -> io::Result<()> {
    if benefits.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\nNet benefit of acting on samples above a threshold; acting on none is 0"
    )?;
    let mut table = PrintedTable::new([
        ("threshold", Align::Right),
        ("model", Align::Right),
        ("95 % interval", Align::Left),
        ("acting on all", Align::Right),
    ]);
    for benefit in benefits {
        let [model, ends] = with_interval(Some(benefit.model));
        table.row([
            benefit.threshold.to_string(),
            model,
            ends,
            format!("{:.4}", benefit.all),
        ]);
    }
    table.write(out)
}
