//! Spritz: chooses random paths, shorter ones with a higher probability, and remembers good paths.

use tulle_base::random::{fnv1a, mix};
use tulle_spec::{plugin, words};

use super::{Choices, Feedback, Flows, PacketStatus, Path, ReversePath, Select, ecmp};
use crate::forwarding::Forwarding;

/// The weight of a path with the most hops. The weights of all other paths are relative to it.
const UNIT: u32 = 1 << 12;

/// The memory of a flow.
#[derive(Debug, Clone, Default)]
struct State {
    /// Remembered good paths: with `spray`, in the order in which they were found; with `scout`, in the order of layers, each only once.
    good: Vec<Path>,
    /// The weight of each layer or path; 0 if it has lost packets.
    weights: Box<[u32]>,
    /// The number of packets since the flow last explored a random path.
    since: u32,
    /// The number of congestion marks since a path was last forgotten.
    marks: u32,
    /// The number of random paths that the flow has chosen so far.
    drawn: u32,
}

plugin! {
    /// The selector Spritz, which keeps a list of good paths per flow. It has two variants.
    #[derive(Debug)]
    pub(crate) struct Spritz(arguments, flows: Flows<'a>) {
        /// scout: use the shortest good path until it is congested; spray: use good paths in turn, each once
        variant: Variant = word(Variant::WORDS), default "spray";
        /// number of good paths that a flow remembers
        buffer: u32 = integer(1, 255), default "8";
        /// factor in the weight of shorter paths: the longest paths have weight 1; the weight of a shorter path is this factor times the
        /// ratio of the longest path's hops to its own hops; 0: all paths have weight 1
        scaling: u32 = integer(0, 1000), default "3";
        /// the flow explores a random path after more packets than this (with scout, only packets over remembered paths count); 0: never
        explore: u32 = integer(0, 1_000_000), default "44";
        /// scout forgets a path after more congestion marks than this
        marks: u32 = integer(0, 1_000_000), default "8";
        /// flows below this size choose the first (shortest) path a hundred times as often as any other path
        small: u64 = bytes_of(0, 1_000_000_000_000), default "512KiB";
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/spritz"));
        choices: Choices => flows.choices.clone();
        bytes: Box<[u64]> => flows.bytes.into();
        states: Vec<State> => vec![State::default(); flows.source.len()];
        answers: Box<[u32]> => ecmp::answers(flows);
    }
    name: "spritz",
    summary: "random paths, short ones with higher weights; good paths are used again (Spritz-Scout, Spritz-Spray)",
    paper: "Bonato et al., Spritz: Path-Aware Load Balancing in Low-Diameter Networks, arXiv:2602.19567 (Spritz-Scout \
        and Spritz-Spray); the defaults come from its artifact, aleskubicek/sc25-spritz",
    limitations: "Path lengths are hops, not latencies. A flow does not learn from other flows of its endpoints. A \
        packet counts as lost when it is retransmitted without an answer: after a timeout, or because later packets \
        were answered first. The flow then draws no more random paths from the packet's layer, unless no other layer \
        is left. A path set has paths instead of layers.",
    examples: [
        "spritz:variant=spray", "spritz", "spritz:variant=scout", "spritz:scaling=0,explore=0,small=0B",
        "spritz:variant=scout,buffer=2,marks=0",
    ],
    rejects: [
        ("spritz:variant=mist", "variant=mist is not a choice; legal: scout, spray"),
        ("spritz:buffer=0", "buffer=0 is out of range; legal: 1 to 255"),
        ("spritz:small=512", "small=512 has no unit"),
    ],
}

words! {
    pub(crate) enum Variant {
        Scout = "scout",
        Spray = "spray",
    }
}

impl Spritz {
    /// Draws a random path by the weights.
    fn draw(&mut self, flow: u32) -> Path {
        let state = &mut self.states[flow as usize];
        state.drawn = state.drawn.wrapping_add(1);
        let hash = mix(mix(self.seed ^ u64::from(flow)) ^ u64::from(state.drawn));
        let sum: u64 = state.weights.iter().map(|&weight| u64::from(weight)).sum();
        let mut left = ((u128::from(hash) * u128::from(sum)) >> 64) as u64;
        let number = state.weights.iter().position(|&weight| {
            let here = left < u64::from(weight);
            left = left.wrapping_sub(weight.into());
            here
        });
        Path::of(number.unwrap_or(0) as u8, mix(hash) as u32)
    }
}

