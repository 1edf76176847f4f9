//! All-to-all: every rank sends to all other ranks at the same time.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::collectives::{Group, all_to_all};
use crate::{Error, Program, Ranks, Workload};

plugin! {
    pub struct AllToAll {
        /// size of every message
        bytes: u64 = bytes(), default "64KiB";
        /// allow messages between ranks on the same switch
        within: bool = flag(), implied "yes";
        ranks: Ranks;
    }
    name: "all-to-all",
    summary: "every rank sends one message to every other rank, all at the same time",
    paper: "Slim Fly deployment (NSDI24) §7.2 and App. C.1 (custom alltoall); Kathareios et al. (SC15) §4.4; Flattened \
        Clos (NSDI23) §6.1 (within=no)",
    limitations: "n ranks send up to n(n − 1) messages. Use ranks= on large fabrics.",
    examples: ["all-to-all:bytes=4KiB", "all-to-all:ranks=2,mapping=random", "all-to-all:within=no"],
    rejects: [
        ("all-to-all:ranks=1", "ranks=1 is out of range"),
        ("all-to-all:bytes=0", "bytes=0 is not a size"),
        ("all-to-all:within=2", "legal: yes, no"),
    ],
}

impl Pattern for AllToAll {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let places = self.ranks.place(AllToAll::INFO.name, fabric, seed)?;
        let switch = |rank: usize| fabric.endpoint_switch()[places[rank] as usize];
        if !self.within && (1..places.len()).all(|rank| switch(rank) == switch(0)) {
            let problem = format!("within=no: all {} ranks are on one switch", places.len());
            return Err(Error::misfit(AllToAll::INFO.name, problem, "ranks on two switches or more"));
        }
        let mut group = Group::new(places.clone());
        let ranks = group.len() as u64;
        super::check_count(AllToAll::INFO.name, ranks * (ranks - 1))?;
        if self.within {
            // The group stores each message twice: as a step that its sender waits for, and as a step that its receiver waits for.
            super::check_memory(AllToAll::INFO.name, ranks * (ranks - 1), 2 * ranks * (ranks - 1))?;
        }
        let mut program = Program::default();
        all_to_all(&mut program, &mut group, self.bytes, |from, to| self.within || switch(from) != switch(to));
        Ok(program.finish())
    }
}
