//! A family of fabrics: parameters read from a spec, closed forms, and a construction.

use crate::{Error, Fabric};
use tulle_spec::Plugin;

/// A family of fabrics, its parameters resolved; what its declaration accepts, [`Family::build`] can build.
pub trait Family: Plugin {
    /// The closed forms of the paper for the fabric; the conformance suite checks them against what is built.
    fn expect(&self) -> Expect;

    /// Builds the fabric; random families draw from streams under `seed`.
    ///
    /// # Errors
    /// [`Error::Construction`] where a random construction keeps failing.
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
    /// Network radix k' (the most network ports of any switch that carries endpoints).
    pub network_radix: u64,
    /// Concentration p (the most endpoints of any switch).
    pub concentration: u64,
    /// The diameter over switches that carry endpoints.
    pub diameter: Diameter,
}

/// A diameter as far as a closed form gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Diameter {
    /// Exactly this many hops.
    Exactly(u32),
    /// At most this many hops.
    AtMost(u32),
    /// No closed form: random graphs and files.
    Unknown,
}
