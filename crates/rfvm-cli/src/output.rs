//! What a command leaves behind: text on standard output, files that appear whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

use tempfile::TempDir;

use crate::error::Error;
use crate::harmless::{Harmless, one_line};
use crate::interrupt::Writing;

/// Prints to standard output; a command that got that far has succeeded.
pub(crate) fn print(
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<ExitCode, Error> {
    let mut out = Harmless(BufWriter::new(io::stdout().lock()));
    content(&mut out)
        .and_then(|()| out.flush())
        .map_err(Error::Output)?;
    Ok(ExitCode::SUCCESS)
}

/// Refuses a file that could not be written, or that one of the inputs is, before any work is done for it.
pub(crate) fn check_place<'i>(
    path: Option<&PathBuf>,
    inputs: impl IntoIterator<Item = &'i PathBuf>,
) -> Result<(), Error> {
    let Some(path) = path else {
        return Ok(());
    };
    let refuse = |what: String| {
        let path = path.display();
        Err(Error::Argument(format!("cannot write {path}: {what}")))
    };
    if path.is_dir() {
        return refuse("it is a folder; name a file in it".to_string());
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    if !folder.is_dir() {
        return refuse(format!(
            "there is no folder {}; make it first",
            folder.display()
        ));
    }
    // By where they lie, so that links and other spellings of a path are seen through.
    let place = |path: &Path| path.canonicalize().ok();
    let own = place(path);
    if own.is_some() && inputs.into_iter().any(|input| place(input) == own) {
        return refuse("it is an input of this command; name another file".to_string());
    }
    if rfvm::is_device(path) {
        return Ok(());
    }
    // The file will be written beside its place first, so this is what must be possible.
    match rfvm::draft_beside(own.as_deref().unwrap_or(path)) {
        Ok(_) => Ok(()),
        Err(reason) => refuse(format!(
            "nothing can be written to its folder ({reason}); name another one"
        )),
    }
}

/// Writes a file that appears whole or not at all.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    let _writing = Writing::begin()?;
    rfvm::write_atomically(path, bytes).map_err(|error| match error {
        rfvm::Error::File { path, source } => Error::File { path, source },
        error => Error::Engine(error),
    })
}

/// Prints one JSON object and nothing else.
pub(crate) fn print_json(value: &impl serde::Serialize) -> Result<ExitCode, Error> {
    print(|out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        writeln!(out)
    })
}

/// Whether `--quiet` was given.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves out notes and progress from here on; mistakes are told all the same.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether progress would be shown to nobody who wants it.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Tells on standard error what a user should know of how a table was read.
pub(crate) fn tell_notes(notes: &[String]) {
    if is_quiet() {
        return;
    }
    for note in notes {
        // Where standard error is closed, the notes are lost and nothing else.
        let _ = writeln!(io::stderr().lock(), "rfvm: note: {}", one_line(note));
    }
}

/// Files gather in a hidden folder inside the target and are renamed into place by [`Folder::commit`]; without it,
/// nothing stays behind, neither the files nor folders that were made for them.
pub(crate) struct Folder {
    path: PathBuf,
    /// The target and those of its parents that did not exist before, outermost first.
    made: Vec<PathBuf>,
    stage: Option<TempDir>,
    names: Vec<&'static str>,
    /// Dropped last, when nothing is left to tidy up.
    _writing: Writing,
}

impl Folder {
    /// Makes the folder, and fails at once where it cannot be written to.
    pub(crate) fn open(path: &Path) -> Result<Self, Error> {
        let writing = Writing::begin()?;
        let missing = |p: &&Path| !p.as_os_str().is_empty() && fs::symlink_metadata(p).is_err();
        let mut made: Vec<PathBuf> = path
            .ancestors()
            .take_while(missing)
            .map(Path::to_path_buf)
            .collect();
        made.reverse();
        let mut folder = Self {
            path: path.to_path_buf(),
            made,
            stage: None,
            names: Vec::new(),
            _writing: writing,
        };
        fs::create_dir_all(path).map_err(Error::file(path))?;
        let stage = tempfile::Builder::new().prefix(".rfvm-").tempdir_in(path);
        folder.stage = Some(stage.map_err(Error::file(path))?);
        Ok(folder)
    }

    /// Where to write a file for now. Refuses a name that a folder has already taken.
    pub(crate) fn place(&mut self, name: &'static str) -> Result<PathBuf, Error> {
        let target = self.path.join(name);
        if target.is_dir() {
            let taken = io::Error::from(io::ErrorKind::IsADirectory);
            return Err(Error::file(&target)(taken));
        }
        self.names.push(name);
        let stage = self.stage.as_ref().map_or(&*self.path, TempDir::path);
        Ok(stage.join(name))
    }

    /// Writes one file with the given function.
    pub(crate) fn write(
        &mut self,
        name: &'static str,
        content: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), Error> {
        let place = self.place(name)?;
        let write = || {
            let mut out = BufWriter::with_capacity(1 << 20, File::create(&place)?);
            content(&mut out)?;
            out.flush()?;
            out.get_ref().sync_all()
        };
        write().map_err(Error::file(&self.path.join(name)))
    }

    /// Puts every file in its place and names them.
    pub(crate) fn commit(mut self) -> Result<Vec<PathBuf>, Error> {
        let mut done = Vec::new();
        if let Some(stage) = self.stage.take() {
            for name in &self.names {
                let target = self.path.join(name);
                fs::rename(stage.path().join(name), &target).map_err(Error::file(&target))?;
                done.push(target);
            }
        }
        Ok(done)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        self.stage = None;
        // Only empty folders can be removed, so a committed one stays.
        for path in self.made.iter().rev() {
            let _ = fs::remove_dir(path);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn entries(path: &Path) -> usize {
        fs::read_dir(path).unwrap().count()
    }

    #[test]
    fn files_appear_together_and_only_on_commit() {
        let home = tempfile::tempdir().unwrap();
        let target = home.path().join("a/b");
        let mut folder = Folder::open(&target).unwrap();
        folder.write("x.csv", |out| write!(out, "1")).unwrap();
        assert!(!target.join("x.csv").exists());
        folder.write("y.csv", |out| write!(out, "2")).unwrap();
        let files = folder.commit().unwrap();
        assert_eq!(files, [target.join("x.csv"), target.join("y.csv")]);
        assert_eq!(fs::read_to_string(&files[1]).unwrap(), "2");
        assert_eq!(entries(&target), 2);
    }

    #[test]
    fn a_folder_that_is_given_up_leaves_nothing() {
        let home = tempfile::tempdir().unwrap();
        let mut folder = Folder::open(&home.path().join("a/b")).unwrap();
        folder.write("x.csv", |out| write!(out, "1")).unwrap();
        let error = folder
            .write("y.csv", |_| Err(io::Error::other("full")))
            .unwrap_err();
        assert!(error.to_string().ends_with("a/b/y.csv: full"));
        drop(folder);
        assert_eq!(entries(home.path()), 0);
    }

    #[test]
    fn what_was_there_before_stays() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("x.csv")).unwrap();
        let mut folder = Folder::open(home.path()).unwrap();
        assert!(folder.write("x.csv", |_| Ok(())).is_err());
        drop(folder);
        assert_eq!(entries(home.path()), 1);
        fs::write(home.path().join("file"), "").unwrap();
        assert!(Folder::open(&home.path().join("file/under")).is_err());
        assert_eq!(entries(home.path()), 2);
    }
}
