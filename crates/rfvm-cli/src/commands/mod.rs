//! The commands, one module each.

pub(crate) mod compare;
pub(crate) mod demo;
pub(crate) mod evaluate;
pub(crate) mod export;
pub(crate) mod fit;
pub(crate) mod inspect;
pub(crate) mod path;
pub(crate) mod peek;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod shell;
#[cfg(feature = "study")]
pub(crate) mod study;
pub(crate) mod validate;
