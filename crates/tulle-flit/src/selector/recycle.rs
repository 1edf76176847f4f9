//! Recycle: compares the minimal route with random and remembered detours, by the queue at the first switch and by the waits that
//! acknowledgements report. Detours lead through intermediate switches or over layers.

use tulle_spec::plugin;

use super::{Estimate, Over, Queue, Queues, Route, RouteRequest, Select};
use crate::acks::{Ack, Known};

/// The weight of a new wait in a smoothed wait is 1/8, as for round-trip times (RFC 6298 §2.3).
const GAIN: f32 = 0.125;
/// A switch that takes only detours gets no acknowledgements from minimal routes, so the stored wait of minimal routes would never change.
/// Therefore each detour reduces it by 0.4%, and after a few hundred detours the switch tries the minimal route again. On `dragonfly:p=4`,
/// the accepted loads with 1.5% are within 2% of those with 0.4%.
const FORGET: f32 = 0.004;
/// If one virtual channel serves the first hop, and the next switch has no congestion, a full link has only the flits in flight in its queue.
/// If these cost less than the bias, all packets stay on minimal routes, and no acknowledgement ever reports a wait. The bias is then lowered
/// to a third of their cost. On `slimfly:q=9` with 4 virtual channels, skewed traffic accepts 0.14 without this rule, 0.40 with it, and 0.37
/// with a half; the latency of uniform traffic at a load of 0.3 is 0.5% above that of minimal routing.
const LOWERED: f64 = 1.0 / 3.0;

plugin! {
    /// Compares waits and queues of the minimal route and of detours.
    #[derive(Debug)]
    pub(crate) struct Recycle {
        /// number of detours that a switch remembers per destination switch
        buffer: u32 = integer(0, 64), default "64";
        /// number of random detours that each packet compares with the minimal route and the remembered detours
        candidates: u32 = integer(1, 64), default "1";
        /// cycles that a flit in the queue of the first switch counts, compared with a cycle of waiting behind it
        weight: f64 = real(0.0), default "6";
        /// penalty factor of a detour
        penalty "c": f64 = positive(), default "1.5";
        /// cycles added to the cost of a detour
        bias: u32 = integer(0, 1_000_000), default "150";
        /// the wait up to which a detour is remembered, as a multiple of the mean wait of detours
        slow: f64 = positive(), default "1";
        /// where a detour leads: through an intermediate switch, or over another layer of the routing
        by_layer "via": bool = either("layer", "switch"), default "switch";
        /// minimal routes with via=layer: the paths of layer 0, or all shortest paths of the fabric
        shortest "direct": bool = either("shortest", "layer"), default "layer";
        queue: Queue;
    }
    name: "recycle",
    summary: "the minimal route, a random detour or a remembered detour, by the queue at the first switch and the waits \
        behind it that acknowledgements report; detours lead through another switch or over another layer",
    paper: "tulle's own selector; remembers routes like REPS (arXiv:2407.21625) and compares costs like UGAL-L \
        (Kathareios et al. (SC15) §3.3)",
    limitations: "A first switch stores, per destination switch, two waits of four bytes and up to 64 remembered \
        detours of four bytes each, and per unacknowledged packet its departure. Acknowledgements take as long as a packet \
        needs if all queues are empty. They use no bandwidth, and are never lost. Intermediate switches are the same as for valiant. Ties go \
        to the minimal route. If links have different latencies, the least latency of the paths between two switches counts as the idle time \
        of all of them. A bias of at least the cost of a full first link is lowered to a third of this cost, with a warning. With via=layer, a \
        random detour is the one with fewer hops of two random layers. If layers have different weights, \
        they are selected in proportion to their weights. With one layer, every route is minimal.",
    examples: [
        "recycle", "recycle:candidates=4,queue=class", "recycle:buffer=8,candidates=4,c=1,bias=32", "recycle:weight=1,queue=class",
        "recycle:via=layer,direct=shortest,c=1.25,bias=100,slow=1.3",
    ],
    rejects: [
        ("recycle:buffer=65", "buffer=65 is out of range; legal: 0 to 64"),
        ("recycle:candidates=0", "candidates=0 is out of range; legal: 1 to 64"),
        ("recycle:weight=-1", "weight=-1 is out of range"),
        ("recycle:c=0", "c=0 is not a positive number"),
        ("recycle:bias=-1", "bias=-1 is out of range"),
        ("recycle:slow=0", "slow=0 is not a positive number"),
        ("recycle:via=group", "via=group is not a choice; legal: layer, switch"),
        ("recycle:direct=all", "direct=all is not a choice; legal: shortest, layer"),
        ("recycle:queue=next", "queue=next is not a choice"),
    ],
}

