//! A mock of a switch whose queue lengths a test sets, for tests of selectors.

use std::collections::BTreeSet;

use tulle_fabric::Fabric;
use tulle_routing::{Routing, TableBuilder};

use super::{Estimate, Memory, Queues, Route, RouteRequest, read};
use crate::flit::Generator;
use crate::longest::Lengths;
use crate::policy::{Kind, Policy, PolicyContext};
use crate::routes::Routes;

/// The queue length of every port.
pub(super) struct MockQueues(pub Vec<u32>);

impl Queues for MockQueues {
    fn credits(&self, port: u16, _: Option<u8>) -> u32 {
        self.0[usize::from(port)]
    }

    fn output(&self, port: u16) -> u32 {
        self.0[usize::from(port)]
    }

    fn capacity(&self, _: Estimate) -> u32 {
        1000
    }

    fn unit(&self) -> u32 {
        1
    }
}

/// Returns the route that the selector `spec` chooses under minimal routing.
pub(super) fn choose(fabric: &Fabric, spec: &str, queues: &MockQueues, from: u32, to: u32, seed: u64) -> Route {
    let routing = tulle_routing::build(fabric, "minimal", 0).unwrap();
    choose_over(fabric, &routing, spec, queues, (from, to), seed)
}

/// Returns the route that the selector `spec` chooses over `routing`.
pub(super) fn choose_over(
    fabric: &Fabric,
    routing: &Routing,
    spec: &str,
    queues: &MockQueues,
    ends: (u32, u32),
    seed: u64,
) -> Route {
    choose_with(fabric, routing, spec, queues, ends, seed, Memory::default())
}

/// Returns the route that the selector `spec` chooses over `routing` if the first switch remembers `memory`.
pub(super) fn choose_with(
    fabric: &Fabric,
    routing: &Routing,
    spec: &str,
    queues: &MockQueues,
    (from, to): (u32, u32),
    seed: u64,
    memory: Memory,
) -> Route {
    let selector = read(spec).unwrap();
    let context = PolicyContext {
        fabric,
        routing,
        phases: 2,
        hops: 2,
        groups: None,
        diverts: None,
        changes_layer: false,
        vcs: 4,
    };
    let (policy, _) = Policy::new(Kind::Free, &context).unwrap();
    let lengths = Lengths::of(fabric, routing, false, true).unwrap().hops;
    let routes = Routes::new(fabric, routing, read(spec).unwrap(), policy, &lengths);
    let generator = &mut Generator::new(seed, from);
    selector.choose(&mut RouteRequest {
        choices: routes.choices(),
        from,
        to,
        hops: 0,
        level: 0,
        queues,
        generator,
        memory,
    })
}

/// Returns the layers that the selector `spec` takes from switch 0 to switch 1 of [`detours`], over 64 seeds, ascending.
pub(super) fn layers(spec: &str, queues: [u32; 3]) -> Vec<u32> {
    let (clique, routing) = detours();
    let queues = MockQueues(queues.to_vec());
    let routes = (0..64).map(|seed| choose_over(&clique, &routing, spec, &queues, (0, 1), seed));
    let found: BTreeSet<u32> = routes
        .map(|route| {
            // Port p of switch 0 leads into layer p.
            assert_eq!((route.via, route.port), (None, Some(route.number as u16)));
            route.number
        })
        .collect();
    found.into_iter().collect()
}

/// Returns a complete graph of four switches, and a routing of three layers. In layer 0, paths are direct. In layer 1, switches send
/// packets to the first switch after the destination (modulo 4), and in layer 2 to the second switch after it. That switch sends the
/// packets directly to the destination. So switch 0 reaches switch 1 directly, through switch 2 and through switch 3, over ports 0, 1 and
/// 2.
pub(super) fn detours() -> (Fabric, Routing) {
    let clique = tulle_topologies::build("clique:degree=3", 0).unwrap();
    let layer = |shift: u32| {
        let mut table = TableBuilder::new(&clique);
        for (switch, to) in (0..4u32).flat_map(|switch| (0..4).map(move |to| (switch, to))).filter(|(a, b)| a != b) {
            let gate = (to + shift) % 4;
            let next = if switch == gate { to } else { gate };
            let port = clique.neighbours(switch).iter().position(|&neighbour| neighbour == next).unwrap();
            table.set(switch, to, &[port as u16]);
        }
        table.finish()
    };
    let layers = (0..3).map(layer).collect();
    let routing = Routing::new("detours".to_owned(), tulle_routing::Routes::Layers(layers));
    (clique, routing)
}
