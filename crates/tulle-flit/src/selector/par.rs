//! PAR (progressive adaptive routing): UGAL that may replace a minimal route after the first hop.

use tulle_spec::plugin;

use super::ugal::Ugal;
use super::{Over, Queues, Route, RouteRequest, Select};

plugin! {
    /// Decides like UGAL, at the source and again at the second switch.
    #[derive(Debug)]
    pub(crate) struct Par {
        ugal: Ugal;
    }
    name: "par",
    summary: "UGAL that reconsiders a minimal decision after a first hop within the source's group (progressive \
        adaptive routing)",
    paper: "Jiang, Kim, Dally: Indirect adaptive routing on large scale interconnection networks (ISCA09) §3.3; \
        CAMINOS",
    limitations: "Only for fabrics with groups (dragonfly, dragonfly-map, megafly), except with via=layer. If a packet starts on a \
        minimal route to another group and its first hop stays in the source's group, the second switch compares \
        queues again and may choose an indirect route. The second switch must have endpoints. On a megafly it has \
        none, so par behaves like ugal. Because of the extra decision, par needs more virtual channels than ugal: one \
        more class with the policies crossings and phases, one more hop with the policy hops. With via=layer, every \
        second switch with endpoints compares again, whatever its group, and may change the packet to another layer; \
        the policy plan assigns virtual channels only to whole paths, so it is refused. The limitations of ugal apply \
        too.",
    examples: ["par", "par:via=group", "par:cost=constant,c=2,bias=30,via=group", "par:via=layer,candidates=4,bias=8"],
    rejects: [
        ("par:candidates=0", "candidates=0 is out of range; legal: 1 to 64"),
        ("par:via=2", "via=2 is not a choice"),
    ],
}

impl Select for Par {
    const OVER: Over = Over::Tables;
    const DISTANCES: bool = true;
    const REVISES: bool = true;

    /// A packet starts on one route, and may change to other routes at its second switch.
    fn phases(&self) -> u8 {
        1 + self.ugal.phases()
    }

    fn all_layers(&self) -> bool {
        self.ugal.all_layers()
    }

    fn all_shortest(&self) -> bool {
        self.ugal.all_shortest()
    }

    fn lengths(&self) -> bool {
        self.ugal.lengths()
    }

    fn one_port(&self) -> bool {
        self.ugal.one_port()
    }

    fn by_group(&self) -> bool {
        self.ugal.by_group()
    }

