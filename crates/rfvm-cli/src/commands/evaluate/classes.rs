//! What `rfvm evaluate` prints of several classes.

use std::io::{self, Write};

use rfvm::{ClassesEvaluation, Estimate};

use super::text::write_selection;
use crate::measures::with_interval;
use crate::printer::{Align, PrintedTable};

pub(super) fn write(out: &mut dyn Write, evaluation: &ClassesEvaluation) -> io::Result<()> {
    let ClassesEvaluation {
        n,
        d,
        repeats,
        folds,
        classes,
        no_signal,
        ..
    } = evaluation;
    writeln!(
        out,
        "{n} samples of {} classes, {d} features; {folds} folds, {repeats} repeat(s)",
        classes.len()
    )?;
    if *no_signal > 0 {
        writeln!(
            out,
            "{no_signal} of {} fits found no signal",
            folds * repeats
        )?;
    }
    writeln!(out)?;
    let mut table = PrintedTable::new([
        ("", Align::Left),
        ("mean", Align::Right),
        ("95 % interval", Align::Left),
    ]);
    let rows: [(&str, Option<Estimate>); 8] = [
        ("accuracy", evaluation.accuracy),
        ("balanced accuracy", evaluation.balanced_accuracy),
        ("macro AUC", evaluation.macro_auc),
        ("log loss", evaluation.log_loss),
        ("log loss of the shares", evaluation.base_log_loss),
        ("features", Some(evaluation.features)),
        ("vectors", Some(evaluation.vectors)),
        ("seconds a fit", Some(evaluation.fit_seconds)),
    ];
    for (name, estimate) in rows {
        let [mean, ends] = with_interval(estimate);
        table.row([name.to_string(), mean, ends]);
    }
    table.write(out)?;
    writeln!(out, "\nEach class against the rest")?;
    let mut table = PrintedTable::new([
        ("class", Align::Left),
        ("samples", Align::Right),
        ("AUC", Align::Right),
        ("95 % interval", Align::Left),
        ("recall", Align::Right),
        ("95 % interval", Align::Left),
        ("precision", Align::Right),
        ("95 % interval", Align::Left),
    ]);
    for class in &evaluation.per_class {
        let measures = [class.auc, class.recall, class.precision].map(with_interval);
        let head = [class.class.clone(), class.samples.to_string()];
        let row = head.into_iter().chain(measures.into_iter().flatten());
        table.row(row);
    }
    table.write(out)?;
    writeln!(
        out,
        "\nSamples of each class by the class that they are taken for, a mean over the repeats"
    )?;
    let taken = classes.iter().map(|name| (name.as_str(), Align::Right));
    let columns = [("", Align::Left)].into_iter().chain(taken);
    let mut table = PrintedTable::new(columns);
    for (class, row) in classes.iter().zip(&evaluation.confusion) {
        let counts = row.iter().map(|count| match count.fract() == 0.0 {
            true => format!("{count:.0}"),
            false => format!("{count:.1}"),
        });
        let row = [class.clone()].into_iter().chain(counts);
        table.row(row);
    }
    table.write(out)?;
    writeln!(out)?;
    write_selection(out, &evaluation.selection, evaluation.features.mean)
}
