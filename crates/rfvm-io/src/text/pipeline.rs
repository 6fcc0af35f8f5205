//! The blocks of a file, one after the other, read and decompressed ahead of those who parse them.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{SendError, channel, sync_channel};

use rayon::{ThreadPool, ThreadPoolBuilder};

use super::blocks::{BLOCK, Cut, Cutter, MIN_LINES, TextBlock};
use super::open::{BytesRead, Compression};
use crate::error::IoError;

/// Hands all blocks of a file to `visit`, which can end it early; a compressed file is read to its end all the same, as its
/// checksum stands there.
///
/// Another thread decompresses on meanwhile. A plain file is read between the visits: that takes little time, and a
/// second block would take memory.
pub(crate) fn for_each_block(
    path: &Path,
    cut: Cut,
    mut visit: impl FnMut(&TextBlock, &Reading) -> Result<ControlFlow<()>, IoError>,
) -> Result<(), IoError> {
    let mut cutter = Cutter::open(path, cut)?;
    let reading = Reading {
        length: cutter.file().length,
        progress: cutter.file().progress.clone(),
    };
    if cutter.file().compression == Compression::None {
        let mut block = TextBlock::default();
        while cutter.fill_to(&mut block, BLOCK, MIN_LINES)? {
            if visit(&block, &reading)?.is_break() {
                break;
            }
        }
        return Ok(());
    }
    // Only a visit that ends early and well is worth the way to the end.
    let ended = &AtomicBool::new(false);
    std::thread::scope(|scope| {
        // No room in the channel: one block is being filled and one is being parsed.
        let (send_full, full) = sync_channel::<Result<TextBlock, IoError>>(0);
        let (send_empty, empty) = channel::<TextBlock>();
        let reader = scope.spawn(move || {
            loop {
                let mut block = empty.try_recv().unwrap_or_default();
                // A line fewer, as there are two blocks at a time.
                let message = match cutter.fill_to(&mut block, BLOCK, MIN_LINES - 1) {
                    Ok(true) => Ok(block),
                    Ok(false) => return Ok(()),
                    Err(error) => Err(error),
                };
                let failed = message.is_err();
                if let Err(SendError(unsent)) = send_full.send(message) {
                    return match ended.load(Ordering::Relaxed) {
                        true => unsent.and_then(|_| cutter.read_to_end()),
                        false => Ok(()),
                    };
                }
                if failed {
                    return Ok(());
                }
            }
        });
        for block in full {
            let block = block?;
            if visit(&block, &reading)?.is_break() {
                ended.store(true, Ordering::Relaxed);
                break;
            }
            // It is no matter if the other side has ended.
            let _ = send_empty.send(block);
        }
        match reader.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}

/// How far a file has been read.
pub(crate) struct Reading {
    length: u64,
    progress: BytesRead,
}

impl Reading {
    /// An estimate of how many rows there are in all, given how many there have been.
    pub(crate) fn expected_rows(&self, rows: usize) -> usize {
        let share = self.progress.bytes() as f64 / self.length.max(1) as f64;
        // The reading runs ahead of the parsing, so that this is, if anything, too few; the rest grows later.
        (rows as f64 / share.clamp(1e-3, 1.0) * 1.02) as usize
    }
}

/// The threads a reader uses beside the one that reads the file.
const MAX_THREADS: usize = 16;

/// A pool for one file, of as many threads as a fit would take.
pub(crate) fn pool(path: &Path, threads: Option<usize>) -> Result<ThreadPool, IoError> {
    ThreadPoolBuilder::new()
        .num_threads(rfvm::threads(threads).clamp(1, MAX_THREADS))
        .build()
        .map_err(|error| IoError::read(path, std::io::Error::other(error)))
}
