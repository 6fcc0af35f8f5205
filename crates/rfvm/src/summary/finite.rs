//! Numbers that a summary can hold: JSON knows none that is not finite.

/// The number, or `None` where it is not finite.
pub(super) fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}
