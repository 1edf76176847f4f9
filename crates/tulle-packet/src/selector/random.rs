//! Chooses a random layer, and a random path in it, per packet or per flow.

use tulle_base::random::{fnv1a, mix};
use tulle_spec::plugin;

use super::{Choices, Flows, Path, ReversePath, Select, ecmp};

plugin! {
    /// Chooses layers and paths at random, without any feedback.
    #[derive(Debug)]
    pub(crate) struct Random(arguments, flows: Flows<'a>) {
        /// unit that gets a random layer: every packet or every flow
        per_packet "per": bool = either("packet", "flow"), default "packet";
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/random"));
        choices: Choices => flows.choices.clone();
        /// For each flow, the number of its packets so far.
        packets: Vec<u32> => vec![0; flows.source.len()];
        answers: Box<[u32]> => ecmp::answers(flows);
    }
    name: "random",
    summary: "a random layer, and a random path in it, per packet or per flow",
    paper: "Multi-Path Routing in the Jellyfish Network §III-B (random); Slim Fly deployment (NSDI24), appendix \
        (randomized)",
    limitations: "Layers are chosen by their weights, or uniformly if the routing sets no weights, regardless of the \
        lengths of their paths.",
    examples: ["random:per=packet", "random", "random:per=flow"],
    rejects: [("random:per=flowlet", "per=flowlet is not a choice; legal: packet, flow")],
}

impl Select for Random {
    #[inline]
    fn data(&mut self, flow: u32, _now: u64) -> Path {
        let packets = &mut self.packets[flow as usize];
        *packets = packets.wrapping_add(u32::from(self.per_packet));
        let hash = mix(mix(self.seed ^ u64::from(flow)) ^ u64::from(*packets));
        Path::of(self.choices.draw(flow, (hash >> 32) as u32), mix(hash) as u32)
    }

    #[inline]
    fn control(&mut self, flow: u32, _back: &ReversePath) -> Path {
        Path::any(self.answers[flow as usize])
    }
}
