//! Readers for the data files the Relevance Feature and Vector Machine takes, one module per format.
//!
//! Every reader ends in the same [`Matrix`]: dense `f64` values, stored feature by feature. A file that is
//! truncated, damaged or of another kind gives an [`IoError`] whose message is one sentence naming the file, the
//! place in it and what is wrong there; no input makes a reader panic, and no reader allocates more than the bytes
//! of the file justify (what is sparse in the file and dense in memory is limited by [`MAX_DENSE_VALUES`]).
//!
//! * [`mat`]: MATLAB v5 to v7 files (`.mat`).
//! * [`npz`]: NumPy archives (`.npz`).
//! * [`dorothea`]: the sparse index files and label files of the NIPS 2003 feature selection challenge.

pub mod dorothea;
pub mod error;
pub mod mat;
mod matrix;
pub mod npz;
mod source;
mod storage;

pub use dorothea::{read_labels, read_sparse_indices};
pub use error::IoError;
pub use mat::{MatArray, MatFile, MatSkipped, MatText, read_mat, read_mat_file};
pub use matrix::{MAX_DENSE_VALUES, Matrix};
pub use npz::NpzFile;
pub use source::{Annotation, Orientation, ReadOptions, Source};
