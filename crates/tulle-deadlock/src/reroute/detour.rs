//! Finds shortest paths that follow a channel order and avoid closed channels; ties go to the least loaded path.

use tulle_fabric::Fabric;

use super::order::Order;

/// A search for shortest paths, which reuses its memory.
pub(super) struct Detour<'a> {
    fabric: &'a Fabric,
    order: Option<&'a Order>,
    /// Per channel, what it carries.
    pub load: Vec<f64>,
    /// Channels that no path may take.
    closed: Vec<bool>,
    /// Per reached channel, the channel before it on the path; the channel itself at the source.
    before: Vec<u32>,
    /// Per reached channel, the cost of the path that ends with it.
    cost: Vec<f64>,
    /// Per channel, the number of the last search round that reached it, counted over all searches.
    seen: Vec<u64>,
    round: u64,
    /// Per switch, the lowest rank of a channel that reached it in fewer hops. A longer path that arrives with a higher rank gains nothing.
    arrived: Vec<u32>,
    /// Switches with an entry in `arrived`.
    reached: Vec<u32>,
}

/// The value that stands for the rank at the source, which is below the rank of every channel.
const NOWHERE: u32 = u32::MAX;

impl<'a> Detour<'a> {
    /// Returns a search over `fabric`. If there is an `order`, ranks rise along all paths.
    pub fn new(fabric: &'a Fabric, order: Option<&'a Order>, load: Vec<f64>) -> Self {
        Self {
            fabric,
            order,
            load,
            closed: vec![false; fabric.num_channels()],
            before: vec![0; fabric.num_channels()],
            cost: vec![0.0; fabric.num_channels()],
            seen: vec![0; fabric.num_channels()],
            round: 0,
            arrived: vec![NOWHERE; fabric.num_switches()],
            reached: Vec::new(),
        }
    }

    /// Closes the channels of a path of `ports` from `source`, or opens them again.
    pub fn close(&mut self, source: u32, ports: &[u16], closed: bool) {
        let mut switch = source;
        for &port in ports {
            self.closed[tulle_routing::columns::channel(self.fabric, switch, port) as usize] = closed;
            switch = tulle_routing::columns::beyond(self.fabric, switch, port);
        }
    }

    /// Adds `amount` to the load of every channel on a path of `ports` from `source`.
    pub fn carry(&mut self, source: u32, ports: &[u16], amount: f64) {
        carry(self.fabric, source, ports, amount, &mut self.load);
    }

    /// Returns the ports of a shortest path from `source` to `destination` over open channels; `None` if there is none. The path visits no
    /// switch twice. Ties go to the path with the least sum of cubes of the channel loads, including `amount`, so that busy channels
    /// decide; then to the lowest ports.
    pub fn find(&mut self, source: u32, destination: u32, amount: f64) -> Option<Vec<u16>> {
        for switch in self.reached.drain(..) {
            self.arrived[switch as usize] = NOWHERE;
        }
        let order = self.order;
        let rank = |channel: u32| order.map_or(0, |order| order.rank(channel));
        let mut ends: Vec<(u32, Option<u32>)> = vec![(source, None)];
        while !ends.is_empty() {
            let mut found = self.one_hop_on(source, &ends, amount);
            let target = |channel: u32| self.fabric.targets()[channel as usize];
            // Of the paths that reach a switch, a path continues only if its rank is lower than the rank of every cheaper path.
            found.sort_unstable_by(|&a, &b| {
                let cost = |channel: u32| self.cost[channel as usize];
                (target(a), rank(a)).cmp(&(target(b), rank(b))).then(cost(a).total_cmp(&cost(b))).then(a.cmp(&b))
            });
            let at_end = found.iter().copied().filter(|&channel| target(channel) == destination);
            let best = at_end.min_by(|&a, &b| self.cost[a as usize].total_cmp(&self.cost[b as usize]).then(a.cmp(&b)));
            if let Some(last) = best {
                return Some(self.back(last));
            }
            ends.clear();
            let (mut at, mut least) = (NOWHERE, f64::INFINITY);
            for channel in found {
                let (target, cost) = (self.fabric.targets()[channel as usize], self.cost[channel as usize]);
                if target != at {
                    (at, least) = (target, f64::INFINITY);
                }
                if cost < least {
                    least = cost;
                    ends.push((target, Some(channel)));
                    if self.arrived[target as usize] == NOWHERE {
                        self.reached.push(target);
                    }
                    self.arrived[target as usize] = rank(channel).min(self.arrived[target as usize]);
                }
            }
        }
        None
    }

    /// Returns the channels that extend the paths in `ends` by one hop. Each path is given by its last switch and its last channel.
    fn one_hop_on(&mut self, source: u32, ends: &[(u32, Option<u32>)], amount: f64) -> Vec<u32> {
        self.round += 1;
        let mut found = Vec::new();
        for &(switch, last) in ends {
            let paid = last.map_or(0.0, |last| self.cost[last as usize]);
            for channel in self.fabric.channels_of(switch) {
                let target = self.fabric.targets()[channel];
                let rank = |channel: u32| self.order.map_or(0, |order| order.rank(channel));
                let rises = self.order.is_none() || last.is_none_or(|last| rank(last) < rank(channel as u32));
                // A path that arrived in fewer hops with the same or a lower rank reaches everything that this path reaches.
                if !rises
                    || self.closed[channel]
                    || target == source
                    || rank(channel as u32) >= self.arrived[target as usize]
                {
                    continue;
                }
                let load = self.load[channel] + amount;
                let cost = paid + load * load * load;
                if self.seen[channel] != self.round {
                    self.seen[channel] = self.round;
                    found.push(channel as u32);
                } else if cost >= self.cost[channel] {
                    continue;
                }
                self.cost[channel] = cost;
                self.before[channel] = last.unwrap_or(channel as u32);
            }
        }
        found
    }

    /// Returns the ports of the path whose last channel is `channel`.
    fn back(&self, mut channel: u32) -> Vec<u16> {
        let mut ports = vec![tulle_routing::columns::port(self.fabric, channel)];
        while self.before[channel as usize] != channel {
            channel = self.before[channel as usize];
            ports.push(tulle_routing::columns::port(self.fabric, channel));
        }
        ports.reverse();
        ports
    }
}

/// Adds `amount` to the `load` of every channel of a path of `ports` from `source`.
pub(super) fn carry(fabric: &Fabric, source: u32, ports: &[u16], amount: f64, load: &mut [f64]) {
    let mut switch = source;
    for &port in ports {
        load[tulle_routing::columns::channel(fabric, switch, port) as usize] += amount;
        switch = tulle_routing::columns::beyond(fabric, switch, port);
    }
}
