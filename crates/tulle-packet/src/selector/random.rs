//! A random layer, and a random path of it, per packet or per flow.

use tulle_spec::random::{fnv1a, mix};
use tulle_spec::{Arguments, Info, Parameter, Parameters};

use super::{Choices, Flows, Path, ReversePath, Select, ecmp, scale};
use crate::Error;

/// Layers picked blindly.
#[derive(Debug)]
pub(crate) struct Random {
    seed: u64,
    choices: Choices,
    per_packet: bool,
    /// Per flow, the packets so far.
    packets: Vec<u32>,
    answers: Box<[u32]>,
}

/// What is flows for.
const PER: Parameter =
    Parameter::prose("per", "packet, flow", "packet", "whether every packet or every flow gets a layer");

impl Select for Random {
    const INFO: Info = Info {
        name: "random",
        summary: "a random layer and path of it per packet or flow",
        parameters: &[PER],
        nested: false,
        paper: "Jellyfish multipath §III-B (random); Slim Fly deployment, appendix (randomized)",
        limitations: "Layers are picked uniformly, whatever the lengths of their paths.",
        examples: &["random:per=packet", "random", "random:per=flow"],
        rejects: &[("random:per=flowlet", "per=flowlet is not a choice; legal: packet, flow")],
    };

    fn read(arguments: &Arguments, flows: &Flows) -> Result<Self, Error> {
        let per_packet = arguments.word("per", &["packet", "flow"])? != Some("flow");
        Ok(Self {
            seed: mix(flows.seed ^ fnv1a(b"packet/random")),
            choices: flows.choices.clone(),
            per_packet,
            packets: vec![0; flows.source.len()],
            answers: ecmp::answers(flows),
        })
    }

    fn parameters(&self) -> Parameters {
        Parameters::new().word("per", if self.per_packet { "packet" } else { "flow" })
    }

    #[inline]
    fn data(&mut self, flow: u32, _now: u64) -> Path {
        let packets = &mut self.packets[flow as usize];
        *packets = packets.wrapping_add(u32::from(self.per_packet));
        let hash = mix(mix(self.seed ^ u64::from(flow)) ^ u64::from(*packets));
        Path::of(scale((hash >> 32) as u32, self.choices.of(flow)), mix(hash) as u32)
    }

    #[inline]
    fn control(&mut self, flow: u32, _back: &ReversePath) -> Path {
        Path::any(self.answers[flow as usize])
    }
}
