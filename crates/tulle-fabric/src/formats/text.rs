//! Texts loaded from files, and errors in them.

use std::io::Read;
use std::path::{Path, PathBuf};

use crate::Error;

/// The largest file that is read: 1 GiB.
const MAX_BYTES: u64 = 1 << 30;

/// The content of a file.
pub struct Text {
    path: PathBuf,
    pub content: String,
}

impl Text {
    /// Loads a file; a byte order mark is left out.
    ///
    /// # Errors
    /// [`Error::File`] where the system refuses, [`Error::Format`] for one that is too large, empty, or not UTF-8.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let file_error = |source| Error::File { path: path.to_owned(), source };
        let file = super::open(path).map_err(file_error)?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(file_error)?;
        let mut text = Self { path: path.to_owned(), content: String::new() };
        if bytes.len() as u64 > MAX_BYTES {
            return Err(text.error(1, "the file is too large; legal: at most 1 GiB"));
        }
        text.content = String::from_utf8(bytes).map_err(|error| {
            let valid = error.utf8_error().valid_up_to();
            let line = 1 + error.as_bytes()[..valid].iter().filter(|&&byte| byte == b'\n').count();
            let byte = error.as_bytes()[valid];
            text.error(line, format!("byte 0x{byte:02x} is not UTF-8; legal: UTF-8 text"))
        })?;
        if text.content.starts_with('\u{feff}') {
            text.content.drain(..'\u{feff}'.len_utf8());
        }
        if text.content.trim().is_empty() {
            return Err(text.error(1, "the file is empty; legal: a cable or an endpoint a line"));
        }
        Ok(text)
    }

    /// A line about this file as a whole, that is no error.
    pub fn warning(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.path.display())
    }

    /// That `kind`s of these names were not read; nothing where there are none.
    pub fn ignored<'a>(&self, kind: &str, names: impl IntoIterator<Item = &'a str>) -> Option<String> {
        let mut named: Vec<String> = Vec::new();
        for name in names.into_iter().filter(|name| !name.is_empty()) {
            let name = format!("'{}'", shown(name));
            if !named.contains(&name) {
                named.push(name);
            }
        }
        match named.len() {
            0 => None,
            1 => Some(self.warning(format!("{kind} {} is ignored", named[0]))),
            _ => Some(self.warning(format!("{kind}s {} are ignored", named.join(", ")))),
        }
    }

    /// The error at a line of this file, counted from 1.
    pub fn error(&self, line: usize, problem: impl Into<String>) -> Error {
        Error::Format { path: self.path.clone(), line, problem: problem.into() }
    }
}

/// A text as it can be shown in an error of one line.
pub fn shown(text: &str) -> String {
    const MAX_SHOWN: usize = 60;
    let mut shown: String = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    shown
}
