//! Proposals of families for a design search: specs of members that may fit the search, and of the largest members within a radix.
//!
//! A family may propose too many members. The caller drops members that are refused, have another size or need too many ports; their closed
//! forms tell.

use std::ops::RangeInclusive;

use crate::gf;

/// Proposes members of a family that may fit the search.
pub type Candidates = fn(&Wanted) -> Vec<String>;

/// Proposes members of a family that may be its largest on switches with this number of ports.
pub type Largest = fn(u64) -> Vec<String>;

/// What a search looks for: the number of endpoints and the switches.
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
    /// Oversubscription of trees: endpoints per uplink of a leaf.
    pub oversubscription: Vec<f64>,
}

impl Wanted {
    /// Returns every n for which n·`unit` endpoints are within the tolerance.
    pub fn shares(&self, unit: u64) -> RangeInclusive<u64> {
        self.low.div_ceil(unit).max(1)..=self.high / unit
    }

    /// Returns the n, at least 1, for which n·`unit` endpoints are nearest to the target.
    pub fn nearest(&self, unit: u64) -> u64 {
        ((self.endpoints as f64 / unit as f64).round_ties_even() as u64).max(1)
    }

    /// Returns endpoints and uplinks of a leaf, for each oversubscription.
    pub fn divided(&self) -> impl Iterator<Item = (u64, u64)> {
        self.oversubscription.iter().filter_map(|over| {
            let uplinks = ((self.radix as f64 / (1.0 + over)).round_ties_even() as u64).max(1);
            (uplinks < self.radix).then(|| (self.radix - uplinks, uplinks))
        })
    }

    /// Returns `member` with every number of endpoints per switch that gives a total within the tolerance. `switches` switches have
    /// endpoints, and `ports` ports of each are free for them.
    pub fn with_endpoints(&self, member: &str, switches: u64, ports: u64) -> Vec<String> {
        let shares = self.shares(switches).take_while(|&p| p <= ports);
        shares.map(|p| format!("{member},p={p}")).collect()
    }
}

/// Returns specs of `member`, whose switches have `degree` network ports, with about a third as many endpoints per switch, which networks
/// of diameter three can carry. All ports must fit in `radix`.
pub fn with_a_third_of_the_degree(member: &str, degree: u64, radix: u64) -> Vec<String> {
    let most = (degree / 3 + 2).min(radix.saturating_sub(degree));
    ((degree / 3).saturating_sub(2).max(1)..=most).map(|p| format!("{member},p={p}")).collect()
}

/// Returns specs of `member`, whose switches have `degree` network ports, with about half as many endpoints per switch. All ports must fit
/// in `radix`.
pub fn with_half_the_degree(member: &str, degree: u64, radix: u64) -> Vec<String> {
    let least = (degree.saturating_sub(3) / 2).max(1);
    let most = ((degree + 5) / 2).min((radix + 1).saturating_sub(degree));
    (least..=most).map(|p| format!("{member},p={p}")).collect()
}

/// Returns the prime powers up to 257, which are orders of finite fields for families.
pub fn orders() -> impl Iterator<Item = u64> {
    (2..=257u32).filter(|&q| gf::prime_power(q).is_some()).map(u64::from)
}
