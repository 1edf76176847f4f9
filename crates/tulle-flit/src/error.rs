//! Errors of a simulation, each one line.

use tulle_base::memory::OutOfMemory;
use tulle_spec::SpecError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The spec of a router, selector, policy or traffic, or one of its values.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// Traffic that the fabric does not fit.
    #[error(transparent)]
    Traffic(Box<tulle_traffic::Error>),
    /// A deadlock scheme that fails.
    #[error(transparent)]
    Routing(Box<tulle_routing::Error>),
    /// A value of the configuration.
    #[error("{name}={value} {problem}; {legal}")]
    Config {
        /// The field.
        name: &'static str,
        /// Its value.
        value: String,
        /// The reason it is refused.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
    /// A fabric, routing, selector or policy that do not go together.
    #[error("{problem}; {legal}")]
    Shape {
        /// The reason for the refusal, with the values.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
    /// More memory than there is.
    #[error(transparent)]
    Memory(Box<OutOfMemory>),
}

tulle_base::boxed!(Error { Memory(OutOfMemory), Traffic(tulle_traffic::Error), Routing(tulle_routing::Error) });

impl Error {
    /// Things that do not go together.
    pub(crate) fn shape(problem: impl Into<String>, legal: impl Into<String>) -> Self {
        Self::Shape { problem: problem.into(), legal: format!("legal: {}", legal.into()) }
    }

    /// An illegal value of the configuration.
    pub(crate) fn config(
        name: &'static str,
        value: impl ToString,
        problem: impl Into<String>,
        legal: impl Into<String>,
    ) -> Self {
        let legal = format!("legal: {}", legal.into());
        Self::Config { name, value: value.to_string(), problem: problem.into(), legal }
    }
}
