//! What can end a command early, and the exit code it gets.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rfvm_io::IoError;

use crate::harmless::one_line;

/// Exit code of every mistake on the user's side.
pub(crate) const USER_MISTAKE: u8 = 2;

/// Exit code of a command that Ctrl-C ended, as shells have it: 128 and the number of the signal.
pub(crate) const INTERRUPTED: u8 = 130;

/// Why a command ended early; each message is one sentence.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The engine refused the data or the parameters.
    #[error("{0}{hint}", hint = hint(.0))]
    Engine(#[from] rfvm::Error),
    /// A file could not be read or used.
    #[error("{0}{hint}", hint = hint_in(.0))]
    Table(#[from] IoError),
    /// A study refused what was asked of it.
    #[cfg(feature = "study")]
    #[error("{0}")]
    Study(rfvm_study::Error),
    /// An argument that makes no sense.
    #[error("{0}")]
    Argument(String),
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
    /// The user ended the command.
    #[error("interrupted; nothing was written")]
    Interrupted,
}

impl Error {
    /// A file that could not be read.
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| {
            Self::Table(IoError::Read {
                path: path.to_path_buf(),
                source,
            })
        }
    }

    /// A file or folder that could not be written.
    pub(crate) fn file(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File {
            path: path.to_path_buf(),
            source,
        }
    }

    /// What the engine says of the data in a file.
    pub(crate) fn about(path: &Path) -> impl FnOnce(rfvm::Error) -> Self {
        move |source| {
            Self::Table(IoError::Engine {
                path: path.to_path_buf(),
                source,
            })
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
        let _ = writeln!(io::stderr().lock(), "rfvm: {}", one_line(&self.to_string()));
        ExitCode::from(match self {
            Self::Interrupted => INTERRUPTED,
            _ => USER_MISTAKE,
        })
    }
}

#[cfg(feature = "study")]
impl From<rfvm_study::Error> for Error {
    fn from(error: rfvm_study::Error) -> Self {
        match error {
            rfvm_study::Error::Interrupted => Self::Interrupted,
            rfvm_study::Error::Table(error) => Self::Table(error),
            rfvm_study::Error::Engine(error) => Self::Engine(error),
            error => Self::Study(error),
        }
    }
}

fn hint_in(error: &IoError) -> &'static str {
    match error {
        IoError::Engine { source, .. } => hint(source),
        _ => "",
    }
}

/// What to do with this program about a mistake that the engine found, which knows nothing of files and options.
fn hint(error: &rfvm::Error) -> &'static str {
    use rfvm::Error;
    match error {
        Error::Duplicate { .. } => "; rename or remove one of them",
        Error::Missing { .. } => " (--impute median or --max-missing SHARE)",
        Error::TooFewClasses(_) => "; name another column with --target",
        Error::TooManyClasses { .. } => " (--positive or --positive-not)",
        Error::ClassTooSmall { .. } => "; add samples or put classes together with --positive",
        Error::TargetConstant { .. } => "; name another column with --target",
        Error::AllConstant(_) => "; give a table whose features vary",
        Error::MissingFeatures { .. } => {
            "; add them to the table, fit again without them (--drop), or predict and validate with --missing integrate"
        }
        Error::NotFinite { value, .. } if value.is_nan() => " (--missing integrate)",
        Error::NoLogarithm { .. } => "; leave out --log2 or correct the value",
        Error::ModelFile { reason, .. } if reason.starts_with("this is not") => {
            "; give a file that rfvm fit -o has written"
        }
        _ => "",
    }
}
