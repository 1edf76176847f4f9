//! Recycling at the first switch: paths whose answers came back fast are used again, the one with the shortest queue first.

use tulle_base::random::{fnv1a, mix};
use tulle_spec::plugin;

use super::{Choices, Fate, Feedback, Flows, Path, ReversePath, Select, View, ecmp};
use crate::packet::{Kind, Packet};

/// The memory of a flow.
#[derive(Debug, Clone, Default)]
struct State {
    /// Remembered paths, the oldest first; each is used once.
    good: Vec<Path>,
    /// The smoothed time until answers arrive, in picoseconds; 0 before the first.
    mean: u64,
    /// Paths drawn so far.
    drawn: u32,
}

plugin! {
    /// Remembers paths like [`super::reps::Reps`], compares queues like [`super::ksp_adaptive::KspAdaptive`], and judges paths by delay.
    #[derive(Debug)]
    pub(crate) struct Recycle(arguments, flows: Flows<'a>) {
        /// paths that a flow remembers
        buffer: u32 = integer(1, 64), default "8";
        /// fresh random paths per packet that are compared with the remembered ones
        candidates: u32 = integer(1, 64), default "2";
        /// full packets that are added to the queue of a fresh path
        bias: u32 = integer(0, 1_000_000), default "3";
        /// a path is remembered if its answer took less than this multiple of the flow's mean
        slow: f64 = positive(), default "1.5";
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/recycle"));
        choices: Choices => flows.choices.clone();
        states: Vec<State> => vec![State::default(); flows.source.len()];
        answers: Box<[u32]> => ecmp::answers(flows);
    }
    name: "recycle",
    summary: "of the remembered paths, whose answers came back fast, and of some fresh ones, the one that looks fastest at \
        the first switch",
    paper: "ours; recycles as REPS does (arXiv:2407.21625), compares as KSP-adaptive (Jellyfish multipath §III-B)",
    limitations: "The first switch must know the endpoint's remembered paths; answers pass through it. There is no freezing \
        after losses as in REPS: a lost packet's path is only not remembered.",
    examples: ["recycle:buffer=8", "recycle", "recycle:buffer=2,candidates=1,bias=0,slow=1000"],
    rejects: [
        ("recycle:buffer=65", "buffer=65 is out of range; legal: 1 to 64"),
        ("recycle:candidates=0", "candidates=0 is out of range; legal: 1 to 64"),
        ("recycle:slow=0", "slow=0 is not a positive number"),
    ],
}

impl Recycle {
    /// A path drawn at random.
    fn draw(&mut self, flow: u32) -> Path {
        let state = &mut self.states[flow as usize];
        state.drawn = state.drawn.wrapping_add(1);
        let hash = mix(mix(self.seed ^ u64::from(flow)) ^ u64::from(state.drawn));
        Path::of(self.choices.draw(flow, (hash >> 32) as u32), mix(hash) as u32)
    }
}

impl Select for Recycle {
    const IN_SWITCH: bool = true;
    const LEARNS: bool = true;

    #[inline]
    fn data(&mut self, _flow: u32, _now: u64) -> Path {
        Path::any(0)
    }

    #[inline]
    fn control(&mut self, flow: u32, _back: &ReversePath) -> Path {
        Path::any(self.answers[flow as usize])
    }

    fn on_feedback(&mut self, flow: u32, feedback: &Feedback) {
        if feedback.fate != Fate::Arrived {
            return;
        }
        let state = &mut self.states[flow as usize];
        // Smoothed as round-trip times are (RFC 6298 §2.3).
        state.mean = if state.mean == 0 { feedback.after } else { state.mean - state.mean / 8 + feedback.after / 8 };
        if (feedback.after as f64) < self.slow * state.mean as f64 {
            if state.good.len() == self.buffer as usize {
                state.good.remove(0);
            }
            state.good.push(feedback.path);
        }
    }

