//! Ideal flow completion times, computed for an otherwise idle network.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use tulle_base::task;
use tulle_fabric::{Fabric, distances};

use crate::config::Link;
use crate::link_table::LinkTable;
use crate::packet::HEADER;
use crate::{Config, Error, Flows};

/// Returns the ideal completion time of each flow in picoseconds, from its start until its source has the last acknowledgement and its
/// destination has handled the message.
///
/// The ideal time assumes that the flow is alone in the network, uses a shortest path, is not limited by a window, and does not wait for a
/// connection to open. The formula is in the crate's documentation; this function uses the actual size of the last packet. Both endpoints
/// take the time [`Config::software`] for the message.
///
/// If links differ, the ideal path is the fastest among the paths with the fewest hops: the one with the lowest round-trip time of a full
/// packet and its acknowledgement. A path with more hops but faster links can beat the ideal time.
///
/// `flows` must come from a simulation of `fabric` with `config`.
///
/// # Errors
/// Fails if `config` contains an illegal number, or if the switches of a flow are farther apart than the distance type can represent.
pub fn ideal_fct(fabric: &Fabric, flows: &Flows, config: &Config) -> Result<Vec<u64>, Error> {
    let (links, kinds) = LinkTable::new(fabric, config)?;
    let switch = |&endpoint: &u32| fabric.endpoint_switch()[endpoint as usize];
    let ends = flows.source.iter().map(switch).zip(flows.destination.iter().map(switch)).collect::<Vec<_>>();
    let hops = distances::of_pairs(fabric, &ends);
    if let Some(flow) = hops.iter().position(|&hops| hops == distances::UNREACHED) {
        let problem = "the switches of the flow are too far apart to compute an ideal completion time".to_owned();
        return Err(Error::Flow { flow, problem, legal: format!("legal: below {} hops", distances::UNREACHED) });
    }
    if links.is_uniform() {
        let time = |(&hops, &bytes): (&u8, &u64)| links.kind(0).ideal_fct(u64::from(hops) + 2, bytes, config.software);
        return Ok(hops.iter().zip(&flows.bytes).map(time).collect());
    }
    let ways = Ways { fabric, links: &links, kinds: &kinds };
    // One path search serves all flows from the same switch.
    let mut from: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    ends.iter().enumerate().for_each(|(flow, &(source, _))| from.entry(source).or_default().push(flow));
    let mut times = vec![0; ends.len()];
    for (source, members) in from {
        task::check();
        let into = ways.last_channels(source);
        for flow in members {
            let endpoints = [flows.source[flow], flows.destination[flow]];
            times[flow] = ways.time(&ways.path(&into, ends[flow].1), endpoints, flows.bytes[flow], config.software);
        }
    }
    Ok(times)
}

impl Link {
    /// Returns the ideal completion time of a flow with `bytes` of payload over `links` links of this kind, in picoseconds. Both endpoints
    /// take the time `software`.
    fn ideal_fct(&self, links: u64, bytes: u64, software: u64) -> u64 {
        let packets = bytes.div_ceil(self.payload());
        let (full, header) = (self.full(), self.time(HEADER));
        let last = self.time((bytes - (packets - 1) * self.payload()) as u16 + HEADER);
        // At every link except the first, the last packet waits behind the full packet that precedes it.
        let arrived = match packets {
            1 => links * last,
            _ => (packets - 1 + links - 1) * full + last,
        };
        // While the receiver handles the message, the last acknowledgement returns.
        software + arrived + links * self.latency + software.max(links * (self.latency + header))
    }
}

/// A network with different kinds of links.
#[derive(Clone, Copy)]
struct Ways<'a> {
    fabric: &'a Fabric,
    links: &'a LinkTable,
    /// The kinds of links: first by channel, then by endpoint.
    kinds: &'a [u8],
}

