//! Atomic replacement of files.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::other_kind;

/// A temporary file that replaces another file by a rename. If the value is dropped before the rename, the temporary file is deleted.
#[derive(Debug)]
pub struct Replacement {
    place: PathBuf,
    /// The file to replace: `place`, or the file that `place` points to if it is a link.
    target: PathBuf,
    beside: Option<PathBuf>,
}

impl Replacement {
    /// Writes a temporary file in the folder of the file at `place`, and syncs it to disk. The file at `place` does not change before
    /// [`Self::put`]. If `place` is a link, the temporary file is in the folder of the file that the link points to, and [`Self::put`]
    /// replaces that file.
    ///
    /// # Errors
    /// Fails if the operating system or `write` reports an error. Also fails if `place` exists and is not a file, for example if it is a
    /// folder or a device.
    pub fn new(place: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Self> {
        let target = match other_kind(place) {
            Ok(None) => std::fs::canonicalize(place)?,
            Ok(Some(kind)) => return Err(io::Error::other(format!("{kind}; legal: a file"))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => place.to_owned(),
            Err(error) => return Err(error),
        };
        let mut name = std::ffi::OsString::from(".");
        name.push(target.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        let beside = target.with_file_name(name);
        let file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).open(&beside)?;
        let replacement = Self { place: place.to_owned(), target, beside: Some(beside) };
        let mut out = io::BufWriter::new(file);
        write(&mut out)?;
        out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
        Ok(replacement)
    }

    /// Returns the path that was given to [`Self::new`].
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Renames the temporary file, which replaces the old file.
    ///
    /// # Errors
    /// Fails if the operating system reports an error.
    pub fn put(mut self) -> io::Result<()> {
        if let Some(beside) = &self.beside {
            std::fs::rename(beside, &self.target)?;
        }
        // Syncs the folder if the file system supports this. After the sync, the new name is on disk.
        let folder = self.target.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
            let _ = folder.sync_all();
        }
        self.beside = None;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // An error is ignored, because `drop` cannot return it, and a remaining temporary file does no harm.
            let _ = std::fs::remove_file(beside);
        }
    }
}
