//! The scheme `dfsssp`: all paths start on the first virtual channel, and paths that close cycles move to the next one.

mod bits;
mod classes;
mod cycles;
mod insertion;
mod lists;
mod weights;

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::plugin;

use super::spread::VcNeeds;
use super::{Deadlock, Draft, Hardware};

plugin! {
    pub struct Dfsssp {
        hardware: Hardware;
    }
    name: "dfsssp",
    summary: "one virtual channel per path: all paths start on the first, and paths against the order of most paths move to the next",
    paper: "Domke, Hoefler, Nagel: Deadlock-free oblivious routing for arbitrary topologies (IPDPS11); deployment §5.2",
    limitations: "A heuristic: the fewest virtual channels are NP-hard to find. The authors break cycle after cycle at its \
        weakest dependency; here that stands beside an order of channels found by insertion, and what needs fewer is \
        taken (beyond a million turns of paths insertion alone). Memory of 4 bytes per path and turn.",
    examples: ["dfsssp", "dfsssp:vcs=8"],
    rejects: [("dfsssp:vcs=256", "vcs=256 is out of range; legal: 1 to 255")],
}

impl Deadlock for Dfsssp {
    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        let (class, count) = classes::classes(fabric, routing)?;
        Ok(Draft { needs: VcNeeds::Classes { class, count }, phases: 1, repaired: None })
    }
}
