//! UGAL-L: a packet takes layer 0 or another layer, depending on the first queues and the numbers of hops.

use tulle_base::random::{fnv1a, mix};
use tulle_spec::plugin;

use super::{Choices, FirstHop, Flows, Path, ReversePath, Select, View, ecmp};
use crate::packet::{Kind, Packet};

plugin! {
    /// Compares a path of layer 0 with some paths of other layers, for each data packet at its first switch.
    #[derive(Debug)]
    pub(crate) struct Ugal(arguments, flows: Flows<'a>) {
        /// penalty of a path in another layer than 0: `ratio` (c= times the ratio of path lengths, original UGAL) or `constant` (only c=)
        ratio "cost": bool = either("ratio", "constant"), default "ratio";
        /// factor c in the penalty of a path in another layer than 0
        penalty "c": f64 = positive(), default "1";
        /// number of random other layers that are compared per packet (n_I in Kathareios et al. (SC15) §3.3)
        candidates: u32 = integer(1, 64), default "1";
        /// the path of layer 0 is always taken if fewer full packets than this wait at its first port
        threshold: u32 = integer(0, 1_000_000), default "0";
        /// additional cost of a path in another layer than 0, in full packets
        bias: u32 = integer(0, 1_000_000), default "0";
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/ugal"));
        choices: Choices => flows.choices.clone();
        /// For each flow, the number of its packets so far.
        packets: Vec<u32> => vec![0; flows.source.len()];
        answers: Box<[u32]> => ecmp::answers(flows);
    }
    name: "ugal",
    summary: "each packet takes layer 0 or the best of some other layers, by first queue times hops (UGAL-L)",
    paper: "Singh, Load-balanced routing in interconnection networks, 2005 (UGAL-L: queue times hops); cost=, c= and \
        candidates= as in Kathareios et al. (SC15) §3.3, bias= as in BookSim2",
    limitations: "Non-minimal paths come from the other layers or from the path set; the original algorithm uses \
        paths over any intermediate switch. Only queues of the first switch are compared. In a tie, layer 0 is taken.",
    examples: ["ugal:candidates=1", "ugal", "ugal:candidates=4,bias=1", "ugal:cost=constant,c=2,threshold=2"],
    rejects: [
        ("ugal:candidates=0", "candidates=0 is out of range; legal: 1 to 64"),
        ("ugal:c=0", "c=0 is not a positive number"),
        ("ugal:bias=-1", "bias=-1 is out of range"),
        ("ugal:cost=none", "cost=none is not a choice; legal: ratio, constant"),
    ],
}

impl Select for Ugal {
    const IN_SWITCH: bool = true;

    #[inline]
    fn data(&mut self, _flow: u32, _now: u64) -> Path {
        Path::any(0)
    }

    #[inline]
    fn control(&mut self, flow: u32, _back: &ReversePath) -> Path {
        Path::any(self.answers[flow as usize])
    }

    fn at_switch(&mut self, packet: &mut Packet, view: &View) {
        let to = u32::from(packet.switch);
        if !view.is_first || packet.kind != Kind::Data || to == view.switch {
            return;
        }
        let packets = &mut self.packets[packet.flow as usize];
        *packets = packets.wrapping_add(1);
        let hash = |number: u64| mix(mix(self.seed ^ u64::from(packet.flow)) ^ (u64::from(*packets) << 8 | number));
        let hops = |first: &FirstHop| f64::from(view.forwarding.hops(first.layer, view.switch, to, first.entropy));
        let mut best = view.first_hop(Path::of(0, hash(0) as u32), to);
        let (queue, full, direct) = (best.backlog, view.full(best.port), hops(&best));
        // Costs are never negative, so an empty queue of layer 0 always wins.
        if queue > 0 && queue >= u64::from(self.threshold) * full {
            let mut least = queue as f64;
            for number in 1..=u64::from(self.candidates) {
                let hash = hash(number);
                // With a single layer, the candidate is a random path of this layer.
                let layer = self.choices.draw_other(packet.flow, 0, (hash >> 32) as u32);
                let other = view.first_hop(Path::of(layer, hash as u32), to);
                let penalty = if self.ratio { self.penalty * hops(&other) / direct } else { self.penalty };
                let cost = penalty * other.backlog as f64 + (u64::from(self.bias) * full) as f64;
                if cost < least {
                    (least, best) = (cost, other);
                }
            }
        }
        (packet.layer, packet.entropy) = (best.layer, best.entropy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::config::Link;
    use crate::forwarding::Forwarding;
    use crate::link_table::{ByKind, LinkTable};
    use crate::packet::data;
    use crate::port::Port;
    use tulle_spec::Plugin;

    /// In a clique of three switches, the indirect path has two hops. With the default cost, a packet takes it if twice the queue of the
    /// indirect path plus the bias is less than the queue of the direct path.
    #[test]
    fn queues_are_weighed_by_hops() {
        let fabric = tulle_topologies::build("clique:degree=2", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "ksp:k=2", 0).unwrap();
        let forwarding = Forwarding::new(&fabric, &routing);
        let links = LinkTable::uniform(Link::new(&Config::default()).unwrap());
        let first = |number| {
            let (layer, mut entropy) = forwarding.enter(Path::of(number, 0), 0, 1);
            forwarding.next(layer, 0, 1, &mut entropy) as usize
        };
        let choices = Choices::Layers(2);
        let flows =
            Flows { source: &[0], destination: &[1], endpoint_switch: &[], bytes: &[1], choices: &choices, seed: 5 };
        let layer = |spec: &str, direct: u64, other: u64| {
            let mut ports: Vec<Port> = (0..6).map(|_| Port::new()).collect();
            for (number, packets) in [(0, direct), (1, other)] {
                ports[first(number)].occupy(packets * links.kind(0).full(), 9000, true);
            }
            let mut packet = Packet { switch: 1, ..data(0, 0) };
            let mut ugal = Ugal::parse(spec, &flows).unwrap();
            ugal.at_switch(
                &mut packet,
                &View::new(0, 0, true, &forwarding, &links, &ports, &ByKind::new(vec![u64::MAX])),
            );
            packet.layer
        };
        for (spec, direct, other, expected) in [
            ("ugal", 0, 0, 0),
            ("ugal", 1, 0, 1),
            ("ugal", 4, 2, 0),
            ("ugal", 5, 2, 1),
            ("ugal:cost=constant", 3, 2, 1),
            ("ugal:cost=constant,c=2", 4, 2, 0),
            ("ugal:bias=2", 6, 2, 0),
            ("ugal:bias=2", 7, 2, 1),
            ("ugal:threshold=6", 5, 2, 0),
            ("ugal:threshold=5", 5, 2, 1),
        ] {
            assert_eq!(layer(spec, direct, other), expected, "{spec}: {direct} against {other}");
        }
    }
}
