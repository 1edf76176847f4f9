//! Hot spots: a fraction of the packets goes to a few endpoints.

use tulle_spec::plugin;

use super::kinds::{Kind, TrafficPlugin};

plugin! {
    #[derive(Debug)]
    pub(crate) struct HotSpot {
        /// fraction of the packets that go to hot endpoints
        pub share: f64 = fraction(), default "0.1";
        /// number of hot endpoints, which are chosen at random
        pub endpoints: u32 = integer(1, 1_000_000), default "1";
    }
    name: "hot-spot",
    summary: "a fraction of the packets goes to a few hot endpoints, the others to random endpoints",
    paper: "Pfister, Norton: Hot spot contention and combining in multistage interconnection networks, IEEE ToC 1985",
    limitations: "All hot endpoints receive the same load, and they send like all other endpoints. With N endpoints, n hot \
        endpoints, share=h and load λ, each hot endpoint is offered λ·(1 − h + h·N/n) flits per cycle. If this exceeds \
        1, the network saturates.",
    examples: ["hot-spot", "hot-spot:share=0.05,endpoints=4"],
    rejects: [
        ("hot-spot:share=0", "share=0 is out of range; legal: above 0 and at most 1"),
        ("hot-spot:endpoints=0", "endpoints=0 is out of range; legal: 1 to 1000000"),
    ],
}

impl TrafficPlugin for HotSpot {
    fn kind(&self) -> Kind {
        Kind::HotSpot { share: self.share, endpoints: self.endpoints }
    }
}
