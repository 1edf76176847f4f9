//! The deadlock scheme `dfsssp`. All paths start on the first virtual channel; paths that would close a cycle move to the next virtual
//! channel.

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
        /// virtual channels that only the first hops of paths use; packets enter them from endpoints, so first hops close no cycle
        first_vcs: Option<u8> = integer(1, 15), or "first hops share the virtual channels of other hops";
    }
    name: "dfsssp",
    summary: "one virtual channel per path: all paths start on the first; paths that could close a cycle there move to the next",
    paper: "Domke, Hoefler, Nagel: Deadlock-free oblivious routing for arbitrary topologies (IPDPS11); Slim Fly deployment (NSDI24) §5.2",
    limitations: "The scheme is a heuristic, because the minimum number of virtual channels is NP-hard to find. The authors of DFSSSP \
        break every cycle at its weakest dependency. tulle also sorts the channels by a second heuristic (insertion), and uses the result \
        with fewer virtual channels. If the paths have more than a million turns (pairs of consecutive channels), tulle uses insertion \
        alone. The scheme needs 4 bytes of memory per path and turn (pair of consecutive channels).",
    examples: ["dfsssp", "dfsssp:vcs=8", "dfsssp:first_vcs=1"],
    rejects: [
        ("dfsssp:vcs=256", "vcs=256 is out of range; legal: 1 to 255"),
        ("dfsssp:first_vcs=0", "first_vcs=0 is out of range; legal: 1 to 15"),
    ],
}

impl Deadlock for Dfsssp {
    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        let (class, count) = classes::classes(fabric, routing, self.first_vcs.is_some())?;
        let first_vcs = self.first_vcs.unwrap_or(0);
        Ok(Draft { needs: VcNeeds::Classes { class, count }, phases: 1, repaired: None, first_vcs })
    }
}
