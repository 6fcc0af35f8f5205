//! What a fit of a study is worth, and how that is known.

use std::io::{self, Write};

use rfvm_study::{Fitted, ProspectiveWave};

use super::text::both;
use crate::printer::{Align, PrintedTable};

pub(super) fn write_worth(out: &mut dyn Write, fitted: &Fitted) -> io::Result<()> {
    let summary = &fitted.summary;
    let evaluation = fitted.evaluation.as_ref();
    for (name, estimate) in [
        ("AUC", evaluation.and_then(|found| found.auc)),
        ("log loss", evaluation.and_then(|found| found.log_loss)),
    ] {
        if let Some(e) = estimate {
            writeln!(
                out,
                "Cross-validated {name}: {:.3} (95 % interval {:.3} to {:.3})",
                e.mean, e.low, e.high
            )?;
        }
    }
    writeln!(out, "{}", summary.basis.words)?;
    if let Some(last) = &summary.last_known {
        let [loss, auc] = both(&last.performance);
        writeln!(
            out,
            "Advice number {} expected log loss {loss} and AUC {auc} of fits without the tests that it retired, the choice made anew in every fold.",
            last.advice
        )?;
    }
    if let Some(caution) = &summary.caution {
        writeln!(out, "{caution}")?;
    }
    write_prospective(out, &summary.prospective)
}

fn write_prospective(out: &mut dyn Write, waves: &[ProspectiveWave]) -> io::Result<()> {
    if waves.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\nProspective: the last model before each wave, on the subjects of that wave (± one standard error)"
    )?;
    let mut table = PrintedTable::new([
        ("wave", Align::Right),
        ("fit", Align::Right),
        ("subjects", Align::Right),
        ("log loss", Align::Right),
        ("AUC", Align::Right),
    ]);
    for wave in waves {
        let [loss, auc] = both(&wave.performance);
        table.row([
            wave.wave.to_string(),
            wave.fit.to_string(),
            wave.subjects.to_string(),
            loss,
            auc,
        ]);
    }
    table.write(out)?;
    writeln!(out)
}
