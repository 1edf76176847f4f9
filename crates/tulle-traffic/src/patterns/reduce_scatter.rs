//! Reduce-scatter among all ranks.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::collectives::{Group, REDUCE_SCATTER, ReduceScatter, reduce_scatter};
use crate::{Error, Program, Ranks, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "reduce-scatter",
    summary: "every rank ends with its part of the sum of all vectors",
    parameters: &[
        Parameter::prose("bytes", "1 byte or more", "1MiB", "size of every vector"),
        Parameter::prose(
            "algorithm",
            "ring or recursive-halving",
            "ring",
            "partial sums around a ring, or halves over halving distances",
        ),
        Ranks::PARAMETERS[0],
        Ranks::PARAMETERS[1],
        Ranks::PARAMETERS[2],
    ],
    nested: false,
    paper: "deployment §7.6 (CosmoFlow); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.3",
    limitations: "Recursive halving needs a power of two of ranks. Reducing takes no time. Blocking rounds: a rank \
                  goes on when its message has arrived and its partner's has come.",
    examples: &["reduce-scatter:bytes=64KiB", "reduce-scatter:ranks=2,algorithm=recursive-halving"],
    rejects: &[("reduce-scatter:algorithm=tree", "legal: ring, recursive-halving")],
};

struct Collective {
    bytes: u64,
    algorithm: ReduceScatter,
    ranks: Ranks,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(Collective {
        bytes: arguments.bytes("bytes")?.unwrap_or(1 << 20),
        algorithm: super::choice(arguments, "algorithm", &REDUCE_SCATTER)?.unwrap_or(ReduceScatter::Ring),
        ranks: Ranks::read(arguments)?,
    }))
}

impl Pattern for Collective {
    fn parameters(&self) -> Parameters {
        let parameters = Parameters::new().bytes("bytes", self.bytes);
        self.ranks.write(parameters.word("algorithm", super::word(self.algorithm, &REDUCE_SCATTER)))
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.ranks.place(INFO.name, fabric, seed)?);
        let ranks = group.len() as u64;
        if self.algorithm == ReduceScatter::RecursiveHalving && !ranks.is_power_of_two() {
            return Err(Error::misfit(
                INFO.name,
                format!("ranks={ranks} is no power of two"),
                "algorithm=ring, or 2, 4, 8, …",
            ));
        }
        super::check_count(INFO.name, ranks * (ranks - 1))?;
        let messages = self.algorithm.messages(ranks, self.bytes);
        super::check_room(INFO.name, messages, messages)?;
        let mut program = Program::default();
        reduce_scatter(&mut program, &mut group, self.algorithm, self.bytes);
        Ok(program.finish())
    }
}
