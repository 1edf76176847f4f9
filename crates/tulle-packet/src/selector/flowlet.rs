//! Flowlets: a pause in a flow, or a request of its receiver, lets it go on in another layer.

use tulle_spec::random::{fnv1a, mix};
use tulle_spec::{Arguments, Info, Parameter, Parameters};

use super::{ANY, Flows, Path, ReversePath, Select, ecmp, scale};
use crate::Error;
use crate::units;

/// The flowlet that a flow is in.
#[derive(Debug, Clone, Copy)]
struct State {
    /// When its last packet was sent.
    last: u64,
    /// Flowlets so far; 0 before the first packet.
    flowlets: u32,
    changes: u32,
    data: Path,
    /// The layers, or explicit paths, that it may take, from 0 on.
    layers: u32,
}

/// A random layer, and a random path of it, per flowlet.
#[derive(Debug)]
pub(crate) struct Flowlet {
    seed: u64,
    gap: u64,
    /// Whether the first flowlet of a flow is in layer 0.
    minimal_first: bool,
    flows: Vec<State>,
    answers: Box<[u32]>,
}

impl Select for Flowlet {
    const INFO: Info = Info {
        name: "flowlet",
        summary: "the endpoint picks a random layer and path per flowlet",
        parameters: &[
            Parameter::prose("gap", "a duration", "50us", "pause after which the next packet starts a flowlet"),
            Parameter::prose(
                "first",
                "random, minimal",
                "random",
                "the layer of a flow's first flowlet: any, or that of shortest paths",
            ),
        ],
        nested: false,
        paper: "FatPaths §III-B, §V-F, §VII-A6 (gap of 50 us), §VIII-A1 (first flowlet in the minimal layer); \
                Vanini et al., LetFlow, NSDI 2017",
        limitations: "Layers are picked uniformly, whatever the lengths of their paths.",
        examples: &["flowlet:gap=50us", "flowlet", "flowlet:gap=0,first=minimal"],
        rejects: &[
            ("flowlet:gap=50", "gap=50 has no unit"),
            ("flowlet:first=last", "first=last is not a choice; legal: random, minimal"),
        ],
    };

    fn read(arguments: &Arguments, flows: &Flows) -> Result<Self, Error> {
        let gap = arguments.duration("gap")?.unwrap_or(50_000_000);
        let first = arguments.word("first", &["random", "minimal"])?.unwrap_or("random");
        Ok(Self { minimal_first: first == "minimal", ..Self::new(flows, gap, |_| false) })
    }

    fn parameters(&self) -> Parameters {
        let first = if self.minimal_first { "minimal" } else { "random" };
        Parameters::new().word("gap", units::duration(self.gap)).word("first", first)
    }

    #[inline]
    fn data(&mut self, flow: u32, now: u64) -> Path {
        let state = &self.flows[flow as usize];
        if state.flowlets == 0 {
            let layers = if self.minimal_first { 1 } else { state.layers };
            self.start_flowlet(flow, |hash| scale(hash, layers));
        } else if now - state.last >= self.gap {
            let (before, layers) = (state.data.layer, state.layers);
            self.start_flowlet(flow, |hash| scale(hash, layers));
            let state = &mut self.flows[flow as usize];
            state.changes += u32::from(state.data.layer != before);
        }
        let state = &mut self.flows[flow as usize];
        state.last = now;
        state.data
    }

    #[inline]
    fn control(&mut self, flow: u32, _back: &ReversePath) -> Path {
        Path::any(self.answers[flow as usize])
    }

    /// Starts a flowlet on another layer; on another path of the layer where it is the only one. Requests that are out of
    /// date, as the flow has left that layer, change nothing.
    fn leave(&mut self, flow: u32, layer: u8) {
        let State { layers, data: Path { layer: current, .. }, .. } = self.flows[flow as usize];
        if layer != ANY && layer != current {
            return;
        }
        self.start_flowlet(flow, |hash| match layers {
            1 => 0,
            // One of the others.
            _ => (u32::from(current) + 1 + u32::from(scale(hash, layers - 1))).rem_euclid(layers) as u8,
        });
        self.flows[flow as usize].changes += u32::from(layers > 1);
    }

    fn changes(&self, flow: u32) -> u32 {
        self.flows[flow as usize].changes
    }
}

impl Flowlet {
    /// Flowlets after pauses of `gap`; flows that are `minimal` keep to layer 0.
    pub(super) fn new(flows: &Flows, gap: u64, minimal: impl Fn(u32) -> bool) -> Self {
        let state = |flow: u32| State {
            last: 0,
            flowlets: 0,
            changes: 0,
            data: Path::of(0, 0),
            layers: if minimal(flow) { 1 } else { flows.choices.of(flow) },
        };
        let seed = mix(flows.seed ^ fnv1a(b"packet/flowlet"));
        let states = (0..flows.source.len() as u32).map(state).collect();
        Self { seed, gap, minimal_first: false, flows: states, answers: ecmp::answers(flows) }
    }

    pub(super) fn gap(&self) -> u64 {
        self.gap
    }

    fn start_flowlet(&mut self, flow: u32, layer: impl Fn(u32) -> u8) {
        let state = &mut self.flows[flow as usize];
        state.flowlets = state.flowlets.saturating_add(1);
        let hash = mix(mix(self.seed ^ u64::from(flow)) ^ u64::from(state.flowlets));
        state.data = Path::of(layer((hash >> 32) as u32), mix(hash) as u32);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selector::Choices;

    fn flowlet(spec: &str, layers: u32) -> Flowlet {
        let flows = Flows {
            source: &[0],
            destination: &[1],
            endpoint_switch: &[],
            bytes: &[1],
            choices: &Choices::Layers(layers),
            seed: 5,
        };
        Flowlet::read(&Arguments::parse(&const { Flowlet::INFO }, spec).unwrap(), &flows).unwrap()
    }

    #[test]
    fn a_flow_keeps_its_path_until_a_pause() {
        let mut flowlet = flowlet("flowlet:gap=1us", 200);
        let first = flowlet.data(0, 7);
        for now in [8, 1_000_007, 2_000_006] {
            assert_eq!(flowlet.data(0, now), first);
        }
        assert_ne!(flowlet.data(0, 3_000_006), first);
    }

    #[test]
    fn a_flow_leaves_only_the_layer_it_is_in() {
        let mut selector = flowlet("flowlet:first=minimal", 3);
        let mut path = selector.data(0, 0);
        assert_eq!(path.layer, 0);
        let mut seen = [false; 3];
        for changes in 1..=40 {
            selector.leave(0, (path.layer + 1) % 3);
            assert_eq!(selector.data(0, 0), path);
            selector.leave(0, path.layer);
            let next = selector.data(0, 0);
            assert_ne!(next.layer, path.layer);
            assert_eq!(selector.changes(0), changes);
            seen[next.layer as usize] = true;
            path = next;
        }
        assert_eq!(seen, [true; 3]);
        // With one layer there is another path, and no change.
        let mut selector = flowlet("flowlet", 1);
        let path = selector.data(0, 0);
        selector.leave(0, 0);
        assert_ne!(selector.data(0, 0), path);
        assert_eq!(selector.changes(0), 0);
    }
}
