//! Workloads from files: a connection matrix of htsim: connections with sizes, start times and triggers.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::formats::htsim;
use crate::{Error, Mapping, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "htsim",
    summary: "a connection matrix of htsim: connections with sizes, start times and triggers",
    parameters: &[
        Parameter::prose("file", "the path of a .cm file", "", "the file"),
        Mapping::PARAMETERS[0],
        Mapping::PARAMETERS[1],
    ],
    nested: false,
    paper: "Handley et al., NDP, SIGCOMM 2017; csg-htsim",
    limitations: "Endless flows and failures are refused; a trigger fires when its messages have arrived.",
    examples: &["htsim:file=pair.cm", "htsim:file=pair.cm,mapping=random"],
    rejects: &[("htsim", "needs file="), ("htsim:file=absent.cm", "absent.cm: ")],
};

struct Htsim {
    file: String,
    mapping: Mapping,
}

/// Reads the parameters; the file itself is read with the messages.
///
/// # Errors
/// No file, or a mapping that is not legal.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    let file = arguments.text("file").ok_or_else(|| arguments.missing("file"))?.to_owned();
    Ok(Box::new(Htsim { file, mapping: Mapping::read(arguments)? }))
}

impl Pattern for Htsim {
    fn parameters(&self) -> Parameters {
        self.mapping.write(Parameters::new().word("file", self.file.clone()))
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        htsim::load(self.file.as_ref(), &self.mapping.place(fabric, seed)?)
    }
}
