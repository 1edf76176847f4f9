//! The errors of this crate. Each message is one line.

use std::path::PathBuf;

use tulle_base::memory::OutOfMemory;
use tulle_spec::SpecError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A spec, or one of its values, is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The scheme cannot route the fabric.
    #[error("{scheme}: {problem}; {legal}")]
    Fabric {
        /// The name of the scheme.
        scheme: String,
        /// The reason why the scheme cannot route the fabric, with the offending values.
        problem: String,
        /// Fabrics or values that are legal.
        legal: String,
    },
    /// A file cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },
    /// The content of a file is not a routing of the fabric.
    #[error("{}: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong with the content, and what would be legal.
        problem: String,
    },
    /// The deadlock scheme cannot prevent deadlocks for this routing, or needs more virtual channels than the hardware has.
    #[error("{scheme}: {problem}; {legal}")]
    Deadlock {
        /// The name of the deadlock scheme.
        scheme: String,
        /// The reason for the error, with the offending values.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
    /// A path of the routing does not end at its destination.
    #[error(transparent)]
    Flaw(#[from] crate::Flaw),
    /// An array is not a valid routing of the fabric.
    #[error("{what}: {problem}; {legal}")]
    Array {
        /// The name of the array, or of one of its entries.
        what: String,
        /// The reason for the error, with the offending values.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
    /// The computation needs more memory than the machine has free.
    #[error(transparent)]
    Memory(Box<OutOfMemory>),
    /// The fabric cannot be built.
    #[error(transparent)]
    Build(Box<tulle_fabric::Error>),
}

tulle_base::boxed!(Error { Memory(OutOfMemory), Build(tulle_fabric::Error) });
