//! Copies of table columns.

use tulle_fabric::Fabric;
use tulle_routing::Table;

use crate::assignment::Assignment;

/// The number of destinations whose table entries are copied together. Tables are stored by switch, so copying the entries of a single
/// destination would load a whole cache line per switch.
pub(crate) const BLOCK: usize = 32;

/// The table entries and service levels of all switches toward some destinations in one layer.
#[derive(Debug)]
pub(crate) struct Block {
    switches: usize,
    /// The port of every switch, at index `at * switches + switch`. `at` is the position of the destination in the block, from 0.
    ports: Vec<u16>,
    /// The service level of the packets from every switch, with the same index.
    levels: Vec<u8>,
}

impl Block {
    /// Copies the entries of `table`, which is the table of `layer`. If the table has several next hops per entry, the copies are group
    /// numbers.
    pub fn of(fabric: &Fabric, assignment: &Assignment, table: &Table, layer: u32, destinations: &[u32]) -> Self {
        let switches = fabric.num_switches();
        let mut ports = vec![0; destinations.len() * switches];
        let mut levels = vec![0; destinations.len() * switches];
        for switch in 0..switches {
            let row = table.row(switch as u32);
            let number = assignment.number(layer, switch as u32, 0);
            for (at, &destination) in destinations.iter().enumerate() {
                ports[at * switches + switch] = row[destination as usize];
                levels[at * switches + switch] = assignment.level(number + destination as usize);
            }
        }
        Self { switches, ports, levels }
    }

    /// Returns the port of every switch toward destination number `at` of the block; [`tulle_routing::NO_GROUP`] if it has no entry.
    pub fn ports(&self, at: usize) -> &[u16] {
        &self.ports[at * self.switches..][..self.switches]
    }

    /// Returns the service level of packets from every switch to destination number `at` of the block.
    pub fn levels(&self, at: usize) -> &[u8] {
        &self.levels[at * self.switches..][..self.switches]
    }
}
