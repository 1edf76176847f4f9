//! Reroutes next-hop tables after failures. It applies the steps of [`super`] to all layers and destinations.

use rayon::prelude::*;
use tulle_base::task;
use tulle_fabric::distances::Distances;
use tulle_routing::{Error, Table, TableBuilder};

use super::Counts;
use super::choose::Choice;
use super::column::Column;
use super::damage::Damage;
use super::hop_limit::HopLimit;
use super::load::{Demand, Load};
use crate::id_map::IdMap;

/// The number of passes that choose each single next hop again, given all other choices.
const PASSES: usize = 2;

/// A path is quiet if none of its channels exceeds a load limit. The limit is the load of the busiest channel before the failure, or
/// `GROWTH` times the 99th percentile of loads before the failure if that is higher. The busiest channel alone is too strict a limit for a
/// balanced routing, because the surviving channels also carry the traffic of the dead channels. Even routing from scratch exceeds this
/// limit: by 7% with `spread` on `slimfly:q=5` and 5% dead cables. If the busiest channel is the only limit, rerouting around one dead
/// cable changes 1.7 times the minimum number of entries. With `GROWTH`, it changes 1.2 times the minimum (`benches/rerouting_entries.py`).
const GROWTH: f64 = 1.1;

/// Returns the `tables` of all layers, rerouted over the damaged fabric.
///
/// # Errors
/// Fails if a table belongs to another fabric, or if two switches are disconnected.
pub(super) fn rerouted(damage: &Damage<'_>, tables: &[Table]) -> Result<Vec<Table>, Error> {
    tables.par_iter().try_for_each(|table| tulle_routing::verify(damage.old, table))?;
    let distances = Distances::of(damage.new);
    let mut layers = Layers {
        damage,
        tables,
        distances: &distances,
        demand: Demand::new(damage.new, damage.id_map, tables),
        load: None,
        quiet: 0.0,
    };
    (0..tables.len()).map(|layer| layers.rerouted(layer)).collect()
}

/// The tables of all layers during rerouting. The layers get new next hops one after the other.
struct Layers<'a> {
    damage: &'a Damage<'a>,
    tables: &'a [Table],
    distances: &'a Distances,
    demand: Demand<'a>,
    /// The load of all layers. It is computed when the first layer with single next hops needs it.
    load: Option<Load>,
    /// See [`Choice::quiet`].
    quiet: f64,
}

