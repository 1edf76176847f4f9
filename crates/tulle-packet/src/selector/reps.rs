//! REPS: a path that delivered a packet without a mark or trimming is used once more. Other packets take random paths.

use tulle_base::memory;
use tulle_base::random::{fnv1a, mix};
use tulle_spec::plugin;

use super::{Choices, Feedback, Flows, PacketStatus, Path, ReversePath, Select, ecmp};

/// The state of a flow, except its remembered paths.
#[derive(Debug, Clone, Copy, Default)]
struct State {
    /// The slot that is written next.
    head: u8,
    /// The number of slots that have been written.
    count: u8,
    /// One bit per slot: 1 if the path in the slot has not been used since it was stored.
    fresh: u64,
    /// The slot that is read next while the flow is frozen.
    next: u8,
    /// The time in picoseconds until which the flow is frozen; `None` if the flow is not frozen.
    frozen: Option<u64>,
    /// The number of packets that must still take random paths before remembered paths are used again.
    explore: u32,
    /// The number of random paths that the flow has chosen so far.
    drawn: u32,
}

plugin! {
    /// A ring of remembered paths per flow. Each path is used once, unless the flow is frozen.
    #[derive(Debug)]
    pub(crate) struct Reps(arguments, flows: Flows<'a>) {
        /// number of paths that a flow remembers
        buffer: u32 = integer(1, 64), default "8";
        /// time after a packet loss during which a flow reuses its remembered paths; it chooses random paths only if it remembers none
        freeze: u64 = duration(), default "10ms";
        /// number of packets after a freeze that take random paths, regardless of remembered paths
        explore: u32 = integer(0, 65_535), default "16";
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/reps"));
        choices: Choices => flows.choices.clone();
        states: Vec<State> => vec![State::default(); flows.source.len()];
        /// The rings of all flows, one after the other.
        paths: Vec<Path> => memory::array("remembered paths", Path::of(0, 0), flows.source.len() * buffer as usize);
        answers: Box<[u32]> => ecmp::answers(flows);
    }
    name: "reps",
    summary: "a path that delivered a packet without a mark or trimming is used once more; other packets take random \
        paths",
    paper: "Bonato et al., REPS: Recycled Entropy Packet Spraying for Adaptive Load Balancing and Failure Mitigation, \
        arXiv:2407.21625 (recycling of entropies, freezing mode); buffer, freeze and explore as in its authors' simulator, \
        spcl/HTSIM",
    limitations: "Layers are explored by their weights, or uniformly if the routing sets no weights, regardless of the \
        lengths of their paths. A packet counts as lost when it is retransmitted without an answer: after a timeout, or \
        because later packets were answered first. Reordering alone can therefore freeze a flow.",
    examples: ["reps:buffer=8", "reps", "reps:buffer=2,freeze=100us,explore=0"],
    rejects: [
        ("reps:buffer=0", "buffer=0 is out of range; legal: 1 to 64"),
        ("reps:freeze=10", "freeze=10 has no unit"),
    ],
}

impl Reps {
    /// Draws a random path.
    fn draw(&mut self, flow: u32) -> Path {
        let state = &mut self.states[flow as usize];
        state.drawn = state.drawn.wrapping_add(1);
        let hash = mix(mix(self.seed ^ u64::from(flow)) ^ u64::from(state.drawn));
        Path::of(self.choices.draw(flow, (hash >> 32) as u32), mix(hash) as u32)
    }
}

impl Select for Reps {
    const LEARNS: bool = true;

    fn data(&mut self, flow: u32, _now: u64) -> Path {
        let size = self.buffer as usize;
        let ring = &self.paths[flow as usize * size..][..size];
        let state = &mut self.states[flow as usize];
        if state.explore > 0 {
            state.explore -= 1;
            return self.draw(flow);
        }
        let place = if state.frozen.is_some() {
            let place = state.next;
            state.next = if place + 1 < state.count { place + 1 } else { 0 };
            (state.count > 0).then_some(usize::from(place))
        } else if state.fresh == 0 {
            None
        } else {
            // The search for the oldest unused path starts at the slot that is written next.
            (0..size).map(|step| (usize::from(state.head) + step) % size).find(|place| state.fresh >> place & 1 == 1)
        };
        let Some(place) = place else { return self.draw(flow) };
        state.fresh &= !(1 << place);
        ring[place]
    }

