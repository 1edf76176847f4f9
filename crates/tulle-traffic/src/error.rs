//! What can go wrong with a workload, each in one line.

use tulle_fabric::spec::SpecError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The spec or one of its values.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A fabric that this pattern does not fit.
    #[error("{pattern}: {problem}; {legal}")]
    Fabric {
        /// The pattern.
        pattern: String,
        /// What is wrong, with the values.
        problem: String,
        /// What would be legal.
        legal: String,
    },
}