    fn choose<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        self.ugal.choose(request)
    }

    fn revise<Q: Queues>(&self, request: &mut RouteRequest<'_, Q>) -> Route {
        self.ugal.choose(request)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mock_queues::MockQueues;
    use super::super::{Memory, read};
    use crate::flit::{DIVERTED, Flit, Generator, HEAD, MAY_DIVERT, MINIMAL};
    use crate::longest::Lengths;
    use crate::policy::{self, Policy, PolicyContext};
    use crate::routes::Routes;

    #[test]
    fn a_diverted_packet_rises_one_class() {
        let fabric = tulle_topologies::build("dragonfly:p=2", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "hierarchical", 0).unwrap();
        let groups = fabric.groups();
        let groups = groups.as_deref();
        let context = PolicyContext {
            fabric: &fabric,
            routing: &routing,
            phases: 3,
            hops: 7,
            groups,
            diverts: groups,
            changes_layer: false,
            vcs: 4,
        };
        let (policy, _) = Policy::new(policy::read("crossings").unwrap(), &context).unwrap();
        let routes = Routes::new(&fabric, &routing, read("par:via=group").unwrap(), policy, &[]);
        let generator = &mut Generator::new(1, 0);
        // Switch 0 has the cables to groups 1 and 2. Packets from switch 0 to switch 35 in group 8 go through switch 3
        // of group 0.
        let (from, to) = (0, 35);
        let port_to = |switch: u32, next: u32| fabric.neighbours(switch).iter().position(|&n| n == next).unwrap();
        for is_long in [false, true] {
            let mut flit = Flit { switch: to, flags: HEAD, ..Flit::default() };
            let step = routes.begin(from, &mut flit, &MockQueues(vec![0; 5]), Memory::default(), generator);
            assert_eq!((usize::from(step.port), step.group), (2 + port_to(0, 3), 0));
            assert_eq!(flit.flags, HEAD | MINIMAL | MAY_DIVERT);
            let channel = fabric.offsets()[0] + u32::from(step.port) - 2;
            (flit.hops, flit.vc) = (1, 0);
            routes.cross(channel, &mut flit);
            let step = routes.next(3, &mut flit, generator);
            let on = routing.layers()[0].next(3, to.into())[0];
            assert_eq!((usize::from(step.port), step.group), (2 + usize::from(on), 1), "its global cable");
            let mut queues = MockQueues(vec![0; 5]);
            queues.0[usize::from(on)] = if is_long { 90 } else { 0 };
            let step = routes.revise((3, channel), step, &mut flit, &queues, Memory::default(), generator);
            if is_long {
                assert_eq!((flit.flags, flit.level), (HEAD | DIVERTED, 1));
                let is_global = fabric.classes()[(fabric.offsets()[3] + u32::from(step.port) - 2) as usize];
                assert_ne!(usize::from(step.port), 2 + usize::from(on));
                assert_eq!(step.group, 1 + is_global);
            } else {
                assert_eq!((flit.flags, flit.level), (HEAD | MINIMAL, 0));
                assert_eq!((usize::from(step.port), step.group), (2 + usize::from(on), 1));
            }
        }
    }

    #[test]
    fn the_second_switch_may_change_the_layer() {
        // From switch 0 to switch 2 of a ring of five, layer 0 leads through switch 1. Layer 1 leads around the ring in
        // the opposite direction, also from switch 1.
        let ring = tulle_topologies::build("torus:shape=5", 0).unwrap();
        let port_to = |switch: u32, next: u32| ring.neighbours(switch).iter().position(|&n| n == next).unwrap() as u16;
        let mut down = tulle_routing::TableBuilder::new(&ring);
        for (switch, to) in (0..5u32).flat_map(|switch| (0..5).map(move |to| (switch, to))).filter(|(a, b)| a != b) {
            down.set(switch, to, &[port_to(switch, (switch + 4) % 5)]);
        }
        let minimal = tulle_routing::build(&ring, "minimal", 0).unwrap();
        let layers = tulle_routing::Routes::Layers(vec![minimal.layers()[0].clone(), down.finish()]);
        let routing = tulle_routing::Routing::new("ring".to_owned(), layers);
        let context = PolicyContext {
            fabric: &ring,
            routing: &routing,
            phases: 2,
            hops: 5,
            groups: None,
            diverts: None,
            changes_layer: true,
            vcs: 5,
        };
        for is_long in [false, true] {
            let (policy, _) = Policy::new(policy::read("hops").unwrap(), &context).unwrap();
            let lengths = Lengths::of(&ring, &routing, false, true).unwrap().hops;
            let routes = Routes::new(&ring, &routing, read("par:via=layer").unwrap(), policy, &lengths);
            let generator = &mut Generator::new(1, 0);
            let mut flit = Flit { switch: 2, flags: HEAD, ..Flit::default() };
            let step = routes.begin(0, &mut flit, &MockQueues(vec![0; 2]), Memory::default(), generator);
            let first = ring.endpoints_of(0).len() as u16;
            assert_eq!((u16::from(step.port), step.group), (first + port_to(0, 1), 0));
            assert_eq!(flit.flags, HEAD | MINIMAL | MAY_DIVERT);
            let channel = ring.offsets()[0] + u32::from(port_to(0, 1));
            flit.hops = 1;
            let step = routes.next(1, &mut flit, generator);
            // The path of layer 0 has one hop left, the path of layer 1 has four.
            let mut queues = MockQueues(vec![5; 2]);
            queues.0[usize::from(port_to(1, 2))] = if is_long { 21 } else { 20 };
            let step = routes.revise((1, channel), step, &mut flit, &queues, Memory::default(), generator);
            let next = if is_long { 0 } else { 2 };
            assert_eq!((u16::from(step.port), step.group), (first + port_to(1, next), 1));
            let flags = if is_long { DIVERTED } else { MINIMAL };
            assert_eq!(flit.flags, HEAD | flags);
            if is_long {
                // The packet stays on layer 1, and its VC class still depends on the number of all hops.
                flit.hops = 2;
                let step = routes.next(0, &mut flit, generator);
                assert_eq!((u16::from(step.port), step.group), (first + port_to(0, 4), 2));
            }
        }
    }
}
