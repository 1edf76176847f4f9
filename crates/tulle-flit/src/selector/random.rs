//! Random: every packet takes a random path of its switch pair, or a random layer.

use tulle_spec::plugin;

use super::{Over, Queues, Route, RouteRequest, Select};

plugin! {
    /// Draws any path.
    #[derive(Debug)]
    pub(crate) struct Random {}
    name: "random",
    summary: "every packet takes a random path of its switch pair, or a random layer",
    paper: "Multi-Path Routing in the Jellyfish Network §III-B (random)",
    limitations: "Ignores load.",
    examples: ["random"],
    rejects: [("random:k=8", "unknown parameter 'k=8'; it takes none")],
}

impl Select for Random {
    const OVER: Over = Over::Either;
    const ALL_LAYERS: bool = true;

    #[inline]
    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        let number = request.choices.draw_choice(request.from, request.to, request.generator);
        request.choices.route_by_number(number, request.from, request.to)
    }
}
