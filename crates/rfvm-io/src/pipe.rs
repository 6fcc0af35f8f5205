//! Pipes and standard input: kept in a file of their own while they are read, and waited for with a word.

use std::fs::File;
use std::io::{self, Read, Write as _};
use std::path::Path;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use tempfile::NamedTempFile;

use crate::error::IoError;

/// How long nothing may come before that is told.
const PATIENCE: Duration = Duration::from_secs(1);

static TELL: OnceLock<fn(&str)> = OnceLock::new();

/// Has a sentence handed to `tell` where a pipe gives nothing for a second: without one a program that waits for a writer
/// looks as if it hung. The first call counts.
pub fn tell_of_waiting(tell: fn(&str)) {
    let _ = TELL.set(tell);
}

/// Whether a file is a pipe, which can be read only once.
pub(crate) fn is_pipe(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        std::fs::metadata(path).is_ok_and(|about| about.file_type().is_fifo())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

/// All that comes through a pipe (`-` is standard input), in a file: readers go over a file more than once, and tell some
/// formats by what stands at its end.
pub(crate) fn spool(path: &Path, name: &str) -> Result<NamedTempFile, IoError> {
    let failed = |error| IoError::read(Path::new(name), error);
    // The name breaks ties between formats.
    let ending = path.extension().map(|ending| ending.to_string_lossy());
    let ending = ending.map_or(String::new(), |ending| format!(".{ending}"));
    let mut spool = tempfile::Builder::new()
        .suffix(&ending)
        .tempfile()
        .map_err(failed)?;
    std::thread::scope(|scope| {
        let (came, coming) = channel::<()>();
        scope.spawn(move || {
            let nothing = coming.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout);
            if let (true, Some(tell)) = (nothing, TELL.get()) {
                tell(&format!(
                    "waiting for {name}: nothing has been written to it yet"
                ));
            }
        });
        // Opening a pipe waits for a writer, and reading it for what is written.
        let mut from: Box<dyn Read> = match path.as_os_str() == "-" {
            true => Box::new(io::stdin().lock()),
            false => Box::new(File::open(path)?),
        };
        let mut first = vec![0; 1 << 16];
        let count = from.read(&mut first)?;
        drop(came);
        spool.write_all(&first[..count])?;
        io::copy(&mut from, &mut spool).map(drop)
    })
    .map_err(failed)?;
    Ok(spool)
}
