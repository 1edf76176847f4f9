//! DFSSSP's virtual channels: all paths on the first, then cycles broken by moving paths to the next.

mod bits;
mod breaking;
mod lists;
mod weights;

use tulle_fabric::Fabric;
use tulle_spec::plugin;

use super::spread::VcNeeds;
use super::{Deadlock, Draft, Hardware};
use crate::{Error, Routing};

plugin! {
    pub struct Dfsssp {
        hardware: Hardware;
    }
    name: "dfsssp",
    summary: "a virtual channel per path: all on the first, then the weakest dependency of every cycle moves to the next",
    paper: "Domke, Hoefler, Nagel: Deadlock-free oblivious routing for arbitrary topologies (IPDPS11); deployment §5.2",
    limitations: "A heuristic: the fewest virtual channels are NP-hard to find. Memory of 4 bytes per path and turn.",
    examples: ["dfsssp", "dfsssp:vcs=8"],
    rejects: [("dfsssp:vcs=256", "vcs=256 is out of range; legal: 1 to 255")],
}

impl Deadlock for Dfsssp {
    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        let (class, count) = breaking::classes(fabric, routing)?;
        Ok(Draft { needs: VcNeeds::Classes { class, count }, phases: 1, repaired: None })
    }
}
