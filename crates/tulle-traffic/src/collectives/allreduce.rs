//! Allreduce: at the end every member has the sum of all vectors.

use super::reduce_scatter::{halving, ring as reduce_scatter_ring};
use super::{Group, Send, allgather, span};
use crate::Program;
use tulle_spec::words;

words! {
    /// An algorithm for allreduce (Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH,
    /// IJHPCA 2005, §4.5; ring: Patarasuk, Yuan, JPDC 2009).
    pub enum Allreduce {
        /// Reduce-scatter and allgather around a ring of n members: 2(n − 1) rounds; each member sends 2(n − 1)/n of
        /// the vector.
        Ring = "ring",
        /// Pairs of members exchange whole vectors over distances 1, 2, 4, …: log₂ n rounds if the number n of members is
        /// a power of two.
        RecursiveDoubling = "recursive-doubling",
        /// Reduce-scatter by recursive halving, then allgather by recursive doubling. If the number n of members is a
        /// power of two, this takes 2 log₂ n rounds, and each member sends 2(n − 1)/n of the vector.
        Rabenseifner = "rabenseifner",
    }
}

impl Allreduce {
    /// Returns the number of messages of an allreduce of `bytes` bytes among `members` members, or a lower bound if the
    /// number is not known exactly.
    pub(crate) fn messages(self, members: u64, bytes: u64) -> u64 {
        let Some(levels) = members.checked_ilog2() else { return 0 };
        let messages = u64::from(levels) << levels;
        match self {
            Self::Ring => 2 * (members - 1) * members.min(bytes),
            Self::RecursiveDoubling => messages,
            Self::Rabenseifner if bytes >= members => 2 * messages,
            Self::Rabenseifner => 0,
        }
    }
}

/// Adds an allreduce of vectors of `bytes` bytes.
///
/// The recursive algorithms need 2^k members. If there are n = 2^k + r members, r members do not take part in the algorithm. Before it,
/// they send their vectors to their successors; after it, the successors send them the result. These r members are the first ones at even
/// positions.
pub fn allreduce(program: &mut Program, group: &mut Group, algorithm: Allreduce, bytes: u64) {
    if algorithm == Allreduce::Ring {
        reduce_scatter_ring(program, group, bytes);
        // After the reduce-scatter, member i has part i of the sum.
        allgather::ring(program, group, |part, parts| span(bytes, part, part + 1, parts));
        return;
    }
    let Some(levels) = group.len().checked_ilog2() else { return };
    let rest = group.len() - (1 << levels);
    group.round(program, (0..rest).map(|pair| Send { from: 2 * pair, to: 2 * pair + 1, bytes }));
    let core: Vec<usize> = (0..1 << levels).map(|at| if at < rest { 2 * at + 1 } else { at + rest }).collect();
    group.among(&core, |inner| match algorithm {
        Allreduce::RecursiveDoubling => {
            for level in 0..levels {
                inner.round(program, (0..inner.len()).map(|from| Send { from, to: from ^ (1 << level), bytes }));
            }
        }
        _ => {
            halving(program, inner, bytes);
            doubling(program, inner, bytes);
        }
    });
    group.round(program, (0..rest).map(|pair| Send { from: 2 * pair + 1, to: 2 * pair, bytes }));
}

/// Gathers the parts that `halving` has scattered, over distances 1, 2, 4, …. The number of bytes per message doubles in every round. The
/// number of members must be a power of two.
fn doubling(program: &mut Program, group: &mut Group, bytes: u64) {
    let parts = group.len();
    for level in 0..parts.ilog2() {
        let width = 1 << level;
        let sends = (0..parts).map(|from| {
            let first = from / width * width;
            Send { from, to: from ^ width, bytes: span(bytes, first, first + width, parts) }
        });
        group.round(program, sends.collect::<Vec<_>>());
    }
}
