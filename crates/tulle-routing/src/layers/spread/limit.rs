//! Computes hop limits: how many hops a path may have.

use std::fmt;
use tulle_spec::{Field, Raw, Sort};

use rand::RngExt;
use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::random::stream;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, FARTHEST};

use crate::remove_find::RemoveFind;
use crate::ties::Lowest;

/// The maximum number of hops of a pair's paths, as a function of the pair's distance in hops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HopLimit {
    /// The same maximum for all pairs. For pairs that are farther apart, the maximum is their distance.
    Hops(u8),
    /// The pair's distance plus a fixed number of hops.
    AboveMinimal(u8),
}

/// The limits that [`HopLimit::fitting`] tries, the tightest first.
const CANDIDATES: [HopLimit; 3] = [HopLimit::Hops(3), HopLimit::AboveMinimal(1), HopLimit::AboveMinimal(2)];

/// A pair needs this many channels out of the source, and as many into the destination, for three disjoint paths (Blach et al., NSDI24,
/// §4.2). A limit is sufficient for the pair if paths within the limit can use them.
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
    /// Parses a text like `3` or `minimal+1`.
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

    /// Returns the maximum number of hops for a pair at this distance.
    #[inline]
    pub fn of(self, distance: u8) -> u8 {
        match self {
            Self::Hops(hops) => hops.max(distance),
            Self::AboveMinimal(more) => distance.saturating_add(more).min(FARTHEST),
        }
    }

    /// Returns the default limit for the aim `disjoint`. The candidates are 3 hops, minimal + 1 and minimal + 2. The result is the first
    /// candidate that leaves at least two thirds of the pairs enough channels for three disjoint paths. If no candidate does, the result is
    /// the candidate with the most such pairs.
    ///
    /// The default limit is 3 hops in most graphs of diameter two, and minimal + 1 in dragonflies. It is minimal + 2 in fabrics in which
    /// all paths between edge switches have an even number of hops (OFT, MLFM).
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

    /// Counts the ordered pairs of switches in `counted` whose walks within the limit can use [`WAYS`] channels out of the source, and as
    /// many into the destination. This is necessary for [`WAYS`] disjoint paths, but not sufficient.
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

/// The number of pairs of switches that are sampled per distance.
const SAMPLE: usize = 64;

/// The fraction of the desired disjoint paths that must exist within the limit.
const ENOUGH: f64 = 0.9;

/// The maximum number of hops by which a limit may exceed the distance.
const MOST_BEYOND: usize = 3;

/// If a pair has at least this many layers per port, its paths must share first and last hops. With one more hop, the paths can separate
/// between the first and the last hop.
const MANY: f64 = 1.25;

/// Returns the default hop limit for every distance, for the aim `throughput`. For a sample of pairs, the desired number of disjoint paths
/// is one per layer, but not more than the ports allow. The limit is the smallest one that permits 9 of 10 of the desired paths. If there
/// are many layers per port, the limit is one hop larger. It is at most the diameter plus two.
pub(super) fn by_distance(fabric: &Fabric, distances: &Distances, counted: &[bool], layers: usize) -> Vec<u8> {
    let members: Vec<u32> = (0..fabric.num_switches() as u32).filter(|&switch| counted[switch as usize]).collect();
    let farthest = members.iter().flat_map(|&switch| distances.row(switch)).copied().max().unwrap_or(0);
    let limit = |distance: u8| {
        let mut rng = stream(0, "routing/spread/limit", distance.into());
        let mut finder = RemoveFind::new(fabric, distances);
        // The number of disjoint paths found, indexed by the number of hops by which they are longer than the distance.
        let (mut found, mut wanted) = ([0usize; MOST_BEYOND + 1], 0);
        let (mut pairs, mut many) = (0, 0);
        for _ in 0..SAMPLE {
            task::check();
            let source = members[rng.random_range(0..members.len())];
            let row = distances.row(source);
            let apart = || members.iter().filter(|&&switch| row[switch as usize] == distance);
            let count = apart().count();
            let Some(&destination) = (count > 0).then(|| apart().nth(rng.random_range(0..count))).flatten() else {
                continue;
            };
            let most = layers.min(fabric.degree(source)).min(fabric.degree(destination));
            many += usize::from(layers as f64 >= MANY * most as f64);
            pairs += 1;
            finder.start(source, destination);
            wanted += most;
            for _ in 0..most {
                let Some(path) = finder.next(&mut Lowest) else { break };
                let beyond = path.len() - usize::from(distance);
                if beyond > MOST_BEYOND {
                    break;
                }
                found[beyond] += 1;
            }
        }
        let mut within = 0;
        let enough = found.iter().position(|&paths| {
            within += paths;
            within as f64 >= ENOUGH * wanted as f64
        });
        let beyond = enough.unwrap_or(MOST_BEYOND) + usize::from(2 * many > pairs);
        let most = usize::from(farthest) + 2;
        (usize::from(distance) + beyond).min(most).min(FARTHEST.into()) as u8
    };
    std::iter::once(0).chain((1..=farthest).map(limit)).collect()
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

    fn counted(fabric: &Fabric) -> Vec<bool> {
        (0..fabric.num_switches() as u32).map(|switch| !fabric.endpoints_of(switch).is_empty()).collect()
    }

    #[test]
    fn three_disjoint_paths_fit_the_limit() {
        let fitting = |spec: &str| {
            let fabric = tulle_topologies::build(spec, 0).unwrap();
            HopLimit::fitting(&fabric, &Distances::of(&fabric), &counted(&fabric))
        };
        assert_eq!(fitting("slimfly:q=5"), HopLimit::Hops(3));
        assert_eq!(fitting("jellyfish:switches=100,degree=11"), HopLimit::Hops(3));
        assert_eq!(fitting("dragonfly:p=4"), HopLimit::AboveMinimal(1));
        // An OFT is a tree of two levels, so every path between edge switches has an even number of hops.
        assert_eq!(fitting("oft:k=4"), HopLimit::AboveMinimal(2));
    }

    #[test]
    fn as_many_disjoint_paths_as_layers_fit_the_limits_by_distance() {
        let limits = |spec: &str, layers| {
            let fabric = tulle_topologies::build(spec, 0).unwrap();
            by_distance(&fabric, &Distances::of(&fabric), &counted(&fabric), layers)
        };
        // The fabric has girth 5, so a second path between neighbours has at least four hops.
        assert_eq!(limits("slimfly:q=5", 4), [0, 4, 3]);
        assert_eq!(limits("slimfly:q=5", 1), [0, 1, 2]);
        // The switches have eleven ports. With 22 layers, paths share first and last hops, and need one more hop to separate in between.
        assert_eq!(limits("jellyfish:switches=100,degree=11", 9), [0, 4, 4, 4]);
        assert_eq!(limits("jellyfish:switches=100,degree=11", 22), [0, 5, 5, 5]);
        // Only one cable connects two groups, so all other paths lead through a third group.
        assert_eq!(limits("dragonfly:p=4", 9)[3], 5);
        assert_eq!(limits("oft:k=4", 4)[2], 4);
        // A star has only one switch.
        assert_eq!(limits("star:endpoints=4", 4), [0]);
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
