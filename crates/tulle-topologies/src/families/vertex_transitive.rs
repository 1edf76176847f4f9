//! Distances in vertex-transitive graphs. From every switch of such a graph, the distances to the other switches are the same. So one
//! search from switch 0 is enough.

use crate::{Diameter, Hops};

/// The maximum number of channels of a graph for which distances are computed. Up to this limit, the search from switch 0 takes a few
/// milliseconds. A longer time would slow down a design search, which examines hundreds of graphs.
const MAX_CHANNELS: u64 = 1 << 19;

/// Returns the diameter and the total number of hops of a connected vertex-transitive graph. The graph has `switches` switches, each with
/// at most `degree` cables. `neighbours` calls a function with every neighbour of a switch. Returns `None` if the graph has too many
/// channels.
pub fn distances(
    switches: u64,
    degree: u64,
    neighbours: impl Fn(u32, &mut dyn FnMut(u32)),
) -> Option<(Diameter, Hops)> {
    if switches.saturating_mul(degree) > MAX_CHANNELS {
        return None;
    }
    let mut seen = vec![false; switches as usize];
    seen[0] = true;
    let (mut level, mut distance, mut sum) = (vec![0u32], 0u32, 0u128);
    loop {
        let mut next = Vec::new();
        for &switch in &level {
            neighbours(switch, &mut |other| {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    next.push(other);
                }
            });
        }
        if next.is_empty() {
            break;
        }
        distance += 1;
        sum += u128::from(distance) * next.len() as u128;
        level = next;
    }
    debug_assert!(seen.iter().all(|&seen| seen), "the graph is connected");
    Some((Diameter::Exactly(distance), Hops::Exactly(sum * u128::from(switches))))
}
