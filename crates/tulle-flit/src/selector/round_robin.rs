//! Round robin: the packets of a pair of switches take its paths, or layers, in turn.

use tulle_spec::plugin;

use super::{Over, Queues, Route, RouteRequest, Select};

plugin! {
    /// Takes one path after the other.
    #[derive(Debug)]
    pub(crate) struct RoundRobin {}
    name: "round-robin",
    summary: "packets from one switch to another take its paths, or layers, in turn",
    paper: "Jellyfish §III-B (round-robin)",
    limitations: "Ignores load. Needs one byte per pair of switches; uses only the first 255 paths of a pair.",
    examples: ["round-robin"],
    rejects: [("round-robin:k=8", "unknown parameter 'k=8'; it takes none")],
}

impl Select for RoundRobin {
    const OVER: Over = Over::Either;
    const ALL_LAYERS: bool = true;
    const COUNTS: bool = true;

    #[inline]
    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        let turn = &mut request.turns[request.to as usize];
        let (turns, number) = request.choices.turn(request.from, request.to, *turn);
        *turn = (*turn + 1) % turns.min(usize::from(u8::MAX)) as u8;
        request.choices.route_by_number(number, request.from, request.to)
    }
}
