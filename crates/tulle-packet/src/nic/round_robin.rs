//! Flows take turns at the link of their endpoint.

use tulle_spec::plugin;

use super::Order;

plugin! {
    pub(crate) struct RoundRobin {}
    name: "round-robin",
    summary: "the flows of an endpoint take turns at its link, packet by packet",
    paper: "Nagle, On Packet Switches with Infinite Storage, RFC 970 (1985); also used by hosts in csg-htsim (fair_prio) and \
        Linux (fq)",
    limitations: "A turn is one packet, even if the last packet of a flow is short.",
    examples: ["round-robin"],
    rejects: [("round-robin:quantum=1", "unknown parameter 'quantum=1'")],
}

impl Order for RoundRobin {
    const TURNS: bool = true;
}
