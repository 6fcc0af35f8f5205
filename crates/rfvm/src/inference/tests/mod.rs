//! The updates against a slow twin, and against the numbers of an independent program.

mod naive;
mod oracle;
