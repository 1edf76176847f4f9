//! Valiant (indirect random): takes a minimal route to a random intermediate switch, then a minimal route to the
//! destination.

use tulle_spec::plugin;

use super::{Over, Queues, Route, RouteRequest, Select};

plugin! {
    /// Routes through a random switch that has endpoints.
    #[derive(Debug)]
    pub(crate) struct Valiant {
        /// intermediate switch: any switch except source and destination (Kathareios et al., SC15), or any switch (BookSim2, CAMINOS); if
        /// it is source or destination, the packet takes the minimal route
        any "via": bool = either("any", "other"), default "other";
        /// behaviour of a packet that passes its destination on the way to the intermediate switch: it goes on
        /// (BookSim2), or ends there (CAMINOS)
        ends "passing": bool = either("end", "on"), default "on";
    }
    name: "valiant",
    summary: "a minimal route to a random intermediate switch, then a minimal route to the destination",
    paper: "Kathareios et al. (SC15) §3.2 (indirect random, INR)",
    limitations: "Only switches with endpoints are intermediate switches. Packets within one switch take no detour. Uses \
        layer 0 only.",
    examples: ["valiant", "valiant:via=any", "valiant:via=any,passing=end"],
    rejects: [
        ("valiant:via=3", "via=3 is not a choice; legal: any, other"),
        ("valiant:passing=by", "passing=by is not a choice; legal: end, on"),
    ],
}

impl Select for Valiant {
    const OVER: Over = Over::Tables;
    const PHASES: u8 = 2;

    fn ends_in_passing(&self) -> bool {
        self.ends
    }

    #[inline]
    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        match self.any {
            true => request.choices.via_any(request.from, request.to, request.generator),
            false => request.choices.indirect(request.from, request.to, request.generator),
        }
    }
}
