//! Ctrl-C: at once where nothing is being written, else after files and folders that are not finished are gone.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::error::{Error, INTERRUPTED};

/// How many parts of the program are writing.
static WRITING: Mutex<usize> = Mutex::new(0);

/// Whether the command is to end as soon as it can.
static ASKED: AtomicBool = AtomicBool::new(false);

fn writing() -> MutexGuard<'static, usize> {
    WRITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From here on Ctrl-C (and what else asks a program to end) leaves nothing half-written. For the program's own `main`.
pub fn tidy_up_when_interrupted() {
    // Without a handler the system ends the program, as it does others.
    let _ = ctrlc::set_handler(|| {
        let writing = writing();
        // Whoever asks twice does not want to wait.
        if *writing == 0 || ASKED.swap(true, Ordering::SeqCst) {
            Error::Interrupted.report();
            process::exit(i32::from(INTERRUPTED));
        }
    });
}

/// Whether the user has asked the command to end.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// While this lives, files or folders are there that must not stay.
#[derive(Debug)]
pub(crate) struct Writing(());

impl Writing {
    /// Fails where the command is to end.
    pub(crate) fn begin() -> Result<Self, Error> {
        *writing() += 1;
        let begun = Self(());
        if asked() {
            return Err(Error::Interrupted);
        }
        Ok(begun)
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        *writing() -= 1;
    }
}
