//! Policy `phases`: one class of VCs per phase of the route.

use tulle_spec::plugin;

use super::{Kind, PolicyPlugin};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Phases {}
    name: "phases",
    summary: "one class of virtual channels before the intermediate switch, and one after it",
    paper: "Kathareios et al. (SC15) §3.4 (MLFM, OFT)",
    limitations: "Free of deadlock only if the routing is deadlock-free on one virtual channel, for example up-down routing.",
    examples: ["phases"],
    rejects: [("phases:vcs=4", "unknown parameter 'vcs=4'; it takes none")],
}

impl PolicyPlugin for Phases {
    fn kind(&self) -> Kind {
        Kind::Phases
    }
}
