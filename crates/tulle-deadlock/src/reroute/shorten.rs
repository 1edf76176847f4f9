//! Changes the next hops of other switches so that a switch without a next hop gets a path within the hop limit.
//!
//! All neighbours of a switch without a next hop may be too many hops away from the destination. Then other switches must change to shorter
//! paths; this module changes as few of them as possible. None of their shorter paths leads through the switch without a next hop.

use tulle_fabric::Fabric;
use tulle_routing::columns::beyond;

use super::column::Column;

const NEVER: u32 = u32::MAX;

/// Changes next hops of `column` so that some neighbour of `switch` has fewer than `limit` hops to the destination. `pick` chooses among
/// the ports whose paths are short enough. The column stays unchanged if the fabric has no such path.
pub(super) fn shorten(
    fabric: &Fabric,
    column: &mut Column,
    switch: u32,
    limit: u16,
    mut pick: impl FnMut(&Column, u32, Vec<u16>) -> Vec<u16>,
) {
    // For each number of hops and each switch: the minimum number of switches that must change. After these changes, the switch reaches the
    // destination within this number of hops.
    let mut changes: Vec<Vec<u32>> = Vec::new();
    for hops in 0..limit {
        let within = |at: u32| match column.hops(at) <= hops {
            true => 0,
            false => {
                let before = changes.last();
                let fewest = before.and_then(|before| {
                    fabric
                        .neighbours(at)
                        .iter()
                        .filter(|&&next| next != switch)
                        .map(|&next| before[next as usize])
                        .min()
                });
                fewest.unwrap_or(NEVER).saturating_add(1)
            }
        };
        changes.push((0..fabric.num_switches() as u32).map(within).collect());
    }
    // The switches that must change, listed from `switch` toward the destination. Each has the number of hops that remain from there.
    let (mut way, mut at) = (Vec::new(), switch);
    for hops in (0..limit).rev() {
        let open = fabric.neighbours(at).iter().copied().filter(|&next| next != switch);
        let Some(next) = open.min_by_key(|&next| changes[usize::from(hops)][next as usize]) else { return };
        match changes[usize::from(hops)][next as usize] {
            NEVER => return,
            0 => break,
            _ => way.push((next, hops)),
        }
        at = next;
    }
    while let Some((at, hops)) = way.pop() {
        let serves = |&port: &u16| {
            let next = beyond(fabric, at, port);
            next != switch && column.hops(next) < hops
        };
        let ports = (0..fabric.degree(at) as u16).filter(serves).collect();
        let ports = pick(column, at, ports);
        column.set(at, &ports);
        column.settle(fabric);
    }
}
