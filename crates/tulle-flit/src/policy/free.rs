//! Policy `free`: a packet may use any VC.

use tulle_spec::plugin;

use super::{Kind, PolicyPlugin};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Free {}
    name: "free",
    summary: "any virtual channel at every hop",
    paper: "the minimal routing of Kathareios et al. (SC15) §3.4 (MLFM, OFT)",
    limitations: "Free of deadlock only if the routing is deadlock-free on one virtual channel, for example up-down routing.",
    examples: ["free"],
    rejects: [("free:vcs=4", "unknown parameter 'vcs=4'; it takes none")],
}

impl PolicyPlugin for Free {
    fn kind(&self) -> Kind {
        Kind::Free
    }
}
