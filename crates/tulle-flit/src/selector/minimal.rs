//! Minimal: takes a random one of the next hops of layer 0 at every switch.

use tulle_spec::plugin;

use super::{Over, Queues, Route, RouteRequest, Select};

plugin! {
    /// Routes over layer 0, through any of its ports.
    #[derive(Debug)]
    pub(crate) struct Minimal {}
    name: "minimal",
    summary: "a random next hop of the first layer at every switch",
    paper: "Kathareios et al. (SC15) §3.1 (MIN)",
    limitations: "Uses layer 0 only. Paths are shortest only if layer 0 has shortest paths.",
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
