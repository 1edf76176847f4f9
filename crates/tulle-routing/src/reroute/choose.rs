//! Step 4, choose: next hops for the switches that have none toward a destination.
//!
//! Single next hops are chosen by the load of the paths that they begin. Where switches keep groups, a switch gets all next
//! hops with the fewest hops. New next hops lead to switches that reach the destination, so that no packet can loop.

use tulle_fabric::distances::Distances;

use super::column::Column;
use super::damage::Damage;
use super::hop_limit::HopLimit;
use super::load::{Demand, Load};
use super::shorten::shorten;
use crate::Table;
use crate::columns::{beyond, channel};

/// What next hops of one layer are chosen by.
pub(super) struct Choice<'a> {
    pub damage: &'a Damage<'a>,
    pub distances: &'a Distances,
    pub demand: &'a Demand<'a>,
    pub limit: &'a HopLimit,
    pub layer: usize,
    pub table: &'a Table,
    /// A load that no path may exceed because an entry stays though it could change: that of the busiest channel before.
    pub busiest: f64,
}

/// What serves as a next hop, the strictest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Serves {
    /// It keeps the order of channels.
    InOrder,
    /// It reaches the destination.
    Anyhow,
}

impl Choice<'_> {
    /// Gives all missing switches of `column` one next hop each, the least loaded, and adds what they send to `load`.
    ///
    /// # Errors
    /// A switch that the destination cannot be reached from.
    pub fn single(&self, column: &mut Column, load: &mut Load) -> Result<(), u32> {
        // Each after those that it forwarded to, so that it may go on doing so.
        let mut waiting = Vec::new();
        for switch in std::mem::take(&mut column.missing) {
            let most = self.most_hops(column, switch);
            let (found, ports) =
                (self.stays(column, load, switch, most), self.serving(column, switch, Serves::InOrder));
            let within = |ports: Vec<u16>| self.within(column, switch, ports, most);
            let amount = self.demand.of(self.layer, switch, column.destination);
            match found.or_else(|| self.cheapest(column, load, switch, &within(ports), amount)) {
                Some(port) => self.attach_single(column, load, switch, port),
                None => waiting.push(switch),
            }
        }
        self.rounds(column, waiting, Some(load))
    }

    /// Chooses anew for each of `chosen`, with all others known, and updates `load`: it and all that leads over it move to
    /// where they cost less.
    pub fn improve(&self, column: &mut Column, chosen: &[u32], load: &mut Load) {
        let fabric = self.damage.new;
        let mut through = Vec::new();
        load.add(fabric, self.demand, self.layer, column, 0.0, &mut through);
        for &switch in chosen {
            let (amount, port) = (through[switch as usize], column.ports(switch)[0]);
            let stays = || self.had(column, switch).any(|had| had == port);
            if amount == 0.0 || load.cost(fabric, column, switch, port, 0.0).1 <= self.busiest && stays() {
                continue;
            }
            load.add_path(fabric, column, switch, -amount);
            let now = load.cost(fabric, column, switch, port, amount).0;
            let ways = self.other_ways(column, switch);
            let best = self.cheapest(column, load, switch, &ways, amount);
            let better = best.filter(|&other| load.cost(fabric, column, switch, other, amount).0 < now);
            if let Some(other) = better {
                column.path(fabric, switch).for_each(|next| through[next as usize] -= amount);
                column.turn(fabric, switch, other);
                column.path(fabric, switch).for_each(|next| through[next as usize] += amount);
            }
            load.add_path(fabric, column, switch, amount);
        }
        column.settle(fabric);
    }

    /// The ports of `switch` over which neither it nor any switch that leads over it exceeds the hop limit, out of the order of
    /// channels, or in a circle.
    fn other_ways(&self, column: &Column, switch: u32) -> Vec<u16> {
        let fabric = self.damage.new;
        let into: Vec<u32> = column.into(fabric, switch).collect();
        let most = self.most_hops(column, switch);
        let most = if into.is_empty() { most } else { most.min(column.hops(switch)) };
        let mut ways = self.within(column, switch, self.serving(column, switch, Serves::InOrder), most);
        ways.retain(|&port| {
            let taken = channel(fabric, switch, port);
            let next = beyond(fabric, switch, port);
            into.iter().all(|&before| self.damage.rises(before, taken))
                && next != switch
                && column.path(fabric, next).all(|on| on != switch)
        });
        ways
    }

    /// The ports that `switch` had before and that are alive.
    fn had(&self, column: &Column, switch: u32) -> impl Iterator<Item = u16> {
        let lineage = self.damage.lineage;
        let old = self.table.next(lineage.old_switch(switch), lineage.old_switch(column.destination));
        self.damage.ports(switch, old)
    }

    /// Gives all missing switches of `column` a group each: all next hops with the fewest hops.
    ///
    /// # Errors
    /// A switch that the destination cannot be reached from.
    pub fn groups(&self, column: &mut Column) -> Result<(), u32> {
        let waiting = std::mem::take(&mut column.missing);
        self.rounds(column, waiting, None)
    }

    /// Attaches the switches `waiting`, those with the fewest hops first, single next hops by `load`.
    fn rounds(&self, column: &mut Column, mut waiting: Vec<u32>, mut load: Option<&mut Load>) -> Result<(), u32> {
        let fabric = self.damage.new;
        waiting.sort_unstable();
        let mut serves = Serves::InOrder;
        while !waiting.is_empty() {
            let fewest = |column: &Column, switch: u32| {
                let ports = self.serving(column, switch, serves);
                ports.into_iter().map(|port| column.hops(beyond(fabric, switch, port))).min()
            };
            let nearest = waiting.iter().filter_map(|&switch| fewest(column, switch)).min();
            let Some(nearest) = nearest else {
                if serves == Serves::Anyhow {
                    return Err(waiting[0]);
                }
                serves = Serves::Anyhow;
                continue;
            };
            let round: Vec<u32> =
                waiting.iter().copied().filter(|&switch| fewest(column, switch) == Some(nearest)).collect();
            for &switch in &round {
                let most = self.most_hops(column, switch);
                if nearest >= most && self.damage.order.is_none() {
                    self.shorten(column, load.as_deref_mut(), switch, most);
                }
                if column.reaches(switch) {
                    continue;
                }
                let mut ports = self.within(column, switch, self.serving(column, switch, serves), most);
                if ports.is_empty() {
                    ports = self.equal(column, switch, self.serving(column, switch, serves));
                }
                match load.as_deref_mut() {
                    Some(load) => {
                        let amount = self.demand.of(self.layer, switch, column.destination);
                        let port = self.cheapest(column, load, switch, &ports, amount);
                        let port = port.expect("a switch of the round has one");
                        self.attach_single(column, load, switch, port);
                    }
                    None => {
                        let ports = self.equal(column, switch, ports);
                        column.attach(fabric, switch, &ports);
                    }
                }
            }
            waiting.retain(|&switch| !column.reaches(switch));
        }
        column.missing.clear();
        Ok(())
    }

    /// The most hops that `switch` may take toward the destination of `column`.
    fn most_hops(&self, column: &Column, switch: u32) -> u16 {
        self.limit.at(self.distances.row(column.destination)[switch as usize])
    }

    /// The ports of `switch` that lead to switches that reach the destination.
    fn serving(&self, column: &Column, switch: u32, serves: Serves) -> Vec<u16> {
        let fabric = self.damage.new;
        let open = |&port: &u16| {
            let (taken, next) = (channel(fabric, switch, port), beyond(fabric, switch, port));
            let onward = || column.ports(next).iter().all(|&on| self.damage.rises(taken, channel(fabric, next, on)));
            column.reaches(next) && (serves == Serves::Anyhow || onward())
        };
        (0..fabric.degree(switch) as u16).filter(open).collect()
    }

    /// Those of `ports` with paths of no more than `most` hops.
    fn within(&self, column: &Column, switch: u32, mut ports: Vec<u16>, most: u16) -> Vec<u16> {
        ports.retain(|&port| column.hops(beyond(self.damage.new, switch, port)) < most);
        ports
    }

    /// Those of `ports` with the fewest hops.
    fn equal(&self, column: &Column, switch: u32, mut ports: Vec<u16>) -> Vec<u16> {
        let hops = |port: u16| column.hops(beyond(self.damage.new, switch, port));
        let fewest = ports.iter().map(|&port| hops(port)).min();
        ports.retain(|&port| Some(hops(port)) == fewest);
        ports
    }

    /// The port that `switch` had, if it is alive, leads on again within `most` hops, and no channel of its path becomes
    /// busier than any was before: entries that need not change stay.
    fn stays(&self, column: &Column, load: &mut Load, switch: u32, most: u16) -> Option<u16> {
        let left: Vec<u16> = self.had(column, switch).collect();
        let in_order = self.serving(column, switch, Serves::InOrder);
        let serving = in_order.into_iter().filter(|port| left.contains(port)).collect();
        let amount = self.demand.of(self.layer, switch, column.destination);
        let port = self.within(column, switch, serving, most).first().copied()?;
        let (_, busiest) = load.cost(self.damage.new, column, switch, port, amount);
        (busiest <= self.busiest).then_some(port)
    }

    /// The port of `ports` whose path costs least once it carries `amount`; the lowest of equal ones.
    fn cheapest(&self, column: &Column, load: &mut Load, switch: u32, ports: &[u16], amount: f64) -> Option<u16> {
        let cost = |&port: &u16| (load.cost(self.damage.new, column, switch, port, amount).0, port);
        let costs: Vec<(f64, u16)> = ports.iter().map(cost).collect();
        costs.into_iter().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, port)| port)
    }

    fn attach_single(&self, column: &mut Column, load: &mut Load, switch: u32, port: u16) {
        column.attach(self.damage.new, switch, &[port]);
        load.add_path(self.damage.new, column, switch, self.demand.of(self.layer, switch, column.destination));
    }

    /// Changes other switches if the hop limit asks for it, and `load` with them.
    fn shorten(&self, column: &mut Column, mut load: Option<&mut Load>, switch: u32, most: u16) {
        let fabric = self.damage.new;
        let mut through = Vec::new();
        if let Some(load) = load.as_deref_mut() {
            load.add(fabric, self.demand, self.layer, column, -1.0, &mut through);
        }
        shorten(fabric, column, switch, most, |column, at, ports| match load.as_deref_mut() {
            Some(load) => {
                let amount = self.demand.of(self.layer, at, column.destination);
                self.cheapest(column, load, at, &ports, amount).into_iter().collect()
            }
            None => self.equal(column, at, ports),
        });
        if let Some(load) = load {
            load.add(fabric, self.demand, self.layer, column, 1.0, &mut through);
        }
    }
}
