//! Some of the packets to few endpoints.

use tulle_spec::plugin;

use super::kinds::{Destinations, Kind};

plugin! {
    #[derive(Debug)]
    pub(crate) struct HotSpot {
        /// of packets to hot endpoints
        pub share: f64 = fraction(), default "0.1";
        /// hot ones, drawn under the seed
        pub endpoints: u32 = integer(1, 1_000_000), default "1";
    }
    name: "hot-spot",
    summary: "a share of the packets to a few endpoints, the others to endpoints drawn at random",
    paper: "Pfister, Norton: Hot spot contention and combining in multistage interconnection networks, IEEE ToC 1985",
    limitations: "The hot endpoints share their packets alike and send as all others do. With N endpoints, n of them \
        hot, share h and load λ, λ·(1 − h + h·N/n) flits a cycle are offered to each hot one: above 1 the network \
        saturates.",
    examples: ["hot-spot", "hot-spot:share=0.05,endpoints=4"],
    rejects: [
        ("hot-spot:share=0", "share=0 is out of range; legal: above 0 and at most 1"),
        ("hot-spot:endpoints=0", "endpoints=0 is out of range; legal: 1 to 1000000"),
    ],
}

impl Destinations for HotSpot {
    fn kind(&self) -> Kind {
        Kind::HotSpot { share: self.share, endpoints: self.endpoints }
    }
}
