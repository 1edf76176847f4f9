//! Next hops ordered by destination. Schemes use them if they build one tree per destination.
//!
//! A [`Table`] has one row per switch, like hardware. The tree toward a destination is a column of the table, so building a tree in the
//! table would touch all rows. Each tree is therefore built in contiguous memory. At the end, all trees are transposed into a table.

use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::task;
use tulle_fabric::Fabric;

use crate::{NO_GROUP, Table, TableBuilder};

/// The port number that means "no next hop".
pub const NO_PORT: u16 = NO_GROUP;

/// One column per destination: the port of every switch toward the destination. The destination itself has [`NO_PORT`].
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

    /// Converts `table` into columns. Every group of the table must be a single port.
    pub fn of(table: &Table) -> Self {
        let mut columns = Self::new(table.num_switches());
        for switch in 0..table.num_switches() {
            let column = columns.ports.iter_mut().skip(switch).step_by(table.num_switches());
            column.zip(table.row(switch as u32)).for_each(|(port, &group)| *port = group);
        }
        columns
    }

    /// Returns the column of `destination`: the port of every switch toward it.
    pub fn column(&self, destination: u32) -> &[u16] {
        &self.ports[self.range(destination)]
    }

    /// Returns the column of `destination`, so that ports can be set.
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

    /// Transposes the columns into a table for `fabric`.
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

/// Returns the switch that `port` of `switch` connects to.
#[inline]
pub fn beyond(fabric: &Fabric, switch: u32, port: u16) -> u32 {
    fabric.targets()[channel(fabric, switch, port) as usize]
}

/// Returns the channel that leaves `switch` at `port`.
#[inline]
pub fn channel(fabric: &Fabric, switch: u32, port: u16) -> u32 {
    fabric.offsets()[switch as usize] + u32::from(port)
}

/// Returns the port at which `channel` leaves its switch.
#[inline]
pub fn port(fabric: &Fabric, channel: u32) -> u16 {
    (channel - fabric.offsets()[fabric.sources()[channel as usize] as usize]) as u16
}
