//! The program from outside, as a user runs it. One program, so that it is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod architecture;
mod commands;
mod covariates;
mod cut_short;
mod demo;
mod evaluate;
mod export;
mod facts;
mod help;
#[cfg(unix)]
mod interrupt;
mod method;
mod outputs;
mod path;
#[cfg(unix)]
mod pipes;
mod report;
mod several_classes;
#[path = "../../../../scripts/skipped.rs"]
mod skipped;
mod study;
#[cfg(unix)]
mod study_crash;
mod study_forged;
mod study_noise;
mod support;
mod too_good;
mod validate;
mod wrong_companions;
mod wrong_input;
