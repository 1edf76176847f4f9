//! All-to-all: everyone sends to everyone, all at once.

use tulle_fabric::Fabric;
use tulle_fabric::spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::collectives::{Group, all_to_all};
use crate::{Error, Program, Ranks, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "all-to-all",
    summary: "every rank sends one message to every other, all posted at once",
    parameters: &[
        Parameter { name: "bytes", legal: "1 byte or more", default: "64KiB", help: "size of every message" },
        Ranks::PARAMETERS[0],
        Ranks::PARAMETERS[1],
        Ranks::PARAMETERS[2],
    ],
    nested: false,
    paper: "deployment §7.2 and App. C.1 (custom alltoall); diameter-two §4.4",
    limitations: "n(n − 1) messages: ranks= keeps them few on large fabrics.",
    examples: &["all-to-all:bytes=4KiB", "all-to-all:ranks=2,mapping=random"],
    rejects: &[("all-to-all:ranks=1", "ranks=1 is out of range"), ("all-to-all:bytes=0", "bytes=0 is not a size")],
};

struct AllToAll {
    bytes: u64,
    ranks: Ranks,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(AllToAll { bytes: arguments.bytes("bytes")?.unwrap_or(1 << 16), ranks: Ranks::read(arguments)? }))
}

impl Pattern for AllToAll {
    fn parameters(&self) -> Parameters {
        self.ranks.write(Parameters::new().integer("bytes", self.bytes))
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.ranks.place(INFO.name, fabric, seed)?);
        let ranks = group.len() as u64;
        super::check_count(INFO.name, ranks * (ranks - 1))?;
        let mut program = Program::default();
        all_to_all(&mut program, &mut group, self.bytes);
        Ok(program.finish())
    }
}
