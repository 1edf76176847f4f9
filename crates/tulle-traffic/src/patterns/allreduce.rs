//! Allreduce among all ranks.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::collectives::{ALLREDUCE, Allreduce, Group, allreduce};
use crate::{Error, Program, Ranks, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "allreduce",
    summary: "every rank ends with the sum of all vectors",
    parameters: &[
        Parameter::prose("bytes", "1 byte or more", "1MiB", "size of every vector"),
        Parameter::prose(
            "algorithm",
            "ring, recursive-doubling or rabenseifner",
            "ring",
            "reduce-scatter and allgather around a ring, whole vectors over doubling distances, or halving and \
                   doubling",
        ),
        Ranks::PARAMETERS[0],
        Ranks::PARAMETERS[1],
        Ranks::PARAMETERS[2],
    ],
    nested: false,
    paper: "deployment §7.2 (IMB Allreduce); Thakur, Rabenseifner, Gropp, IJHPCA 2005; Patarasuk, Yuan, JPDC 2009 \
            (ring)",
    limitations: "Reducing takes no time. Blocking rounds: a rank goes on when its message has arrived and its \
                  partner's has come.",
    examples: &[
        "allreduce:bytes=64KiB",
        "allreduce:algorithm=recursive-doubling",
        "allreduce:bytes=5B,algorithm=rabenseifner",
    ],
    rejects: &[("allreduce:algorithm=tree", "legal: ring, recursive-doubling, rabenseifner")],
};

struct Collective {
    bytes: u64,
    algorithm: Allreduce,
    ranks: Ranks,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(Collective {
        bytes: arguments.bytes("bytes")?.unwrap_or(1 << 20),
        algorithm: super::choice(arguments, "algorithm", &ALLREDUCE)?.unwrap_or(Allreduce::Ring),
        ranks: Ranks::read(arguments)?,
    }))
}

impl Pattern for Collective {
    fn parameters(&self) -> Parameters {
        let parameters = Parameters::new().bytes("bytes", self.bytes);
        self.ranks.write(parameters.word("algorithm", super::word(self.algorithm, &ALLREDUCE)))
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.ranks.place(INFO.name, fabric, seed)?);
        let ranks = group.len() as u64;
        let rounds = if self.algorithm == Allreduce::Ring { 2 * (ranks - 1) } else { 66 };
        super::check_count(INFO.name, ranks * rounds)?;
        let messages = self.algorithm.messages(ranks, self.bytes);
        super::check_room(INFO.name, messages, messages)?;
        let mut program = Program::default();
        allreduce(&mut program, &mut group, self.algorithm, self.bytes);
        Ok(program.finish())
    }
}