/// Returns the weights of paths with these `hops`: [`UNIT`] for the longest paths, and for other paths `UNIT` times `scaling` times the
/// ratio of the maximum number of hops to the path's hops. If `scaling` is 0, all weights are equal.
fn weights(hops: &[u32], scaling: u32) -> Box<[u32]> {
    let most = hops.iter().copied().max().unwrap_or(0);
    let weight = |&hops: &u32| match scaling {
        0 => UNIT,
        _ if hops == most => UNIT,
        scaling => scaling * UNIT * most / hops.max(1),
    };
    hops.iter().map(weight).collect()
}

impl Select for Spritz {
    const LEARNS: bool = true;

    fn start(&mut self, flow: u32, forwarding: &Forwarding, from: u32, to: u32) {
        let choices = self.choices.num_layers(flow);
        let state = &mut self.states[flow as usize];
        let hops = |number: u32| {
            let (layer, entropy) = forwarding.enter(Path::of(number as u8, 0), from, to);
            forwarding.hops(layer, from, to, entropy)
        };
        state.weights = if self.bytes[flow as usize] < self.small {
            (0..choices).map(|number| if number == 0 { 100 * UNIT } else { UNIT }).collect()
        } else {
            let hops: Vec<u32> = (0..choices).map(hops).collect();
            weights(&hops, self.scaling)
        };
        for (weight, layer) in state.weights.iter_mut().zip(0..) {
            *weight = weight.saturating_mul(self.choices.share(flow, layer));
        }
    }

    fn data(&mut self, flow: u32, _now: u64) -> Path {
        let state = &mut self.states[flow as usize];
        if self.explore > 0 && state.since > self.explore {
            state.since = 0;
            return self.draw(flow);
        }
        if self.variant == Variant::Spray || !state.good.is_empty() {
            state.since += 1;
        }
        match self.variant {
            _ if state.good.is_empty() => self.draw(flow),
            Variant::Scout => state.good[0],
            Variant::Spray => state.good.remove(0),
        }
    }

    fn control(&mut self, flow: u32, _back: &ReversePath) -> Path {
        Path::any(self.answers[flow as usize])
    }

