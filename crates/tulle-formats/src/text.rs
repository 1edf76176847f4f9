//! Texts of files, and errors at positions in them.

use std::io::Read;
use std::path::{Path, PathBuf};

use tulle_fabric::Error;

/// The largest file that is read: 1 GiB.
const MAX_BYTES: u64 = 1 << 30;

/// The content of a file.
pub struct Text {
    pub path: PathBuf,
    pub content: String,
    /// Whether SHARP aggregation nodes, which some files contain, become endpoints like other adapters.
    pub keep_aggregation: bool,
}

impl Text {
    /// Loads a file without its byte order mark.
    ///
    /// # Errors
    /// Returns [`Error::File`] if the operating system refuses to read the file. Returns [`Error::Format`] if the file is too large, is
    /// empty, or is not UTF-8.
    pub fn load(path: &Path) -> Result<Self, Error> {
        let file_error = |source| Error::File { path: path.to_owned(), source };
        let file = tulle_base::files::open(path).map_err(file_error)?;
        let mut bytes = Vec::new();
        file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(file_error)?;
        let mut text = Self { path: path.to_owned(), content: String::new(), keep_aggregation: false };
        if bytes.len() as u64 > MAX_BYTES {
            return Err(text.error("the file is too large; legal: at most 1 GiB"));
        }
        text.content = match String::from_utf8(bytes) {
            Ok(content) => content,
            Err(error) => {
                let valid = error.utf8_error().valid_up_to();
                let byte = error.as_bytes()[valid];
                text.content = String::from_utf8_lossy(&error.as_bytes()[..valid]).into_owned();
                return Err(text.error_at(valid, format!("byte 0x{byte:02x} is not UTF-8; legal: UTF-8 text")));
            }
        };
        if text.content.starts_with('\u{feff}') {
            text.content.drain(..'\u{feff}'.len_utf8());
        }
        if text.content.trim().is_empty() {
            return Err(text.error("the file is empty; legal: a cable or an endpoint per line"));
        }
        Ok(text)
    }

    /// Returns a note about the whole file.
    pub fn warning(&self, what: impl std::fmt::Display) -> String {
        format!("{}: {what}", self.path.display())
    }

    /// Returns a note that the columns or attributes (`kind`) with these names are ignored; `None` if `names` is empty.
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

    /// Returns an error about the whole file.
    pub fn error(&self, problem: impl Into<String>) -> Error {
        self.error_at(0, problem)
    }

    /// Returns an error at `part`, a piece of the content.
    pub fn error_in(&self, part: &str, problem: impl Into<String>) -> Error {
        self.error_at(self.offset(part), problem)
    }

    /// Returns an error at a byte offset of the content. If the byte is inside a character, the error is at the start of this character.
    pub fn error_at(&self, offset: usize, problem: impl Into<String>) -> Error {
        let offset = (0..=offset.min(self.content.len())).rev().find(|&at| self.content.is_char_boundary(at));
        let before = &self.content[..offset.unwrap_or(0)];
        let line = before.rfind('\n').map_or(0, |end| end + 1);
        Error::Format {
            path: self.path.clone(),
            line: 1 + before.bytes().filter(|&byte| byte == b'\n').count(),
            column: 1 + before[line..].chars().count(),
            problem: problem.into(),
        }
    }

    /// Returns an error at a line and a column, in characters from 1.
    pub fn error_on(&self, line: usize, column: usize, problem: impl Into<String>) -> Error {
        Error::Format { path: self.path.clone(), line, column, problem: problem.into() }
    }

    /// Returns the position of `part`, which must be a piece of the content.
    pub fn offset(&self, part: &str) -> usize {
        let offset = part.as_ptr().addr().wrapping_sub(self.content.as_ptr().addr());
        if offset <= self.content.len() { offset } else { 0 }
    }
}

/// Returns a text in a form that fits in a one-line error.
pub fn shown(text: &str) -> String {
    const MAX_SHOWN: usize = 60;
    let mut shown: String = text.chars().take(MAX_SHOWN).flat_map(char::escape_debug).collect();
    if text.chars().nth(MAX_SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// Returns a count with its noun, for example `1 cable` or `2 cables`.
pub fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

/// Returns the form of *be* that follows a count.
pub fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Splits a line into its content and its comment. `#` starts a comment anywhere; `%` (KONECT) and `//` start a comment only at the start
/// of a line.
pub fn parts(line: &str) -> (&str, &str) {
    let start = line.trim_start();
    match start.strip_prefix('%').or_else(|| start.strip_prefix("//")) {
        Some(comment) => ("", comment),
        None => line.split_once('#').unwrap_or((line, "")),
    }
}
