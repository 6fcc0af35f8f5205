//! Zip archives, which NumPy's archives and Excel's workbooks are: the crate `zip`, held to what a file can hold.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use ::zip::ZipArchive;
use ::zip::read::ZipFile;
use ::zip::result::ZipError;

use crate::common::{one_line, open};
use crate::error::IoError;
use crate::storage::MAX_INFLATION;

/// An open archive.
#[derive(Debug)]
pub(crate) struct Zip {
    archive: ZipArchive<BufReader<File>>,
    length: u64,
}

/// The unpacked bytes of an entry.
pub(crate) type ZipEntry<'a> = ZipFile<'a, BufReader<File>>;

/// What the decoder said, without its own mark for whose fault it is.
fn in_words(error: ZipError) -> String {
    match error {
        ZipError::InvalidArchive(what) => one_line(what),
        ZipError::Io(error) => one_line(error),
        error => one_line(error),
    }
}

impl Zip {
    /// Opens an archive and reads its directory.
    pub(crate) fn open(path: &Path, format: &'static str) -> Result<Self, IoError> {
        let (file, length) = open(path)?;
        let archive =
            ZipArchive::new(BufReader::with_capacity(1 << 16, file)).map_err(|error| {
                let what = format!("it is damaged or was cut short ({})", in_words(error));
                IoError::malformed(path, format, "its zip directory", what)
            })?;
        Ok(Self { archive, length })
    }

    /// The names of the entries in the order of the archive, with `/` between folders.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let names = self.archive.file_names_raw();
        names.map(|name| String::from_utf8_lossy(name).into_owned())
    }

    /// Begins to read an entry. Its checksum is verified when its end is met.
    pub(crate) fn entry(&mut self, index: usize) -> Result<ZipEntry<'_>, String> {
        let entry = self.archive.by_index(index).map_err(in_words)?;
        let (size, packed) = (entry.size(), entry.compressed_size());
        if packed > self.length || size > packed.saturating_mul(MAX_INFLATION) {
            return Err(format!(
                "its entry declares {size} bytes, packed into {packed}, which a file of {} bytes cannot hold",
                self.length
            ));
        }
        Ok(entry)
    }
}

/// Reads all entries of an archive through: a decoder that stops before the end of one never sees that its checksum
/// does not fit.
pub(crate) fn verify(path: &Path, format: &'static str) -> Result<(), IoError> {
    let mut zip = Zip::open(path, format)?;
    let names: Vec<String> = zip.names().collect();
    let mut packed = 0_u64;
    for (index, name) in names.iter().enumerate() {
        let wrong = |what: String| {
            let place = format!("its part `{}`", name.escape_debug());
            IoError::malformed(path, format, place, what)
        };
        let length = zip.length;
        let mut entry = zip.entry(index).map_err(wrong)?;
        // Entries lie one after the other; a directory that names one many times is forged.
        packed = packed.saturating_add(entry.compressed_size());
        if packed > length {
            return Err(wrong("it lies where another one does".to_owned()));
        }
        io::copy(&mut entry, &mut io::sink()).map_err(|error| wrong(one_line(error)))?;
    }
    Ok(())
}
