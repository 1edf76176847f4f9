//! Flowlets: after a pause, a flow continues on a random layer. At the request of its transport, it continues on another layer.

use tulle_base::random::{fnv1a, mix};
use tulle_spec::plugin;

use super::{ANY_LAYER, Choices, Flows, Path, ReversePath, Select, ecmp};

/// The current flowlet of a flow.
#[derive(Debug, Clone, Copy)]
struct State {
    /// Time in picoseconds at which the flow's last packet was sent.
    last: u64,
    /// Number of flowlets so far; 0 before the first packet.
    flowlets: u32,
    changes: u32,
    data: Path,
    /// Whether the flow stays in layer 0, or on the first explicit path.
    is_minimal: bool,
}

plugin! {
    /// Chooses a random layer, and a random path in it, for each flowlet.
    #[derive(Debug)]
    pub(crate) struct Flowlet(arguments, flows: Flows<'a>) {
        /// pause after which the next packet starts a flowlet
        gap: u64 = duration(), default "50us";
        /// layer of a flow's first flowlet: `random`, or `minimal` for the layer of shortest paths
        minimal_first "first": bool = either("minimal", "random"), default "random";
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/flowlet"));
        choices: Choices => flows.choices.clone();
        answers: Box<[u32]> => ecmp::answers(flows);
        flows: Vec<State> => states(flows, |_| false);
    }
    name: "flowlet",
    summary: "the endpoint picks a random layer and path per flowlet",
    paper: "FatPaths §III-B, §V-F, §VII-A6 (gap of 50 us), §VIII-A1 (first flowlet in the minimal layer); Vanini et \
        al., LetFlow, NSDI 2017",
    limitations: "Layers are chosen by their weights, or uniformly if the routing sets no weights, regardless of the \
        lengths of their paths.",
    examples: ["flowlet:gap=50us", "flowlet", "flowlet:gap=0,first=minimal"],
    rejects: [
        ("flowlet:gap=50", "gap=50 has no unit"),
        ("flowlet:first=last", "first=last is not a choice; legal: minimal, random"),
    ],
}

impl Select for Flowlet {
    #[inline]
    fn data(&mut self, flow: u32, now: u64) -> Path {
        let state = &self.flows[flow as usize];
        if state.flowlets == 0 {
            let is_minimal = self.minimal_first || state.is_minimal;
            self.start_flowlet(flow, |choices, hash| if is_minimal { 0 } else { choices.draw(flow, hash) });
        } else if now - state.last >= self.gap {
            let (before, is_minimal) = (state.data.layer, state.is_minimal);
            self.start_flowlet(flow, |choices, hash| if is_minimal { 0 } else { choices.draw(flow, hash) });
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

    /// Starts a flowlet on another layer. If the flow has no other layer or stays in layer 0, the flowlet takes a random path of this
    /// layer. Does nothing if the flow no longer uses `layer`.
    fn leave(&mut self, flow: u32, layer: u8) {
        let State { is_minimal, data: Path { layer: current, .. }, .. } = self.flows[flow as usize];
        if layer != ANY_LAYER && layer != current {
            return;
        }
        self.start_flowlet(flow, |choices, hash| if is_minimal { 0 } else { choices.draw_other(flow, current, hash) });
        let state = &mut self.flows[flow as usize];
        state.changes += u32::from(state.data.layer != current);
    }

    fn changes(&self, flow: u32) -> u32 {
        self.flows[flow as usize].changes
    }
}

impl Flowlet {
    /// Returns a selector that starts a flowlet after a pause of `gap`. Flows for which `minimal` returns true stay in layer 0.
    pub(super) fn new(flows: &Flows, gap: u64, minimal: impl Fn(u32) -> bool) -> Self {
        let seed = mix(flows.seed ^ fnv1a(b"packet/flowlet"));
        Self {
            seed,
            gap,
            minimal_first: false,
            choices: flows.choices.clone(),
            answers: ecmp::answers(flows),
            flows: states(flows, minimal),
        }
    }

    fn start_flowlet(&mut self, flow: u32, layer: impl Fn(&Choices, u32) -> u8) {
        let state = &mut self.flows[flow as usize];
        state.flowlets = state.flowlets.saturating_add(1);
        let hash = mix(mix(self.seed ^ u64::from(flow)) ^ u64::from(state.flowlets));
        state.data = Path::of(layer(&self.choices, (hash >> 32) as u32), mix(hash) as u32);
    }
}

/// Returns the state of each flow before its start.
fn states(flows: &Flows, minimal: impl Fn(u32) -> bool) -> Vec<State> {
    let state = |flow: u32| State { last: 0, flowlets: 0, changes: 0, data: Path::of(0, 0), is_minimal: minimal(flow) };
    (0..flows.source.len() as u32).map(state).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_spec::Plugin;

    fn flowlet(spec: &str, layers: u32) -> Flowlet {
        let flows = Flows {
            source: &[0],
            destination: &[1],
            endpoint_switch: &[],
            bytes: &[1],
            choices: &Choices::Layers(layers),
            seed: 5,
        };
        Flowlet::parse(spec, &flows).unwrap()
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
        // With a single layer, the flow takes another path. This does not count as a change of layer.
        let mut selector = flowlet("flowlet", 1);
        let path = selector.data(0, 0);
        selector.leave(0, 0);
        assert_ne!(selector.data(0, 0), path);
        assert_eq!(selector.changes(0), 0);
    }
}
