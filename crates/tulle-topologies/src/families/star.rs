//! The star topology: one switch with all endpoints. It is a reference point for performance, because it has no network between switches.

use crate::design::Candidates;
use crate::{Diameter, Expect, Family, Hops};
use tulle_fabric::{Error, Fabric, FabricBuilder};
use tulle_spec::plugin;

plugin! {
    /// A single switch.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct Star {
        /// endpoints, N
        endpoints: u32 = integer(1, 1 << 24);
    }
    name: "star",
    summary: "star: a single crossbar switch with all endpoints, an upper bound on performance",
    paper: "FatPaths (SC20) App. D (baseline)",
    limitations: "The star is a reference point, not a practical network: no real switch has a port for every endpoint of a large network.",
    examples: ["star:endpoints=8", "star:endpoints=1"],
    rejects: [("star", "needs endpoints="), ("star:endpoints=0", "endpoints=0 is out of range; legal: 1 to 16777216")],
}

impl Family for Star {
    const CANDIDATES: Option<Candidates> = Some(|wanted| {
        let fits = wanted.endpoints <= wanted.radix;
        fits.then(|| format!("star:endpoints={}", wanted.endpoints)).into_iter().collect()
    });

    fn expect(&self) -> Expect {
        Expect {
            switches: 1,
            endpoints: u64::from(self.endpoints),
            cables: 0,
            network_radix: 0,
            concentration: u64::from(self.endpoints),
            radix: u64::from(self.endpoints),
            diameter: Diameter::Exactly(0),
            hops: Hops::Exactly(0),
        }
    }

    fn build(&self, _seed: u64) -> Result<Fabric, Error> {
        let mut builder = FabricBuilder::new(1);
        builder.endpoints_each(self.endpoints as usize);
        builder.member(self)
    }
}
