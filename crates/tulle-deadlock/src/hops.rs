//! A virtual channel per hop.

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::plugin;

use super::routes::hop_loads;
use super::spread::VcNeeds;
use super::{Deadlock, Draft, Hardware};

plugin! {
    pub struct Hops {
        hardware: Hardware;
    }
    name: "hops",
    summary: "a virtual channel per hop: packets on hop h wait only for packets on hop h + 1",
    paper: "Besta and Hoefler: Slim Fly (SC14) §IV-D, after Gopal (1985); Kathareios et al. (SC15) §3.4 (2 virtual channels for \
        minimal paths of Slim Fly)",
    limitations: "The scheme needs as many virtual channels as the longest path has hops. Each switch must derive the next virtual channel \
        from the one on which a packet arrives. InfiniBand switches cannot do this, because their SL-to-VL tables do not take that virtual \
        channel into account.",
    examples: ["hops", "hops:vcs=8,sls=4"],
    rejects: [("hops:vcs=x", "vcs=x is not a whole number"), ("hops:vls=2", "unknown parameter 'vls=2'")],
}

impl Deadlock for Hops {
    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        let loads = hop_loads(fabric, routing)?;
        Ok(Draft { needs: VcNeeds::Hops { loads, colours: None }, phases: 1, repaired: None, first_vcs: 0 })
    }
}
