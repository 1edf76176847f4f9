//! Lets topology families propose members for a design search. A member is one topology of the family. A proposal is the spec of a member
//! that may fit the search, or that may be the largest member for a switch radix.
//!
//! Not all proposed members need to fit. The caller computes the closed forms of each member, and drops members that are illegal, have the
//! wrong size or need too many ports.

use std::ops::RangeInclusive;

use crate::gf;

/// A function that proposes members of a family that may fit the search.
pub type Candidates = fn(&Wanted) -> Vec<String>;

/// A function that proposes members of a family that may be the largest for switches with a given number of ports.
pub type Largest = fn(u64) -> Vec<String>;

/// The target of a design search: the number of endpoints, and the switches to use.
#[derive(Debug, Clone, PartialEq)]
pub struct Wanted {
    /// Endpoints.
    pub endpoints: u64,
    /// The fewest endpoints.
    pub low: u64,
    /// The most endpoints.
    pub high: u64,
    /// Ports of a switch.
    pub radix: u64,
    /// Oversubscription ratios to try for trees: endpoints per uplink of a leaf switch.
    pub oversubscription: Vec<f64>,
}

impl Wanted {
    /// Returns the range of all n ≥ 1 for which n·`unit` is a number of endpoints between `low` and `high`.
    pub fn shares(&self, unit: u64) -> RangeInclusive<u64> {
        self.low.div_ceil(unit).max(1)..=self.high / unit
    }

    /// Returns the n ≥ 1 for which n·`unit` is nearest to the wanted number of endpoints.
    pub fn nearest(&self, unit: u64) -> u64 {
        ((self.endpoints as f64 / unit as f64).round_ties_even() as u64).max(1)
    }

    /// Returns the numbers of endpoints and uplinks of a leaf switch, for each oversubscription ratio.
    pub fn divided(&self) -> impl Iterator<Item = (u64, u64)> {
        self.oversubscription.iter().filter_map(|over| {
            let uplinks = ((self.radix as f64 / (1.0 + over)).round_ties_even() as u64).max(1);
            (uplinks < self.radix).then(|| (self.radix - uplinks, uplinks))
        })
    }

    /// Returns variants of the spec `member`: one for each number of endpoints per switch that gives between `low` and `high` endpoints in
    /// total. `switches` is the number of switches with endpoints, and `ports` is the number of ports per switch that endpoints can use.
    pub fn with_endpoints(&self, member: &str, switches: u64, ports: u64) -> Vec<String> {
        let shares = self.shares(switches).take_while(|&p| p <= ports);
        shares.map(|p| format!("{member},p={p}")).collect()
    }
}

/// Returns several variants of the spec `member`, each with another number of endpoints per switch: about a third of `degree`, the number
/// of network ports per switch. A network of diameter three can carry the traffic of about this many endpoints. The endpoints and the
/// network ports of a switch together need at most `radix` ports.
pub fn with_a_third_of_the_degree(member: &str, degree: u64, radix: u64) -> Vec<String> {
    let most = (degree / 3 + 2).min(radix.saturating_sub(degree));
    ((degree / 3).saturating_sub(2).max(1)..=most).map(|p| format!("{member},p={p}")).collect()
}

/// Returns several variants of the spec `member`, each with another number of endpoints per switch: about half of `degree`, the number of
/// network ports per switch. The endpoints and the network ports of a switch together need at most `radix` + 1 ports; the caller drops
/// variants that need too many.
pub fn with_half_the_degree(member: &str, degree: u64, radix: u64) -> Vec<String> {
    let least = (degree.saturating_sub(3) / 2).max(1);
    let most = ((degree + 5) / 2).min((radix + 1).saturating_sub(degree));
    (least..=most).map(|p| format!("{member},p={p}")).collect()
}

/// Returns the prime powers up to 257: the orders of finite fields that families try in a search.
pub fn orders() -> impl Iterator<Item = u64> {
    (2..=257u32).filter(|&q| gf::prime_power(q).is_some()).map(u64::from)
}
