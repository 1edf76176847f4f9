//! UGAL-L: chooses the minimal route or a route through an intermediate switch or over another layer, by the queues at
//! the first switch.

use tulle_spec::{plugin, words};

use super::{Over, Queue, Queues, Route, RouteRequest, Select};

words! {
    /// What makes an indirect route.
    pub(crate) enum Via {
        Group = "group",
        Layer = "layer",
        Switch = "switch",
    }
}

plugin! {
    /// Compares the minimal route with a few indirect routes.
    #[derive(Debug)]
    pub(crate) struct Ugal {
        /// penalty factor of an indirect route: c times the route's length divided by the length of the minimal route (original UGAL, and
        /// SF-A of Kathareios et al., SC15), or c alone (MLFM-A and OFT-A of Kathareios et al.)
        ratio "cost": bool = either("ratio", "constant"), default "ratio";
        /// constant c of the penalty (c_SF in Kathareios et al., SC15)
        penalty "c": f64 = positive(), default "1";
        /// number of random indirect routes that are compared per packet (n_I in Kathareios et al., SC15)
        candidates: u32 = integer(1, 64), default "1";
        /// threshold T: take the minimal route if its queue is below this fraction of the port's buffers
        threshold: f64 = chance(), default "0";
        /// flits added to the cost of an indirect route (BookSim2's Dragonfly: cost=constant,c=2,bias=30)
        bias: u32 = integer(0, 1_000_000), default "0";
        /// first port of the minimal route if there are several: a random one, or the one with the shortest queue
        best "minimal": bool = either("best", "drawn"), default "drawn";
        /// shortest paths to use: all (a random next hop at every switch), or one path per pair of switches (as with selector single-path)
        one_path "paths": bool = either("one", "all"), default "all";
        /// target of the first half of an indirect route: the intermediate switch, or any switch of its group. With group (dragonfly and
        /// megafly only), this group differs from the groups of source and destination, and packets within a group take minimal routes.
        /// With layer, an indirect route is the path in another layer of the routing
        via: Via = word(Via::WORDS), default "switch";
        /// minimal routes with via=layer: the paths of layer 0, or all shortest paths of the fabric. All shortest paths balance
        /// uniform traffic better if the fabric has more shortest next hops than layer 0
        shortest "direct": bool = either("shortest", "layer"), default "layer";
        queue: Queue;
    }
    name: "ugal",
    summary: "the minimal route or the best of some indirect routes, by the queues at the first switch (UGAL-L); indirect \
        routes lead through another switch or over another layer",
    paper: "Kathareios et al. (SC15) §3.3 (generic UGAL-L, threshold, SF-A; minimal=drawn or best: its footnote 1); \
        Multi-Path Routing in the Jellyfish Network §III-B (vanilla UGAL, paths=all or one)",
    limitations: "Sees only the queues of the first switch. Ties go to the minimal route; ties between ports are broken at \
        random. If an indirect route has several shortest first ports, a random one is compared. Lengths are hops of \
        shortest paths. Intermediate switches are the same as for valiant; with via=group they are in other groups than \
        source and destination. \
        With via=layer, the candidates of a packet are different layers. But if layers have different weights, they are \
        selected in proportion to their weights, and a layer may repeat. The length of a candidate is that of the longest \
        path through its first port. With one layer, every route is minimal.",
    examples: [
        "ugal", "ugal:cost=constant,c=2,candidates=4", "ugal:c=1,candidates=4,threshold=10%,queue=class",
        "ugal:paths=one", "ugal:cost=constant,c=2,bias=30", "ugal:candidates=4,minimal=best", "ugal:via=group",
        "ugal:via=layer,candidates=4,bias=8", "ugal:via=layer,direct=shortest,candidates=4,queue=class,bias=16",
    ],
    rejects: [
        ("ugal:candidates=0", "candidates=0 is out of range; legal: 1 to 64"),
        ("ugal:c=0", "c=0 is not a positive number"),
        ("ugal:queue=next", "queue=next is not a choice"),
        ("ugal:paths=two", "paths=two is not a choice"),
        ("ugal:bias=-1", "bias=-1 is out of range"),
        ("ugal:direct=all", "direct=all is not a choice; legal: shortest, layer"),
        ("ugal:via=path", "via=path is not a choice; legal: group, layer, switch"),
        ("ugal:minimal=first", "minimal=first is not a choice; legal: best, drawn"),
    ],
}

