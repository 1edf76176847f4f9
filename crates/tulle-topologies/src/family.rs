//! The trait of topology families. A family has parameters that come from a spec, closed forms for its sizes, and a construction.

use crate::design::{Candidates, Largest};
use tulle_fabric::{Error, Fabric, RackStructure, WorstCase};
use tulle_spec::Plugin;

/// A member of a topology family: the family with a value for each parameter. [`Family::build`] can build every member with legal
/// parameters.
///
/// The constants of this trait give further properties of a family. Each constant has a default.
pub trait Family: Plugin {
    /// Which switches share a rack.
    const RACKS: RackStructure = RackStructure::Runs;

    /// The worst permutation of the family's switches for minimal routing, if a paper gives one.
    const WORST_CASE: Option<WorstCase> = None;

    /// The function that proposes members for a design search by size. `None` excludes the family from this search. A family that proposes
    /// members needs the bound [`Family::all_to_all`], because the search compares members by it.
    const CANDIDATES: Option<Candidates> = None;

    /// The function that proposes the largest members for a switch radix. `None` excludes the family from the search for largest members,
    /// for example because random graphs of a given radix exist in any size.
    const LARGEST: Option<Largest> = None;

    /// Returns the sizes and distances of the fabric, computed from the paper's formulas. The conformance tests compare them with the built
    /// fabric.
    fn expect(&self) -> Expect;

    /// Returns a closed-form upper bound on the throughput of uniform all-to-all traffic, for any choice of paths. The bound is a fraction
    /// (at most 1) of the endpoints' rate. Each class of channels gives a bound: the total capacity of its channels, divided by the traffic
    /// that must cross them. The result is the minimum over all classes of the family.
    ///
    /// By default, all channels are one class, and the traffic of a pair crosses as many channels as its shortest path has hops. The
    /// default returns `None` unless [`Expect::hops`] is exact or a lower bound.
    fn all_to_all(&self) -> Option<f64> {
        let expect = self.expect();
        match expect.hops {
            Hops::Exactly(hops) | Hops::AtLeast(hops) => Some(expect.carried(2 * expect.cables, hops)),
            Hops::AtMost(_) | Hops::Unknown => None,
        }
    }

    /// Returns whether the fabric is designed for cabling through optical switches or patch panels.
    fn has_devices(&self) -> bool {
        false
    }

    /// Builds the fabric. Random families use the random streams of `seed`.
    ///
    /// # Errors
    /// Returns [`Error::Construction`] if a random construction fails in all attempts.
    fn build(&self, seed: u64) -> Result<Fabric, Error>;
}

/// The sizes and distances of a family member, computed from formulas without building the fabric.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expect {
    /// Switches, S.
    pub switches: u64,
    /// Endpoints, N.
    pub endpoints: u64,
    /// Cables between switches.
    pub cables: u64,
    /// Network radix k': the maximum number of network ports of a switch with endpoints.
    pub network_radix: u64,
    /// Concentration p: the maximum number of endpoints of a switch.
    pub concentration: u64,
    /// Maximum number of ports that any switch needs, including endpoint ports.
    pub radix: u64,
    /// The diameter over switches with endpoints.
    pub diameter: Diameter,
    /// The hops of shortest paths.
    pub hops: Hops,
}

impl Expect {
    /// Returns the throughput of uniform all-to-all traffic, as a fraction (at most 1) of the endpoints' rate. `hops` is the total number
    /// of hops of the paths between all ordered pairs of switches with endpoints. These hops are spread evenly over `channels` channels.
    /// All switches with endpoints have the same number of endpoints.
    pub(crate) fn carried(&self, channels: u64, hops: u128) -> f64 {
        let pairs = (self.concentration as f64).powi(2) * hops as f64;
        if pairs == 0.0 { 1.0 } else { (channels as f64 * self.endpoints.saturating_sub(1) as f64 / pairs).min(1.0) }
    }
}

/// The total number of hops of the shortest paths between all ordered pairs of switches with endpoints, or a bound on this number from a
/// closed form. If no switch has endpoints, all switches count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hops {
    /// Exactly this many hops.
    Exactly(u128),
    /// An upper bound: the total number of hops of some routing.
    AtMost(u128),
    /// A lower bound that holds for every graph of this size and degree.
    AtLeast(u128),
    /// No closed form.
    Unknown,
}

impl Hops {
    /// Returns the total number of hops if every pair of the `switches` switches is `hops` hops apart.
    pub(crate) fn apart(hops: u64, switches: u64) -> Self {
        Self::Exactly(u128::from(hops) * u128::from(switches) * u128::from(switches.saturating_sub(1)))
    }

    /// Returns the total number of hops in a graph of diameter two.
    pub(crate) fn diameter_two(switches: u64, cables: u64) -> Self {
        let [switches, cables] = [switches, cables].map(u128::from);
        Self::Exactly(2 * switches * (switches - 1) - 2 * cables)
    }

    /// Returns a lower bound for regular graphs. It holds because at most degree · (degree − 1)^(d − 1) switches are d hops away from a
    /// switch (Cerf et al.: A lower bound on the average shortest path length in regular graphs, Networks 4, 1974; Jellyfish §4).
    pub(crate) fn regular(switches: u64, degree: u64) -> Self {
        let (mut left, mut level, mut distance, mut hops) = (switches - 1, degree, 1, 0u128);
        if degree < 2 && left > degree {
            return Self::Unknown;
        }
        while left > 0 {
            let here = level.min(left);
            hops += distance * u128::from(here);
            left -= here;
            level = level.saturating_mul(degree - 1);
            distance += 1;
        }
        Self::AtLeast(hops * u128::from(switches))
    }
}

/// The diameter, or a bound on the diameter from a closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diameter {
    /// Exactly this many hops.
    Exactly(u32),
    /// At most this many hops.
    AtMost(u32),
    /// No closed form, for example for random graphs and fabrics from files.
    Unknown,
}

impl Diameter {
    /// Returns the diameter of a graph whose diameter is at most three. It is exactly three if the graph has more switches than a graph of
    /// this degree and diameter two can have.
    pub(crate) fn at_most_three(switches: u64, degree: u64) -> Self {
        if switches > 1 + degree * degree { Self::Exactly(3) } else { Self::AtMost(3) }
    }
}
