//! Errors of a workload. Each message is one line.

use std::path::PathBuf;

use tulle_base::memory::OutOfMemory;
use tulle_spec::SpecError;

/// An error of the workload crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An illegal spec or value.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A pattern that does not fit the fabric.
    #[error("{pattern}: {problem}; {legal}")]
    Fabric {
        /// The pattern.
        pattern: String,
        /// The reason why the fabric is refused, with the offending values.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
    /// A file that cannot be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file with illegal content.
    #[error("{}:{at}: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The position of the error.
        at: Position,
        /// The error message, including the legal alternative.
        problem: String,
    },
    /// Too little memory.
    #[error(transparent)]
    Memory(Box<OutOfMemory>),
}

tulle_base::boxed!(Error { Memory(OutOfMemory) });

/// A position in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Position {
    /// A line of a text file, from 1.
    Line(usize),
    /// A byte of a binary file, from 0.
    Byte(usize),
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Line(line) => write!(f, "{line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
        }
    }
}

impl Error {
    /// Creates the error for a fabric that `pattern` does not fit.
    pub(crate) fn misfit(pattern: &str, problem: impl Into<String>, legal: impl AsRef<str>) -> Self {
        let (problem, legal) = (problem.into(), format!("legal: {}", legal.as_ref()));
        Self::Fabric { pattern: pattern.to_owned(), problem, legal }
    }
}
