//! Everything that can go wrong with a study, each as one sentence that carries the values.

use std::path::{Path, PathBuf};

/// A mistake in a catalogue, a wave or a study file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The study file could not be read or written. SQLite may quote the file, line ends and all.
    #[error("{}: {}", path.display(), source.to_string().replace(char::is_control, " "))]
    Store {
        /// The study file.
        path: PathBuf,
        /// What SQLite says.
        source: rusqlite::Error,
    },
    /// Another process kept the file locked for too long.
    #[error("{}: another process is writing to it; try again when that has ended", path.display())]
    Busy {
        /// The study file.
        path: PathBuf,
    },
    /// A file that is not what it should be, or does not fit the study.
    #[error("{}: {what}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong, where, and what to do.
        what: String,
    },
    /// A file that could not be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A table that could not be read.
    #[error("{0}")]
    Table(#[from] rfvm_io::IoError),
    /// The engine refused the data or the parameters.
    #[error("{0}")]
    Engine(#[from] rfvm::Error),
    /// Something asked of the study that it cannot answer yet, or a value out of range.
    #[error("{0}")]
    Asked(String),
    /// The caller ended the work; nothing was written.
    #[error("interrupted; nothing was written")]
    Interrupted,
}

impl Error {
    pub(crate) fn file(path: &Path, what: impl Into<String>) -> Self {
        Self::File {
            path: path.to_path_buf(),
            what: what.into(),
        }
    }

    pub(crate) fn asked(what: impl Into<String>) -> Self {
        Self::Asked(what.into())
    }

    pub(crate) fn read(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        move |source| Self::Read {
            path: path.to_path_buf(),
            source,
        }
    }

    /// What SQLite says of a study file; a lock that was held too long has its own sentence.
    pub(crate) fn store(path: &Path) -> impl FnOnce(rusqlite::Error) -> Self {
        move |source| {
            let path = path.to_path_buf();
            match source.sqlite_error_code() {
                Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                    Self::Busy { path }
                }
                Some(rusqlite::ErrorCode::NotADatabase) => Self::File {
                    path,
                    what: "this is not a study file; give one that rfvm study init has made"
                        .to_string(),
                },
                _ => Self::Store { path, source },
            }
        }
    }
}

/// At most the first five names, quoted, and how many more there are.
pub(crate) fn quoted<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    let mut text = names
        .iter()
        .take(5)
        .map(|name| format!("'{name}'"))
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > 5 {
        text.push_str(&format!(" and {} more", names.len() - 5));
    }
    text
}
