//! The engine from outside: properties, files, paths of models. One program, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod cost;
mod covariates;
mod explain;
mod facts;
mod forged_models;
mod gaps;
mod model_file;
mod path;
mod properties;
mod several_classes;
mod validate;