    fn on_feedback(&mut self, flow: u32, feedback: &Feedback) {
        let state = &mut self.states[flow as usize];
        let (path, is_scout) = (feedback.path, self.variant == Variant::Scout);
        if feedback.status == PacketStatus::Lost {
            // The last path whose weight is above 0 keeps its weight, even if its packets are lost.
            if state.weights.iter().filter(|&&weight| weight > 0).count() > 1 {
                state.weights[usize::from(path.layer)] = 0;
            }
        }
        let place = state.good.iter().position(|&good| good == path);
        match (feedback.status, place) {
            (PacketStatus::Arrived, Some(_)) if is_scout => {}
            (PacketStatus::Arrived, _) if state.good.len() < self.buffer as usize => {
                let end = state.good.len();
                let place = if is_scout { state.good.iter().position(|good| good.layer > path.layer) } else { None };
                state.good.insert(place.unwrap_or(end), path);
            }
            (PacketStatus::Trimmed | PacketStatus::Lost, Some(place)) if is_scout => {
                state.marks = 0;
                state.good.remove(place);
            }
            (PacketStatus::Marked, Some(place)) if is_scout => {
                state.marks += 1;
                if state.marks > self.marks {
                    state.marks = 0;
                    state.good.remove(place);
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_spec::Plugin;

    /// Returns a selector with one flow of one byte, whose layers have these `weights`, as if the flow had started.
    fn spritz(spec: &str, weights: &[u32]) -> Spritz {
        let flows = Flows {
            source: &[0],
            destination: &[1],
            endpoint_switch: &[],
            bytes: &[1],
            choices: &Choices::Layers(weights.len() as u32),
            seed: 5,
        };
        let mut spritz = Spritz::parse(spec, &flows).unwrap();
        spritz.states[0].weights = weights.into();
        spritz
    }

    fn feed(spritz: &mut Spritz, path: Path, status: PacketStatus) {
        spritz.on_feedback(0, &Feedback { path, status, after: 0, now: 0 });
    }

    #[test]
    fn weights_fall_with_lengths() {
        assert_eq!(*weights(&[2, 3, 4], 3), [6 * UNIT, 4 * UNIT, UNIT]);
        assert_eq!(*weights(&[2, 3, 4], 0), [UNIT; 3]);
        assert_eq!(*weights(&[0], 3), [UNIT]);
        let mut spritz = spritz("spritz:explore=0", &[6 * UNIT, 4 * UNIT, 0, UNIT]);
        let mut drawn = [0; 4];
        for _ in 0..11_000 {
            drawn[usize::from(spritz.data(0, 0).layer)] += 1;
        }
        assert!(drawn[2] == 0 && (900..1100).contains(&drawn[3]) && (5800..6200).contains(&drawn[0]), "{drawn:?}");
    }

    #[test]
    fn small_flows_start_with_the_shortest_path() {
        let fabric = tulle_topologies::build("clique:degree=2", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "ksp:k=2", 0).unwrap();
        let forwarding = Forwarding::new(&fabric, &routing);
        for (spec, expected) in [("spritz", [100 * UNIT, UNIT]), ("spritz:small=1B,scaling=3", [6 * UNIT, UNIT])] {
            let mut spritz = spritz(spec, &[0, 0]);
            spritz.start(0, &forwarding, 0, 1);
            assert_eq!(*spritz.states[0].weights, expected, "{spec}");
        }
    }

    #[test]
    fn spray_takes_good_paths_once_and_explores() {
        let mut spritz = spritz("spritz:buffer=2,explore=3", &[1; 200]);
        let [a, b, c] = [1, 2, 3].map(|entropy| Path::of(7, entropy));
        for path in [a, b, c] {
            feed(&mut spritz, path, PacketStatus::Arrived);
        }
        // The list has space for two good paths. After these two paths are used, paths are random.
        assert_eq!([spritz.data(0, 0), spritz.data(0, 0)], [a, b]);
        spritz.data(0, 0);
        spritz.data(0, 0);
        feed(&mut spritz, c, PacketStatus::Arrived);
        // The fifth packet takes a random path although a good path is known.
        assert_ne!(spritz.data(0, 0), c);
        assert_eq!(spritz.data(0, 0), c);
        for status in [PacketStatus::Trimmed, PacketStatus::Marked] {
            feed(&mut spritz, a, status);
        }
        assert!(spritz.states[0].good.is_empty());
    }

    #[test]
    fn scout_keeps_the_shortest_good_path_until_it_is_crowded() {
        let mut spritz = spritz("spritz:variant=scout,marks=2,explore=0", &[1; 200]);
        let [near, far] = [Path::of(3, 0), Path::of(9, 0)];
        for path in [far, near, far] {
            feed(&mut spritz, path, PacketStatus::Arrived);
        }
        assert_eq!((spritz.data(0, 0), spritz.data(0, 0), spritz.states[0].good.len()), (near, near, 2));
        for _ in 0..2 {
            feed(&mut spritz, near, PacketStatus::Marked);
            assert_eq!(spritz.data(0, 0), near);
        }
        feed(&mut spritz, near, PacketStatus::Marked);
        assert_eq!(spritz.data(0, 0), far);
        feed(&mut spritz, far, PacketStatus::Trimmed);
        assert!(spritz.states[0].good.is_empty());
    }

    #[test]
    fn lost_paths_are_not_drawn_again_but_for_the_last() {
        let mut spritz = spritz("spritz", &[1, 1]);
        for layer in [0, 1] {
            feed(&mut spritz, Path::of(layer, 0), PacketStatus::Lost);
        }
        assert_eq!(*spritz.states[0].weights, [0, 1]);
        assert!((0..40).all(|_| spritz.data(0, 0).layer == 1));
    }
}
