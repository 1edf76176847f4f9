//! Broadcast from one rank to all.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::collectives::{Group, broadcast};
use crate::{Error, Program, Ranks, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "broadcast",
    summary: "every rank ends with the vector of the root, over a binomial tree",
    parameters: &[
        Parameter::prose("bytes", "1 byte or more", "1MiB", "size of the vector"),
        Parameter::prose("root", "0 to ranks − 1", "0", "rank that has the vector"),
        Ranks::PARAMETERS[0],
        Ranks::PARAMETERS[1],
        Ranks::PARAMETERS[2],
    ],
    nested: false,
    paper: "deployment §7.2 (IMB Bcast); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.2",
    limitations: "The whole vector in one message per edge of the tree; a rank sends to its next child when the one \
                  before has it.",
    examples: &["broadcast:bytes=64KiB", "broadcast:root=1,mapping=random"],
    rejects: &[("broadcast:root=-1", "root=-1 is not a whole number")],
};

struct Collective {
    bytes: u64,
    root: u64,
    ranks: Ranks,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    Ok(Box::new(Collective {
        bytes: arguments.bytes("bytes")?.unwrap_or(1 << 20),
        root: arguments.integer("root", 0..=u64::from(u32::MAX))?.unwrap_or(0),
        ranks: Ranks::read(arguments)?,
    }))
}

impl Pattern for Collective {
    fn parameters(&self) -> Parameters {
        self.ranks.write(Parameters::new().bytes("bytes", self.bytes).integer("root", self.root))
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.ranks.place(INFO.name, fabric, seed)?);
        let ranks = group.len() as u64;
        if self.root >= ranks {
            let problem = format!("root={} is out of range", self.root);
            return Err(Error::misfit(INFO.name, problem, format!("0 to {}", ranks - 1)));
        }
        let mut program = Program::default();
        broadcast(&mut program, &mut group, self.root as usize, self.bytes);
        Ok(program.finish())
    }
}
