//! What an evaluation says beyond its measures: whole batches held out, and a panel that was given.

use std::io::{self, Write};
use std::ops::ControlFlow;

use rfvm::confounding::batch_numbers;
use rfvm::{CheckedParams, Dataset, Evaluation, WarningKind};
use rfvm_io::Annotation;

use crate::output::tell_notes;
use crate::progress::FoldsBar;

/// Cross-validates again with whole batches held out, and tells where that is clearly worse.
pub(super) fn hold_out(
    params: &CheckedParams,
    data: &Dataset,
    batch: &Annotation,
    evaluation: &mut Evaluation,
    seed: u64,
) -> Result<(), rfvm::Error> {
    let batches = batch_numbers(&batch.values);
    let count = batches.iter().max().map_or(0, |last| last + 1);
    let bar = FoldsBar::new(evaluation.folds.min(count));
    params.evaluate_held_out(
        data,
        evaluation,
        (&batch.name, &batches),
        seed,
        |done, _| {
            bar.show(done);
            ControlFlow::Continue(())
        },
    )?;
    drop(bar);
    let warnings = evaluation.provenance.warnings.iter();
    let held_out = warnings.filter(|one| one.kind == WarningKind::BatchHeldOut);
    tell_notes(&Vec::from_iter(held_out.map(|one| one.message.clone())));
    Ok(())
}

/// What holding batches out gave, and what a given panel means.
pub(super) fn write_provenance(out: &mut dyn Write, evaluation: &Evaluation) -> io::Result<()> {
    if let Some(found) = &evaluation.held_out {
        writeln!(out, "\nBatches: {}.", found.message)?;
    }
    let Some(panel) = &evaluation.provenance.panel else {
        return Ok(());
    };
    match &panel.from {
        Some(from) => writeln!(
            out,
            "\nThe panel of {} feature(s) was given; it came from: {from}.",
            panel.features
        ),
        None => writeln!(
            out,
            "\nThe features were given with --features. If they were chosen on these samples, all of this is too good: leave\nthe choice to the fits, which make it anew in every fold, or evaluate on samples that had no part in it\n(--panel-from says where a panel came from)."
        ),
    }
}
