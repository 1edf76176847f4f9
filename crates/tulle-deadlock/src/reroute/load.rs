//! The load of every channel under all-to-all traffic. New next hops are chosen by this load.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_routing::Table;
use tulle_routing::columns::{beyond, channel};

use super::column::Column;
use crate::id_map::IdMap;

/// The traffic is divided into this many parts. The loads of each part are summed, and then the sums are added. The number of parts is
/// fixed, so that rounding does not depend on the number of threads.
const PIECES: usize = 64;

/// The traffic from each source to each destination over each layer. The traffic of a pair is the product of the endpoint counts of both
/// switches (1 in a fabric without endpoints). It is divided over the layers in proportion to their shares.
pub(super) struct Demand<'a> {
    id_map: &'a IdMap,
    tables: &'a [Table],
    ends: Vec<f64>,
    is_weighted: bool,
}

impl<'a> Demand<'a> {
    /// Returns the traffic between the switches of `fabric`. The `tables` belong to the fabric before the failures.
    pub fn new(fabric: &Fabric, id_map: &'a IdMap, tables: &'a [Table]) -> Self {
        let attached =
            |switch| if fabric.num_endpoints() == 0 { 1.0 } else { fabric.endpoints_of(switch).len() as f64 };
        let ends = (0..fabric.num_switches() as u32).map(attached).collect();
        Self { id_map, tables, ends, is_weighted: tables.iter().any(Table::is_weighted) }
    }

    /// Returns the traffic from `source` to `destination` over `layer`.
    pub fn of(&self, layer: usize, source: u32, destination: u32) -> f64 {
        let all = self.ends[source as usize] * self.ends[destination as usize];
        if !self.is_weighted {
            return all / self.tables.len() as f64;
        }
        let [from, to] = [source, destination].map(|switch| self.id_map.old_switch(switch));
        let share = |table: &Table| f64::from(table.layer_share(from, to));
        let shares: f64 = self.tables.iter().map(share).sum();
        // A pair whose layers all have share 0 has no traffic.
        if shares > 0.0 { all * share(&self.tables[layer]) / shares } else { 0.0 }
    }
}

/// The traffic that each channel carries. An entry with several ports splits its traffic evenly over them.
#[derive(Debug, Clone)]
pub(super) struct Load(Vec<f64>);

impl Load {
    /// Returns the load of every channel, summed over all layers and destinations. `column` returns the next hops for a layer and a
    /// destination.
    pub fn of(fabric: &Fabric, demand: &Demand<'_>, column: impl Fn(usize, u32) -> Column + Sync) -> Self {
        let switches = fabric.num_switches();
        let all = demand.tables.len() * switches;
        let piece = |piece: usize| {
            let mut load = Self(vec![0.0; fabric.num_channels()]);
            let mut through = Vec::new();
            for at in piece * all / PIECES..(piece + 1) * all / PIECES {
                task::check();
                let (layer, destination) = (at / switches, (at % switches) as u32);
                load.add(fabric, demand, layer, &column(layer, destination), 1.0, &mut through);
            }
            load
        };
        let pieces: Vec<Self> = (0..PIECES).into_par_iter().map(piece).collect();
        let mut sum = Self(vec![0.0; fabric.num_channels()]);
        for piece in pieces {
            sum.0.iter_mut().zip(piece.0).for_each(|(sum, load)| *sum += load);
        }
        sum
    }

    /// Adds the traffic toward the destination of `column`, multiplied by `times`, to the loads of the channels. Sets `through` to the
    /// traffic that leaves each switch, without this factor.
    pub fn add(
        &mut self,
        fabric: &Fabric,
        demand: &Demand<'_>,
        layer: usize,
        column: &Column,
        times: f64,
        through: &mut Vec<f64>,
    ) {
        through.clear();
        through.resize(fabric.num_switches(), 0.0);
        for &switch in column.order()[1..].iter().rev() {
            through[switch as usize] += demand.of(layer, switch, column.destination);
            let ports = column.ports(switch);
            let share = through[switch as usize] / ports.len() as f64;
            for &port in ports {
                self.0[channel(fabric, switch, port) as usize] += times * share;
                through[beyond(fabric, switch, port) as usize] += share;
            }
        }
    }

    /// Adds `amount` to the load of every channel on a path. The path leads from `switch` to the destination of `column` over the first
    /// port of every entry.
    pub fn add_path(&mut self, fabric: &Fabric, column: &Column, switch: u32, amount: f64) {
        self.visit(fabric, column, switch, |load| *load += amount);
    }

    /// Returns the cost of a path that leaves `switch` through `port`, and the load of the path's busiest channel, after `amount` of
    /// traffic is added. The cost is the sum of the eighth powers of the channel loads. So the busiest channels matter most, and if all
    /// loads are equal, the number of hops matters.
    pub fn cost(&mut self, fabric: &Fabric, column: &Column, switch: u32, port: u16, amount: f64) -> (f64, f64) {
        let (mut cost, mut busiest) = (0.0, 0.0f64);
        let mut count = |load: f64| {
            let load = load + amount;
            let fourth = (load * load) * (load * load);
            cost += fourth * fourth;
            busiest = busiest.max(load);
        };
        count(self.0[channel(fabric, switch, port) as usize]);
        self.visit(fabric, column, beyond(fabric, switch, port), |load| count(*load));
        (cost, busiest)
    }

    /// Returns the highest load of all channels.
    pub fn busiest(&self) -> f64 {
        self.0.iter().copied().fold(0.0, f64::max)
    }

    /// Returns the `percent`-th percentile of the channel loads; 0 if there are no channels.
    pub fn percentile(&self, percent: usize) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        (sorted.len() * percent).div_ceil(100).checked_sub(1).map_or(0.0, |at| sorted[at])
    }

    fn visit(&mut self, fabric: &Fabric, column: &Column, mut switch: u32, mut visit: impl FnMut(&mut f64)) {
        while switch != column.destination {
            let port = column.ports(switch)[0];
            visit(&mut self.0[channel(fabric, switch, port) as usize]);
            switch = beyond(fabric, switch, port);
        }
    }
}
