//! Tables after failures.

use rayon::prelude::*;
use tulle_fabric::task;

use super::column::Column;
use super::{Counts, Places};
use crate::{Error, Table, TableBuilder};

/// `table` over the damaged fabric.
pub(super) fn rerouted(places: &Places<'_>, table: &Table) -> Result<Table, Error> {
    let new = places.new;
    crate::verify(places.old, table)?;
    let destinations: Vec<u32> = (0..new.num_switches() as u32).collect();
    let columns: Vec<Result<Column, u32>> = destinations
        .par_iter()
        .map(|&destination| {
            task::check();
            let mut column = Column::left(places, table, destination);
            column.mend(places).map(|()| column)
        })
        .collect();
    let mut whole = Vec::with_capacity(columns.len());
    for (&destination, column) in destinations.iter().zip(columns) {
        whole.push(column.map_err(|source| places.apart(source, destination))?);
    }
    let mut builder = TableBuilder::new(new);
    builder.rows().for_each(|mut row| {
        let switch = row.switch;
        for column in whole.iter().filter(|column| column.destination() != switch) {
            row.set(column.destination(), column.ports(switch));
        }
    });
    Ok(reweighted(places, table, builder.finish()))
}

/// `new` with the shares of `old`: of what is left of a group in the same proportions, and of layers as they were.
fn reweighted(places: &Places<'_>, old: &Table, new: Table) -> Table {
    if !old.is_weighted() {
        return new;
    }
    new.weighted(|row| {
        let (switch, from) = (row.switch, places.lineage.old_switch(row.switch));
        for destination in row.destinations() {
            let to = places.lineage.old_switch(destination);
            row.set_layer_share(destination, old.layer_share(from, to));
            let before = old.next(from, to).iter().zip(old.port_shares(from, to));
            let left: Vec<(u16, u16)> =
                before.filter_map(|(&port, share)| Some((places.port(switch, port)?, share))).collect();
            let ports = new.next(switch, destination);
            let share = |port: &u16| left.iter().find(|(left, _)| left == port).map_or(1, |&(_, share)| share as u8);
            row.set(destination, ports.to_vec(), ports.iter().map(share).collect());
        }
    })
}

/// Counts the entries of `after` that differ from those of `before`.
pub(super) fn compare(places: &Places<'_>, before: &Table, after: &Table, counts: &mut Counts) {
    let switches = 0..places.new.num_switches() as u32;
    for switch in switches.clone() {
        let old_switch = places.lineage.old_switch(switch);
        for destination in switches.clone().filter(|&destination| destination != switch) {
            let old = before.next(old_switch, places.lineage.old_switch(destination));
            let broken = old.iter().any(|&port| places.port(switch, port).is_none());
            let same = !broken && places.ports(switch, old).eq(after.next(switch, destination).iter().copied());
            counts.entries += 1;
            counts.touched += usize::from(!same);
            counts.broken += usize::from(broken);
        }
    }
}
