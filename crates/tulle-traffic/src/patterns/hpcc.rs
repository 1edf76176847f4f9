//! Workloads from files: a flow file of the HPCC simulator: flows with sizes and start times.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::formats::hpcc;
use crate::{Error, Mapping, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "hpcc",
    summary: "a flow file of the HPCC simulator: flows with sizes and start times",
    parameters: &[
        Parameter::prose("file", "the path of a flow file", "", "the file"),
        Mapping::PARAMETERS[0],
        Mapping::PARAMETERS[1],
    ],
    nested: false,
    paper: "Li et al., HPCC, SIGCOMM 2019; Flattened Clos §5.2",
    limitations: "Priorities and ports are read and not used.",
    examples: &["hpcc:file=pair.flows", "hpcc:file=pair.flows,mapping=random"],
    rejects: &[("hpcc", "needs file="), ("hpcc:file=absent.txt", "absent.txt: ")],
};

struct Hpcc {
    file: String,
    mapping: Mapping,
}

/// Reads the parameters; the file itself is read with the messages.
///
/// # Errors
/// No file, or a mapping that is not legal.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    let file = arguments.text("file").ok_or_else(|| arguments.missing("file"))?.to_owned();
    Ok(Box::new(Hpcc { file, mapping: Mapping::read(arguments)? }))
}

impl Pattern for Hpcc {
    fn parameters(&self) -> Parameters {
        self.mapping.write(Parameters::new().word("file", self.file.clone()))
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        hpcc::load(self.file.as_ref(), &self.mapping.place(fabric, seed)?)
    }
}
