//! A class of virtual channels per hop.

use tulle_spec::plugin;

use super::{Gives, Kind};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Hops {
        /// virtual channels beyond one per hop: shared out to the classes, the first ones first; or not used (CAMINOS'
        /// ChannelsPerHop: hop i has virtual channel i)
        pub spare: bool = either("shared", "idle"), default "shared";
    }
    name: "hops",
    summary: "a class of virtual channels per hop: no packet waits for one of a lower hop",
    paper: "Jellyfish §IV-A; diameter-two §3.4 (Slim Fly: 2 for minimal, 4 for indirect routing)",
    limitations: "Hop i has class i. Where the longest routes have more hops than there are virtual channels, as \
        between switches whose links failed, each phase has its share of the classes, and its last takes all further \
        hops, if the channel dependencies among those have no cycle; else it needs as many virtual channels as the \
        longest route has hops.",
    examples: ["hops", "hops:spare=idle"],
    rejects: [("hops:vcs=4", "unknown parameter 'vcs=4'"), ("hops:spare=last", "spare=last is not a choice")],
}

impl Gives for Hops {
    fn kind(&self) -> Kind {
        Kind::Hops { spare: self.spare }
    }
}
