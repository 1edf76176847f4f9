//! Allreduce among all ranks.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::collectives::{Allreduce, Group, allreduce};
use crate::{Error, Program, Ranks, Workload};

plugin! {
    pub struct AllreduceOf {
        /// size of every vector
        bytes: u64 = bytes(), default "1MiB";
        /// algorithm: reduce-scatter and allgather around a ring, exchange of whole vectors over doubling distances, or
        /// recursive halving and doubling (rabenseifner)
        algorithm: Allreduce = word(Allreduce::WORDS), default "ring";
        ranks: Ranks;
    }
    name: "allreduce",
    summary: "at the end every rank has the sum of all vectors",
    paper: "Slim Fly deployment (NSDI24) §7.2 (IMB Allreduce); Thakur, Rabenseifner, Gropp, IJHPCA 2005; Patarasuk, \
        Yuan, JPDC 2009 (ring)",
    limitations: "Reductions take no time. Rounds are blocking: a rank starts its next round when its send and its receive \
        have completed.",
    examples: [
        "allreduce:bytes=64KiB", "allreduce:algorithm=recursive-doubling", "allreduce:bytes=5B,algorithm=rabenseifner",
    ],
    rejects: [("allreduce:algorithm=tree", "legal: ring, recursive-doubling, rabenseifner")],
}

impl Pattern for AllreduceOf {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.ranks.place(AllreduceOf::INFO.name, fabric, seed)?);
        let ranks = group.len() as u64;
        let rounds = if self.algorithm == Allreduce::Ring { 2 * (ranks - 1) } else { 66 };
        super::check_count(AllreduceOf::INFO.name, ranks * rounds)?;
        let messages = self.algorithm.messages(ranks, self.bytes);
        super::check_memory(AllreduceOf::INFO.name, messages, messages)?;
        let mut program = Program::default();
        allreduce(&mut program, &mut group, self.algorithm, self.bytes);
        Ok(program.finish())
    }
}
