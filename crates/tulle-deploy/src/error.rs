//! Errors of the deployment crate. Each message is one line.

use std::path::PathBuf;

use tulle_base::memory::OutOfMemory;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A property that the target network (InfiniBand or Ethernet) cannot represent, or inputs that do not fit together.
    #[error("{0}")]
    Input(String),
    /// Tables with wrong paths. The cause is an error in this crate, or in the file from which the tables were read.
    #[error("{0}")]
    Wrong(String),
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file with illegal content.
    #[error("{}:{line}: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The problem, and what would be legal.
        problem: String,
    },
    /// More memory is needed than is available.
    #[error(transparent)]
    Memory(Box<OutOfMemory>),
}

tulle_base::boxed!(Error { Memory(OutOfMemory) });
