//! Minimal: at every switch one of the shortest next hops, drawn at random.

use tulle_spec::plugin;

use super::{Over, Queues, Route, Select, Start};

plugin! {
    /// Layer 0, whatever port.
    #[derive(Debug)]
    pub(crate) struct Minimal {}
    name: "minimal",
    summary: "the first layer, at every switch by any of its ports at random",
    paper: "diameter-two §3.1 (MIN)",
    limitations: "Layer 0 only; shortest paths, where the routing has them there.",
    examples: ["minimal"],
    rejects: [("minimal:ports=1", "unknown parameter 'ports=1'; it takes none")],
}

impl Select for Minimal {
    const OVER: Over = Over::Tables;

    #[inline]
    fn start<Q: Queues>(&self, _: &mut Start<'_, Q>) -> Route {
        Route::minimal()
    }
}
