//! Allgather among all ranks.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::collectives::{ALLGATHER, Allgather, Group, allgather};
use crate::{Error, Program, Ranks, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "allgather",
    summary: "every rank ends with the blocks of all",
    parameters: &[
        Parameter::prose("bytes", "1 byte or more", "64KiB", "size of every block"),
        Parameter::prose(
            "algorithm",
            "ring or bruck",
            "ring",
            "blocks around a ring, or all blocks so far over doubling distances",
        ),
        Ranks::PARAMETERS[0],
        Ranks::PARAMETERS[1],
        Ranks::PARAMETERS[2],
    ],
    nested: false,
    paper: "deployment §7.6 (CosmoFlow); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.1; Bruck et al., TPDS 1997",
    limitations: "Blocking rounds: a rank goes on when its message has arrived and its partner's has come.",
    examples: &["allgather:bytes=4KiB", "allgather:algorithm=bruck"],
    rejects: &[("allgather:algorithm=tree", "legal: ring, bruck")],
};

struct Collective {
    bytes: u64,
    algorithm: Allgather,
    ranks: Ranks,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(Collective {
        bytes: arguments.bytes("bytes")?.unwrap_or(1 << 16),
        algorithm: super::choice(arguments, "algorithm", &ALLGATHER)?.unwrap_or(Allgather::Ring),
        ranks: Ranks::read(arguments)?,
    }))
}

impl Pattern for Collective {
    fn parameters(&self) -> Parameters {
        let parameters = Parameters::new().bytes("bytes", self.bytes);
        self.ranks.write(parameters.word("algorithm", super::word(self.algorithm, &ALLGATHER)))
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.ranks.place(INFO.name, fabric, seed)?);
        let ranks = group.len() as u64;
        if self.bytes.checked_mul(ranks).is_none() {
            let problem = format!("bytes={} is out of range for {ranks} ranks", self.bytes);
            return Err(Error::misfit(INFO.name, problem, format!("up to {}", u64::MAX / ranks)));
        }
        super::check_count(INFO.name, ranks * (ranks - 1))?;
        let messages = self.algorithm.messages(ranks);
        super::check_room(INFO.name, messages, messages)?;
        let mut program = Program::default();
        allgather(&mut program, &mut group, self.algorithm, self.bytes);
        Ok(program.finish())
    }
}
