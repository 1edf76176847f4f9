//! Errors of a simulation. Each message is one line.

use tulle_base::memory::OutOfMemory;
use tulle_spec::SpecError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The spec of a queue, transport or selector is malformed, or one of its values is illegal.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A text that names the parts of a fabric that fail.
    #[error(transparent)]
    Fabric(Box<tulle_fabric::Error>),
    /// A value of the configuration.
    #[error("{name}={value} {problem}; {legal}")]
    Config {
        /// The field.
        name: &'static str,
        /// Its value.
        value: String,
        /// The reason it is refused.
        problem: &'static str,
        /// The legal alternative.
        legal: String,
    },
    /// A flow that cannot be simulated on the fabric.
    #[error("flow {flow}: {problem}; {legal}")]
    Flow {
        /// The row of the workload.
        flow: usize,
        /// The reason for the refusal, with the value.
        problem: String,
        /// The legal alternative.
        legal: String,
    },
    /// A fabric, routing or workload of the wrong shape.
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

tulle_base::boxed!(Error { Memory(OutOfMemory), Fabric(tulle_fabric::Error) });
