//! Reduce-scatter among all ranks.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::collectives::{Group, ReduceScatter, reduce_scatter};
use crate::{Error, Program, Ranks, Workload};

plugin! {
    pub struct ReduceScatterOf {
        /// size of every vector
        bytes: u64 = bytes(), default "1MiB";
        /// algorithm: partial sums go around a ring, or members exchange halves over halving distances
        algorithm: ReduceScatter = word(ReduceScatter::WORDS), default "ring";
        ranks: Ranks;
    }
    name: "reduce-scatter",
    summary: "at the end every rank has its part of the sum of all vectors",
    paper: "Slim Fly deployment (NSDI24) §7.6 (CosmoFlow); Thakur, Rabenseifner, Gropp, IJHPCA 2005 §4.3",
    limitations: "For recursive halving the number of ranks must be a power of two. Reductions take no time. Rounds are \
        blocking: a rank starts its next round when its send and its receive have completed.",
    examples: ["reduce-scatter:bytes=64KiB", "reduce-scatter:ranks=2,algorithm=recursive-halving"],
    rejects: [("reduce-scatter:algorithm=tree", "legal: ring, recursive-halving")],
}

impl Pattern for ReduceScatterOf {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let mut group = Group::new(self.ranks.place(ReduceScatterOf::INFO.name, fabric, seed)?);
        let ranks = group.len() as u64;
        if self.algorithm == ReduceScatter::RecursiveHalving && !ranks.is_power_of_two() {
            return Err(Error::misfit(
                ReduceScatterOf::INFO.name,
                format!("ranks={ranks} is not a power of two"),
                "algorithm=ring, or 2, 4, 8, …",
            ));
        }
        super::check_count(ReduceScatterOf::INFO.name, ranks * (ranks - 1))?;
        let messages = self.algorithm.messages(ranks, self.bytes);
        super::check_memory(ReduceScatterOf::INFO.name, messages, messages)?;
        let mut program = Program::default();
        reduce_scatter(&mut program, &mut group, self.algorithm, self.bytes);
        Ok(program.finish())
    }
}
