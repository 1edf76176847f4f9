//! Broadcast from one rank to all ranks.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::collectives::{Group, broadcast};
use crate::{Error, Program, Ranks, Workload};

plugin! {
    pub struct Broadcast {
        /// size of the vector
        bytes: u64 = bytes(), default "1MiB";
        /// rank that has the vector
        root: u64 = integer(0, u32::MAX as u64), note "below the number of ranks", default "0";
        ranks: Ranks;
    }
    name: "broadcast",
    summary: "every rank receives the vector of the root, over a binomial tree",
    paper: "Slim Fly deployment (NSDI24) §7.2 (IMB Bcast); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.2",
    limitations: "Each edge of the tree carries the whole vector in one message. A rank sends to its next child when the \
        previous child has received the vector.",
    examples: ["broadcast:bytes=64KiB", "broadcast:root=1,mapping=random"],
    rejects: [("broadcast:root=-1", "root=-1 is out of range")],
}

impl Pattern for Broadcast {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.ranks.place(Broadcast::INFO.name, fabric, seed)?);
        let ranks = group.len() as u64;
        if self.root >= ranks {
            let problem = format!("root={} is out of range", self.root);
            return Err(Error::misfit(Broadcast::INFO.name, problem, format!("0 to {}", ranks - 1)));
        }
        let mut program = Program::default();
        broadcast(&mut program, &mut group, self.root as usize, self.bytes);
        Ok(program.finish())
    }
}
