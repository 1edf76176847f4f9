//! Workloads from files: a GOAL schedule, text or binary: sends, receives and computations that require each other.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::formats::goal;
use crate::{Error, Mapping, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "goal",
    summary: "a GOAL schedule, text or binary: sends, receives and computations that require each other",
    parameters: &[
        Parameter::prose("file", "the path of a GOAL schedule", "", "the file"),
        Mapping::PARAMETERS[0],
        Mapping::PARAMETERS[1],
    ],
    nested: false,
    paper: "Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010; ATLAHS",
    limitations: "Processors and interfaces are not modelled: what is ready goes on at once. A send ends when its \
                  message has arrived. Receives of any rank or tag are refused; messages of 0 bytes become 1 byte.",
    examples: &["goal:file=pair.goal", "goal:file=pair.bin,mapping=random"],
    rejects: &[
        ("goal", "needs file="),
        ("goal:file=circle.goal", "circle.goal:3: this send of rank 0 requires itself"),
    ],
};

struct Goal {
    file: String,
    mapping: Mapping,
}

/// Reads the parameters; the file itself is read with the messages.
///
/// # Errors
/// No file, or a mapping that is not legal.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    let file = arguments.text("file").ok_or_else(|| arguments.missing("file"))?.to_owned();
    Ok(Box::new(Goal { file, mapping: Mapping::read(arguments)? }))
}

impl Pattern for Goal {
    fn parameters(&self) -> Parameters {
        self.mapping.write(Parameters::new().word("file", self.file.clone()))
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        goal::load(self.file.as_ref(), &self.mapping.place(fabric, seed)?)
    }
}
