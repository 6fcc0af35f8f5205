//! What can end a command early, and the exit code it gets.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Exit code of every mistake on the user's side.
pub(crate) const USER_MISTAKE: u8 = 2;

/// Why a command ended early; each message is one sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine refused the data or the parameters.
    #[error(transparent)]
    Engine(#[from] rfvm::Error),
    /// A table could not be read or used.
    #[error(transparent)]
    Table(#[from] rfvm_io::IoError),
    /// An argument that makes no sense.
    #[error("{0}")]
    Argument(String),
    /// A file that could not be read.
    #[error("cannot read {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file or folder that could not be written.
    #[error("cannot write {}: {source}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Standard output could not be written.
    #[error("cannot write to standard output: {0}")]
    Output(#[source] io::Error),
}

impl Error {
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File {
            path: path.to_path_buf(),
            source,
        }
    }

    /// Tells the user on standard error and gives the exit code; a reader that has closed the pipe is no failure.
    pub fn report(&self) -> ExitCode {
        if let Self::Output(reason) = self
            && reason.kind() == io::ErrorKind::BrokenPipe
        {
            return ExitCode::SUCCESS;
        }
        // Where standard error is closed too, the exit code still tells.
        let _ = writeln!(io::stderr().lock(), "rfvm: {self}");
        ExitCode::from(USER_MISTAKE)
    }
}