impl Select for Recycle {
    const OVER: Over = Over::Tables;
    const LEARNS: bool = true;

    fn phases(&self) -> u8 {
        if self.by_layer { 1 } else { 2 }
    }

    fn all_layers(&self) -> bool {
        self.by_layer
    }

    fn all_shortest(&self) -> bool {
        self.shortest && self.by_layer
    }

    fn lengths(&self) -> bool {
        self.by_layer
    }

    fn on_ack(&self, known: &mut Known, ack: &Ack) {
        let wait = ack.wait as f32;
        let Some(detour) = ack.detour else {
            known.minimal += (wait - known.minimal) * GAIN;
            return;
        };
        if f64::from(wait) <= f64::from(known.detour) * self.slow && self.buffer > 0 {
            if known.fast.len() == self.buffer as usize {
                known.fast.remove(0);
            }
            known.fast.push((detour, ack.wait.min(u16::MAX.into()) as u16));
        }
        known.detour += (wait - known.detour) * GAIN;
    }

    fn adapt(&mut self, full: u64) -> Option<String> {
        let most = self.weight * full as f64;
        if self.queue.estimate == Estimate::Output || most == 0.0 || most > f64::from(self.bias) {
            return None;
        }
        let bias = std::mem::replace(&mut self.bias, (most * LOWERED) as u32);
        Some(format!(
            "recycle: bias={bias} is lowered to {}, because a full first link with {full} flits costs only {most} cycles, so hardly any \
            packet would take a detour",
            self.bias
        ))
    }

    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        let (from, to) = (request.from, request.to);
        let (queue, route) = request.first_port(self.queue.estimate, Route::minimal());
        let minimal = request.memory.known[to as usize].minimal;
        let cost = self.cycles(request) * f64::from(queue) + f64::from(minimal);
        let mut best = Candidate { route, cost };
        // A detour costs at least the bias.
        if cost <= f64::from(self.bias) {
            return route;
        }
        let mut used = None;
        // The newest comes first, because it is more likely to be still fast.
        for place in (0..request.memory.known[to as usize].fast.len()).rev() {
            let (detour, wait) = request.memory.known[to as usize].fast[place];
            let remembered = |request: &mut RouteRequest<'_, Q>| match self.by_layer {
                true => Some(request.choices.route_by_number(detour.into(), from, to)),
                false => Some(Route { via: Some(detour), is_minimal: false, ..Route::minimal() }),
            };
            if self.compare(request, &mut best, wait.into(), remembered) {
                used = Some(place);
            }
        }
        // Before the first acknowledgement of a detour, detours are assumed to be as slow as the minimal route.
        let Known { minimal, detour, .. } = request.memory.known[to as usize];
        let wait = f64::from(if detour == 0.0 { minimal } else { detour });
        for _ in 0..self.candidates {
            let is_better = if self.by_layer {
                self.compare(request, &mut best, wait, random_layer)
            } else {
                let route = request.choices.indirect(from, to, request.generator);
                self.compare(request, &mut best, wait, |_| Some(route).filter(|route| !route.is_minimal))
            };
            if is_better {
                used = None;
            }
        }
        let best = best.route;
        if !best.is_minimal {
            let known = &mut request.memory.known[to as usize];
            known.minimal -= known.minimal * FORGET;
            // A remembered detour is used once, as in REPS. It is remembered again if it is still fast.
            if let Some(place) = used {
                known.fast.remove(place);
            }
        }
        best
    }
}

