//! What there is to say below the table of a path.

use rfvm::{Size, Verdict};
use rfvm_report::percent;

/// What there is to say where a size does not keep the share that was asked for.
pub(super) fn not_kept(size: Size, share: f64, features: usize) -> Option<String> {
    let Size::Share(wanted) = size else {
        return None;
    };
    (share < wanted).then(|| {
        format!(
            "No size keeps the {} that was asked for; the largest, of {features} features, is taken.",
            percent(wanted)
        )
    })
}

/// What a verdict means.
pub(super) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Signal => "The full model beats it by more than one standard error.",
        Verdict::Weak => {
            "The full model beats it by less than one standard error: as far as these samples tell, the difference may be chance."
        }
        Verdict::Nothing => {
            "Samples that were held back are not told apart clearly better than by chance: there may be nothing to find here, and a fit gives the base rate (--size full: one that is drawn to it)."
        }
    }
}
