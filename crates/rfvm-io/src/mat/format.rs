//! The numbers of the format by name, and what is found in a file.

use crate::matrix::Matrix;

/// As much of a file as tells its kind.
pub(crate) const START_LENGTH: u64 = 520;
const HDF5_SIGNATURE: &[u8] = b"\x89HDF\r\n\x1a\n";

// The data types of the format that are not numbers.
pub(super) const MI_MATRIX: u32 = 14;
pub(super) const MI_COMPRESSED: u32 = 15;
pub(super) const MI_UTF8: u32 = 16;
pub(super) const MI_UTF16: u32 = 17;
pub(super) const MI_UTF32: u32 = 18;

// The numbers of the format whose meaning is needed by name.
pub(super) const MI_INT8: u32 = 1;
pub(super) const MI_INT32: u32 = 5;
pub(super) const MI_UINT32: u32 = 6;

pub(super) const CLASS_CHAR: u8 = 4;
pub(super) const CLASS_SPARSE: u8 = 5;
pub(super) const CLASS_OPAQUE: u8 = 17;

pub(super) const FLAG_COMPLEX: u8 = 0x08;

/// A two-dimensional array of numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct MatArray {
    /// The name of the variable.
    pub name: String,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The values, column-major: column `j` occupies `values[j * rows..(j + 1) * rows]`.
    pub values: Vec<f64>,
}

impl MatArray {
    /// The array as a data matrix, its rows being the samples; nothing is copied.
    pub fn into_matrix(self) -> Matrix {
        Matrix {
            samples: self.rows,
            features: self.cols,
            values: self.values,
        }
    }
}

/// A character array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatText {
    /// The name of the variable.
    pub name: String,
    /// Its rows; MATLAB pads all of them with blanks to the same length.
    pub lines: Vec<String>,
}

/// A variable that was passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatSkipped {
    /// The name of the variable; empty where it has none.
    pub name: String,
    /// What it is, and so why it was passed over: "a cell array".
    pub what: String,
}

/// Whether a file is of version 7.3, which is HDF5: by its signature, or by the number in MATLAB's own header.
pub(crate) fn is_version_73(start: &[u8]) -> bool {
    let signature_at = |at: usize| {
        start
            .get(at..)
            .is_some_and(|rest| rest.starts_with(HDF5_SIGNATURE))
    };
    // In MATLAB's own files, the HDF5 part begins after a block of 512 bytes.
    signature_at(0) || signature_at(512)
}