/// The best of the routes compared so far.
struct Candidate {
    route: Route,
    cost: f64,
}

impl Recycle {
    /// Returns how many cycles a unit of the queue of the first switch costs.
    fn cycles<Q: Queues>(&self, request: &RouteRequest<'_, Q>) -> f64 {
        self.weight * f64::from(request.queues.unit())
    }

    /// Replaces `best` by the detour that `route` returns, if its cost is lower. Acknowledgements report `wait` cycles for the detour. Returns
    /// whether its cost is lower.
    #[inline]
    fn compare<Q: Queues>(
        &self,
        request: &mut RouteRequest<'_, Q>,
        best: &mut Candidate,
        wait: f64,
        route: impl FnOnce(&mut RouteRequest<'_, Q>) -> Option<Route>,
    ) -> bool {
        // Most detours would be too slow even with an empty queue. Their routes and queues are not looked up, which would take most of the
        // selector's time.
        let idle = self.penalty * wait + f64::from(self.bias);
        if idle >= best.cost {
            return false;
        }
        let Some(route) = route(request) else { return false };
        let (queue, route) = request.first_port(self.queue.estimate, route);
        let cost = idle + self.penalty * self.cycles(request) * f64::from(queue);
        let is_better = cost < best.cost;
        if is_better {
            *best = Candidate { route, cost };
        }
        is_better
    }
}

/// Returns the route with fewer hops of the routes over two random layers other than the first one. Many layers of `spread` have detours as
/// long as the limit, so one random layer would often be long.
fn random_layer<Q: Queues>(request: &mut RouteRequest<'_, Q>) -> Option<Route> {
    let mut shorter: Option<Route> = None;
    for _ in 0..2 {
        request.draw_others(1, |request, route| {
            if shorter.is_none_or(|other| request.hops(&route) < request.hops(&other)) {
                shorter = Some(route);
            }
        });
    }
    shorter
}

#[cfg(test)]
mod tests {
    use super::super::mock_queues::{MockQueues, choose_with, detours};
    use super::super::{Memory, Route, Select, Selector, read};
    use super::Recycle;
    use crate::acks::{Ack, Known};
    use tulle_routing::{Routes, Routing, TableBuilder};

    fn ack(to: u16, detour: Option<u16>, wait: u32) -> Ack {
        Ack { due: 0, to, detour, wait }
    }

