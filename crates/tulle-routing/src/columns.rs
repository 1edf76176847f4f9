//! Single next hops in destination order, for schemes that build one tree toward a destination at a time.
//!
//! A [`Table`] has a row per switch, as hardware has. A tree toward one destination is a column of the table, so building it in the table
//! would touch one entry per row. Trees are therefore built in columns, each in contiguous memory, and transposed at the end.

use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::task;
use tulle_fabric::Fabric;

use crate::{NO_GROUP, Table, TableBuilder};

/// Stands for no next hop (yet).
pub const NO_PORT: u16 = NO_GROUP;

/// A column per destination: the port of every switch toward it, [`NO_PORT`] at the destination itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Columns {
    switches: usize,
    ports: Vec<u16>,
}

impl Columns {
    /// Returns columns without next hops for this number of switches.
    pub fn new(switches: usize) -> Self {
        Self { switches, ports: memory::matrix("next hops", NO_PORT, switches, switches) }
    }

    /// Returns the next hops of `table`. All its groups must be single ports.
    pub fn of(table: &Table) -> Self {
        let mut columns = Self::new(table.num_switches());
        for switch in 0..table.num_switches() {
            let column = columns.ports.iter_mut().skip(switch).step_by(table.num_switches());
            column.zip(table.row(switch as u32)).for_each(|(port, &group)| *port = group);
        }
        columns
    }

    /// Returns the ports of all switches toward `destination`.
    pub fn column(&self, destination: u32) -> &[u16] {
        &self.ports[self.range(destination)]
    }

    /// Returns the ports of all switches toward `destination`, so that they can be set.
    pub fn column_mut(&mut self, destination: u32) -> &mut [u16] {
        let range = self.range(destination);
        &mut self.ports[range]
    }

    /// Iterates over all columns in parallel, by ascending destination.
    pub fn par_columns(&mut self) -> impl IndexedParallelIterator<Item = (u32, &mut [u16])> {
        let columns = self.ports.par_chunks_mut(self.switches.max(1)).enumerate();
        columns.map(|(destination, column)| {
            task::check();
            (destination as u32, column)
        })
    }

    /// Returns the columns as a table for `fabric`.
    pub fn table(&self, fabric: &Fabric) -> Table {
        let mut builder = TableBuilder::new(fabric);
        builder.rows().for_each(|row| {
            let column = self.ports.iter().skip(row.switch as usize).step_by(self.switches);
            for (group, &port) in row.groups.iter_mut().zip(column) {
                *group = port;
            }
        });
        builder.finish()
    }

    fn range(&self, destination: u32) -> std::ops::Range<usize> {
        let start = destination as usize * self.switches;
        start..start + self.switches
    }
}

/// Returns the switch to which `port` of `switch` leads.
#[inline]
pub fn beyond(fabric: &Fabric, switch: u32, port: u16) -> u32 {
    fabric.targets()[channel(fabric, switch, port) as usize]
}

/// The channel of `port` of `switch`.
#[inline]
pub fn channel(fabric: &Fabric, switch: u32, port: u16) -> u32 {
    fabric.offsets()[switch as usize] + u32::from(port)
}

/// Returns the port by which `channel` leaves its switch.
#[inline]
pub fn port(fabric: &Fabric, channel: u32) -> u16 {
    (channel - fabric.offsets()[fabric.sources()[channel as usize] as usize]) as u16
}
