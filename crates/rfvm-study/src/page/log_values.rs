//! Values of the log, which are JSON, as words and cells.

use rfvm_report::Cell;
use serde_json::Value;

pub(super) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(f64::NAN)
}

pub(super) fn count(value: &Value) -> usize {
    value.as_array().map_or(0, Vec::len)
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

pub(super) fn list(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect()
}

/// An estimate with its standard error, or a word where there is none.
pub(super) fn plus_minus(value: &Value, digits: usize) -> String {
    match (value["value"].as_f64(), value["se"].as_f64()) {
        (Some(value), Some(se)) => format!("{value:.digits$} ± {se:.digits$}"),
        _ => "unknown".to_string(),
    }
}

/// A number that may not be there.
pub(super) fn cell(value: &Value) -> Cell {
    value.as_f64().into()
}
