//! Errors of a fabric. Each message is one line.

use std::path::PathBuf;

use tulle_base::memory::OutOfMemory;
use tulle_spec::SpecError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The spec or one of its values.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A cable or endpoint that cannot be part of a fabric.
    #[error("{0}")]
    Graph(String),
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file with illegal content.
    #[error("{}:{line}:{column}: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column, in characters from 1.
        column: usize,
        /// The problem at this position in the file, and what would be legal there.
        problem: String,
    },
    /// More memory is needed than is available.
    #[error(transparent)]
    Memory(Box<OutOfMemory>),
    /// A randomised construction that did not succeed within its maximum number of attempts.
    #[error("{name}: {problem}; {hint}")]
    Construction {
        /// The family.
        name: String,
        /// The failure, with the values.
        problem: String,
        /// A remedy.
        hint: String,
    },
}

tulle_base::boxed!(Error { Memory(OutOfMemory) });
