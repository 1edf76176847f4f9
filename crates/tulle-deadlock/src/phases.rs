//! Virtual channels for indirect routes. An indirect route has a path to an intermediate switch and a path from there to the destination;
//! each path uses its own set of virtual channels.

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::plugin;

use super::{Deadlock, Draft, Hardware, read};

/// A packet takes one route to its intermediate switch, and a second route from there to its destination.
const PHASES: u8 = 2;

plugin! {
    pub struct Phases(arguments) {
        /// scheme within each of the two phases
        inner: &'static str = word(&["one-vc", "hops", "dfsssp", "lash"]), default "one-vc";
        hardware: Hardware;
    }
    check {
        if let Some(vcs) = hardware.vcs {
            arguments.check("vcs", vcs.into(), PHASES.into()..=255)?;
        }
    }
    name: "phases",
    summary: "for routes through an intermediate switch: one set of virtual channels before this switch, another set after it",
    paper: "Kathareios et al. (SC15) §3.2 and §3.4: 2 virtual channels for OFT and MLFM, 4 for Slim Fly (inner=hops)",
    limitations: "Packets change virtual channels at the intermediate switch, which can be any switch with endpoints. If switches of the \
        hardware cannot change the virtual channel there, an endpoint at the intermediate switch must forward the packets.",
    examples: ["phases", "phases:inner=hops", "phases:inner=lash,vcs=12"],
    rejects: [
        ("phases:inner=colouring", "inner=colouring is not a choice; legal: one-vc, hops, dfsssp, lash"),
        ("phases:vcs=1", "vcs=1 is out of range; legal: 2 to 255"),
    ],
}

impl Deadlock for Phases {
    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        let inner = read(self.inner)?;
        Ok(Draft { phases: PHASES, ..inner.draft(fabric, routing)? })
    }
}
