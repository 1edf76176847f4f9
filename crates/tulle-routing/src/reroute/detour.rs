//! Shortest paths that keep an order of channels and keep off some of them.

use std::collections::VecDeque;

use tulle_fabric::Fabric;

use super::order::Order;

/// A search for shortest paths; holds its memory from one to the next.
pub(super) struct Detour<'a> {
    fabric: &'a Fabric,
    order: Option<&'a Order>,
    /// Channels that no path may take.
    closed: Vec<bool>,
    /// Per channel reached the one before it; itself at the source.
    before: Vec<u32>,
    /// Per switch the lowest rank of a channel that reached it: whoever comes later with a higher one gets no further.
    arrived: Vec<u32>,
    /// Switches with an entry in `arrived`.
    reached: Vec<u32>,
}

/// The rank at the source: below that of every channel.
const NOWHERE: u32 = u32::MAX;

impl<'a> Detour<'a> {
    /// Over `fabric`; ranks rise along paths where there is an `order`.
    pub fn new(fabric: &'a Fabric, order: Option<&'a Order>) -> Self {
        Self {
            fabric,
            order,
            closed: vec![false; fabric.num_channels()],
            before: vec![0; fabric.num_channels()],
            arrived: vec![NOWHERE; fabric.num_switches()],
            reached: Vec::new(),
        }
    }

    /// Closes the channels of a path of `ports` from `source`, or opens them again.
    pub fn close(&mut self, source: u32, ports: &[u16], closed: bool) {
        let mut switch = source;
        for &port in ports {
            self.closed[crate::columns::channel(self.fabric, switch, port) as usize] = closed;
            switch = crate::columns::beyond(self.fabric, switch, port);
        }
    }

    /// The ports of a shortest path from `source` to `destination` over open channels, of several by the lowest ports;
    /// `None` where there is none. It meets no switch twice.
    pub fn find(&mut self, source: u32, destination: u32) -> Option<Vec<u16>> {
        for switch in self.reached.drain(..) {
            self.arrived[switch as usize] = NOWHERE;
        }
        let (fabric, order) = (self.fabric, self.order);
        let rank = |channel: u32| order.map_or(0, |order| order.rank(channel));
        let mut queue: VecDeque<(u32, Option<u32>)> = VecDeque::from([(source, None)]);
        while let Some((switch, last)) = queue.pop_front() {
            for channel in fabric.channels_of(switch).map(|channel| channel as u32) {
                let target = fabric.targets()[channel as usize];
                let rises = order.is_none() || last.is_none_or(|last| rank(last) < rank(channel));
                // Who was there before, in no more hops and with no higher rank, gets as far.
                if !rises
                    || self.closed[channel as usize]
                    || target == source
                    || rank(channel) >= self.arrived[target as usize]
                {
                    continue;
                }
                if self.arrived[target as usize] == NOWHERE {
                    self.reached.push(target);
                }
                self.arrived[target as usize] = rank(channel);
                self.before[channel as usize] = last.unwrap_or(channel);
                if target == destination {
                    return Some(self.back(channel));
                }
                queue.push_back((target, Some(channel)));
            }
        }
        None
    }

    /// The ports of the path whose last channel is `channel`.
    fn back(&self, mut channel: u32) -> Vec<u16> {
        let mut ports = vec![crate::columns::port(self.fabric, channel)];
        while self.before[channel as usize] != channel {
            channel = self.before[channel as usize];
            ports.push(crate::columns::port(self.fabric, channel));
        }
        ports.reverse();
        ports
    }
}
