//! Errors of a simulation. Each message is one line.

use tulle_base::memory::OutOfMemory;
use tulle_spec::SpecError;

/// An error of the flit simulator.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An illegal spec of a router, selector, policy or traffic.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A traffic that does not fit the fabric.
    #[error(transparent)]
    Traffic(Box<tulle_traffic::Error>),
    /// A deadlock scheme that fails.
    #[error(transparent)]
    Routing(Box<tulle_routing::Error>),
    /// An illegal value of the configuration.
    #[error("{name}={value} {problem}; {legal}")]
    Config {
        /// The name of the field.
        name: &'static str,
        /// The illegal value.
        value: String,
        /// Why the value is illegal.
        problem: String,
        /// The legal range, or an alternative.
        legal: String,
    },
    /// A combination of fabric, routing, selector and policy that do not fit together.
    #[error("{problem}; {legal}")]
    Shape {
        /// Why the combination is illegal, with the offending values.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
    /// Too little memory.
    #[error(transparent)]
    Memory(Box<OutOfMemory>),
}

tulle_base::boxed!(Error { Memory(OutOfMemory), Traffic(tulle_traffic::Error), Routing(tulle_routing::Error) });

impl Error {
    /// Creates the error for inputs that do not fit together.
    pub(crate) fn shape(problem: impl Into<String>, legal: impl Into<String>) -> Self {
        Self::Shape { problem: problem.into(), legal: format!("legal: {}", legal.into()) }
    }

    /// Creates the error for an illegal value of the configuration.
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
