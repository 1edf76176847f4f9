//! The deadlock scheme `one-vc` uses one virtual channel, for routings without dependency cycles.

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::{Plugin, plugin};

use super::spread::VcNeeds;
use super::{Deadlock, Draft, Hardware, acyclic, cyclic};

plugin! {
    pub struct OneVc {
        hardware: Hardware;
    }
    name: "one-vc",
    summary: "one virtual channel, for routings without dependency cycles; for other routings, the error names a cycle",
    paper: "Flattened Clos (NSDI23) App. A.2, Theorem 7; Kathareios et al. (SC15) §3.4 (OFT and MLFM are free of deadlock under minimal \
        routing)",
    limitations: "Most routings of expanders and low-diameter networks have dependency cycles.",
    examples: ["one-vc", "one-vc:vcs=2"],
    rejects: [("one-vc:vcs=0", "vcs=0 is out of range; legal: 1 to 255")],
}

impl Deadlock for OneVc {
    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        // The proof uses one virtual channel even if the hardware has more. With several virtual channels, the proof could succeed only
        // because the paths of a cycle happen to be on different virtual channels.
        match acyclic(fabric, routing)? {
            Ok(_) => Ok(Draft {
                needs: VcNeeds::Classes { class: Vec::new(), count: 1 },
                phases: 1,
                repaired: None,
                first_vcs: 0,
            }),
            Err(cycle) => Err(cyclic(OneVc::INFO.name, fabric, routing, &cycle)),
        }
    }
}
