//! The engine for R. It takes vectors and hands back vectors and texts; what an R user sees is written in R on top of it
//! (the folder R of the package).
//!
//! A model is the text of its file here: it is the same that the program writes, `saveRDS` keeps it, and nothing of it has to
//! live on between two calls.

mod dataset;
mod describe;
mod evaluate;
mod files;
mod fit;
mod given;
mod job;
mod predict;
mod register;
mod report;
mod simulate;
mod target;
