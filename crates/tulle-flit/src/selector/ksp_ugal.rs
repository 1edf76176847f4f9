//! KSP-UGAL: chooses the shortest path of a switch pair or a random other path.

use tulle_spec::plugin;

use super::{Over, Queue, Queues, Route, RouteRequest, Select};

plugin! {
    /// Compares the first path with a random other path.
    #[derive(Debug)]
    pub(crate) struct KspUgal {
        queue: Queue;
    }
    name: "ksp-ugal",
    summary: "the shortest path or a random other path of the switch pair, by queue length times path length",
    paper: "Jellyfish §III-B (KSP-UGAL)",
    limitations: "Sees only the queues of the first switch. Ties go to the shortest path. The first path of the pair \
        counts as shortest.",
    examples: ["ksp-ugal", "ksp-ugal:queue=output"],
    rejects: [("ksp-ugal:k=8", "unknown parameter 'k=8'")],
}

impl Select for KspUgal {
    const OVER: Over = Over::Paths;

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
        let length = |route: &Route| request.choices.path_hops(route.number);
        if queue * length(&minimal) <= other_queue * length(&other) { minimal } else { other }
    }
}