    fn control(&mut self, flow: u32, _back: &ReversePath) -> Path {
        Path::any(self.answers[flow as usize])
    }

    fn on_feedback(&mut self, flow: u32, feedback: &Feedback) {
        let state = &mut self.states[flow as usize];
        if feedback.status == PacketStatus::Lost && state.frozen.is_none() && state.explore == 0 {
            state.frozen = Some(feedback.now + self.freeze);
        }
        if state.frozen.is_some_and(|until| feedback.now > until) {
            *state = State { explore: self.explore, drawn: state.drawn, ..State::default() };
        }
        if feedback.status == PacketStatus::Arrived {
            let place = usize::from(state.head);
            self.paths[flow as usize * self.buffer as usize + place] = feedback.path;
            state.fresh |= 1 << place;
            state.count = state.count.max(place as u8 + 1);
            state.head = ((place + 1) % self.buffer as usize) as u8;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_spec::Plugin;

    fn reps(spec: &str) -> Reps {
        let flows = Flows {
            source: &[0],
            destination: &[1],
            endpoint_switch: &[],
            bytes: &[1],
            choices: &Choices::Layers(200),
            seed: 5,
        };
        Reps::parse(spec, &flows).unwrap()
    }

    fn feed(reps: &mut Reps, path: Path, status: PacketStatus, now: u64) {
        reps.on_feedback(0, &Feedback { path, status, after: 0, now });
    }

    #[test]
    fn paths_are_recycled_once_and_in_order() {
        let mut reps = reps("reps:buffer=3");
        let known = [1, 2, 3, 4].map(|entropy| Path::of(7, entropy));
        for path in known {
            feed(&mut reps, path, PacketStatus::Arrived, 0);
        }
        feed(&mut reps, Path::of(9, 9), PacketStatus::Trimmed, 0);
        feed(&mut reps, Path::of(9, 9), PacketStatus::Marked, 0);
        // The first of four paths was overwritten. The other three paths are used once each. After that, paths are random.
        let taken: Vec<Path> = (0..5).map(|_| reps.data(0, 0)).collect();
        assert_eq!(taken[..3], known[1..]);
        assert!(taken[3] != taken[4] && !known.contains(&taken[3]) && !known.contains(&taken[4]), "{taken:?}");
        feed(&mut reps, taken[4], PacketStatus::Arrived, 0);
        assert_eq!(reps.data(0, 0), taken[4]);
    }

    #[test]
    fn a_loss_freezes_what_is_remembered_and_thawing_explores() {
        let mut reps = reps("reps:buffer=4,freeze=1us,explore=2");
        let known = [Path::of(1, 1), Path::of(2, 2)];
        for path in known {
            feed(&mut reps, path, PacketStatus::Arrived, 0);
        }
        feed(&mut reps, Path::of(3, 3), PacketStatus::Lost, 10);
        let frozen: Vec<Path> = (0..5).map(|_| reps.data(0, 0)).collect();
        assert_eq!(frozen, [known[0], known[1], known[0], known[1], known[0]]);
        // Further losses do not prolong the freeze.
        feed(&mut reps, known[0], PacketStatus::Lost, 900_000);
        assert_eq!(reps.data(0, 0), known[1]);
        feed(&mut reps, known[0], PacketStatus::Arrived, 1_000_011);
        // Two packets take random paths. Then the latest path is used again.
        let thawed: Vec<Path> = (0..3).map(|_| reps.data(0, 0)).collect();
        assert!(!known.contains(&thawed[0]) && !known.contains(&thawed[1]) && thawed[2] == known[0], "{thawed:?}");
    }
}
