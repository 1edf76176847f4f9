//! How many hops a path may have.

use std::fmt;
use tulle_spec::{Field, Raw, Sort};

use rayon::prelude::*;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, FARTHEST};
use tulle_fabric::memory;
use tulle_fabric::task;

/// How many hops a pair's paths may have, by its distance in hops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HopLimit {
    /// That many; the distance where that is more.
    Hops(u8),
    /// The distance and that many more.
    AboveMinimal(u8),
}

/// The candidates of [`HopLimit::fitting`], the tightest first.
const CANDIDATES: [HopLimit; 3] = [HopLimit::Hops(3), HopLimit::AboveMinimal(1), HopLimit::AboveMinimal(2)];

/// The ways out of a source and into a destination that a pair needs for as many disjoint paths (deployment §4.2).
const WAYS: u16 = 3;

impl Field for HopLimit {
    const SORT: Sort = Sort::Text;

    fn from_raw(raw: Raw) -> Result<Self, &'static str> {
        match raw {
            Raw::Text(text) => Self::read(&text).ok_or("is not a hop limit"),
            _ => Err("is not a hop limit"),
        }
    }

    fn raw(&self) -> Option<Raw> {
        Some(Raw::Text(self.to_string()))
    }
}

impl HopLimit {
    /// Reads `3` or `minimal+1`.
    pub fn read(text: &str) -> Option<Self> {
        let number = |text: &str, most| {
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse().ok().filter(|number| digits && (1..=most).contains(number))
        };
        match text.strip_prefix("minimal+") {
            Some(more) => number(more, 9).map(Self::AboveMinimal),
            None => number(text, FARTHEST).map(Self::Hops),
        }
    }

    /// The most hops for a pair `distance` hops apart.
    #[inline]
    pub fn of(self, distance: u8) -> u8 {
        match self {
            Self::Hops(hops) => hops.max(distance),
            Self::AboveMinimal(more) => distance.saturating_add(more).min(FARTHEST),
        }
    }

    /// The limit for a fabric where none is asked for: the first of 3 hops, one more than minimal and two more that leaves
    /// two thirds of the pairs room for three disjoint paths; where none does, the one that does so for the most pairs.
    ///
    /// It is 3 hops in most graphs of diameter two, one more than minimal in dragonflies, and two more where every path
    /// between edge switches has an even number of hops (OFT, MLFM).
    pub fn fitting(fabric: &Fabric, distances: &Distances, counted: &[bool]) -> Self {
        let members = counted.iter().filter(|&&counted| counted).count() as u64;
        let pairs = members * members.saturating_sub(1);
        let mut best = (0, CANDIDATES[0]);
        for limit in CANDIDATES {
            let served = limit.served(fabric, distances, counted);
            if 3 * served >= 2 * pairs {
                return limit;
            }
            if served > best.0 {
                best = (served, limit);
            }
        }
        best.1
    }

    /// The ordered pairs of counted switches that have [`WAYS`] channels out of the source and into the destination on
    /// walks within the limit. That is necessary for as many disjoint paths, not sufficient.
    fn served(self, fabric: &Fabric, distances: &Distances, counted: &[bool]) -> u64 {
        let switches = fabric.num_switches();
        let mut roomy = memory::matrix("pairs of switches", false, switches, switches);
        roomy.par_chunks_mut(switches.max(1)).zip(0..switches as u32).for_each_init(
            || vec![0u16; switches],
            |ways, (roomy, source)| {
                task::check();
                ways.fill(0);
                let here = distances.row(source);
                for &next in fabric.neighbours(source) {
                    for ((ways, &there), &here) in ways.iter_mut().zip(distances.row(next)).zip(here) {
                        *ways += u16::from(there < self.of(here));
                    }
                }
                for (roomy, &ways) in roomy.iter_mut().zip(&*ways) {
                    *roomy = ways >= WAYS;
                }
            },
        );
        let members = || (0..switches).filter(|&switch| counted[switch]);
        let served = |a: usize, b: usize| a != b && roomy[a * switches + b] && roomy[b * switches + a];
        members().map(|a| members().filter(|&b| served(a, b)).count() as u64).sum()
    }
}

impl fmt::Display for HopLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hops(hops) => write!(f, "{hops}"),
            Self::AboveMinimal(more) => write!(f, "minimal+{more}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fitting(spec: &str) -> HopLimit {
        let fabric = tulle_fabric::build(spec, 0).unwrap();
        let counted: Vec<bool> =
            (0..fabric.num_switches() as u32).map(|switch| !fabric.endpoints_of(switch).is_empty()).collect();
        HopLimit::fitting(&fabric, &Distances::of(&fabric), &counted)
    }

    #[test]
    fn limits_fit_their_fabrics() {
        assert_eq!(fitting("slimfly:q=5"), HopLimit::Hops(3));
        assert_eq!(fitting("jellyfish:switches=100,degree=11"), HopLimit::Hops(3));
        assert_eq!(fitting("dragonfly:p=4"), HopLimit::AboveMinimal(1));
        // Between edge switches of a tree of two levels every path has an even number of hops.
        assert_eq!(fitting("oft:k=4"), HopLimit::AboveMinimal(2));
    }

    #[test]
    fn limits_read_back() {
        for text in ["1", "254", "minimal+1", "minimal+9"] {
            assert_eq!(HopLimit::read(text).unwrap().to_string(), text);
        }
        for text in ["", "0", "255", "+3", "minimal+", "minimal+0", "minimal+10", "minimal", "-1"] {
            assert_eq!(HopLimit::read(text), None, "{text}");
        }
    }

    #[test]
    fn a_limit_is_never_below_the_distance() {
        assert_eq!((HopLimit::Hops(3).of(1), HopLimit::Hops(3).of(7)), (3, 7));
        assert_eq!((HopLimit::AboveMinimal(1).of(2), HopLimit::AboveMinimal(9).of(250)), (3, 254));
    }
}
