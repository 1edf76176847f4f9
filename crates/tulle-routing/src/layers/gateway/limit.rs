//! How many hops a path may have.

use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, FARTHEST};

/// How many hops a pair's paths may have, from its distance in hops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HopLimit {
    /// That many, and never less than the distance.
    Hops(u8),
    /// The distance and that many more.
    AboveMinimal(u8),
}

/// The ways out of a switch that make a pair well served: the deployment paper (§4.2) wants three disjoint paths.
const WAYS: u16 = 3;

impl HopLimit {
    /// The most hops for a pair `distance` hops apart.
    #[inline]
    pub fn of(self, distance: u8) -> u8 {
        match self {
            Self::Hops(hops) => hops.max(distance),
            Self::AboveMinimal(more) => distance.saturating_add(more).min(FARTHEST),
        }
    }

    /// The limit for a fabric where none is asked for: the tightest of 3 hops, one and two more than minimal that leaves
    /// two thirds of the pairs three ways out of the source and three into the destination; where none does, the one that
    /// does so for the most pairs.
    ///
    /// Fabrics of diameter two come out at 3 hops (deployment §4.2), dragonflies at one more than minimal, trees of two
    /// levels and the like, where every path between edge switches has an even number of hops, at two more.
    pub fn fitting(fabric: &Fabric, distances: &Distances, counted: &[bool]) -> Self {
        let mut best = (Self::Hops(3), 0);
        let pairs = pairs(counted);
        for limit in [Self::Hops(3), Self::AboveMinimal(1), Self::AboveMinimal(2)] {
            let served = limit.served(fabric, distances, counted);
            if 3 * served >= 2 * pairs {
                return limit;
            }
            if served > best.1 {
                best = (limit, served);
            }
        }
        best.0
    }

    /// The ordered pairs of counted switches with at least [`WAYS`] channels out of the source, and as many into the
    /// destination, that lie on walks within the limit. That is necessary for as many disjoint paths, not sufficient.
    fn served(self, fabric: &Fabric, distances: &Distances, counted: &[bool]) -> u64 {
        let switches = fabric.num_switches();
        let out: Vec<bool> = (0..switches as u32)
            .into_par_iter()
            .flat_map_iter(|source| {
                let mut ways = vec![0u16; switches];
                let here = distances.row(source);
                for &next in fabric.neighbours(source) {
                    for ((ways, &there), &here) in ways.iter_mut().zip(distances.row(next)).zip(here) {
                        *ways += u16::from(there < self.of(here));
                    }
                }
                ways.into_iter().map(|ways| ways >= WAYS)
            })
            .collect();
        let both = |source: usize, destination: usize| {
            counted[source]
                && counted[destination]
                && source != destination
                && out[source * switches + destination]
                && out[destination * switches + source]
        };
        (0..switches).map(|s| (0..switches).filter(|&d| both(s, d)).count() as u64).sum()
    }
}

/// Ordered pairs of distinct counted switches.
fn pairs(counted: &[bool]) -> u64 {
    let members = counted.iter().filter(|&&counted| counted).count() as u64;
    members * members.saturating_sub(1)
}

impl HopLimit {
    /// Reads `3` or `minimal+1`.
    pub fn read(text: &str) -> Option<Self> {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u8>().ok())?;
        match text.strip_prefix("minimal+") {
            Some(more) => digits(more).filter(|more| (1..=9).contains(more)).map(Self::AboveMinimal),
            None => digits(text).filter(|hops| (1..=FARTHEST).contains(hops)).map(Self::Hops),
        }
    }
}

impl std::fmt::Display for HopLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Hops(hops) => write!(f, "{hops}"),
            Self::AboveMinimal(more) => write!(f, "minimal+{more}"),
        }
    }
}