impl Select for Ugal {
    const OVER: Over = Over::Tables;
    const DISTANCES: bool = true;

    fn phases(&self) -> u8 {
        if self.via == Via::Layer { 1 } else { 2 }
    }

    fn all_layers(&self) -> bool {
        self.via == Via::Layer
    }

    fn all_shortest(&self) -> bool {
        self.shortest && self.via == Via::Layer
    }

    fn lengths(&self) -> bool {
        self.via == Via::Layer
    }

    fn one_port(&self) -> bool {
        self.one_path
    }

    fn by_group(&self) -> bool {
        self.via == Via::Group
    }

    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        let (queue, mut best) = match self.best {
            true => request.best_port(self.queue.estimate, Route::minimal()),
            false => request.first_port(self.queue.estimate, Route::minimal()),
        };
        // An indirect route costs at least the bias, so it is not better than a minimal route with such a short queue. The comparison takes
        // most of the time of this function.
        let capacity = f64::from(request.queues.capacity(self.queue.estimate));
        if queue <= self.bias || f64::from(queue) < self.threshold * capacity {
            return best;
        }
        let (from, to) = (request.from, request.to);
        let direct = f64::from(request.choices.distance(from, to));
        let mut least = f64::from(queue);
        let mut compare = |queue: u32, route: Route, length: u32| {
            let penalty = if self.ratio { self.penalty * f64::from(length) / direct } else { self.penalty };
            let cost = penalty * f64::from(queue) + f64::from(self.bias);
            if cost < least {
                (least, best) = (cost, route);
            }
        };
        if self.via == Via::Layer {
            request.draw_others(self.candidates, |request, route| {
                let (queue, route) = request.first_port(self.queue.estimate, route);
                compare(queue, route, request.hops(&route));
            });
            return best;
        }
        for _ in 0..self.candidates {
            let route = request.choices.indirect(from, to, request.generator);
            let Some(via) = route.via else { continue };
            let (queue, route) = request.first_port(self.queue.estimate, route);
            compare(queue, route, request.choices.indirect_length(from, via.into(), to));
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use super::super::mock_queues::{MockQueues, choose, choose_over, detours, layers};
    use crate::{Config, Outcome, Traffic, simulate};
    use tulle_fabric::Fabric;
    use tulle_routing::Routing;

    /// Simulates a selector with the VC policy `free`, which gives all selectors the same VCs.
    fn run(fabric: &Fabric, routing: &Routing, traffic: &Traffic, selector: &str) -> Outcome {
        let config = Config {
            selector: selector.to_owned(),
            policy: "free".to_owned(),
            may_deadlock: true,
            window: 500,
            ..Config::default()
        };
        simulate(fabric, routing, traffic, &config, &mut |_| ControlFlow::Continue(())).unwrap()
    }

    #[test]
    fn the_bias_matches_booksim2() {
        // BookSim2's ugal_dragonflynew takes the minimal route if its queue q_m is at most 2·q_n + 30, where q_n is the
        // queue of the indirect route.
        let clique = tulle_topologies::build("clique:degree=3", 0).unwrap();
        for (direct, others, is_minimal) in [(30, 0, true), (31, 0, false), (42, 6, true), (43, 6, false)] {
            let queues = MockQueues(vec![direct, others, others]);
            let route = choose(&clique, "ugal:cost=constant,c=2,bias=30", &queues, 0, 1, 1);
            assert_eq!(route.is_minimal, is_minimal, "{direct} against {others}");
        }
    }

    #[test]
    fn layers_are_indirect_routes() {
        // From switch 0 to switch 1, the path of layer 0 has one hop; the paths of the other two layers have two hops.
        assert_eq!(layers("ugal:via=layer,candidates=2", [10, 5, 5]), [0], "ties go to layer 0");
        assert_eq!(layers("ugal:via=layer,candidates=2", [11, 6, 5]), [2]);
        assert_eq!(layers("ugal:via=layer,candidates=64", [11, 5, 5]), [1, 2]);
        assert_eq!(layers("ugal:via=layer,candidates=2,bias=8", [18, 5, 5]), [0]);
        assert_eq!(layers("ugal:via=layer,candidates=2,bias=8", [19, 5, 6]), [1]);
        assert_eq!(layers("ugal:via=layer,candidates=2,cost=constant", [6, 5, 6]), [1]);
        assert_eq!(layers("ugal:via=layer,candidates=2,threshold=10%", [99, 0, 0]), [0]);
        // With a single layer, no other route exists.
        let (clique, _) = detours();
        let one = tulle_routing::build(&clique, "minimal", 0).unwrap();
        let route = choose_over(&clique, &one, "ugal:via=layer", &MockQueues(vec![99, 0, 0]), (0, 1), 1);
        assert_eq!((route.number, route.is_minimal), (0, true));
    }

    #[test]
    fn minimal_best_takes_the_shortest_queue() {
        // Two minimal routes lead from switch 0 to switch 4 of a 3 × 3 HyperX, through two of the four ports.
        let grid = tulle_topologies::build("hyperx:shape=3x3", 0).unwrap();
        let minimal = tulle_routing::build(&grid, "minimal", 0).unwrap();
        let &[one, other] = minimal.layers()[0].next(0, 4) else { panic!("two routes") };
        let ports = |spec: &str, queues: &MockQueues| -> Vec<u16> {
            (0..64).map(|seed| choose(&grid, spec, queues, 0, 4, seed).port.unwrap()).collect()
        };
        let mut queues = MockQueues(vec![9; 4]);
        queues.0[usize::from(other)] = 3;
        assert!(ports("ugal:minimal=best", &queues).iter().all(|&port| port == other));
        assert!(ports("ugal:threshold=1", &queues).contains(&one), "drawn");
        queues.0[usize::from(one)] = 3;
        let tied = ports("ugal:minimal=best", &queues);
        assert!(tied.contains(&one) && tied.contains(&other), "{tied:?}");
    }

    #[test]
    fn paths_one_uses_the_path_of_single_path() {
        let fabric = tulle_topologies::build("jellyfish:switches=20,degree=6,p=2", 1).unwrap();
        let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
        let traffic = Traffic::new(&fabric, "permutation", 1).unwrap();
        // With a threshold of 100% of the buffers, UGAL always takes the minimal route.
        let run = |selector: &str| run(&fabric, &routing, &traffic, selector);
        let [single, one, all] = ["single-path", "ugal:threshold=1,paths=one", "ugal:threshold=1"].map(run);
        assert_eq!((one.minimal, one.latency, &one.channel_load), (1.0, single.latency, &single.channel_load));
        assert_ne!(one.channel_load, all.channel_load);
        // Without the threshold, some packets take indirect routes.
        assert!(run("ugal:paths=one").minimal < 1.0);
    }

    #[test]
    fn direct_shortest_replaces_layer_0() {
        // In an MLFM topology, several shortest paths connect the switches of a column; layer 0 of routing `spread` has
        // one of them. With a threshold of 100% of the buffers, UGAL always takes the minimal route.
        let fabric = tulle_topologies::build("mlfm:h=3", 1).unwrap();
        let traffic = Traffic::new(&fabric, "uniform", 1).unwrap();
        let run = |routing: &str, selector: &str| {
            let routing = tulle_routing::build(&fabric, routing, 1).unwrap();
            run(&fabric, &routing, &traffic, selector)
        };
        let minimal = run("minimal", "minimal");
        let [shortest, layer] = ["ugal:via=layer,direct=shortest,threshold=1", "ugal:via=layer,threshold=1"]
            .map(|selector| run("spread:layers=3", selector));
        assert_eq!(
            (shortest.minimal, shortest.latency, &shortest.channel_load),
            (1.0, minimal.latency, &minimal.channel_load)
        );
        assert_ne!(layer.channel_load, minimal.channel_load);
    }
}
