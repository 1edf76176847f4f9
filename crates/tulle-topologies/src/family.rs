//! Families of fabrics: parameters from a spec, closed forms, and a construction.

use crate::design::{Candidates, Largest};
use tulle_fabric::{Error, Fabric, RackStructure, WorstCase};
use tulle_spec::Plugin;

/// A family of fabrics with resolved parameters; [`Family::build`] can build everything that its declaration accepts.
///
/// A family states further properties by the constants of this trait, each of which has a default.
pub trait Family: Plugin {
    /// Which switches share a rack.
    const RACKS: RackStructure = RackStructure::Runs;

    /// The worst permutation of the family's switches for minimal routing, if a paper gives one.
    const WORST_CASE: Option<WorstCase> = None;

    /// The family's proposals for a search by size; `None` for a family that is not searched.
    const CANDIDATES: Option<Candidates> = None;

    /// The family's proposals for its largest members within a radix; `None` for a family without a largest member, such as random graphs,
    /// which exist in any size.
    const LARGEST: Option<Largest> = None;

    /// Returns the paper's closed forms of the fabric; the conformance suite compares them with the built fabric.
    fn expect(&self) -> Expect;

    /// Returns a closed-form upper bound, at most 1, of the throughput of uniform all-to-all traffic over any paths, as a fraction of the
    /// endpoints' rate. For a class of channels, the bound is the capacity of the class divided by the number of times that the traffic
    /// must cross it. The minimum over all classes of the family counts.
    ///
    /// By default all channels are one class, and every pair crosses as many channels as its shortest path has hops. Returns `None` if
    /// [`Expect::hops`] is neither exact nor a lower bound.
    fn all_to_all(&self) -> Option<f64> {
        let expect = self.expect();
        match expect.hops {
            Hops::Exactly(hops) | Hops::AtLeast(hops) => Some(expect.carried(2 * expect.cables, hops)),
            Hops::AtMost(_) | Hops::Unknown => None,
        }
    }

    /// Whether the fabric is drawn for optical switches or patch panels with a number of ports. Its cables then lead to these devices.
    fn has_devices(&self) -> bool {
        false
    }

    /// Builds the fabric; random families draw from streams of `seed`.
    ///
    /// # Errors
    /// [`Error::Construction`] if a random construction keeps failing.
    fn build(&self, seed: u64) -> Result<Fabric, Error>;
}

/// Closed forms of a family member.
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
    /// Returns the throughput of uniform all-to-all traffic, as a fraction (at most 1) of the endpoints' rate. It assumes that the paths
    /// between all ordered pairs of switches with endpoints have `hops` hops in total over `channels` channels, and that all such switches
    /// have equally many endpoints.
    pub(crate) fn carried(&self, channels: u64, hops: u128) -> f64 {
        let pairs = (self.concentration as f64).powi(2) * hops as f64;
        if pairs == 0.0 { 1.0 } else { (channels as f64 * self.endpoints.saturating_sub(1) as f64 / pairs).min(1.0) }
    }
}

/// The total hops of shortest paths between all ordered pairs of switches with endpoints (of all switches, if none has endpoints), as known
/// from a closed form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hops {
    /// Exactly so many.
    Exactly(u128),
    /// An upper bound, which is the total hops of some routing.
    AtMost(u128),
    /// A lower bound, which holds for any graph of this size and degree.
    AtLeast(u128),
    /// No closed form.
    Unknown,
}

impl Hops {
    /// Returns the total hops if all pairs of `switches` switches are `hops` hops apart.
    pub(crate) fn apart(hops: u64, switches: u64) -> Self {
        Self::Exactly(u128::from(hops) * u128::from(switches) * u128::from(switches.saturating_sub(1)))
    }

    /// Of a graph of diameter two.
    pub(crate) fn diameter_two(switches: u64, cables: u64) -> Self {
        let [switches, cables] = [switches, cables].map(u128::from);
        Self::Exactly(2 * switches * (switches - 1) - 2 * cables)
    }

    /// Returns the lower bound for regular graphs: at most degree · (degree − 1)^(d − 1) switches are d hops away (Cerf et al.: A lower
    /// bound on the average shortest path length in regular graphs, Networks 4, 1974; Jellyfish §4).
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

/// What a closed form states about the diameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diameter {
    /// Exactly this many hops.
    Exactly(u32),
    /// At most this many hops.
    AtMost(u32),
    /// There is no closed form, for example for random graphs and files.
    Unknown,
}

impl Diameter {
    /// Returns the diameter of a graph that has at most three hops between two switches. It is exactly three if the graph has more switches
    /// than any graph of its degree and diameter two can have.
    pub(crate) fn at_most_three(switches: u64, degree: u64) -> Self {
        if switches > 1 + degree * degree { Self::Exactly(3) } else { Self::AtMost(3) }
    }
}
