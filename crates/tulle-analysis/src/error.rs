//! What can go wrong with an analysis, each in one line.

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The traffic; boxed, for it is large.
    #[error(transparent)]
    Traffic(Box<tulle_traffic::Error>),
    /// Something handed in that cannot be analysed.
    #[error("{problem}; legal: {legal}")]
    Input {
        /// What is wrong, with the values.
        problem: String,
        /// What would be legal.
        legal: String,
    },
}

impl From<tulle_traffic::Error> for Error {
    fn from(error: tulle_traffic::Error) -> Self {
        Self::Traffic(Box::new(error))
    }
}

impl Error {
    /// An [`Error::Input`].
    pub(crate) fn input(problem: impl Into<String>, legal: impl Into<String>) -> Self {
        Self::Input { problem: problem.into(), legal: legal.into() }
    }
}
