//! Loads files, and creates errors that state a position in a file.

use std::fmt::Display;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use tulle_spec::units::is_whole;

use crate::Error;
use crate::error::Position;

/// Maximum size of a file: 4 GiB.
const MAX_BYTES: u64 = 1 << 32;

/// The content of a file.
pub struct File {
    path: PathBuf,
    /// The bytes of the file.
    pub bytes: Vec<u8>,
}

impl File {
    /// Loads a file.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let file_error = |source| Error::File { path: path.to_owned(), source };
        let file = tulle_base::files::open(path).map_err(file_error)?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(file_error)?;
        let file = Self { path: path.to_owned(), bytes };
        if file.bytes.len() as u64 > MAX_BYTES {
            // On a 32-bit target, 4 GiB do not fit in `usize`. But reading fails there before a file is this large.
            let end = usize::try_from(MAX_BYTES).unwrap_or(usize::MAX);
            return Err(file.at_byte(end, "the file is too large; legal: at most 4 GiB"));
        }
        Ok(file)
    }

    /// Creates a file from bytes, for tests.
    #[cfg(test)]
    pub fn of(bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: "test".into(), bytes: bytes.into() }
    }

    /// Returns the content as text.
    pub fn text(&self) -> Result<&str, Error> {
        std::str::from_utf8(&self.bytes).map_err(|error| {
            let valid = error.valid_up_to();
            let line = 1 + self.bytes[..valid].iter().filter(|&&byte| byte == b'\n').count();
            self.at_line(line, format!("byte 0x{:02x} is not UTF-8; legal: UTF-8 text", self.bytes[valid]))
        })
    }

    /// Creates a warning about the whole file.
    pub fn warning(&self, what: impl Display) -> String {
        format!("{}: {what}", self.path.display())
    }

    /// Creates an error at a line, counted from 1.
    pub fn at_line(&self, line: usize, problem: impl Into<String>) -> Error {
        self.at(Position::Line(line), problem)
    }

    /// Creates an error at a byte, counted from 0.
    pub fn at_byte(&self, byte: usize, problem: impl Into<String>) -> Error {
        self.at(Position::Byte(byte), problem)
    }

    /// Creates an error at a position.
    pub fn at(&self, at: Position, problem: impl Into<String>) -> Error {
        Error::Format { path: self.path.clone(), at, problem: problem.into() }
    }

    /// Parses a whole number.
    pub fn number<T: FromStr>(&self, line: usize, what: &str, text: &str, most: impl Display) -> Result<T, Error> {
        // The parser would accept a sign.
        text.parse().ok().filter(|_| text.bytes().all(|byte| byte.is_ascii_digit())).ok_or_else(|| {
            let problem = if is_whole(text) { "out of range" } else { "not a whole number" };
            self.at_line(line, format!("{what} '{}' is {problem}; legal: 0 to {most}", excerpt(text)))
        })
    }
}

/// Shortens and escapes a text for use in a one-line error.
pub fn excerpt(text: &str) -> String {
    const MAX_SHOWN: usize = 60;
    let mut excerpt: String = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        excerpt.push('…');
    }
    excerpt
}
