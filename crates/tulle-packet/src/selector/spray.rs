//! Spraying: every packet of a flow takes another shortest path, in random order.

use tulle_base::random::{fnv1a, mix};
use tulle_spec::plugin;

use super::permutation::permute;
use super::{Flows, Path, ReversePath, Select};
use crate::forwarding::Forwarding;

/// The number of paths of a flow in one direction, and the flow's position in the current order of these paths. The number is 0 until the
/// paths are counted.
#[derive(Debug, Clone, Copy, Default)]
struct Track {
    paths: u32,
    index: u32,
    round: u32,
}

plugin! {
    /// Sprays packets over the paths of layer 0.
    #[derive(Debug)]
    pub(crate) struct Spray(arguments, flows: Flows<'a>) {
        seed: u64 => mix(flows.seed ^ fnv1a(b"packet/spray"));
        /// For each flow, the state for its data packets.
        data: Vec<Track> => vec![Track::default(); flows.source.len()];
        /// For each flow, the state for its answers.
        answers: Vec<Track> => vec![Track::default(); flows.source.len()];
    }
    name: "spray",
    summary: "each packet takes the next of the shortest paths, which are shuffled again after each round",
    paper: "Handley et al., NDP, SIGCOMM 2017 §3.1.1 (per-packet multipath, path permutation)",
    limitations: "Uses layer 0 only; with a path set, all paths of a pair. The number of paths is the product of the \
        numbers of equal-cost ports at the switches of one of the paths, at most 65536. If other paths have other \
        numbers of equal-cost ports, packets are spread evenly per switch, not per path.",
    examples: ["spray"],
    rejects: [("spray:paths=8", "unknown parameter 'paths=8'; it takes none")],
}

impl Select for Spray {
    const STAYS: bool = true;
    fn start(&mut self, flow: u32, forwarding: &Forwarding, from: u32, to: u32) {
        self.data[flow as usize].paths = forwarding.num_paths(from, to);
    }

    #[inline]
    fn data(&mut self, flow: u32, _now: u64) -> Path {
        self.data[flow as usize].next(self.seed, flow, 0)
    }

    #[inline]
    fn control(&mut self, flow: u32, back: &ReversePath) -> Path {
        let track = &mut self.answers[flow as usize];
        if track.paths == 0 {
            track.paths = back.forwarding.num_paths(back.from, back.to);
        }
        track.next(self.seed, flow, 1)
    }
}

impl Track {
    /// Returns the next path. The range of entropies is split into n equal parts, one for each of n paths. Any entropy in a part selects
    /// the same path, unless the network has more paths than were counted.
    #[inline]
    fn next(&mut self, seed: u64, flow: u32, direction: u64) -> Path {
        let key = mix(mix(seed ^ (u64::from(flow) << 1 | direction)) ^ u64::from(self.round));
        let paths = u64::from(self.paths);
        let path = u64::from(permute(self.index, self.paths, key));
        let within = mix(key ^ u64::from(self.index)) >> 32;
        let (start, end) = ((path << 32).div_ceil(paths), ((path + 1) << 32).div_ceil(paths));
        self.index += 1;
        if self.index == self.paths {
            self.index = 0;
            self.round = self.round.wrapping_add(1);
        }
        Path::any((start + (((end - start) * within) >> 32)) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selector::Choices;
    use tulle_spec::Plugin;

    /// Each round uses every path of a fat tree once. The next round uses the paths in another order.
    #[test]
    fn every_round_takes_every_path_once() {
        let fabric = tulle_topologies::build("fattree:levels=3,radix=8", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
        let forwarding = Forwarding::new(&fabric, &routing);
        let endpoints = [fabric.endpoint_switch()[0], fabric.endpoint_switch()[127]];
        let flows = Flows {
            source: &[0],
            destination: &[127],
            endpoint_switch: &[],
            bytes: &[1],
            choices: &Choices::Layers(1),
            seed: 3,
        };
        let mut spray = Spray::parse("spray", &flows).unwrap();
        spray.start(0, &forwarding, endpoints[0], endpoints[1]);
        let mut round = || {
            let mut paths: Vec<Vec<u32>> = Vec::new();
            for _ in 0..16 {
                let Path { layer, mut entropy, .. } = spray.data(0, 0);
                let (mut switch, mut path) = (endpoints[0], Vec::new());
                while switch != endpoints[1] {
                    path.push(forwarding.next(layer, switch, endpoints[1], &mut entropy));
                    switch = fabric.targets()[path[path.len() - 1] as usize];
                }
                paths.push(path);
            }
            paths
        };
        let (mut first, mut second) = (round(), round());
        assert_ne!(first, second);
        first.sort();
        second.sort();
        assert_eq!(first, second);
        first.dedup();
        assert_eq!(first.len(), 16);
    }
}
