//! KSP-UGAL: chooses the best of a pair's shortest path and some random other paths, or of layer 0 and some random
//! other layers.

use tulle_spec::plugin;

use super::{Over, Queue, Queues, Route, RouteRequest, Select};

plugin! {
    /// Compares the first path or layer with other paths or layers, which are chosen at random.
    #[derive(Debug)]
    pub(crate) struct KspUgal {
        /// number of different random other paths, or of layers beyond layer 0, that are compared per packet; all if there
        /// are fewer
        candidates: u32 = integer(1, 255), default "1";
        /// threshold T: take the shortest path if its queue is below this fraction of the port's buffers
        threshold: f64 = chance(), default "0";
        /// flits subtracted from the queue length of the shortest path, before queue lengths are multiplied by hops
        bias: u32 = integer(0, 1_000_000), default "0";
        queue: Queue;
    }
    name: "ksp-ugal",
    summary: "the shortest path or the best of some random other paths of the switch pair, by queue length times path \
        length; or layer 0 or the best of some random other layers",
    paper: "Multi-Path Routing in the Jellyfish Network §III-B (KSP-UGAL: one random other path); Kathareios et al. \
        (SC15) §3.3 (threshold)",
    limitations: "Sees only the queues of the first switch. Ties go to the shortest path. The first path of the pair, or \
        layer 0, counts as shortest. If a layer has several next hops, a random first port is compared. The length of the \
        longest path through this port counts. Layers of different weights are selected in proportion to their weights, \
        so a layer may repeat, and a candidate may be layer 0.",
    examples: ["ksp-ugal", "ksp-ugal:queue=output", "ksp-ugal:candidates=4,bias=8", "ksp-ugal:threshold=10%"],
    rejects: [
        ("ksp-ugal:k=8", "unknown parameter 'k=8'"),
        ("ksp-ugal:candidates=0", "candidates=0 is out of range; legal: 1 to 255"),
        ("ksp-ugal:bias=-1", "bias=-1 is out of range"),
    ],
}

impl Select for KspUgal {
    const OVER: Over = Over::Either;
    const ALL_LAYERS: bool = true;

    fn lengths(&self) -> bool {
        true
    }

    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        let estimate = self.queue.estimate;
        let minimal = request.first_choice();
        let (queue, mut best) = request.first_port(estimate, minimal);
        let capacity = f64::from(request.queues.capacity(estimate));
        let is_short = f64::from(queue) < self.threshold * capacity;
        let hops = u64::from(request.hops(&best));
        let mut least = u64::from(queue) * hops;
        // Choose the candidates even if the shortest path is taken. So later random numbers do not depend on queues, except through the
        // choice among a layer's ports.
        request.draw_others(self.candidates, |request, route| {
            if is_short {
                return;
            }
            let (queue, route) = request.first_port(estimate, route);
            let cost = u64::from(queue) * u64::from(request.hops(&route)) + u64::from(self.bias) * hops;
            if cost < least {
                (least, best) = (cost, route);
            }
        });
        best
    }
}

#[cfg(test)]
mod tests {
    use super::super::mock_queues::layers;

    #[test]
    fn the_shortest_layer_is_weighed_against_the_others_by_hops() {
        // The path over the direct cable has one hop; the paths of the other two layers have two hops.
        assert_eq!(layers("ksp-ugal:candidates=2", [10, 5, 5]), [0], "ties go to layer 0");
        assert_eq!(layers("ksp-ugal:candidates=2", [11, 5, 6]), [1]);
        assert_eq!(layers("ksp-ugal:candidates=2", [11, 6, 5]), [2]);
        assert_eq!(layers("ksp-ugal:candidates=255", [11, 5, 5]), [1, 2]);
        assert_eq!(layers("ksp-ugal", [11, 5, 6]), [0, 1], "one random candidate");
    }

    #[test]
    fn bias_and_threshold_keep_the_shortest_layer() {
        // Layer 0 has one hop. It is chosen while its queue has at most 2 · 5 + 8 flits: hops · queue of another layer,
        // plus the bias. The capacity of the mock is 1000 flits.
        assert_eq!(layers("ksp-ugal:candidates=2,bias=8", [18, 5, 5]), [0]);
        assert_eq!(layers("ksp-ugal:candidates=2,bias=8", [19, 5, 5]), [1, 2]);
        assert_eq!(layers("ksp-ugal:candidates=2,threshold=10%", [99, 0, 0]), [0]);
        assert_eq!(layers("ksp-ugal:candidates=2,threshold=10%", [100, 0, 0]), [1, 2]);
    }
}
