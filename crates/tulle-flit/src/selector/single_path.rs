//! One path: at every switch and toward every destination always the same of the shortest next hops.

use tulle_spec::plugin;

use super::{Over, Queues, Route, Select, Start};

plugin! {
    /// Layer 0, one port.
    #[derive(Debug)]
    pub(crate) struct SinglePath {}
    name: "single-path",
    summary: "one path per pair of switches: of every switch's ports in the first layer one, by a hash of the \
        destination",
    paper: "Jellyfish §IV-A (SP)",
    limitations: "Layer 0 only. The hash spreads destinations over ports, it does not balance them.",
    examples: ["single-path"],
    rejects: [("single-path:k=1", "unknown parameter 'k=1'; it takes none")],
}

impl Select for SinglePath {
    const OVER: Over = Over::Tables;

    fn one_port(&self) -> bool {
        true
    }

    #[inline]
    fn start<Q: Queues>(&self, _: &mut Start<'_, Q>) -> Route {
        Route::minimal()
    }
}
