//! Opens files for reading, and replaces files atomically.

mod replacement;

use std::fs::File;
use std::io;
use std::path::Path;

pub use replacement::Replacement;

/// Opens a regular file. Pipes and devices are refused, because reading them can block forever.
///
/// # Errors
/// Fails if the operating system reports an error, or if the path exists but is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    if let Some(kind) = other_kind(path)? {
        return Err(io::Error::other(format!("{kind}; legal: a file")));
    }
    File::open(path)
}

/// Describes what is at `path`, for example `a folder`; `None` if it is a regular file.
///
/// # Errors
/// Fails if the operating system reports an error, for example if the file is missing.
pub fn other_kind(path: &Path) -> io::Result<Option<&'static str>> {
    let kind = std::fs::metadata(path)?.file_type();
    Ok(match () {
        () if kind.is_file() => None,
        () if kind.is_dir() => Some("a folder"),
        () if is_pipe(kind) => Some("a pipe"),
        () => Some("a device"),
    })
}

#[cfg(unix)]
fn is_pipe(kind: std::fs::FileType) -> bool {
    std::os::unix::fs::FileTypeExt::is_fifo(&kind)
}

#[cfg(not(unix))]
fn is_pipe(_: std::fs::FileType) -> bool {
    false
}
