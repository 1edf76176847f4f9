//! Steps 2 and 3 of rerouting: finds which next hops toward one destination remain, and which switches have no next hop left (are
//! *missing*).
//!
//! A next hop is dead if its channel or its switch has failed. A dead next hop is removed from its entry. A switch without any next hop is
//! a dead end, so its neighbours stop forwarding to it as well, and so on upstream, as BGP withdraws a route. All remaining next hops lead
//! to the destination. Switches without any remaining next hop are *missing*.

use tulle_fabric::Fabric;
use tulle_routing::Table;
use tulle_routing::columns::{beyond, port};

use super::damage::Damage;

/// The hop count of a switch that does not reach the destination. It is larger than the hop count of any path.
pub(super) const OUT: u16 = u16::MAX;

/// The next hops of every switch toward one destination.
#[derive(Debug, Clone)]
pub(super) struct Column {
    pub destination: u32,
    /// For each switch, the index of its first port in `ports`, and its number of ports.
    group: Vec<(u32, u16)>,
    ports: Vec<u16>,
    /// For each switch, the maximum number of hops of its packets to the destination; [`OUT`] if the switch does not reach the destination.
    hops: Vec<u16>,
    /// The switches that reach the destination. Each switch comes after all switches that it forwards to.
    order: Vec<u32>,
    /// The switches that do not reach the destination. Each switch comes after all switches that it forwarded to.
    pub missing: Vec<u32>,
}

impl Column {
    /// Returns the next hops of `table` toward `destination` that remain after the failures. The table must have no loops (see
    /// [`tulle_routing::verify`]).
    pub fn remaining(damage: &Damage<'_>, table: &Table, destination: u32) -> Self {
        let switches = damage.new.num_switches();
        let (mut group, mut ports) = (Vec::with_capacity(switches), Vec::with_capacity(switches));
        let to = damage.id_map.old_switch(destination);
        for switch in 0..switches as u32 {
            let old = table.next(damage.id_map.old_switch(switch), to);
            let start = ports.len();
            ports.extend(damage.ports(switch, old));
            group.push((start as u32, (ports.len() - start) as u16));
        }
        let mut column = Self { destination, group, ports, hops: Vec::new(), order: Vec::new(), missing: Vec::new() };
        column.settle(damage.new);
        column
    }

    /// Finds the switches that reach the destination, and removes all next hops that do not reach it.
    ///
    /// The depth-first search finishes a switch after all switches that it forwards to.
    pub fn settle(&mut self, fabric: &Fabric) {
        const NEW: u16 = OUT - 1;
        let switches = fabric.num_switches();
        self.order.clear();
        self.missing.clear();
        self.hops.clear();
        self.hops.resize(switches, NEW);
        self.hops[self.destination as usize] = 0;
        self.order.push(self.destination);
        let mut stack: Vec<(u32, u16)> = Vec::new();
        for start in 0..switches as u32 {
            if self.hops[start as usize] == NEW {
                stack.push((start, 0));
            }
            while let Some((switch, at)) = stack.last_mut() {
                let (switch, (first, count)) = (*switch, self.group[*switch as usize]);
                if *at < count {
                    let next = beyond(fabric, switch, self.ports[(first + u32::from(*at)) as usize]);
                    *at += 1;
                    if self.hops[next as usize] == NEW {
                        stack.push((next, 0));
                    }
                    continue;
                }
                stack.pop();
                let (mut kept, mut most) = (0, 0);
                for at in first..first + u32::from(count) {
                    let next = self.ports[at as usize];
                    let hops = self.hops[beyond(fabric, switch, next) as usize];
                    if hops != OUT {
                        self.ports[(first + kept) as usize] = next;
                        kept += 1;
                        most = most.max(hops + 1);
                    }
                }
                self.group[switch as usize].1 = kept as u16;
                let (hops, list) = if kept == 0 { (OUT, &mut self.missing) } else { (most, &mut self.order) };
                self.hops[switch as usize] = hops;
                list.push(switch);
            }
        }
    }

    /// Returns the ports over which `switch` forwards to the destination, in ascending order; empty if it has no next hop.
    pub fn ports(&self, switch: u32) -> &[u16] {
        let (first, count) = self.group[switch as usize];
        &self.ports[first as usize..first as usize + usize::from(count)]
    }

    /// Returns the maximum number of hops of packets from `switch` to the destination.
    pub fn hops(&self, switch: u32) -> u16 {
        self.hops[switch as usize]
    }

    /// Returns whether `switch` reaches the destination.
    pub fn reaches(&self, switch: u32) -> bool {
        self.hops[switch as usize] != OUT
    }

    /// Returns the switches that reach the destination. Each switch comes after all switches that it forwards to.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns the switches on the path from `switch` to the destination over the first port of every entry. The list includes the
    /// destination, but not `switch`.
    pub fn path<'a>(&'a self, fabric: &'a Fabric, mut switch: u32) -> impl Iterator<Item = u32> + 'a {
        std::iter::from_fn(move || {
            (switch != self.destination).then(|| {
                switch = beyond(fabric, switch, self.ports(switch)[0]);
                switch
            })
        })
    }

    /// Gives next hops to `switch`, which has none. All next hops must reach the destination.
    pub fn attach(&mut self, fabric: &Fabric, switch: u32, ports: &[u16]) {
        self.set(switch, ports);
        let hops = ports.iter().map(|&port| self.hops[beyond(fabric, switch, port) as usize]).max();
        self.hops[switch as usize] = 1 + hops.expect("a switch gets one next hop or more");
        self.order.push(switch);
    }

    /// Returns the channels over which other switches forward to `switch`.
    pub fn into<'a>(&'a self, fabric: &'a Fabric, switch: u32) -> impl Iterator<Item = u32> + 'a {
        let back = fabric.channels_of(switch).map(|channel| fabric.reverse()[channel]);
        back.filter(|&channel| {
            let before = fabric.sources()[channel as usize];
            before != self.destination && self.ports(before).contains(&port(fabric, channel))
        })
    }

    /// Calls `visit` for `switch`, and for every switch that forwards to the destination through `switch`.
    pub fn upstream(&self, fabric: &Fabric, switch: u32, mut visit: impl FnMut(u32)) {
        let mut open = vec![switch];
        while let Some(switch) = open.pop() {
            visit(switch);
            open.extend(self.into(fabric, switch).map(|channel| fabric.sources()[channel as usize]));
        }
    }

    /// Replaces the single next hop of `switch` by another one, whose path must not cross `switch`. All entries of the column must have a
    /// single next hop. This updates only [`Column::hops`] and [`Column::path`]. Call [`Column::settle`] afterwards to update all other
    /// data.
    pub fn replace(&mut self, fabric: &Fabric, switch: u32, port: u16) {
        let before = self.hops(switch);
        self.set(switch, &[port]);
        let after = 1 + self.hops(beyond(fabric, switch, port));
        let mut moved = Vec::new();
        self.upstream(fabric, switch, |at| moved.push(at));
        for at in moved {
            self.hops[at as usize] = self.hops[at as usize] - before + after;
        }
    }

    /// Replaces the ports of `switch`. Call [`Column::settle`] afterwards, unless `switch` had no next hop before.
    pub fn set(&mut self, switch: u32, ports: &[u16]) {
        self.group[switch as usize] = (self.ports.len() as u32, ports.len() as u16);
        self.ports.extend_from_slice(ports);
    }
}