    fn selector(spec: &str) -> Recycle {
        match read(spec).unwrap() {
            Selector::Recycle(selector) => selector,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the route from switch 0 to switch 1 of a complete graph of four switches. Port p of switch 0 leads to switch p + 1. Detours
    /// lead through switches 2 and 3.
    fn choose(spec: &str, queues: [u32; 3], known: &mut Known, seed: u64) -> Route {
        let clique = tulle_topologies::build("clique:degree=3", 0).unwrap();
        let routing = tulle_routing::build(&clique, "minimal", 0).unwrap();
        let mut all = vec![Known::default(); 4];
        all[1] = known.clone();
        let memory = Memory { turns: &mut [], known: &mut all };
        let route = choose_with(&clique, &routing, spec, &MockQueues(queues.to_vec()), (0, 1), seed, memory);
        *known = all[1].clone();
        route
    }

    /// The same over the three layers of [`detours`]: port p of switch 0 leads into layer p.
    fn choose_layer(spec: &str, queues: [u32; 3], known: &mut Known, seed: u64) -> u32 {
        let (clique, routing) = detours();
        let mut all = vec![known.clone(); 4];
        let memory = Memory { turns: &mut [], known: &mut all };
        let route = choose_with(&clique, &routing, spec, &MockQueues(queues.to_vec()), (0, 1), seed, memory);
        *known = all[1].clone();
        assert_eq!((route.via, route.port, route.is_minimal), (None, Some(route.number as u16), route.number == 0));
        route.number
    }

    /// Returns the intermediate switches of 32 seeds, ascending and without repetitions; 0 stands for the minimal route.
    fn vias(spec: &str, queues: [u32; 3], known: &Known) -> Vec<u16> {
        let mut found: Vec<u16> =
            (0..32).map(|seed| choose(spec, queues, &mut known.clone(), seed).via.unwrap_or(0)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn costs_add_queues_and_waits() {
        let known = |minimal, detour| Known { minimal, detour, ..Known::default() };
        let spec = "recycle:weight=2,c=1.5,bias=10";
        assert_eq!(vias(spec, [5, 0, 0], &known(0.0, 0.0)), [0], "a detour costs at least the bias");
        assert_eq!(vias(spec, [6, 0, 0], &known(0.0, 0.0)), [2, 3], "12 against 10");
        assert_eq!(vias(spec, [6, 1, 0], &known(0.0, 0.0)), [0, 3], "12 against 13 and 10");
        assert_eq!(vias(spec, [6, 1, 1], &known(2.0, 0.5)), [2, 3], "14 against 13.75");
        assert_eq!(vias(spec, [6, 1, 1], &known(1.0, 0.5)), [0], "13 against 13.75");
        assert_eq!(vias(spec, [0, 0, 0], &known(20.0, 6.0)), [2, 3], "20 against 19: the first queue is empty");
        assert_eq!(vias(spec, [0, 0, 0], &known(19.0, 6.0)), [0], "ties go to the minimal route");
        assert_eq!(vias(spec, [1, 0, 0], &known(19.0, 0.0)), [0], "without acknowledgements, detours wait as long");
    }

    #[test]
    fn a_bias_that_no_queue_exceeds_is_lowered() {
        let adapted = |spec: &str, full| {
            let mut selector = selector(spec);
            let warned = selector.adapt(full).is_some();
            (selector.bias, warned)
        };
        assert_eq!(adapted("recycle", 26), (150, false), "6 · 26 = 156 is more than the bias");
        assert_eq!(adapted("recycle", 25), (50, true), "a third of 150");
        assert_eq!(adapted("recycle:weight=3", 64), (150, false));
        assert_eq!(adapted("recycle:weight=0", 10), (150, false), "the queue does not count");
        assert_eq!(adapted("recycle:queue=output", 10), (150, false), "output queues grow while the link is full");
    }

    #[test]
    fn remembered_switches_are_used_once() {
        let spec = "recycle:weight=2,c=1,bias=10";
        let mut known = Known { minimal: 100.0, detour: 60.0, fast: vec![(2, 20), (3, 15), (2, 15)] };
        let mut used = || {
            let route = choose(spec, [0, 0, 0], &mut known, 1);
            (route.via, known.fast.clone())
        };
        assert_eq!(used(), (Some(2), vec![(2, 20), (3, 15)]), "the newest of the fastest");
        assert_eq!(used(), (Some(3), vec![(2, 20)]));
        assert_eq!(used(), (Some(2), vec![]));
        assert!(used().0.is_some(), "a random detour");
        // Long queues at the first switch count, too.
        let mut known = Known { minimal: 100.0, detour: 95.0, fast: vec![(2, 20), (3, 30)] };
        assert_eq!(choose(spec, [0, 6, 0], &mut known, 1).via, Some(3), "42 against 40");
        assert_eq!(known.fast, [(2, 20)]);
        let mut known = Known { minimal: 100.0, detour: 95.0, fast: vec![(2, 20), (3, 30)] };
        assert_eq!(choose(spec, [0, 90, 90], &mut known, 1).via, None);
        assert_eq!((known.fast.len(), known.minimal), (2, 100.0));
    }

    #[test]
    fn layers_are_detours_too() {
        let spec = "recycle:via=layer,weight=2,c=1.5,bias=10";
        let found = |queues, minimal, detour| {
            let known = Known { minimal, detour, ..Known::default() };
            let mut found: Vec<u32> =
                (0..64).map(|seed| choose_layer(spec, queues, &mut known.clone(), seed)).collect();
            found.sort_unstable();
            found.dedup();
            found
        };
        assert_eq!(found([5, 0, 0], 0.0, 0.0), [0], "a detour costs at least the bias");
        assert_eq!(found([6, 0, 0], 0.0, 0.0), [1, 2], "12 against 10");
        assert_eq!(found([6, 1, 0], 0.0, 0.0), [0, 2], "12 against 13 and 10: one random layer is compared");
        assert_eq!(found([6, 1, 1], 2.0, 0.5), [1, 2], "14 against 13.75");
        // The newest of the fastest remembered layers comes first.
        let mut known = Known { minimal: 100.0, detour: 60.0, fast: vec![(1, 15), (2, 20), (2, 15)] };
        let mut used = || (choose_layer(spec, [0, 0, 0], &mut known, 1), known.fast.clone());
        assert_eq!(used(), (2, vec![(1, 15), (2, 20)]));
        assert_eq!(used(), (1, vec![(2, 20)]));
    }

    #[test]
    fn a_random_layer_is_the_shorter_of_two() {
        // Layer 1 is the long way around the ring, and layers 0 and 2 are the short way.
        let ring = tulle_topologies::build("torus:shape=5,p=1", 0).unwrap();
        let layer = |step: u32| {
            let mut table = TableBuilder::new(&ring);
            for (from, to) in (0..5).flat_map(|from| (0..5).map(move |to| (from, to))).filter(|(from, to)| from != to) {
                let next = ring.neighbours(from).iter().position(|&next| next == (from + step) % 5).unwrap();
                table.set(from, to, &[next as u16]);
            }
            table.finish()
        };
        let layers = [1, 4, 1].map(layer).into();
        let routing = Routing::new("rings".to_owned(), Routes::Layers(layers));
        let queues = MockQueues(vec![30; 2]);
        let chosen = |seed| {
            let mut all = vec![Known { minimal: 100.0, ..Known::default() }; 5];
            let memory = Memory { turns: &mut [], known: &mut all };
            // With a penalty factor below 1, every detour is better than the minimal route.
            choose_with(&ring, &routing, "recycle:via=layer,c=0.5,bias=0", &queues, (0, 1), seed, memory).number
        };
        // Layer 1 is chosen only if it is drawn twice, which happens for a quarter of the packets.
        let long = (0..400).filter(|&seed| chosen(seed) == 1).count();
        assert!((70..=130).contains(&long), "{long}");
    }

    #[test]
    fn detours_make_the_switch_forget_the_wait_of_the_minimal_route() {
        let mut known = Known { minimal: 1000.0, ..Known { detour: 1.0, ..Known::default() } };
        let detours = (0..).take_while(|&seed| choose("recycle", [0, 0, 0], &mut known, seed).via.is_some()).count();
        // A detour costs 1.5 + 150 cycles, and 1000 × 0.996^n is at most that from n = 471 on.
        assert_eq!(detours, 471);
    }

    #[test]
    fn acknowledgements_smooth_waits_and_remember_fast_detours() {
        let recycle = selector("recycle:buffer=2");
        let mut known = Known::default();
        recycle.on_ack(&mut known, &ack(1, None, 16));
        assert_eq!((known.minimal, known.detour), (2.0, 0.0));
        for (via, wait, detour, fast) in [
            (2, 8, 1.0, vec![]),
            (3, 9, 2.0, vec![]),
            (4, 2, 2.0, vec![(4, 2)]),
            (5, 0, 1.75, vec![(4, 2), (5, 0)]),
            (4, 1, 1.65625, vec![(5, 0), (4, 1)]),
        ] {
            recycle.on_ack(&mut known, &ack(1, Some(via), wait));
            assert_eq!((known.detour, &known.fast), (detour, &fast), "{via}");
        }
        let slow = selector("recycle:slow=2");
        let mut half = Known { detour: 4.0, ..Known::default() };
        [9, 8].iter().for_each(|&wait| slow.on_ack(&mut half, &ack(1, Some(2), wait)));
        assert_eq!(half.fast, [(2, 8)], "9 is more than twice 4");
        let none = selector("recycle:buffer=0");
        none.on_ack(&mut known, &ack(1, Some(6), 0));
        assert_eq!(known.fast, [(5, 0), (4, 1)]);
    }
}
