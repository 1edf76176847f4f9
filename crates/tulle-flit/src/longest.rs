//! The length of the longest route of a routing.

use tulle_fabric::Fabric;
use tulle_routing::{Routing, Table};

/// Returns the maximum number of hops of all paths of `routing` between switches with endpoints. With `from_all`, paths of
/// forwarding tables that start at other switches count too. Returns `None` if a path has a loop.
pub(crate) fn longest(fabric: &Fabric, routing: &Routing, from_all: bool) -> Option<usize> {
    let edge = fabric.endpoint_switches();
    let starts = if from_all { (0..fabric.num_switches() as u32).collect() } else { edge.clone() };
    let mut longest = 0;
    if let Some(paths) = routing.path_set() {
        for &from in &edge {
            let pairs = edge.iter().filter(|&&to| to != from);
            let hops = pairs.flat_map(|&to| paths.between(from, to)).map(|path| paths.hops(path).len());
            longest = longest.max(hops.max().unwrap_or(0));
        }
        return Some(longest);
    }
    let switches = fabric.num_switches();
    let mut hops = vec![UNKNOWN; switches];
    for table in routing.layers() {
        for &to in &edge {
            hops.fill(UNKNOWN);
            hops[to as usize] = 0;
            for &from in &starts {
                longest = longest.max(depth(fabric, table, from, to, &mut hops)?);
            }
        }
    }
    Some(longest)
}

const UNKNOWN: u32 = u32::MAX;
const PENDING: u32 = u32::MAX - 1;

/// Returns the maximum number of hops from `from` to `to`; `hops` caches known results. Uses an explicit stack, because
/// paths may be long.
fn depth(fabric: &Fabric, table: &Table, from: u32, to: u32, hops: &mut [u32]) -> Option<usize> {
    let mut stack = vec![from];
    while let Some(&switch) = stack.last() {
        let at = switch as usize;
        if hops[at] < PENDING {
            stack.pop();
            continue;
        }
        let ports = table.next(switch, to);
        let ends = || ports.iter().map(|&port| fabric.neighbours(switch)[usize::from(port)]);
        if ports.is_empty() {
            return None;
        }
        if hops[at] == UNKNOWN {
            hops[at] = PENDING;
            for end in ends() {
                match hops[end as usize] {
                    PENDING => return None,
                    UNKNOWN => stack.push(end),
                    _ => {}
                }
            }
        } else {
            hops[at] = 1 + ends().map(|end| hops[end as usize]).max()?;
            stack.pop();
        }
    }
    Some(hops[from as usize] as usize)
}
