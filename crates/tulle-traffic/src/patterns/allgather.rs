//! Allgather among all ranks.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::collectives::{Allgather, Group, allgather};
use crate::{Error, Program, Ranks, Workload};

plugin! {
    pub struct AllgatherOf {
        /// size of every block
        bytes: u64 = bytes(), default "64KiB";
        /// algorithm: blocks go around a ring, or (bruck) members send all blocks that they have over doubling distances
        algorithm: Allgather = word(Allgather::WORDS), default "ring";
        ranks: Ranks;
    }
    name: "allgather",
    summary: "at the end every rank has the blocks of all ranks",
    paper: "Slim Fly deployment (NSDI24) §7.6 (CosmoFlow); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.1; Bruck et \
        al., TPDS 1997",
    limitations: "Rounds are blocking: a rank starts its next round when its send and its receive have completed.",
    examples: ["allgather:bytes=4KiB", "allgather:algorithm=bruck"],
    rejects: [("allgather:algorithm=tree", "legal: ring, bruck")],
}

impl Pattern for AllgatherOf {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.ranks.place(AllgatherOf::INFO.name, fabric, seed)?);
        let ranks = group.len() as u64;
        if self.bytes.checked_mul(ranks).is_none() {
            let problem = format!("bytes={} is out of range for {ranks} ranks", self.bytes);
            return Err(Error::misfit(AllgatherOf::INFO.name, problem, format!("up to {}", u64::MAX / ranks)));
        }
        super::check_count(AllgatherOf::INFO.name, ranks * (ranks - 1))?;
        let messages = self.algorithm.messages(ranks);
        super::check_memory(AllgatherOf::INFO.name, messages, messages)?;
        let mut program = Program::default();
        allgather(&mut program, &mut group, self.algorithm, self.bytes);
        Ok(program.finish())
    }
}
