//! Layers in turn, as Open MPI takes the addresses (LIDs) of a destination.

use tulle_fabric::random::{fnv1a, mix};
use tulle_fabric::spec::{Arguments, Info, Parameters};

use super::random::PER;
use super::{Back, Choices, Chosen, Path, Select, ecmp};
use crate::Error;

/// The layer after the last, per packet of a flow or per flow of a source.
#[derive(Debug)]
pub(crate) struct RoundRobin {
    seed: u64,
    choices: Choices,
    per_packet: bool,
    /// Per flow, its next layer.
    next: Vec<u8>,
    answers: Box<[u32]>,
}

impl Select for RoundRobin {
    const INFO: Info = Info {
        name: "round-robin",
        summary: "layers in turn, per packet of a flow or per flow of an endpoint",
        parameters: &[PER],
        nested: false,
        paper: "Slim Fly deployment §5.3 (Open MPI over LIDs); Jellyfish multipath §III-B (round-robin)",
        limitations: "The first layer is a hash of the flow or of its source; within a layer a flow keeps one path.",
        examples: &["round-robin:per=packet", "round-robin", "round-robin:per=flow"],
        rejects: &[("round-robin:per=message", "per=message is not a choice; legal: packet, flow")],
    };

    fn read(arguments: &Arguments, chosen: &Chosen) -> Result<Self, Error> {
        let per_packet = arguments.word("per", &["packet", "flow"])? != Some("flow");
        let seed = mix(chosen.seed ^ fnv1a(b"packet/round-robin"));
        let first = |of: u32, layers: u32| mix(seed ^ u64::from(of)) as u32 % layers;
        // Flows of a source take turns in the order of the workload.
        let mut turns = vec![0u32; chosen.source.iter().max().map_or(0, |&most| most as usize + 1)];
        let next = (0u32..).zip(chosen.source).map(|(flow, &from)| {
            let (turn, layers) = (&mut turns[from as usize], chosen.choices.of(flow));
            let layer = if per_packet { first(flow, layers) } else { (first(from, layers) + *turn % layers) % layers };
            *turn += 1;
            layer as u8
        });
        let next = next.collect();
        Ok(Self { seed, choices: chosen.choices.clone(), per_packet, next, answers: ecmp::answers(chosen) })
    }

    fn parameters(&self) -> Parameters {
        Parameters::new().word("per", if self.per_packet { "packet" } else { "flow" })
    }

    #[inline]
    fn data(&mut self, flow: u32, _now: u64) -> Path {
        let next = &mut self.next[flow as usize];
        let layer = *next;
        if self.per_packet {
            *next = if u32::from(layer) + 1 == self.choices.of(flow) { 0 } else { layer + 1 };
        }
        Path::of(layer, (mix(self.seed ^ (u64::from(flow) << 8 | u64::from(layer))) >> 32) as u32)
    }

    #[inline]
    fn control(&mut self, flow: u32, _back: &Back) -> Path {
        Path::any(self.answers[flow as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_take_turns() {
        let read = |spec| {
            let chosen = Chosen {
                source: &[4, 4, 2, 4],
                destination: &[1; 4],
                bytes: &[1; 4],
                choices: &Choices::Layers(3),
                seed: 5,
            };
            RoundRobin::read(&Arguments::parse(&const { RoundRobin::INFO }, spec).unwrap(), &chosen).unwrap()
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
    }
}
