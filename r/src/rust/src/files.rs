//! Model files.

use std::path::Path;

use extendr_api::prelude::*;
use rfvm::{AnyModel, write_atomically};

use crate::given::{Outcome, sentence};

extendr_module! {
    mod files;
    fn read_model_file;
    fn write_model_file;
    fn engine_version;
}

/// The text of a model file, checked.
#[extendr]
fn read_model_file(file: &str) -> Outcome<String> {
    let model = AnyModel::load(file).map_err(sentence)?;
    Ok(model.to_json())
}

/// Writes a model file; it appears whole or not at all.
#[extendr]
fn write_model_file(model: &str, file: &str) -> Outcome<bool> {
    write_atomically(Path::new(file), model.as_bytes()).map_err(sentence)?;
    Ok(true)
}

/// The version of the engine.
#[extendr]
fn engine_version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}
