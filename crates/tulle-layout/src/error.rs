//! Errors of layouts. Each message is one line.

use tulle_base::memory::OutOfMemory;
use tulle_spec::SpecError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The description of a floor is malformed, or one of its values is illegal.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The fabric does not fit this layout, it cannot be cabled through these optical switches or patch panels, or a number is out of
    /// range.
    #[error("{0}")]
    Input(String),
    /// A search failed within its limit of attempts.
    #[error("{0}")]
    Construction(String),
    /// More memory is needed than is available.
    #[error(transparent)]
    Memory(Box<OutOfMemory>),
}

tulle_base::boxed!(Error { Memory(OutOfMemory) });
