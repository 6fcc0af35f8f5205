//! A fit's progress as one line on standard error; silent where that is no terminal.

use std::ops::ControlFlow;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rfvm::{Iteration, Phase};

use crate::{interrupt, output};

/// A bar of so many steps, or one that only turns, unless `--quiet` asks for none.
fn bar(steps: Option<u64>, style: ProgressStyle) -> ProgressBar {
    let target = match output::is_quiet() {
        true => ProgressDrawTarget::hidden(),
        false => ProgressDrawTarget::stderr(),
    };
    ProgressBar::with_draw_target(steps, target).with_style(style)
}

/// The line; it vanishes when dropped.
pub(crate) struct FitBar(ProgressBar);

impl FitBar {
    pub(crate) fn new(what: &str) -> Self {
        let style = ProgressStyle::with_template("{spinner} {prefix}: {msg} [{elapsed}]")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        Self(bar(None, style).with_prefix(what.to_string()))
    }

    /// Shows an iteration and lets the fit go on unless the user has had enough: the callback of `fit_with`.
    pub(crate) fn show(&self, iteration: &Iteration) -> ControlFlow<()> {
        if !self.0.is_hidden() {
            self.0.set_message(describe(iteration));
            self.0.tick();
        }
        if interrupt::asked() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

impl Drop for FitBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// How many folds of a cross-validation are done, as a bar; it vanishes when dropped.
pub(crate) struct FoldsBar(ProgressBar);

impl FoldsBar {
    pub(crate) fn new(folds: usize) -> Self {
        let style =
            ProgressStyle::with_template("{bar:40} {pos}/{len} folds [{elapsed}, {eta} left]")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(bar(Some(folds as u64), style))
    }

    pub(crate) fn show(&self, done: usize) {
        self.0.set_position(done as u64);
    }
}

impl Drop for FoldsBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// What a study is at, as a bar that starts anew with every part of the work; it vanishes when dropped.
#[cfg(feature = "study")]
pub(crate) struct Stages(ProgressBar);

#[cfg(feature = "study")]
impl Stages {
    pub(crate) fn new() -> Self {
        let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg} [{elapsed}]")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        Self(bar(Some(1), style))
    }

    /// Shows how far a part is and lets the work go on unless the user has had enough.
    pub(crate) fn show(&self, what: &str, done: usize, of: usize) -> ControlFlow<()> {
        if !self.0.is_hidden() {
            self.0.set_message(what.to_string());
            self.0.set_length(of as u64);
            self.0.set_position(done as u64);
        }
        match interrupt::asked() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

#[cfg(feature = "study")]
impl Drop for Stages {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn describe(iteration: &Iteration) -> String {
    let Iteration {
        signature,
        number,
        features,
        vectors,
        ..
    } = iteration;
    if iteration.phase == Phase::Path {
        return format!("step {number} of {features}");
    }
    let bound = iteration
        .bound
        .map_or("not yet".to_string(), |bound| format!("{bound:.3}"));
    format!(
        "signature {signature}, iteration {number}, {features} features, {vectors} vectors, bound {bound}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wide_phase_has_no_bound_yet() {
        let mut iteration = Iteration {
            signature: 2,
            number: 31,
            phase: Phase::Wide,
            bound: None,
            features: 420,
            vectors: 17,
        };
        assert_eq!(
            describe(&iteration),
            "signature 2, iteration 31, 420 features, 17 vectors, bound not yet"
        );
        iteration.bound = Some(-51.23456);
        assert!(describe(&iteration).ends_with("bound -51.235"));
        iteration.phase = Phase::Path;
        assert_eq!(describe(&iteration), "step 31 of 420");
    }
}
