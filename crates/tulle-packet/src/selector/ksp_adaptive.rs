//! KSP-adaptive: takes the faster of two random paths, as estimated at the first switch.

use tulle_base::random::{fnv1a, mix};
use tulle_spec::plugin;

use super::{Choices, Flows, Path, ReversePath, Select, View, ecmp, scale};
use crate::packet::{Kind, Packet};

plugin! {
    /// Compares two candidate paths for each data packet at its first switch.
    #[derive(Debug)]
    pub(crate) struct KspAdaptive(arguments, flows: Flows<'a>) {
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/ksp-adaptive"));
        choices: Choices => flows.choices.clone();
        /// For each flow, the number of its packets so far.
        packets: Vec<u32> => vec![0; flows.source.len()];
        answers: Box<[u32]> => ecmp::answers(flows);
    }
    name: "ksp-adaptive",
    summary: "each packet takes the one of two random paths with the lower estimated latency",
    paper: "Multi-Path Routing in the Jellyfish Network §III-B (KSP-adaptive)",
    limitations: "The k paths come from the path set or from the layers. The estimate is the queue at the first \
        port, plus the transmission time of a full packet and the link latency of every hop; later queues are not \
        considered.",
    examples: ["ksp-adaptive"],
    rejects: [("ksp-adaptive:k=8", "unknown parameter 'k=8'; it takes none")],
}

impl Select for KspAdaptive {
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
        let hash = mix(mix(self.seed ^ u64::from(packet.flow)) ^ u64::from(*packets));
        // Each candidate is an entry of the flow's list of choices: a layer or an explicit path (see `Choices`). The two candidates are
        // different entries if the list has at least two. Otherwise, both candidates use the only entry.
        let layers = self.choices.of(packet.flow);
        let first = u32::from(scale(hash as u32, layers));
        let others = layers.saturating_sub(1).max(1);
        let second = (first + u32::from(layers > 1) + u32::from(scale((hash >> 32) as u32, others))) % layers;
        let estimate = |turn: u32, number: u64| {
            let layer = self.choices.layer(packet.flow, turn);
            let first = view.first_hop(Path::of(layer, mix(hash ^ number) as u32), to);
            (first.estimate(view, to), number, first.layer, first.entropy)
        };
        let (_, _, layer, entropy) = estimate(first, 0).min(estimate(second, 1));
        packet.layer = layer;
        packet.entropy = entropy;
    }
}
