//! Step 4 of rerouting: chooses next hops for the switches that have no next hop toward a destination.
//!
//! If the layer has several next hops per entry, a switch gets all next hops with the fewest hops. Otherwise the switch gets a single next
//! hop. If some paths have a low load, the choice minimizes the number of changed entries among them. Otherwise it minimizes the load.
//! [`super::improve`] then chooses single next hops again. New next hops lead only to switches that reach the destination, so no packet can
//! loop.

use tulle_fabric::distances::Distances;
use tulle_routing::Table;
use tulle_routing::columns::{beyond, channel};

use super::column::Column;
use super::damage::Damage;
use super::hop_limit::HopLimit;
use super::load::{Demand, Load};
use super::shorten::shorten;
use super::upstream::Upstream;

/// The data and criteria for the choice of next hops in one layer.
pub(super) struct Choice<'a> {
    pub damage: &'a Damage<'a>,
    pub distances: &'a Distances,
    pub demand: &'a Demand<'a>,
    pub limit: &'a HopLimit,
    pub layer: usize,
    pub table: &'a Table,
    /// The load limit of a *quiet* path: no channel of the path has a higher load. Entries never change because of the load of a quiet
    /// path.
    pub quiet: f64,
}

/// The condition that a next hop must fulfil. The variants start with the strictest condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Serves {
    /// It keeps the order of channels.
    InOrder,
    /// It reaches the destination.
    Anyhow,
}

impl Choice<'_> {
    /// Gives every switch without a next hop in `column` one next hop, and adds the traffic of these switches to `load`.
    ///
    /// # Errors
    /// Returns a switch that has no path to the destination.
    pub fn single(&self, column: &mut Column, load: &mut Load) -> Result<(), u32> {
        // In `missing`, each switch comes after the switches that it forwarded to. So a switch can keep its old next hop if that neighbour
        // has already got a new path.
        let mut upstream = Upstream::of(self, column);
        let mut waiting = Vec::new();
        for switch in std::mem::take(&mut column.missing) {
            match self.first(column, &mut upstream, load, switch) {
                Some(port) => self.attach_single(column, load, switch, port),
                None => waiting.push(switch),
            }
        }
        self.rounds(column, waiting, Some(load))
    }

    /// Chooses the next hop of a `switch` that has none, while the switches that forwarded to it also have none. Of all next hops whose
    /// paths stay below the load limit `quiet`, the function takes the one that changes the fewest entries, including its own entry. On a
    /// tie it takes the old next hop, then the least loaded one. If no path stays below the load limit, it takes the least loaded next hop.
    /// Returns `None` if no path is within the hop limit.
    fn first(&self, column: &Column, upstream: &mut Upstream, load: &mut Load, switch: u32) -> Option<u16> {
        let fabric = self.damage.new;
        let most = self.most_hops(column, switch);
        let ports = self.within(column, switch, self.serving(column, switch, Serves::InOrder), most);
        let had = self.had(column, switch).next();
        let own = self.demand.of(self.layer, switch, column.destination);
        // The switches that forwarded to this switch can keep their entries only if the new path can also carry their traffic.
        let all = upstream.amount(self, column, switch);
        let mut best: Option<(u32, f64, u16)> = None;
        for &port in &ports {
            let stays = had == Some(port);
            let (cost, busiest) = load.cost(fabric, column, switch, port, if stays { own } else { all });
            if busiest > self.quiet {
                continue;
            }
            let hops = 1 + column.hops(beyond(fabric, switch, port));
            let changes = u32::from(!stays) + upstream.changes(self, column, switch, hops);
            let found = (changes, if stays { 0.0 } else { cost }, port);
            if best.is_none_or(|best| (found.0, found.1) < (best.0, best.1)) {
                best = Some(found);
            }
        }
        best.map(|(_, _, port)| port).or_else(|| self.cheapest(column, load, switch, &ports, own))
    }

    /// Returns the surviving old ports of `switch` toward the destination of `column`.
    pub fn had(&self, column: &Column, switch: u32) -> impl Iterator<Item = u16> {
        let id_map = self.damage.id_map;
        let old = self.table.next(id_map.old_switch(switch), id_map.old_switch(column.destination));
        self.damage.ports(switch, old)
    }

    /// Gives every switch without a next hop in `column` all next hops with the fewest hops.
    ///
    /// # Errors
    /// Returns a switch that has no path to the destination.
    pub fn groups(&self, column: &mut Column) -> Result<(), u32> {
        let waiting = std::mem::take(&mut column.missing);
        self.rounds(column, waiting, None)
    }

    /// Gives next hops to the switches in `waiting`; switches with the fewest hops come first. If `load` is given, each switch gets one
    /// next hop, chosen by load. Otherwise it gets all next hops with the fewest hops.
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

    /// Returns the maximum number of hops that a path from `switch` to the destination of `column` may have.
    pub fn most_hops(&self, column: &Column, switch: u32) -> u16 {
        self.limit.at(self.distances.row(column.destination)[switch as usize])
    }

    /// Returns the minimum number of hops from `switch` to the destination over next hops that follow the channel order, or `None` if there
    /// is no such next hop.
    pub fn fewest_hops(&self, column: &Column, switch: u32) -> Option<u16> {
        let ports = self.serving(column, switch, Serves::InOrder);
        ports.into_iter().map(|port| 1 + column.hops(beyond(self.damage.new, switch, port))).min()
    }

    /// Returns the ports of `switch` whose neighbour reaches the destination. With `Serves::InOrder`, the path must also follow the channel
    /// order.
    pub fn serving(&self, column: &Column, switch: u32, serves: Serves) -> Vec<u16> {
        let fabric = self.damage.new;
        let open = |&port: &u16| {
            let (taken, next) = (channel(fabric, switch, port), beyond(fabric, switch, port));
            let onward = || column.ports(next).iter().all(|&on| self.damage.rises(taken, channel(fabric, next, on)));
            column.reaches(next) && (serves == Serves::Anyhow || onward())
        };
        (0..fabric.degree(switch) as u16).filter(open).collect()
    }

    /// Returns the ports of `ports` whose paths have at most `most` hops.
    pub fn within(&self, column: &Column, switch: u32, mut ports: Vec<u16>, most: u16) -> Vec<u16> {
        ports.retain(|&port| column.hops(beyond(self.damage.new, switch, port)) < most);
        ports
    }

    /// Returns the ports of `ports` whose paths have the fewest hops.
    fn equal(&self, column: &Column, switch: u32, mut ports: Vec<u16>) -> Vec<u16> {
        let hops = |port: u16| column.hops(beyond(self.damage.new, switch, port));
        let fewest = ports.iter().map(|&port| hops(port)).min();
        ports.retain(|&port| Some(hops(port)) == fewest);
        ports
    }

    /// Returns the port of `ports` whose path has the lowest cost after `amount` of traffic is added. Ties go to the lowest port.
    pub fn cheapest(&self, column: &Column, load: &mut Load, switch: u32, ports: &[u16], amount: f64) -> Option<u16> {
        let cost = |&port: &u16| (load.cost(self.damage.new, column, switch, port, amount).0, port);
        let costs: Vec<(f64, u16)> = ports.iter().map(cost).collect();
        costs.into_iter().min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))).map(|(_, port)| port)
    }

    fn attach_single(&self, column: &mut Column, load: &mut Load, switch: u32, port: u16) {
        column.attach(self.damage.new, switch, &[port]);
        load.add_path(self.damage.new, column, switch, self.demand.of(self.layer, switch, column.destination));
    }

    /// Changes next hops of other switches if `switch` otherwise has no path of at most `most` hops. Updates `load`.
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
