//! Splits the network into partitions, one per simulating thread.
//!
//! An endpoint belongs to the partition of its switch. A port belongs to the partition of the switch or endpoint that sends over it.
//! The choice of partitions affects the speed of a simulation, but never its results.

use tulle_fabric::Fabric;

use crate::config::{Link, MAX_PARTS};
use crate::link_table::LinkTable;

/// The minimum number of endpoints for which a simulation uses several threads by default. From this size on, simulating one time window
/// takes much longer than synchronizing the threads after it.
const WORTHWHILE: usize = 4096;

/// Returns whether a time window of the parallel engine contains enough work for several threads.
///
/// A window is as long as the minimum time of a packet to another partition. The estimate assumes that all `ports` ports continuously
/// send full packets.
pub(crate) fn are_threads_worthwhile(ports: usize, links: &LinkTable) -> bool {
    /// Minimum number of packets that arrive in a window.
    const MIN_PACKETS: u128 = 8;
    let horizon = links.kinds().iter().map(Link::horizon).min().unwrap_or(0);
    ports as u128 * u128::from(horizon) >= MIN_PACKETS * u128::from(links.slowest().full())
}

/// A partitioning of the switches of a network.
#[derive(Debug)]
pub(crate) struct Partition {
    parts: usize,
    part: Vec<u8>,
}

/// Returns the default number of partitions of a network, by its number of endpoints.
pub(crate) fn usual(endpoints: usize) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    if endpoints < WORTHWHILE { 1 } else { processors().min(MAX_PARTS) }
}

impl Partition {
    /// Partitions `fabric` into `parts` partitions with about equal work, but into no more partitions than switches.
    ///
    /// Switches with endpoints are assigned in the order of their numbers, because switches of the same group, pod or subgraph mostly have
    /// consecutive numbers. Any other switch joins, among the partitions with space, the one with most of its neighbours.
    pub(crate) fn new(fabric: &Fabric, parts: usize) -> Self {
        /// Work of an endpoint (a link in each direction and a transport) in multiples of the work of a channel.
        const ENDPOINT: usize = 6;
        let switches = fabric.num_switches();
        let parts = parts.clamp(1, switches.clamp(1, MAX_PARTS));
        let work = |switch: u32| fabric.channels_of(switch).len() + ENDPOINT * fabric.endpoints_of(switch).len();
        let is_edge = |switch: &u32| !fabric.endpoints_of(*switch).is_empty();
        let (edge, inner): (Vec<u32>, Vec<u32>) = (0..switches as u32).partition(is_edge);
        let total: usize = edge.iter().map(|&switch| work(switch)).sum();
        let (mut part, mut load, mut done) = (vec![u8::MAX; switches], vec![0; parts], 0);
        for switch in edge {
            // The cumulative work is split into equal parts. A switch joins the part that contains the middle of its own work.
            let to = (2 * done + work(switch)) * parts / (2 * total);
            part[switch as usize] = to as u8;
            load[to] += work(switch);
            done += work(switch);
        }
        let room = (done + inner.iter().map(|&switch| work(switch)).sum::<usize>()).div_ceil(parts);
        for switch in inner {
            let mut near = vec![0usize; parts];
            for channel in fabric.channels_of(switch) {
                if let Some(count) = near.get_mut(usize::from(part[fabric.targets()[channel] as usize])) {
                    *count += 1;
                }
            }
            let has_room = |to: &usize| load[*to] + work(switch) <= room;
            let best = |to: &usize| (near[*to], std::cmp::Reverse((load[*to], *to)));
            let to = (0..parts).filter(has_room).max_by_key(best);
            let to = to.or_else(|| (0..parts).min_by_key(|&to| load[to])).unwrap_or(0);
            part[switch as usize] = to as u8;
            load[to] += work(switch);
        }
        Self { parts, part }
    }

    /// Returns the number of partitions.
    pub(crate) fn parts(&self) -> usize {
        self.parts
    }

    /// Returns the minimum time in picoseconds that a packet takes from one partition to another: the time of a header over the fastest
    /// link between two partitions. `kinds` contains the kind of every channel's link; it is empty if all links are alike.
    pub(crate) fn horizon(&self, fabric: &Fabric, links: &LinkTable, kinds: &[u8]) -> u64 {
        let of = |channel: usize| links.kind(kinds.get(channel).copied().unwrap_or(0)).horizon();
        let is_cut = |&channel: &usize| self.of(fabric.sources()[channel]) != self.of(fabric.targets()[channel]);
        if links.is_uniform() || self.parts == 1 {
            return links.kind(0).horizon();
        }
        let least = (0..fabric.num_channels()).filter(is_cut).map(of).min();
        // Partitions that no link joins never exchange packets.
        least.unwrap_or_else(|| links.kind(0).horizon())
    }

    /// Returns the partition of `switch`.
    #[inline]
    pub(crate) fn of(&self, switch: u32) -> usize {
        self.part[switch as usize].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_have_similar_sizes_and_keep_pods_together() {
        let specs =
            ["fattree:levels=3,radix=8", "slimfly:q=5", "jellyfish:switches=40,degree=5,p=3", "clique:degree=11"];
        for spec in specs {
            let fabric = tulle_topologies::build(spec, 1).unwrap();
            for parts in [1, 2, 3] {
                let partition = Partition::new(&fabric, parts);
                assert_eq!(partition.parts(), parts);
                let mut ports = vec![0; parts];
                for switch in 0..fabric.num_switches() as u32 {
                    ports[partition.of(switch)] += fabric.channels_of(switch).len() + fabric.endpoints_of(switch).len();
                }
                let (least, most) = (ports.iter().min().unwrap(), ports.iter().max().unwrap());
                assert!(4 * least >= 3 * most, "{spec} in {parts}: {ports:?}");
            }
        }
        let fabric = tulle_topologies::build("fattree:levels=3,radix=8", 0).unwrap();
        let partition = Partition::new(&fabric, 2);
        let edge = |pod: u32| (0..4).map(|place| partition.of(pod * 4 + place)).collect::<Vec<_>>();
        assert_eq!((edge(0), edge(3), edge(4), edge(7)), (vec![0; 4], vec![0; 4], vec![1; 4], vec![1; 4]));
    }

    #[test]
    fn every_partition_contains_a_switch() {
        let fabric = tulle_topologies::build("clique:degree=2", 0).unwrap();
        assert_eq!(Partition::new(&fabric, 9).parts(), 3);
        assert_eq!(usual(64), 1);
    }
}
