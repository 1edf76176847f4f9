//! ECMP: every flow keeps one shortest path, chosen by a hash.

use tulle_base::random::{fnv1a, mix};
use tulle_spec::plugin;

use super::{Flows, Path, ReversePath, Select};

plugin! {
    /// Uses one path of layer 0 for each flow and direction.
    #[derive(Debug)]
    pub(crate) struct Ecmp(arguments, flows: Flows<'a>) {
        /// For each flow, the entropy of its data and the entropy of its answers.
        entropy: Vec<[u32; 2]> => {
            let ends = flows.source.iter().zip(flows.destination);
            let hash = |flow: usize, from: u32, to: u32| hash(flows.seed, flow as u32, from, to);
            let entropy = ends.enumerate().map(|(flow, (&from, &to))| [hash(flow, from, to), hash(flow, to, from)]);
            entropy.collect()
        };
    }
    name: "ecmp",
    summary: "one shortest path per flow, by a hash of the flow",
    paper: "FatPaths §VII-A3, §VII-A6 (Fowler–Noll–Vo hash)",
    limitations: "Uses layer 0 only. With a path set, it uses all paths of a pair, regardless of length.",
    examples: ["ecmp"],
    rejects: [("ecmp:gap=50us", "unknown parameter 'gap=50us'; it takes none")],
}

impl Select for Ecmp {
    const STAYS: bool = true;
    #[inline]
    fn data(&mut self, flow: u32, _now: u64) -> Path {
        Path::any(self.entropy[flow as usize][0])
    }

    #[inline]
    fn control(&mut self, flow: u32, _back: &ReversePath) -> Path {
        Path::any(self.entropy[flow as usize][1])
    }
}

/// Returns the constant entropy of each flow's answers, for selectors that keep answers on one path.
pub(super) fn answers(flows: &Flows) -> Box<[u32]> {
    let ends = flows.source.iter().zip(flows.destination).zip(0u32..);
    ends.map(|((&from, &to), flow)| hash(flows.seed, flow, to, from)).collect()
}

/// Returns the hash of a flow in one direction. The flow's number replaces the port numbers of the transport protocol. The high bits of
/// FNV, which make the first choice, are weak, so a finaliser mixes them.
pub(super) fn hash(seed: u64, flow: u32, from: u32, to: u32) -> u32 {
    let mut bytes = [0; 20];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..12].copy_from_slice(&from.to_le_bytes());
    bytes[12..16].copy_from_slice(&to.to_le_bytes());
    bytes[16..].copy_from_slice(&flow.to_le_bytes());
    (mix(fnv1a(&bytes)) >> 32) as u32
}
