//! An open archive and its arrays.

use std::path::{Path, PathBuf};

use crate::error::IoError;
use crate::matrix::Matrix;
use crate::npy::{Array, Header, shape_text, wrong_dimensions};
use crate::room::Room;
use crate::source::ReadOptions;
use crate::zip::{Zip, ZipEntry};

pub(super) const FORMAT: &str = "an npz archive";

/// An open NumPy archive.
#[derive(Debug)]
pub struct NpzFile {
    path: PathBuf,
    zip: Zip,
    room: Room,
    /// The names of the arrays in the order of the archive, each with its entry's number.
    entries: Vec<(String, usize)>,
}

impl NpzFile {
    /// Opens an archive and reads its directory.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read or is not a zip archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, IoError> {
        Self::open_within(path.as_ref(), &ReadOptions::default())
    }

    /// The same with a limit on memory.
    pub(crate) fn open_within(path: &Path, options: &ReadOptions) -> Result<Self, IoError> {
        let zip = Zip::open(path, FORMAT)?;
        let entries = zip.names().enumerate();
        let entries = entries
            .filter_map(|(index, name)| Some((name.strip_suffix(".npy")?.to_owned(), index)))
            .collect();
        Ok(Self {
            path: path.to_owned(),
            room: Room::new(zip.length(), options),
            zip,
            entries,
        })
    }

    /// The names of the arrays, in the order of the archive.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|(name, _)| name.as_str())
    }

    /// Whether there is an array of this name.
    pub fn contains(&self, name: &str) -> bool {
        self.names().any(|present| present == name)
    }

    /// Reads a two-dimensional array of numbers or truth values, samples by features, as a [`Matrix`].
    ///
    /// Read are `f8`, `f4`, `i1` to `i8`, `u1` to `u8` and `bool`, in either byte order and in C or Fortran order.
    ///
    /// # Errors
    ///
    /// Where there is no such array, where it is damaged, of another type, or not of two dimensions.
    pub fn matrix(&mut self, name: &str) -> Result<Matrix, IoError> {
        let path = self.path.clone();
        let array = self.array(name)?;
        array
            .matrix()
            .map_err(|what| IoError::array(&path, name, what))
    }

    /// Reads a one-dimensional array of numbers or truth values (a single number counts as an array of one).
    ///
    /// # Errors
    ///
    /// Where there is no such array, where it is damaged, of another type, or of more than one dimension.
    pub fn numbers(&mut self, name: &str) -> Result<Vec<f64>, IoError> {
        let path = self.path.clone();
        let array = self.vector(name)?;
        array
            .values()
            .map_err(|what| IoError::array(&path, name, what))
    }

    /// Reads a one-dimensional array of strings, `U` or `S` (a single string counts as an array of one).
    ///
    /// Byte strings (`S`) must be UTF-8.
    ///
    /// # Errors
    ///
    /// Where there is no such array, where it is damaged, of another type, or of more than one dimension. Arrays of
    /// Python objects, as NumPy makes them of strings of unlike length when told `dtype=object`, are refused.
    pub fn strings(&mut self, name: &str) -> Result<Vec<String>, IoError> {
        let path = self.path.clone();
        let array = self.vector(name)?;
        array
            .strings()
            .map_err(|what| IoError::array(&path, name, what))
    }

    /// The header of an array.
    pub(crate) fn header(&mut self, name: &str) -> Result<Header, IoError> {
        Ok(self.array(name)?.header)
    }

    /// Begins to read an array of one dimension at most.
    fn vector(&mut self, name: &str) -> Result<Array<ZipEntry<'_>>, IoError> {
        let path = self.path.clone();
        let array = self.array(name)?;
        if array.header.shape.len() > 1 {
            let what = wrong_dimensions(&array.header.shape, "1");
            return Err(IoError::array(&path, name, what));
        }
        Ok(array)
    }

    /// Reads the header of an array, and checks that what it declares is what its entry holds.
    pub(crate) fn array(&mut self, name: &str) -> Result<Array<ZipEntry<'_>>, IoError> {
        let entry = self.entries.iter().find(|(present, _)| present == name);
        let Some(&(_, index)) = entry else {
            let present: Vec<&str> = self.names().collect();
            let what = if present.is_empty() {
                "there are no arrays in it".to_owned()
            } else {
                format!("its arrays are {}", present.join(", "))
            };
            return Err(IoError::missing(&self.path, name, what));
        };
        let path = &self.path;
        let malformed =
            |what: String| IoError::malformed(path, FORMAT, format!("array `{name}`"), what);
        let entry = self.zip.entry(index).map_err(malformed)?;
        let size = entry.size();
        let array = Array::new(entry, self.room).map_err(malformed)?;
        let header = &array.header;
        let expected = header
            .data_length()
            .map_err(|what| IoError::array(path, name, what))?;
        let declared = size.saturating_sub(array.header_length);
        if expected != declared {
            return Err(malformed(format!(
                "its shape {} and type {} call for {expected} bytes of data, but its entry has {declared}",
                shape_text(&header.shape),
                header.dtype
            )));
        }
        Ok(array)
    }
}
