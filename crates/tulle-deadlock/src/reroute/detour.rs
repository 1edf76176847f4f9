//! Finds shortest paths that follow a channel order and avoid excluded channels. Ties go to the least loaded path.

use tulle_fabric::Fabric;

use super::order::Order;

/// A search for shortest paths, which reuses its memory.
pub(super) struct Detour<'a> {
    fabric: &'a Fabric,
    order: Option<&'a Order>,
    /// The load of each channel.
    pub load: Vec<f64>,
    /// Channels that no path may take.
    closed: Vec<bool>,
    /// For each reached channel, the preceding channel of its path. At the source, this is the channel itself.
    before: Vec<u32>,
    /// For each reached channel, the cost of the path that ends with this channel.
    cost: Vec<f64>,
    /// For each channel, the last search round that reached it. Rounds are numbered across all searches.
    seen: Vec<u64>,
    round: u64,
    /// For each switch, the lowest rank among the channels that reached the switch so far, on paths with fewer hops. A longer path that
    /// arrives with a rank as high or higher has no advantage.
    arrived: Vec<u32>,
    /// The switches that have an entry in `arrived`.
    reached: Vec<u32>,
}

/// The initial value of `arrived`. It is above the rank of every channel, and means that no path has reached the switch.
const NOWHERE: u32 = u32::MAX;

impl<'a> Detour<'a> {
    /// Returns a search over `fabric`. If `order` is given, ranks rise along all paths.
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

    /// Excludes the channels of a path from the search, or allows them again if `closed` is false. The path starts at `source` and uses the
    /// given `ports`.
    pub fn close(&mut self, source: u32, ports: &[u16], closed: bool) {
        let mut switch = source;
        for &port in ports {
            self.closed[tulle_routing::columns::channel(self.fabric, switch, port) as usize] = closed;
            switch = tulle_routing::columns::beyond(self.fabric, switch, port);
        }
    }

    /// Adds `amount` to the load of every channel of a path. The path starts at `source` and uses the given `ports`.
    pub fn carry(&mut self, source: u32, ports: &[u16], amount: f64) {
        carry(self.fabric, source, ports, amount, &mut self.load);
    }

    /// Returns the ports of a shortest path from `source` to `destination` without excluded channels, or `None` if there is no path. The
    /// path visits no switch twice. Ties go to the path with the smallest sum of cubes of the channel loads, including `amount`, so that
    /// busy channels matter most. Remaining ties go to the lowest channel numbers.
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
            // The paths that reach a switch are sorted by the rank of their last channel. A path continues only if its cost is lower than
            // the cost of every path with a lower rank.
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

    /// Returns the channels that extend the paths in `ends` by one hop. An entry of `ends` is the last switch and the last channel of a
    /// path.
    fn one_hop_on(&mut self, source: u32, ends: &[(u32, Option<u32>)], amount: f64) -> Vec<u32> {
        self.round += 1;
        let mut found = Vec::new();
        for &(switch, last) in ends {
            let paid = last.map_or(0.0, |last| self.cost[last as usize]);
            for channel in self.fabric.channels_of(switch) {
                let target = self.fabric.targets()[channel];
                let rank = |channel: u32| self.order.map_or(0, |order| order.rank(channel));
                let rises = self.order.is_none() || last.is_none_or(|last| rank(last) < rank(channel as u32));
                // If a path with fewer hops arrived with the same or a lower rank, it reaches every destination that this path can reach.
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

/// Adds `amount` to the `load` of every channel of a path. The path starts at `source` and uses the given `ports`.
pub(super) fn carry(fabric: &Fabric, source: u32, ports: &[u16], amount: f64, load: &mut [f64]) {
    let mut switch = source;
    for &port in ports {
        load[tulle_routing::columns::channel(fabric, switch, port) as usize] += amount;
        switch = tulle_routing::columns::beyond(fabric, switch, port);
    }
}
