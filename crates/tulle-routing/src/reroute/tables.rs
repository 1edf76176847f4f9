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
    Ok(builder.finish())
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
