//! KSP-adaptive: chooses the best of some random paths of a switch pair, or of some random layers.

use tulle_spec::plugin;

use super::{Over, Queue, Queues, Route, RouteRequest, Select};

plugin! {
    /// Compares random paths or layers.
    #[derive(Debug)]
    pub(crate) struct KspAdaptive {
        /// number of different random paths, or of layers, that are compared per packet; all if there are fewer
        candidates: u32 = integer(2, 255), default "2";
        queue: Queue;
    }
    name: "ksp-adaptive",
    summary: "the best of some random paths of the switch pair, or of some random layers, by queue length times path length",
    paper: "Multi-Path Routing in the Jellyfish Network §III-B (KSP-adaptive: two random paths)",
    limitations: "Sees only the queues of the first switch. Ties go to the path with fewer hops, then to the \
        path selected first. If a layer has several next hops, a random first port is compared. The length of the longest \
        path through this port counts. Layers of different weights are selected in proportion to their weights, so a layer \
        may repeat.",
    examples: ["ksp-adaptive", "ksp-adaptive:queue=class", "ksp-adaptive:candidates=4"],
    rejects: [
        ("ksp-adaptive:k=8", "unknown parameter 'k=8'"),
        ("ksp-adaptive:candidates=1", "candidates=1 is out of range; legal: 2 to 255"),
    ],
}

impl Select for KspAdaptive {
    const OVER: Over = Over::Either;
    const ALL_LAYERS: bool = true;

    fn lengths(&self) -> bool {
        true
    }

    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        let choices = request.choices.choices(request.from, request.to);
        let (count, is_weighted) = (choices.len() as u32, request.choices.is_weighted);
        let draw = |request: &mut RouteRequest<'_, Q>, offset: u32| match is_weighted {
            true => request.choices.draw_choice(request.from, request.to, request.generator),
            false => choices.start + offset % count,
        };
        let first = if is_weighted { 0 } else { request.generator.below(count) };
        let cost = |request: &mut RouteRequest<'_, Q>, offset: u32| {
            let number = draw(request, offset);
            let route = request.choices.route_by_number(number, request.from, request.to);
            let (queue, route) = request.first_port(self.queue.estimate, route);
            let hops = request.hops(&route);
            ((queue * hops, hops), route)
        };
        if count == 1 {
            return request.first_choice();
        }
        // Without weights, the first candidate is a random path or layer. The other candidates have consecutive numbers
        // from a random start, and differ from the first.
        let start = if is_weighted { 0 } else { request.generator.below(count - 1) };
        let mut best = cost(request, first);
        for i in 0..self.candidates.min(count) - 1 {
            let other = cost(request, first + 1 + (start + i) % (count - 1));
            if other.0 < best.0 {
                best = other;
            }
        }
        best.1
    }
}

#[cfg(test)]
mod tests {
    use super::super::mock_queues::layers;

    #[test]
    fn layers_are_weighed_by_hops() {
        // The path over the direct cable has one hop; the paths of the other two layers have two hops. With two
        // candidates of three, layer 0 is not always among them.
        assert_eq!(layers("ksp-adaptive:candidates=3", [10, 5, 5]), [0], "ties go to fewer hops");
        assert_eq!(layers("ksp-adaptive:candidates=3", [11, 5, 6]), [1]);
        assert_eq!(layers("ksp-adaptive:candidates=9", [11, 6, 5]), [2]);
        assert_eq!(layers("ksp-adaptive:candidates=3", [11, 5, 5]), [1, 2]);
        assert_eq!(layers("ksp-adaptive", [1, 5, 6]), [0, 1]);
        assert_eq!(layers("ksp-adaptive", [1, 5, 5]), [0, 1, 2]);
    }
}