impl Layers<'_> {
    fn rerouted(&mut self, layer: usize) -> Result<Table, Error> {
        let (damage, table) = (self.damage, &self.tables[layer]);
        let destinations: Vec<u32> = (0..damage.new.num_switches() as u32).collect();
        let mut columns: Vec<Column> = destinations
            .par_iter()
            .map(|&destination| {
                task::check();
                Column::remaining(damage, table, destination)
            })
            .collect();
        let limit = self.hop_limit(&columns);
        let is_missing = columns.iter().any(|column| !column.missing.is_empty());
        if is_missing && table.widest() > 1 {
            let choice = self.choice(layer, &limit);
            let chosen: Vec<Result<(), u32>> = columns.par_iter_mut().map(|column| choice.groups(column)).collect();
            self.connected(chosen)?;
        } else if is_missing {
            self.balance(layer, &limit, &mut columns)?;
        }
        let mut builder = TableBuilder::new(damage.new);
        builder.rows().for_each(|mut row| {
            let switch = row.switch;
            for column in columns.iter().filter(|column| column.destination != switch) {
                row.set(column.destination, column.ports(switch));
            }
        });
        Ok(reweighted(damage, table, builder.finish()))
    }

    /// Chooses the single next hops of a layer by load. Each pass goes over all destinations, one after the other.
    fn balance(&mut self, layer: usize, limit: &HopLimit, columns: &mut [Column]) -> Result<(), Error> {
        let mut load = self.load.take().unwrap_or_else(|| self.measure());
        let choice = self.choice(layer, limit);
        let damaged = columns.iter_mut().filter(|column| !column.missing.is_empty());
        let mut damaged: Vec<(&mut Column, Vec<u32>)> =
            damaged.map(|column| (column.missing.clone(), column)).map(|(missing, column)| (column, missing)).collect();
        for (column, _) in &mut damaged {
            task::check();
            let destination = column.destination;
            choice.single(column, &mut load).map_err(|source| self.damage.apart(source, destination))?;
        }
        for _ in 0..PASSES {
            for (column, chosen) in &mut damaged {
                task::check();
                choice.improve(column, chosen, &mut load);
            }
        }
        self.load = Some(load);
        Ok(())
    }

    /// Returns the load of all surviving paths. Also sets the load limit `quiet`, which is computed from the load before the failure.
    fn measure(&mut self) -> Load {
        let Damage { old, new, .. } = *self.damage;
        let whole = IdMap::of(old, old).expect("a fabric comes from itself");
        let before = Damage { old, new: old, id_map: &whole, order: None };
        let demand = Demand::new(old, &whole, self.tables);
        let remaining = |damage: &Damage<'_>, layer: usize, destination| {
            Column::remaining(damage, &self.tables[layer], destination)
        };
        let all = Load::of(old, &demand, |layer, destination| remaining(&before, layer, destination));
        self.quiet = all.busiest().max(GROWTH * all.percentile(99));
        Load::of(new, &self.demand, |layer, destination| remaining(self.damage, layer, destination))
    }

    fn choice<'a>(&'a self, layer: usize, limit: &'a HopLimit) -> Choice<'a> {
        Choice {
            damage: self.damage,
            distances: self.distances,
            demand: &self.demand,
            limit,
            layer,
            table: &self.tables[layer],
            quiet: self.quiet,
        }
    }

    fn hop_limit(&self, columns: &[Column]) -> HopLimit {
        let with = |mut limit: HopLimit, column: &Column| {
            limit.add(self.distances, column);
            limit
        };
        let join = |mut limit: HopLimit, other: HopLimit| {
            limit.join(&other);
            limit
        };
        let mut limit = columns.par_iter().fold(HopLimit::new, with).reduce(HopLimit::new, join);
        limit.close();
        limit
    }

    /// Returns an error for the first destination that some switch does not reach.
    fn connected(&self, chosen: Vec<Result<(), u32>>) -> Result<(), Error> {
        let apart = |(destination, chosen): (usize, Result<(), u32>)| {
            chosen.map_err(|source| self.damage.apart(source, destination as u32))
        };
        chosen.into_iter().enumerate().try_for_each(apart)
    }
}

/// Returns `new` with the traffic shares of `old`. The remaining ports of an entry keep their proportions, and layers keep their shares.
fn reweighted(damage: &Damage<'_>, old: &Table, new: Table) -> Table {
    if !old.is_weighted() {
        return new;
    }
    new.weighted(|row| {
        let (switch, from) = (row.switch, damage.id_map.old_switch(row.switch));
        for destination in row.destinations() {
            let to = damage.id_map.old_switch(destination);
            row.set_layer_share(destination, old.layer_share(from, to));
            let before = old.next(from, to).iter().zip(old.port_shares(from, to));
            let left: Vec<(u16, u16)> =
                before.filter_map(|(&port, share)| Some((damage.port(switch, port)?, share))).collect();
            let ports = new.next(switch, destination);
            let share = |port: &u16| left.iter().find(|(left, _)| left == port).map_or(1, |&(_, share)| share as u8);
            row.set(destination, ports.to_vec(), ports.iter().map(share).collect());
        }
    })
}

/// Counts the entries of `after` that differ from `before`.
pub(super) fn compare(damage: &Damage<'_>, before: &Table, after: &Table, counts: &mut Counts) {
    let switches = 0..damage.new.num_switches() as u32;
    for switch in switches.clone() {
        let old_switch = damage.id_map.old_switch(switch);
        for destination in switches.clone().filter(|&destination| destination != switch) {
            let old = before.next(old_switch, damage.id_map.old_switch(destination));
            let broken = old.iter().any(|&port| damage.port(switch, port).is_none());
            let same = !broken && damage.ports(switch, old).eq(after.next(switch, destination).iter().copied());
            counts.entries += 1;
            counts.touched += usize::from(!same);
            counts.broken += usize::from(broken);
        }
    }
}
