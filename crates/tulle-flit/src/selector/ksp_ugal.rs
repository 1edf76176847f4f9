//! KSP-UGAL: chooses the shortest path of a switch pair or a random other path, or layer 0 or a random other layer.

use tulle_spec::plugin;

use super::{Over, Queue, Queues, Route, RouteRequest, Select};

plugin! {
    /// Compares the first path with a random other path.
    #[derive(Debug)]
    pub(crate) struct KspUgal {
        queue: Queue;
    }
    name: "ksp-ugal",
    summary: "the shortest path or a random other path of the switch pair, or layer 0 or a random other layer, by queue length \
        times path length",
    paper: "Jellyfish §III-B (KSP-UGAL)",
    limitations: "Sees only the queues of the first switch. Ties go to the shortest path. The first path of the pair \
        counts as shortest. The length of a layer is the mean over its equal-cost paths; weights of layers are ignored.",
    examples: ["ksp-ugal", "ksp-ugal:queue=output"],
    rejects: [("ksp-ugal:k=8", "unknown parameter 'k=8'")],
}

impl Select for KspUgal {
    const OVER: Over = Over::Either;

    fn all_layers(&self) -> bool {
        true
    }

    fn lengths(&self) -> bool {
        true
    }

    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        let choices = request.choices.choices(request.from, request.to);
        let minimal = request.choices.route_by_number(choices.start, request.from, request.to);
        let others = choices.len() as u32 - 1;
        if others == 0 {
            return minimal;
        }
        let number = choices.start + 1 + request.generator.below(others);
        let other = request.choices.route_by_number(number, request.from, request.to);
        let (queue, minimal) = request.first_port(self.queue.estimate, minimal);
        let (other_queue, other) = request.first_port(self.queue.estimate, other);
        let hops = |route: &Route| request.choices.hops(route.number, request.from, request.to);
        if f64::from(queue) * hops(&minimal) <= f64::from(other_queue) * hops(&other) { minimal } else { other }
    }
}
