//! Round robin: a flow uses layers in turn, as Open MPI uses the addresses (LIDs) of a destination in turn. Alternatively, the flows
//! between two switches use paths in turn.

use std::collections::HashMap;

use tulle_base::random::{fnv1a, mix};
use tulle_spec::{plugin, words};

use super::{Choices, Flows, Path, ReversePath, Select, ecmp};

plugin! {
    /// Uses layers in turn. The next layer is chosen for each packet of a flow, for each flow of a source, for each flow between two
    /// switches, or for each endpoint of the destination switch.
    #[derive(Debug)]
    pub(crate) struct RoundRobin(arguments, flows: Flows<'a>) {
        /// unit that takes turns: the packets of a flow; the flows of an endpoint; the flows between two switches, which are then spread
        /// evenly; or the endpoints of a switch, each of which has its own layer, as with forwarding tables per endpoint
        per: Per = word(Per::WORDS), default "packet";
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/round-robin"));
        choices: Choices => flows.choices.clone();
        /// For each flow, its next turn.
        next: Vec<u8> => first_layers(flows, per, seed);
        answers: Box<[u32]> => ecmp::answers(flows);
    }
    name: "round-robin",
    summary: "layers are used in turn, per packet of a flow, per flow of an endpoint, per flow between two switches, \
        or per destination",
    paper: "Slim Fly deployment (NSDI24) §5.3 (Open MPI over LIDs); Multi-Path Routing in the Jellyfish Network §III-B \
        (round-robin); Flattened Clos (NSDI23) §6.2 (per=pair: an even allocation); InfiniBand's forwarding tables \
        (per=destination)",
    limitations: "A hash of the flow or of its source chooses the first layer; with per=pair and per=destination, the \
        turns start at layer 0. Unless layers have weights, a flow keeps one path per layer.",
    examples: [
        "round-robin:per=packet", "round-robin", "round-robin:per=flow", "round-robin:per=pair",
        "round-robin:per=destination",
    ],
    rejects: [("round-robin:per=message", "per=message is not a choice; legal: packet, flow, pair, destination")],
}

words! {
    pub(crate) enum Per {
        Packet = "packet",
        Flow = "flow",
        Pair = "pair",
        Destination = "destination",
    }
}

/// Returns, for each flow, the index in its list of choices (see `Choices`) that its first packet uses.
fn first_layers(flows: &Flows, per: Per, seed: u64) -> Vec<u8> {
    let first = |of: u32, layers: u32| mix(seed ^ u64::from(of)) as u32 % layers;
    // Flows take consecutive choices in the order of the workload: with per=flow the flows of each source, with per=pair the flows between
    // each pair of switches.
    let mut turns: HashMap<(u32, u32), u32> = HashMap::new();
    let switch = |endpoint: u32| flows.endpoint_switch[endpoint as usize];
    let places = places(flows.endpoint_switch);
    let ends = flows.source.iter().zip(flows.destination).zip(0u32..);
    let next = ends.map(|((&from, &to), flow)| {
        let layers = flows.choices.of(flow);
        let mut turn = |of| {
            let turn = turns.entry(of).or_default();
            *turn += 1;
            (*turn - 1) % layers
        };
        let layer = match per {
            Per::Packet => first(flow, layers),
            Per::Flow => (first(from, layers) + turn((from, 0))) % layers,
            Per::Pair => turn((switch(from), switch(to))),
            Per::Destination => places[to as usize] % layers,
        };
        layer as u8
    });
    next.collect()
}

impl Select for RoundRobin {
    #[inline]
    fn data(&mut self, flow: u32, _now: u64) -> Path {
        let next = &mut self.next[flow as usize];
        let turn = *next;
        if self.per == Per::Packet {
            *next = if u32::from(turn) + 1 == self.choices.of(flow) { 0 } else { turn + 1 };
        }
        let entropy = (mix(self.seed ^ (u64::from(flow) << 8 | u64::from(turn))) >> 32) as u32;
        Path::of(self.choices.layer(flow, turn.into()), entropy)
    }

    #[inline]
    fn control(&mut self, flow: u32, _back: &ReversePath) -> Path {
        Path::any(self.answers[flow as usize])
    }
}

/// Returns, for each endpoint, its position among the endpoints of its switch.
fn places(endpoint_switch: &[u32]) -> Vec<u32> {
    let mut counts: HashMap<u32, u32> = HashMap::new();
    let place = |switch: &u32| {
        let count = counts.entry(*switch).or_default();
        *count += 1;
        *count - 1
    };
    endpoint_switch.iter().map(place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_spec::Plugin;

    #[test]
    fn layers_take_turns() {
        let read = |spec| {
            let flows = Flows {
                source: &[4, 4, 2, 4],
                destination: &[1, 1, 1, 3],
                endpoint_switch: &[0, 0, 1, 0, 1],
                bytes: &[1; 4],
                choices: &Choices::Layers(3),
                seed: 5,
            };
            RoundRobin::parse(spec, &flows).unwrap()
        };
        let mut packets = read("round-robin");
        let layers: Vec<u8> = (0..7).map(|_| packets.data(1, 0).layer).collect();
        assert!(layers.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 3), "{layers:?}");
        let mut flows = read("round-robin:per=flow");
        let mut layer = |flow| flows.data(flow, 0).layer;
        let first = layer(0);
        assert_eq!(
            [layer(0), layer(1), layer(3), layer(1)],
            [first, (first + 1) % 3, (first + 2) % 3, (first + 1) % 3]
        );
        // All flows go from switch 1 to switch 0.
        let mut pairs = read("round-robin:per=pair");
        assert_eq!([0, 1, 2, 3, 0].map(|flow| pairs.data(flow, 0).layer), [0, 1, 2, 0, 0]);
        // Endpoints 1 and 3 are the second and the third endpoint of switch 0.
        let mut destinations = read("round-robin:per=destination");
        assert_eq!([0, 1, 2, 3, 0].map(|flow| destinations.data(flow, 0).layer), [1, 1, 1, 2, 1]);
    }
}
