//! KSP-adaptive: chooses the better of two random paths of a switch pair, or of two random layers.

use tulle_spec::plugin;

use super::{Over, Queue, Queues, Route, RouteRequest, Select};

plugin! {
    /// Compares two random paths.
    #[derive(Debug)]
    pub(crate) struct KspAdaptive {
        queue: Queue;
    }
    name: "ksp-adaptive",
    summary: "the better of two random paths of the switch pair, or of two random layers, by queue length times path length",
    paper: "Jellyfish §III-B (KSP-adaptive)",
    limitations: "Sees only the queues of the first switch. Ties go to the path with fewer hops, then to the \
        path drawn first. The length of a layer is the mean over its equal-cost paths; weights of layers are ignored.",
    examples: ["ksp-adaptive", "ksp-adaptive:queue=class"],
    rejects: [("ksp-adaptive:k=8", "unknown parameter 'k=8'")],
}

impl Select for KspAdaptive {
    const OVER: Over = Over::Either;

    fn all_layers(&self) -> bool {
        true
    }

    fn lengths(&self) -> bool {
        true
    }

    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        let choices = request.choices.choices(request.from, request.to);
        let count = choices.len() as u32;
        let first = request.generator.below(count);
        if count == 1 {
            return request.choices.route_by_number(choices.start, request.from, request.to);
        }
        let second = (first + 1 + request.generator.below(count - 1)) % count;
        let mut cost = |number: u32| {
            let route = request.choices.route_by_number(choices.start + number, request.from, request.to);
            let (queue, route) = request.first_port(self.queue.estimate, route);
            let hops = request.choices.hops(route.number, request.from, request.to);
            ((f64::from(queue) * hops, hops), route)
        };
        let (first, second) = (cost(first), cost(second));
        if first.0 <= second.0 { first.1 } else { second.1 }
    }
}
