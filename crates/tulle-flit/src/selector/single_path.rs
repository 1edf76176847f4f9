//! Single path: a switch always uses the same next hop of layer 0 toward a destination.

use tulle_spec::plugin;

use super::{Over, Queues, Route, RouteRequest, Select};

plugin! {
    /// Routes over layer 0, through one fixed port per destination.
    #[derive(Debug)]
    pub(crate) struct SinglePath {}
    name: "single-path",
    summary: "one path per pair of switches: at every switch one port of the first layer, chosen by a hash of the \
        switch and the destination",
    paper: "Multi-Path Routing in the Jellyfish Network §IV-A (SP)",
    limitations: "Uses layer 0 only. The hash spreads destinations over ports, but does not balance the load.",
    examples: ["single-path"],
    rejects: [("single-path:k=1", "unknown parameter 'k=1'; it takes none")],
}

impl Select for SinglePath {
    const OVER: Over = Over::Tables;

    fn one_port(&self) -> bool {
        true
    }

    #[inline]
    fn choose<Q: Queues>(&self, _: &mut RouteRequest<'_, Q>) -> Route {
        Route::minimal()
    }
}