    fn at_switch(&mut self, packet: &mut Packet, view: &View) {
        let (flow, to) = (packet.flow, u32::from(packet.switch));
        if !view.is_first || packet.kind != Kind::Data || to == view.switch {
            return;
        }
        let state = &self.states[flow as usize];
        let remembered = state.good.len();
        let good = (0..remembered).map(|place| (view.look(state.good[place], to), place));
        let mut best = good.min_by_key(|(look, place)| (look.estimate(view, to), *place));
        for _ in 0..self.candidates {
            let fresh = view.look(self.draw(flow), to);
            let bias = u64::from(self.bias) * view.full(fresh.port);
            if best.is_none_or(|(look, place)| {
                let bias = if place < remembered { bias } else { 0 };
                fresh.estimate(view, to) + bias < look.estimate(view, to)
            }) {
                best = Some((fresh, remembered));
            }
        }
        let Some((look, place)) = best else { return };
        if place < remembered {
            self.states[flow as usize].good.remove(place);
        }
        (packet.layer, packet.entropy) = (look.layer, look.entropy);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Config;
    use crate::config::Link;
    use crate::forwarding::Forwarding;
    use crate::link_table::LinkTable;
    use crate::packet::data;
    use crate::port::Port;
    use tulle_spec::Plugin;

    fn flows(choices: &Choices) -> Flows<'_> {
        Flows { source: &[0], destination: &[1], endpoint_switch: &[], bytes: &[1], choices, seed: 5 }
    }

    fn feed(recycle: &mut Recycle, path: Path, fate: Fate, after: u64) {
        recycle.on_feedback(0, &Feedback { path, fate, after, now: 0 });
    }

    #[test]
    fn fast_paths_are_remembered_up_to_the_buffer() {
        let choices = Choices::Layers(4);
        let mut recycle = Recycle::parse("recycle:buffer=3,slow=1.5", &flows(&choices)).unwrap();
        let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(|entropy| Path::of(1, entropy));
        feed(&mut recycle, a, Fate::Arrived, 800);
        // 800 · 7/8 + 2000 / 8 = 950, and 2000 is too long.
        feed(&mut recycle, b, Fate::Arrived, 2000);
        for fate in [Fate::Trimmed, Fate::Marked, Fate::Lost] {
            feed(&mut recycle, c, fate, 1);
        }
        assert_eq!((&recycle.states[0].good, recycle.states[0].mean), (&vec![a], 950));
        for path in [b, c, d, e] {
            feed(&mut recycle, path, Fate::Arrived, 900);
        }
        assert_eq!(recycle.states[0].good, [c, d, e]);
    }

    /// A clique of three: from switch 0 to switch 1 directly in layer 0, over switch 2 in layer 1.
    #[test]
    fn the_shortest_queue_wins_and_fresh_paths_are_charged() {
        let fabric = tulle_topologies::build("clique:degree=2", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "ksp:k=2", 0).unwrap();
        let forwarding = Forwarding::new(&fabric, &routing);
        let links = LinkTable::alike(Link::new(&Config::default()).unwrap());
        let full = links.kind(0).full();
        let choices = Choices::Layers(2);
        let mut recycle = Recycle::parse("recycle:candidates=8,bias=3", &flows(&choices)).unwrap();
        // The direct path has this many waiting packets.
        let take = |recycle: &mut Recycle, waiting: u64| {
            let mut ports: Vec<Port> = (0..6).map(|_| Port::new()).collect();
            ports[forwarding.next(0, 0, 1, &mut forwarding.enter(Path::of(0, 0), 0, 1).1) as usize].occupy(
                waiting * full,
                9000,
                true,
            );
            let mut packet = crate::packet::Packet { switch: 1, ..data(0, 0) };
            recycle.at_switch(&mut packet, &View::new(0, 0, true, &forwarding, &links, &ports));
            packet.layer
        };
        // Without remembered paths: the path of two hops costs one packet and one latency more.
        assert_eq!([0, 1, 2, 9].map(|waiting| take(&mut recycle, waiting)), [0, 0, 1, 1]);
        // A remembered path is used once, unless a random path is faster by three packets.
        for (path, waiting, taken, left) in [(1, 0, 1, 0), (1, 0, 0, 1), (0, 3, 0, 0), (0, 6, 1, 1)] {
            recycle.states[0].good.clear();
            if left == 1 && path == 1 {
                // The direct path is faster by only one hop, which is not enough for a random path, so it must be remembered, too.
                feed(&mut recycle, Path::of(0, 0), Fate::Arrived, 1);
            }
            feed(&mut recycle, Path::of(path, 0), Fate::Arrived, 1);
            assert_eq!(take(&mut recycle, waiting), taken, "{path} {waiting}");
            assert_eq!(recycle.states[0].good.len(), left, "{path} {waiting}");
        }
    }
}
