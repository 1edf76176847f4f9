//! Policy `hops`: one class of VCs per hop.

use tulle_spec::plugin;

use super::{Kind, PolicyPlugin};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Hops {
        /// use of the VCs beyond one per hop: divided among the classes (the first classes get the remainder), or unused (CAMINOS'
        /// ChannelsPerHop: hop i has VC i)
        pub spare: bool = either("shared", "idle"), default "shared";
    }
    name: "hops",
    summary: "one class of virtual channels per hop: no packet waits for a virtual channel of an earlier hop",
    paper: "Multi-Path Routing in the Jellyfish Network §IV-A; Kathareios et al. (SC15) §3.4 (Slim Fly: 2 VCs for minimal, \
        4 for indirect routing)",
    limitations: "Hop i uses class i. If the longest route has more hops than a port has virtual channels, for example after \
        link failures, each phase gets an equal number of classes. The last class of a phase then serves all further hops. \
        If the channel dependencies among these hops have a cycle, the policy needs as many virtual channels as the longest route \
        has hops. If a port has fewer, policy datelines replaces hops:spare=shared on tori where datelines cannot deadlock, and a \
        note says so; otherwise the configuration is an error. With the selector par, and with via=group, the policy always needs as many \
        virtual channels as the longest route has hops.",
    examples: ["hops", "hops:spare=idle"],
    rejects: [("hops:vcs=4", "unknown parameter 'vcs=4'"), ("hops:spare=last", "spare=last is not a choice")],
}

impl PolicyPlugin for Hops {
    fn kind(&self) -> Kind {
        Kind::Hops { spare: self.spare }
    }
}
