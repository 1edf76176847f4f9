//! Round robin: the packets of a switch pair take the paths of the pair in turn, or the layers in turn.

use tulle_spec::plugin;

use super::{Over, Queues, Route, RouteRequest, Select};

plugin! {
    /// Takes the paths or layers in turn.
    #[derive(Debug)]
    pub(crate) struct RoundRobin {}
    name: "round-robin",
    summary: "the packets of a switch pair take the paths of the pair in turn, or the layers in turn",
    paper: "Multi-Path Routing in the Jellyfish Network §III-B (round-robin)",
    limitations: "Ignores the load. Needs one byte of memory per pair of switches. Uses only the first 255 paths of a pair.",
    examples: ["round-robin"],
    rejects: [("round-robin:k=8", "unknown parameter 'k=8'; it takes none")],
}

impl Select for RoundRobin {
    const OVER: Over = Over::Either;
    const ALL_LAYERS: bool = true;
    const COUNTS: bool = true;

    #[inline]
    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        let turn = &mut request.memory.turns[request.to as usize];
        let (turns, number) = request.choices.turn(request.from, request.to, *turn);
        *turn = (*turn + 1) % turns.min(usize::from(u8::MAX)) as u8;
        request.choices.route_by_number(number, request.from, request.to)
    }
}
