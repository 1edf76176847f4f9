//! The errors of a simulation. Each message is one line.

use tulle_base::memory::OutOfMemory;
use tulle_spec::SpecError;

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An invalid spec of a queue, transport, selector, network interface or fault.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// An invalid selection of links or switches that fail, or an invalid name of a sampled link.
    #[error(transparent)]
    Fabric(Box<tulle_fabric::Error>),
    /// An invalid value in the configuration.
    #[error("{name}={value} {problem}; {legal}")]
    Config {
        /// The name of the configuration field.
        name: &'static str,
        /// The invalid value.
        value: String,
        /// The reason why the value is refused.
        problem: &'static str,
        /// The legal alternatives.
        legal: String,
    },
    /// A flow that cannot be simulated on the fabric.
    #[error("flow {flow}: {problem}; {legal}")]
    Flow {
        /// The flow's row in the workload.
        flow: usize,
        /// The reason why the flow is refused, with the offending value.
        problem: String,
        /// The legal alternatives.
        legal: String,
    },
    /// A fabric, routing, workload or plan that does not fit the other inputs or exceeds a limit.
    #[error("{problem}; {legal}")]
    Shape {
        /// The reason why the input is refused, with the offending values.
        problem: String,
        /// The legal alternatives.
        legal: String,
    },
    /// The simulation needs more memory than is available.
    #[error(transparent)]
    Memory(Box<OutOfMemory>),
}

tulle_base::boxed!(Error { Memory(OutOfMemory), Fabric(tulle_fabric::Error) });
