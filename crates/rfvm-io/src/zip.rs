//! Zip archives, which NumPy's archives and Excel's workbooks are: the crate `zip`, held to what a file can hold.

use std::fs::File;
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use ::zip::ZipArchive;
use ::zip::read::ZipFile;
use ::zip::result::ZipError;
use memchr::memmem;

use crate::common::{one_line, open};
use crate::error::IoError;
use crate::room::Room;
use crate::source::ReadOptions;
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
    /// Opens an archive and reads its directory, which must name all that lies in the file.
    pub(crate) fn open(path: &Path, format: &'static str) -> Result<Self, IoError> {
        let (file, length) = open(path)?;
        let wrong = |what| IoError::malformed(path, format, "its zip directory", what);
        let archive =
            ZipArchive::new(BufReader::with_capacity(1 << 16, file)).map_err(|error| {
                wrong(format!(
                    "it is damaged or was cut short ({})",
                    in_words(error)
                ))
            })?;
        let mut zip = Self { archive, length };
        zip.check_directory(path).map_err(wrong)?;
        Ok(zip)
    }

    /// Bytes of the file.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    /// A directory has no checksum: it is held to what the entries say of themselves, and to there being nothing else
    /// between them.
    fn check_directory(&mut self, path: &Path) -> Result<(), String> {
        let (file, _) = open(path).map_err(|error| error.to_string())?;
        let mut file = BufReader::new(file);
        let mut places = Vec::new();
        let mut directory = 0;
        let text = |name: &[u8]| String::from_utf8_lossy(name).escape_debug().to_string();
        for index in 0..self.archive.len() {
            let entry = self.archive.by_index_raw(index).map_err(in_words)?;
            let start = entry.header_start();
            let name = entry.name_raw();
            let named = named_entry(&mut file, entry.central_header_start()).map_err(one_line)?;
            directory += named.length;
            if named.flags & UNKNOWN_PACKING != 0 {
                return Err(format!(
                    "it says that its part `{}` is encrypted or patched, which is not read",
                    text(name)
                ));
            }
            let own = local_name(&mut file, start).map_err(one_line)?;
            if own != name {
                return Err(format!(
                    "it calls a part `{}` that calls itself `{}`",
                    text(name),
                    text(&own)
                ));
            }
            let data = entry.data_start().unwrap_or(start);
            places.push((start, data.saturating_add(entry.compressed_size())));
        }
        let comment = self.archive.comment().len() as u64;
        let declared = declared_size(&mut file, self.length, comment).map_err(one_line)?;
        if declared.is_some_and(|declared| declared != directory) {
            return Err(format!(
                "it says that it has {} bytes and has {directory}",
                declared.unwrap_or_default()
            ));
        }
        places.sort_unstable();
        let mut end = self.archive.offset();
        places.push((self.archive.central_directory_start(), 0));
        for (start, next) in places {
            // Between two parts there may be the sizes of the first, again, and room that was left.
            if start > end && holds_entry(&mut file, end, start).map_err(one_line)? {
                return Err(format!(
                    "it does not name the part that lies between the bytes {end} and {start}"
                ));
            }
            end = next.max(end);
        }
        Ok(())
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

/// The bytes before the name of an entry, and the mark they begin with.
const LOCAL_HEADER: usize = 30;
const LOCAL_MARK: &[u8] = b"PK\x03\x04";

/// The name that an entry has where it lies.
fn local_name(file: &mut BufReader<File>, start: u64) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(start))?;
    let mut header = [0; LOCAL_HEADER];
    file.read_exact(&mut header)?;
    let mut name = vec![0; usize::from(u16::from_le_bytes([header[26], header[27]]))];
    file.read_exact(&mut name)?;
    Ok(name)
}

/// Flags of an entry: encrypted strongly, with its header too, or patched data.
const UNKNOWN_PACKING: u16 = 1 << 5 | 1 << 6 | 1 << 13;

/// The bytes of the directory before the name of an entry, and those at the end of an archive before its comment.
const NAMED_HEADER: usize = 46;
const END_HEADER: usize = 22;
const END_MARK: &[u8] = b"PK\x05\x06";

/// What the directory holds of an entry.
struct NamedEntry {
    flags: u16,
    /// Bytes that it takes there.
    length: u64,
}

fn named_entry(file: &mut BufReader<File>, start: u64) -> io::Result<NamedEntry> {
    file.seek(SeekFrom::Start(start))?;
    let mut header = [0; NAMED_HEADER];
    file.read_exact(&mut header)?;
    let number = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    let behind: u64 = [28, 30, 32].map(|at| u64::from(number(at))).iter().sum();
    Ok(NamedEntry {
        flags: number(8),
        length: NAMED_HEADER as u64 + behind,
    })
}

/// How many bytes the end of an archive says that its directory has; `None` where it leaves that to a larger record.
fn declared_size(file: &mut BufReader<File>, length: u64, comment: u64) -> io::Result<Option<u64>> {
    let Some(start) = length.checked_sub(END_HEADER as u64 + comment) else {
        return Ok(None);
    };
    file.seek(SeekFrom::Start(start))?;
    let mut end = [0; END_HEADER];
    file.read_exact(&mut end)?;
    let size = u32::from_le_bytes([end[12], end[13], end[14], end[15]]);
    let known = end.starts_with(END_MARK) && size != u32::MAX;
    Ok(known.then_some(u64::from(size)))
}

/// Whether an entry begins between two places.
fn holds_entry(file: &mut BufReader<File>, from: u64, to: u64) -> io::Result<bool> {
    file.seek(SeekFrom::Start(from))?;
    let mut window = Vec::new();
    let mut rest = file.take(to - from);
    loop {
        let kept = window.len().saturating_sub(LOCAL_MARK.len() - 1);
        window.drain(..kept);
        if rest.by_ref().take(1 << 16).read_to_end(&mut window)? == 0 {
            return Ok(false);
        }
        if memmem::find(&window, LOCAL_MARK).is_some() {
            return Ok(true);
        }
    }
}

/// Reads all entries of an archive through: a decoder that stops before the end of one never sees that its checksum
/// does not fit. `look` is shown the first bytes of each, and how many it has.
pub(crate) fn verify(
    path: &Path,
    format: &'static str,
    options: &ReadOptions,
    look: impl Fn(&[u8], u64) -> Result<(), String>,
) -> Result<(), IoError> {
    let mut zip = Zip::open(path, format)?;
    let names: Vec<String> = zip.names().collect();
    let room = Room::new(zip.length, options);
    let (mut packed, mut unpacked) = (0_u64, 0_u64);
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
        unpacked = unpacked.saturating_add(entry.size());
        (room.check_unpacked(unpacked)).map_err(|what| IoError::unsupported(path, what))?;
        let size = entry.size();
        let mut start = Vec::new();
        let read = entry.by_ref().take(LOOKED_AT).read_to_end(&mut start);
        read.map_err(|error| wrong(one_line(error)))?;
        look(&start, size).map_err(wrong)?;
        io::copy(&mut entry, &mut io::sink()).map_err(|error| wrong(one_line(error)))?;
    }
    Ok(())
}

/// The first bytes of a part that are looked at.
const LOOKED_AT: u64 = 1 << 16;