impl Ways<'_> {
    fn channel(&self, channel: u32) -> &Link {
        self.links.kind(self.kinds[channel as usize])
    }

    fn endpoint(&self, endpoint: u32) -> &Link {
        self.links.kind(self.kinds[self.fabric.num_channels() + endpoint as usize])
    }

    /// Returns, per switch, the last channel of the ideal path from switch `source`; [`u32::MAX`] if there is no path.
    fn last_channels(&self, source: u32) -> Vec<u32> {
        let mut best = vec![(u32::MAX, u64::MAX, u32::MAX); self.fabric.num_switches()];
        best[source as usize] = (0, 0, u32::MAX);
        let mut next = BinaryHeap::from([Reverse((0, 0, source))]);
        while let Some(Reverse((hops, time, switch))) = next.pop() {
            if (hops, time) != (best[switch as usize].0, best[switch as usize].1) {
                continue;
            }
            for channel in self.fabric.channels_of(switch) {
                let back = self.channel(self.fabric.reverse()[channel]);
                let there = self.channel(channel as u32);
                let crossing = there.full() + there.latency + back.time(HEADER) + back.latency;
                let (to, found) = (self.fabric.targets()[channel], (hops + 1, time + crossing, channel as u32));
                if found < best[to as usize] {
                    best[to as usize] = found;
                    next.push(Reverse((found.0, found.1, to)));
                }
            }
        }
        best.into_iter().map(|(.., channel)| channel).collect()
    }

    /// Returns the channels of the ideal path to switch `target`, in order. `into` is the result of [`Self::last_channels`].
    fn path(&self, into: &[u32], target: u32) -> Vec<u32> {
        let (mut path, mut switch) = (Vec::new(), target);
        while into[switch as usize] != u32::MAX {
            path.push(into[switch as usize]);
            switch = self.fabric.sources()[into[switch as usize] as usize];
        }
        path.reverse();
        path
    }

    /// Returns the time in picoseconds to send `bytes` of payload over `path` and the links of both endpoints, until the last
    /// acknowledgement has come back over the reverse directions and the destination has handled the message. Both endpoints take the time
    /// `software`.
    fn time(&self, path: &[u32], [source, destination]: [u32; 2], bytes: u64, software: u64) -> u64 {
        let [source, destination] = [self.endpoint(source), self.endpoint(destination)];
        let payload = source.payload();
        let before = bytes.div_ceil(payload) - 1;
        let last = (bytes - before * payload) as u16 + HEADER;
        let mut train = Train { before, first: 0, apart: 0, last: 0 };
        train.cross(source, source.mtu, last);
        path.iter().for_each(|&channel| train.cross(self.channel(channel), source.mtu, last));
        train.cross(destination, source.mtu, last);
        let arrived = train.last;
        // Every packet causes an acknowledgement. On the reverse path, they queue at a link that needs more time for an
        // acknowledgement than passes between two packets.
        train.cross(destination, HEADER, HEADER);
        for &channel in path.iter().rev() {
            train.cross(self.channel(self.fabric.reverse()[channel as usize]), HEADER, HEADER);
        }
        train.cross(source, HEADER, HEADER);
        software + train.last.max(arrived + software)
    }
}

/// A train of packets on a path: full packets at equal intervals, followed by a last packet.
struct Train {
    /// The number of packets before the last packet.
    before: u64,
    /// The arrival time of the first packet in picoseconds.
    first: u64,
    /// The interval between full packets in picoseconds.
    apart: u64,
    /// The arrival time of the last packet in picoseconds.
    last: u64,
}

impl Train {
    /// Moves the train over `link`. The link sends a packet after the packet has arrived completely and the previous packet has left.
    fn cross(&mut self, link: &Link, size: u16, last: u16) {
        let time = link.time(size);
        self.first += time;
        self.apart = self.apart.max(time);
        let free = if self.before > 0 { self.first + (self.before - 1) * self.apart } else { 0 };
        self.last = free.max(self.last) + link.time(last) + link.latency;
        self.first += link.latency;
    }
}
