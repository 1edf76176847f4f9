//! Shuffle: the destination is the rank of the source with its bits rotated.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::arrivals::Flows;
use crate::{Error, Ranks, Workload};

plugin! {
    pub struct Shuffle {
        flows: Flows;
        /// number of bit positions of the rotation
        bits: u32 = integer(1, 31), default "1";
        ranks: Ranks;
    }
    name: "shuffle",
    summary: "rank s sends to s with its bits rotated to the left, modulo the number of ranks",
    paper: "FatPaths §II-C (shuffle)",
    limitations: "FatPaths does not define the number of bits of a rank; this pattern uses the smallest number that \
        holds every rank. A rank that would send to itself does not send. The pattern is a permutation only if the \
        number of ranks is a power of two.",
    examples: ["shuffle:bytes=64KiB", "shuffle:bits=2,mapping=random"],
    rejects: [("shuffle:bits=0", "bits=0 is out of range; legal: 1 to 31")],
}

impl Pattern for Shuffle {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let places = self.ranks.place(Shuffle::INFO.name, fabric, seed)?;
        let pairs: Vec<(u32, u32)> = (0..places.len())
            .map(|rank| (rank, rotated(rank as u64, self.bits, places.len() as u64)))
            .filter(|&(rank, to)| rank != to)
            .map(|(rank, to)| (places[rank], places[to]))
            .collect();
        self.flows.send(Shuffle::INFO.name, &pairs, seed)
    }
}

/// Rotates `rank` to the left by `bits` positions, in the smallest number of bits that holds every rank. Returns the
/// result modulo `ranks`.
fn rotated(rank: u64, bits: u32, ranks: u64) -> usize {
    let width = (ranks - 1).ilog2() + 1;
    let bits = bits % width;
    let word = (rank << bits | rank >> (width - bits)) & ((1 << width) - 1);
    (word % ranks) as usize
}

#[cfg(test)]
mod tests {
    use super::rotated;

    #[test]
    fn powers_of_two_are_shuffled_perfectly() {
        assert_eq!((0..8).map(|rank| rotated(rank, 1, 8)).collect::<Vec<_>>(), [0, 2, 4, 6, 1, 3, 5, 7]);
        assert_eq!((0..8).map(|rank| rotated(rank, 3, 8)).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 6, 7]);
        // 5 = 101 becomes 011, 4 = 100 becomes 001.
        assert_eq!((0..6).map(|rank| rotated(rank, 1, 6)).collect::<Vec<_>>(), [0, 2, 4, 0, 1, 3]);
        assert_eq!((rotated(0, 31, 2), rotated(1, 31, 2)), (0, 1));
    }
}
