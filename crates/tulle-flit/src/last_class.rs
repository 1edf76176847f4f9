//! The deadlock test of the last class of policy `hops`. If routes have more hops than there are VCs, the last class serves all remaining
//! hops. The other classes need no test, because a packet's class rises at every hop until it reaches the last class.

use tulle_base::acyclic;
use tulle_deadlock::Cycle;
use tulle_fabric::Fabric;
use tulle_routing::{PathSet, Routing, Table};

/// Returns a cycle of dependencies between the channels that packets cross as hop `first` (counted from 0) or later on
/// a route of `routing`. Returns `None` if these hops can safely share a VC.
pub(crate) fn cycle(fabric: &Fabric, routing: &Routing, first: usize) -> Option<Cycle> {
    let mut onward = vec![Vec::new(); fabric.num_channels()];
    match routing.path_set() {
        Some(paths) => of_paths(fabric, paths, first, &mut onward),
        None => routing.layers().iter().for_each(|table| of_table(fabric, table, first, &mut onward)),
    }
    for list in &mut onward {
        list.sort_unstable();
        list.dedup();
    }
    let channels = acyclic::cycle(&onward[..])?;
    Some(Cycle { channels: channels.into_iter().map(|channel| (channel as u32, first as u8)).collect() })
}

fn of_paths(fabric: &Fabric, paths: &PathSet, first: usize, onward: &mut [Vec<u32>]) {
    let edge = fabric.endpoint_switches();
    for (from, to) in edge.iter().flat_map(|&from| edge.iter().map(move |&to| (from, to))).filter(|(a, b)| a != b) {
        for path in paths.between(from, to) {
            let channels: Vec<u32> = paths.channels(fabric, from, path).collect();
            channels.windows(2).skip(first).for_each(|two| onward[two[0] as usize].push(two[1]));
        }
    }
}

/// Adds the channel dependencies of routes that follow `table`. The paths of `table` must have no loops.
fn of_table(fabric: &Fabric, table: &Table, first: usize, onward: &mut [Vec<u32>]) {
    for to in fabric.endpoint_switches() {
        for (switch, hops) in (0u32..).zip(most_hops(fabric, table, to)) {
            if switch == to || hops.is_none_or(|hops| hops < first) {
                continue;
            }
            for channel in channels(fabric, table, switch, to) {
                let next = fabric.targets()[channel as usize];
                if next != to {
                    onward[channel as usize].extend(channels(fabric, table, next, to));
                }
            }
        }
    }
}

fn channels(fabric: &Fabric, table: &Table, switch: u32, to: u32) -> impl Iterator<Item = u32> {
    let first = fabric.offsets()[switch as usize];
    table.next(switch, to).iter().map(move |&port| first + u32::from(port))
}

/// Returns, per switch, the maximum number of hops of a packet toward `to` when it arrives at this switch; `None` if no packet passes it.
fn most_hops(fabric: &Fabric, table: &Table, to: u32) -> Vec<Option<usize>> {
    let mut most = vec![None; fabric.num_switches()];
    let mut stack: Vec<_> =
        fabric.endpoint_switches().into_iter().filter(|&from| from != to).map(|from| (from, 0)).collect();
    while let Some((switch, hops)) = stack.pop() {
        if most[switch as usize].is_some_and(|most| most >= hops) {
            continue;
        }
        most[switch as usize] = Some(hops);
        if switch != to {
            let next = channels(fabric, table, switch, to).map(|channel| fabric.targets()[channel as usize]);
            stack.extend(next.map(|next| (next, hops + 1)));
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_hops_share_a_class_if_that_is_safe() {
        // A ring of six switches has paths of up to three hops. Hops 1 to 3 on one class can deadlock, and so can hops
        // 2 and 3. Hop 3 alone is safe.
        let fabric = tulle_topologies::build("torus:shape=6", 0).unwrap();
        let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
        assert_eq!(cycle(&fabric, &routing, 0).unwrap().channels.len(), 6);
        assert_eq!(cycle(&fabric, &routing, 1).unwrap().channels.len(), 6);
        assert_eq!(cycle(&fabric, &routing, 2), None);
        let paths = tulle_routing::build(&fabric, "ksp:k=2", 0).unwrap();
        assert!(cycle(&fabric, &paths, 3).is_some());
        assert_eq!(cycle(&fabric, &paths, 4), None);
    }
}
