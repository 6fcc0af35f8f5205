//! How a range is checked.

use crate::error::Error;

pub(crate) fn require(
    fine: bool,
    name: &'static str,
    value: impl ToString,
    rule: &'static str,
) -> Result<(), Error> {
    let wrong = || Error::Parameter {
        name,
        value: value.to_string(),
        rule,
    };
    fine.then_some(()).ok_or_else(wrong)
}

pub(crate) fn positive(name: &'static str, value: f64) -> Result<(), Error> {
    let fine = value > 0.0 && value.is_finite();
    require(fine, name, value, "a finite number above 0")
}
