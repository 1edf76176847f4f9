//! All-to-all: everyone sends to everyone, all at once.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::collectives::{Group, all_to_all};
use crate::{Error, Program, Ranks, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "all-to-all",
    summary: "every rank sends one message to every other, all posted at once",
    parameters: &[
        Parameter::prose("bytes", "1 byte or more", "64KiB", "size of every message"),
        Parameter::prose("within", "yes, no", "yes", "whether ranks on one switch send to each other"),
        Ranks::PARAMETERS[0],
        Ranks::PARAMETERS[1],
        Ranks::PARAMETERS[2],
    ],
    nested: false,
    paper: "deployment §7.2 and App. C.1 (custom alltoall); diameter-two §4.4; Flattened Clos §6.1 \
            (within=no)",
    limitations: "n(n − 1) messages: ranks= keeps them few on large fabrics.",
    examples: &["all-to-all:bytes=4KiB", "all-to-all:ranks=2,mapping=random", "all-to-all:within=no"],
    rejects: &[
        ("all-to-all:ranks=1", "ranks=1 is out of range"),
        ("all-to-all:bytes=0", "bytes=0 is not a size"),
        ("all-to-all:within=2", "legal: yes, no"),
    ],
};

struct AllToAll {
    bytes: u64,
    within: bool,
    ranks: Ranks,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(AllToAll {
        bytes: arguments.bytes("bytes")?.unwrap_or(1 << 16),
        within: arguments.word("within", &["yes", "no"])? != Some("no"),
        ranks: Ranks::read(arguments)?,
    }))
}

impl Pattern for AllToAll {
    fn parameters(&self) -> Parameters {
        let parameters = Parameters::new().bytes("bytes", self.bytes);
        self.ranks.write(if self.within { parameters } else { parameters.word("within", "no") })
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let places = self.ranks.place(INFO.name, fabric, seed)?;
        let switch = |rank: usize| fabric.endpoint_switch()[places[rank] as usize];
        if !self.within && (1..places.len()).all(|rank| switch(rank) == switch(0)) {
            let problem = format!("within=no: all {} ranks are on one switch", places.len());
            return Err(Error::misfit(INFO.name, problem, "ranks on two switches or more"));
        }
        let mut group = Group::new(places.clone());
        let ranks = group.len() as u64;
        super::check_count(INFO.name, ranks * (ranks - 1))?;
        if self.within {
            // What both ends of each wait for next is as much as what messages wait for.
            super::check_room(INFO.name, ranks * (ranks - 1), 2 * ranks * (ranks - 1))?;
        }
        let mut program = Program::default();
        all_to_all(&mut program, &mut group, self.bytes, |from, to| self.within || switch(from) != switch(to));
        Ok(program.finish())
    }
}
