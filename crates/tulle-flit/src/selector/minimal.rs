//! Minimal: at every switch a random one of the shortest next hops.

use tulle_spec::plugin;

use super::{Over, Queues, Route, RouteRequest, Select};

plugin! {
    /// Routes over layer 0, through any of its ports.
    #[derive(Debug)]
    pub(crate) struct Minimal {}
    name: "minimal",
    summary: "the first layer, through a random one of its ports at every switch",
    paper: "diameter-two §3.1 (MIN)",
    limitations: "Uses layer 0 only; paths are shortest if that layer has shortest paths.",
    examples: ["minimal"],
    rejects: [("minimal:ports=1", "unknown parameter 'ports=1'; it takes none")],
}

impl Select for Minimal {
    const OVER: Over = Over::Tables;

    #[inline]
    fn choose<Q: Queues>(&self, _: &mut RouteRequest<'_, Q>) -> Route {
        Route::minimal()
    }
}
