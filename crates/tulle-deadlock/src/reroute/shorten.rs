//! Changes other switches so that a missing switch gets a path within the hop limit.
//!
//! All neighbours of a missing switch may need more hops than the limit allows. Then some other switches must change, as few as possible.
//! Each changes to a path of fewer hops, which therefore cannot lead back to the missing switch.

use tulle_fabric::Fabric;
use tulle_routing::columns::beyond;

use super::column::Column;

const NEVER: u32 = u32::MAX;

/// Changes next hops of `column` so that `switch` has a neighbour with fewer than `limit` hops to the destination; `pick` chooses among
/// suitable ports. Leaves the column unchanged if the fabric has no path that is short enough.
pub(super) fn shorten(
    fabric: &Fabric,
    column: &mut Column,
    switch: u32,
    limit: u16,
    mut pick: impl FnMut(&Column, u32, Vec<u16>) -> Vec<u16>,
) {
    // Per number of hops and switch, the minimum number of other switches that must change so that this switch reaches the destination
    // within these hops.
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
    // The switches that must change, from `switch` toward the destination, with the remaining hops of each.
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
