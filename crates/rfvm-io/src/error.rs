//! The error of all readers.

use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be read: one sentence that names the file, the place in it, what is wrong there and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IoError {
    /// The operating system did not hand out the file.
    #[error("cannot read {}: {}", path.display(), in_line(in_words(source)))]
    Read {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },

    /// The file is damaged, cut short, or not of the format it was read as.
    #[error("cannot read {} as {format}: {}: {}; {}", path.display(), in_line(place), in_line(what), repair(place))]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The format it was read as, with its article: "a MATLAB file".
        format: &'static str,
        /// Where in the file: a byte offset, a line, an entry of an archive.
        place: String,
        /// What is wrong there.
        what: String,
    },

    /// The file is sound as far as was looked, but of a kind that is not read here.
    #[error("cannot read {}: {}", path.display(), in_line(what))]
    Unsupported {
        /// The file.
        path: PathBuf,
        /// What it is, and what to do about it.
        what: String,
    },

    /// The file was read, but what was asked for is not in it.
    #[error("{}: {}", path.display(), in_line(what))]
    Choice {
        /// The file.
        path: PathBuf,
        /// What is not there, and what is.
        what: String,
    },

    /// The engine refused what the file holds.
    #[error("{}: {}", path.display(), in_line(source))]
    Engine {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rfvm::Error,
    },

    /// An array was asked for that the file does not hold.
    #[error("{} holds no usable array `{}`: {}; name an array of numbers with --array", path.display(), in_line(name), in_line(what))]
    Missing {
        /// The file.
        path: PathBuf,
        /// The array asked for.
        name: String,
        /// What became of it, or what the file holds instead.
        what: String,
    },

    /// An array is there, but is not what was asked for: another type, or another number of dimensions.
    #[error("array `{}` of {} cannot be used: {}; store it as plain numbers or text", in_line(name), path.display(), in_line(what))]
    Array {
        /// The file.
        path: PathBuf,
        /// The array.
        name: String,
        /// Why it cannot be used.
        what: String,
    },
}

/// Text for a sentence. It may come from a damaged file, so that what would break the line is written out.
fn in_line(text: impl Display) -> String {
    let mut line = String::new();
    for character in text.to_string().chars() {
        if character.is_control() {
            line.extend(character.escape_debug());
        } else {
            line.push(character);
        }
    }
    line
}

impl IoError {
    /// The file the error is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Read { path, .. }
            | Self::Malformed { path, .. }
            | Self::Unsupported { path, .. }
            | Self::Choice { path, .. }
            | Self::Engine { path, .. }
            | Self::Missing { path, .. }
            | Self::Array { path, .. } => path,
        }
    }

    /// The same of a file by another name.
    pub(crate) fn about(mut self, name: &str) -> Self {
        match &mut self {
            Self::Read { path, .. }
            | Self::Malformed { path, .. }
            | Self::Unsupported { path, .. }
            | Self::Choice { path, .. }
            | Self::Engine { path, .. }
            | Self::Missing { path, .. }
            | Self::Array { path, .. } => *path = PathBuf::from(name),
        }
        self
    }

    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn malformed(
        path: &Path,
        format: &'static str,
        place: impl Into<String>,
        what: impl Into<String>,
    ) -> Self {
        Self::Malformed {
            path: path.to_owned(),
            format,
            place: place.into(),
            what: what.into(),
        }
    }

    pub(crate) fn unsupported(path: &Path, what: impl Into<String>) -> Self {
        Self::Unsupported {
            path: path.to_owned(),
            what: what.into(),
        }
    }

    /// A file whose format, or whose compression, was left out of this build.
    #[cfg(any(test, not(feature = "default")))]
    pub(crate) fn not_built_in(path: &Path, what: &str, feature: &str) -> Self {
        let what = format!(
            "this is {what}, and this program was built without the feature {feature}; save the table as CSV, or build \
             with --features {feature}"
        );
        Self::unsupported(path, what)
    }

    pub(crate) fn choice(path: &Path, what: impl Into<String>) -> Self {
        Self::Choice {
            path: path.to_owned(),
            what: what.into(),
        }
    }

    pub(crate) fn engine(path: &Path, source: rfvm::Error) -> Self {
        Self::Engine {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn missing(path: &Path, name: &str, what: impl Into<String>) -> Self {
        Self::Missing {
            path: path.to_owned(),
            name: name.to_owned(),
            what: what.into(),
        }
    }

    pub(crate) fn array(path: &Path, name: &str, what: impl Into<String>) -> Self {
        Self::Array {
            path: path.to_owned(),
            name: name.to_owned(),
            what: what.into(),
        }
    }
}

/// What the operating system or a decompressor said, and what to do about it.
fn in_words(error: &io::Error) -> String {
    use io::ErrorKind;
    match error.kind() {
        ErrorKind::NotFound => "there is no such file; check its name and folder".to_owned(),
        ErrorKind::IsADirectory => "it is a folder; name the file in it".to_owned(),
        ErrorKind::PermissionDenied => "it may not be read; change its permissions".to_owned(),
        ErrorKind::UnexpectedEof | ErrorKind::InvalidData => {
            format!("{error}; copy or export the file again")
        }
        _ => error.to_string(),
    }
}

/// What to do about a file that is wrong somewhere: people can correct a line or a cell, and nothing else.
fn repair(place: &str) -> &'static str {
    if place.starts_with("line ") || place.contains("cell ") {
        "correct the file there"
    } else {
        "copy or export the file again"
    }
}

/// A word for a message: in quotes, without control characters, and shortened where it is long.
pub(crate) fn quoted(word: &str) -> String {
    const SHOWN: usize = 24;
    let shown: String = word
        .chars()
        .take(SHOWN)
        .flat_map(char::escape_default)
        .collect();
    let rest = if word.chars().nth(SHOWN).is_some() {
        "..."
    } else {
        ""
    };
    format!("`{shown}{rest}`")
}

/// At most ten names in quotes.
pub(crate) fn quoted_list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.map(|name| format!("'{name}'"));
    let shown: Vec<String> = names.by_ref().take(10).collect();
    let more = names.count();
    let rest = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    shown.join(", ") + &rest
}
