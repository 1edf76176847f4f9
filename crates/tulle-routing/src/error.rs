//! Errors of a routing. Each message is one line.

use std::path::PathBuf;

use tulle_base::memory::OutOfMemory;
use tulle_spec::SpecError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The spec or one of its values.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A fabric that this scheme cannot route.
    #[error("{scheme}: {problem}; {legal}")]
    Fabric {
        /// The scheme.
        scheme: String,
        /// The reason for the refusal, with the values.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
    /// A file that cannot be read or written.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// A file whose content is not a routing of the fabric.
    #[error("{}: {problem}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// The error and the legal alternative.
        problem: String,
    },
    /// A routing for which a deadlock scheme cannot prevent deadlock, or that needs more virtual channels than the hardware has.
    #[error("{scheme}: {problem}; {legal}")]
    Deadlock {
        /// The scheme.
        scheme: String,
        /// The reason for the refusal, with the values.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
    /// A routing with a path that does not end at its destination.
    #[error(transparent)]
    Flaw(#[from] crate::Flaw),
    /// An array that is not a valid routing of the fabric.
    #[error("{what}: {problem}; {legal}")]
    Array {
        /// The array, or its entry.
        what: String,
        /// The reason for the refusal, with the values.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
    /// More memory than there is.
    #[error(transparent)]
    Memory(Box<OutOfMemory>),
    /// A fabric that cannot be built.
    #[error(transparent)]
    Build(Box<tulle_fabric::Error>),
}

tulle_base::boxed!(Error { Memory(OutOfMemory), Build(tulle_fabric::Error) });
