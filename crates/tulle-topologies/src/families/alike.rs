//! Vertex-transitive graphs: one search from switch 0 gives all distances.

use crate::{Diameter, Hops};

/// Maximum number of channels of a graph that is searched. The search then takes a few milliseconds, because a design search looks at
/// hundreds of graphs.
const MOST: u64 = 1 << 19;

/// Returns the diameter and the total hops of a connected vertex-transitive graph with `switches` switches and at most `degree` cables at
/// each. `neighbours` visits the neighbours of a switch. Returns `None` for a graph with too many channels.
pub fn distances(
    switches: u64,
    degree: u64,
    neighbours: impl Fn(u32, &mut dyn FnMut(u32)),
) -> Option<(Diameter, Hops)> {
    if switches.saturating_mul(degree) > MOST {
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
