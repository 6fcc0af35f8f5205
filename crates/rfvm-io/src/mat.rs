//! MATLAB files (`.mat`) of versions 5 to 7, in either byte order, compressed or not.
//!
//! Read are the two-dimensional real numeric, logical and sparse arrays, all as `f64` (64-bit integers above 2^53
//! are rounded), and character arrays as text. Whatever else a file holds (cells, structs, objects, function
//! handles, complex numbers, arrays of more dimensions) is passed over, and named in [`MatFile::skipped`].
//!
//! Version 4 files and version 7.3 files, which are HDF5, are refused.

mod cursor;
mod file;
mod format;
mod source;
mod stream;
mod variable;

pub use self::file::{MatFile, read_mat, read_mat_file};
pub use self::format::{MatArray, MatSkipped, MatText};
pub use self::source::read_mat_source;
