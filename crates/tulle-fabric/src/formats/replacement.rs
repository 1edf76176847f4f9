//! Files that appear whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file written beside its place, to be renamed into it; removed where that does not happen.
#[derive(Debug)]
pub struct Replacement {
    place: PathBuf,
    beside: Option<PathBuf>,
}

impl Replacement {
    /// Writes a file beside `place`, buffered; what is at `place` stays as it is.
    ///
    /// # Errors
    /// Those of the system and of `write`.
    pub fn new(place: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<Self> {
        let mut name = std::ffi::OsString::from(".");
        name.push(place.file_name().unwrap_or_default());
        name.push(format!(".{}.tmp", std::process::id()));
        let beside = place.with_file_name(name);
        let file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).open(&beside)?;
        let replacement = Self { place: place.to_owned(), beside: Some(beside) };
        let mut out = io::BufWriter::new(file);
        write(&mut out)?;
        out.flush()?;
        Ok(replacement)
    }

    /// Where the file is to be.
    pub fn place(&self) -> &Path {
        &self.place
    }

    /// Renames the file into its place.
    ///
    /// # Errors
    /// Those of the system.
    pub fn put(mut self) -> io::Result<()> {
        if let Some(beside) = &self.beside {
            std::fs::rename(beside, &self.place)?;
        }
        self.beside = None;
        Ok(())
    }
}

impl Drop for Replacement {
    fn drop(&mut self) {
        if let Some(beside) = &self.beside {
            // The error that brought us here is the one to tell; a file left beside its place harms nobody.
            let _ = std::fs::remove_file(beside);
        }
    }
}
