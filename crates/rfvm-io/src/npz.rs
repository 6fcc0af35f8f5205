//! NumPy archives (`.npz`): a zip file with a `.npy` file for each array.

mod archive;
mod source;

pub use self::archive::NpzFile;
pub use self::source::{read_npy_source, read_npz_source};
