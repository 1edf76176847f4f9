//! Off-diagonal: rank s sends to rank s + c.

use rand::RngExt;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use super::Pattern;
use crate::arrivals::Flows;
use crate::{Error, Ranks, Workload};

plugin! {
    pub struct OffDiagonal {
        flows: Flows;
        /// distance c from a rank to its destination; with random, the seed selects the distance
        offset: Option<u64> = or("random", &integer(1, u32::MAX as u64)), note "below the number of ranks", default "1";
        ranks: Ranks;
    }
    name: "off-diagonal",
    summary: "rank s sends to rank s + offset, wrapping around",
    paper: "FatPaths §II-C (off-diagonals); Kathareios et al. (SC15) §4.2 (shift); Multi-Path Routing in the Jellyfish \
        Network §IV-A (random shift-N)",
    limitations: "All ranks have the same offset. For FatPaths' adversarial pattern use skewed, whose default \
        offset is adversarial.",
    examples: [
        "off-diagonal:bytes=64KiB", "off-diagonal:offset=random",
        "off-diagonal:offset=1,mapping=random,arrivals=5000,duration=1ms",
    ],
    rejects: [
        ("off-diagonal:offset=0", "offset=0 is out of range"),
        ("off-diagonal:offset=far", "offset=far is not a whole number"),
        ("off-diagonal:ranks=1", "ranks=1 is out of range"),
    ],
}

impl Pattern for OffDiagonal {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let places = self.ranks.place(OffDiagonal::INFO.name, fabric, seed)?;
        let offset = match self.offset {
            Some(offset) => offset,
            None => stream(seed, "traffic/off-diagonal", 0).random_range(1..(places.len() as u64).max(2)),
        };
        self.flows.send(OffDiagonal::INFO.name, &shifted(OffDiagonal::INFO.name, fabric, &places, offset)?, seed)
    }
}

/// Returns the pairs of `pattern`: rank s sends to rank s + `offset`, wrapping around. `places` has the endpoint of every
/// rank.
///
/// # Errors
/// Fails if the offset is not below the number of ranks.
pub(super) fn shifted(pattern: &str, fabric: &Fabric, places: &[u32], offset: u64) -> Result<Vec<(u32, u32)>, Error> {
    if offset >= places.len() as u64 {
        let problem = format!("offset={offset} is out of range on {}", fabric.spec());
        return Err(Error::misfit(pattern, problem, format!("1 to {}", places.len() - 1)));
    }
    let offset = offset as usize;
    Ok((0..places.len()).map(|rank| (places[rank], places[(rank + offset) % places.len()])).collect())
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_random_offset_is_the_same_for_all_ranks_and_depends_on_the_seed() {
        let fabric = tulle_topologies::build("clique:degree=7,p=8", 0).unwrap();
        let offset = |seed: u64| {
            let load = crate::build(&fabric, "off-diagonal:offset=random", seed).unwrap();
            let shift = |(&from, &to): (&u32, &u32)| (to + 64 - from) % 64;
            let mut shifts: Vec<u32> = load.source.iter().zip(&load.destination).map(shift).collect();
            assert_eq!(shifts.len(), 64);
            shifts.dedup();
            assert!(shifts.len() == 1 && shifts[0] > 0, "{shifts:?}");
            shifts[0]
        };
        let mut drawn: Vec<u32> = (0..100).map(offset).collect();
        assert_eq!(drawn[3], offset(3));
        drawn.sort_unstable();
        drawn.dedup();
        assert!(drawn.len() > 40, "{} different offsets", drawn.len());
    }
}
