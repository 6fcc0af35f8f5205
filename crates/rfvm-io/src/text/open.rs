//! Opening text files, plain or compressed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::bufread::GzDecoder;

use super::utf16::{Utf16, byte_order};
use super::words::decode;
use crate::error::IoError;
use crate::room::{Held, Room};
use crate::source::ReadOptions;

/// Bytes taken from the file at once.
const BUFFER: usize = 1 << 18;

const GZIP: [u8; 2] = [0x1f, 0x8b];
const ZSTD: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// How a file is compressed, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    /// What to add to the name of a format.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Gzip => ", gzip",
            Self::Zstd => ", zstd",
        }
    }
}

/// How much of a file has been read, for another thread to see.
#[derive(Debug, Clone, Default)]
pub(crate) struct BytesRead(Arc<AtomicU64>);

impl BytesRead {
    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// An open text file.
pub(crate) struct TextFile {
    pub(crate) reader: Box<dyn BufRead + Send>,
    pub(crate) compression: Compression,
    /// The length of the file as it lies on the disk.
    pub(crate) length: u64,
    /// How many bytes of it have been read.
    pub(crate) progress: BytesRead,
}

/// The whole text of a file of labels, without its byte order mark, and the room that is left for the labels.
pub(crate) fn label_text(path: &Path, options: &ReadOptions) -> Result<(String, Held), IoError> {
    let file = open_file(path)?;
    let room = Room::new(file.length, options);
    let mut held = Held::new(room);
    let mut bytes = Vec::new();
    // Twice, as bytes and as text.
    let read = (file.reader.take(room.most() / 2 + 1)).read_to_end(&mut bytes);
    read.map_err(|error| IoError::read(path, error))?;
    held.add_bytes(2 * bytes.len() as u64)
        .map_err(|what| IoError::unsupported(path, what))?;
    let text = decode(bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(&bytes));
    Ok((text, held))
}

/// The first lines of a text file that are whole, without its byte order mark.
pub(crate) fn first_lines(path: &Path) -> Result<String, IoError> {
    let mut bytes = Vec::new();
    let read = open_text(path)?.take(1 << 14).read_to_end(&mut bytes);
    read.map_err(|error| IoError::read(path, error))?;
    let end = bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(0);
    let start = bytes.get(..end).unwrap_or_default();
    Ok(decode(
        start.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(start),
    ))
}

/// Opens a text file and decompresses it on the way where it is gzip (of any number of members) or zstd, whatever its
/// name; UTF-16 with a byte order mark becomes UTF-8. The errors of the reader say in words what is wrong with the compressed data.
pub(crate) fn open_text(path: &Path) -> Result<Box<dyn BufRead + Send>, IoError> {
    Ok(open_file(path)?.reader)
}

/// Like [`open_text`], with what else is known of the file.
pub(crate) fn open_file(path: &Path) -> Result<TextFile, IoError> {
    let wrap = |error| IoError::read(path, error);
    let file = File::open(path).map_err(wrap)?;
    let metadata = file.metadata().map_err(wrap)?;
    if metadata.is_dir() {
        return Err(IoError::unsupported(
            path,
            "it is a folder; name the file in it",
        ));
    }
    let progress = BytesRead::default();
    let counting = Counting {
        file,
        progress: progress.clone(),
    };
    let mut raw = BufReader::with_capacity(BUFFER, counting);
    let start = raw.fill_buf().map_err(wrap)?;
    let compression = if start.starts_with(&GZIP) {
        Compression::Gzip
    } else if start.starts_with(&ZSTD) {
        Compression::Zstd
    } else {
        Compression::None
    };
    let mut reader: Box<dyn BufRead + Send> = match compression {
        Compression::None => Box::new(raw),
        Compression::Gzip => Box::new(BufReader::with_capacity(BUFFER, Gzip::new(raw))),
        #[cfg(not(feature = "zstd"))]
        Compression::Zstd => {
            return Err(IoError::not_built_in(
                path,
                "a file packed with zstd",
                "zstd",
            ));
        }
        #[cfg(feature = "zstd")]
        Compression::Zstd => {
            let decoder = zstd::stream::read::Decoder::with_buffer(raw).map_err(wrap)?;
            Box::new(BufReader::with_capacity(BUFFER, Zstd(decoder)))
        }
    };
    if let Some(order) = byte_order(reader.fill_buf().map_err(wrap)?) {
        reader = Box::new(BufReader::with_capacity(BUFFER, Utf16::new(reader, order)));
    }
    Ok(TextFile {
        reader,
        compression,
        length: metadata.len(),
        progress,
    })
}

struct Counting {
    file: File,
    progress: BytesRead,
}

impl Read for Counting {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.progress.0.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// All members of a gzip file one after the other; zeros after the last one are padding.
struct Gzip<R> {
    /// Always there, but for the moment in which the next member begins.
    decoder: Option<GzDecoder<R>>,
}

impl<R: BufRead> Gzip<R> {
    fn new(raw: R) -> Self {
        Self {
            decoder: Some(GzDecoder::new(raw)),
        }
    }

    /// Goes to the next member, where there is one.
    fn next_member(&mut self) -> io::Result<bool> {
        let Some(decoder) = self.decoder.take() else {
            return Ok(false);
        };
        let mut raw = decoder.into_inner();
        loop {
            let start = raw.fill_buf()?;
            match start {
                [] => return Ok(false),
                [0x1f, ..] => {
                    self.decoder = Some(GzDecoder::new(raw));
                    return Ok(true);
                }
                [0, ..] => {
                    let zeros = start.iter().take_while(|&&byte| byte == 0).count();
                    raw.consume(zeros);
                }
                _ => {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidData,
                        "there is something else behind its gzip data",
                    ));
                }
            }
        }
    }
}

impl<R: BufRead> Read for Gzip<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(decoder) = &mut self.decoder else {
                return Ok(0);
            };
            match decoder.read(buffer) {
                Ok(0) if !buffer.is_empty() => {
                    if !self.next_member()? {
                        return Ok(0);
                    }
                }
                Ok(count) => return Ok(count),
                Err(error) => return Err(in_words("gzip", error)),
            }
        }
    }
}

#[cfg(feature = "zstd")]
struct Zstd<R: BufRead>(zstd::stream::read::Decoder<'static, R>);

#[cfg(feature = "zstd")]
impl<R: BufRead> Read for Zstd<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer).map_err(|error| in_words("zstd", error))
    }
}

/// What a decompressor's error means to someone who has the file.
fn in_words(method: &str, error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => io::Error::new(
            error.kind(),
            format!("the file is cut short: its {method} data stop in the middle"),
        ),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::Other => {
            io::Error::new(
                io::ErrorKind::InvalidData,
                format!("its {method} data are damaged ({error})"),
            )
        }
        _ => error,
    }
}
