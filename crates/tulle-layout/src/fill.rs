//! Fills racks: assigns a rack unit to each switch and endpoint of a cell.

use tulle_fabric::Fabric;

use crate::position::Position;
use crate::{Cell, Floor};

/// The positions of switches and endpoints while racks are filled.
pub struct Filling<'a> {
    pub fabric: &'a Fabric,
    pub floor: &'a Floor,
    pub switches: Vec<Position>,
    pub endpoints: Vec<Position>,
}

impl<'a> Filling<'a> {
    pub fn new(fabric: &'a Fabric, floor: &'a Floor) -> Result<Self, crate::Error> {
        let array = |what: &str, count| tulle_base::memory::filled(|| what.to_owned(), Position::NOWHERE, count);
        Ok(Self {
            fabric,
            floor,
            switches: array("positions of switches", fabric.num_switches())?,
            endpoints: array("positions of endpoints", fabric.num_endpoints())?,
        })
    }

    /// Places the cell in racks, starting with rack number `rack`, and returns the number of racks that it fills.
    ///
    /// A cell that does not fit in one rack gets one or more racks per block, with switches and their endpoints spread evenly if possible.
    pub fn fill(&mut self, cell: &Cell, rack: u32) -> u32 {
        let switches: u64 = cell.blocks.iter().map(|block| block.len() as u64).sum();
        let endpoints: u64 = cell.blocks.iter().map(|block| self.height(block)).sum();
        if switches + endpoints <= self.floor.units.into() {
            return self.fill_racks(&cell.blocks, rack);
        }
        let mut racks = 0;
        for block in &cell.blocks {
            for run in evenly(self.fabric, self.floor, block) {
                racks += self.fill_racks(&[run], rack + racks);
            }
        }
        racks.max(1)
    }

    fn height(&self, block: &[u32]) -> u64 {
        self.floor.height(block.iter().map(|&switch| self.fabric.endpoints_of(switch).len() as u64).sum())
    }

    /// Switches come first, from the top of the rack; the last of several blocks is at the bottom. Endpoints that do not fit in the racks
    /// of the switches get their own racks.
    fn fill_racks(&mut self, blocks: &[Vec<u32>], rack: u32) -> u32 {
        let units = self.floor.units;
        let count: usize = blocks.iter().map(Vec::len).sum();
        let last = match blocks.len() {
            // If there is only one block, or if the switches need more than one rack, all blocks are placed from the top.
            0 | 1 => None,
            blocks if count <= units as usize => Some(blocks - 1),
            _ => None,
        };
        let mut next = 0u32;
        for (at, block) in blocks.iter().enumerate() {
            if Some(at) == last {
                next = units - block.len() as u32;
            }
            for &switch in block {
                // Rack units are numbered from the bottom: U 1 is the lowest.
                let unit = (units - next % units) as u16;
                self.switches[switch as usize] = Position { rack: rack + next / units, unit, slot: 0 };
                next += 1;
            }
        }
        let mut racks = (count as u32).div_ceil(units).max(1);
        let before_last: u32 = blocks[..last.unwrap_or(0)].iter().map(|block| block.len() as u32).sum();
        // Endpoints first fill the free units of the racks with switches, and then the units of further racks.
        let mut free = match last {
            Some(last) => (rack, before_last, units - blocks[last].len() as u32),
            None if next.is_multiple_of(units) => (rack + racks, 0, units),
            None => (rack + racks - 1, next % units, units),
        };
        let heights: Vec<u64> = blocks.iter().map(|block| self.height(block)).collect();
        let fits = u64::from(free.2 - free.1) >= heights.iter().sum();
        let (together, host) = (self.floor.together(), self.floor.host);
        let mut slot = 0u32;
        for (at, block) in blocks.iter().enumerate() {
            if at > 0 && fits && slot > 0 {
                (free.1, slot) = (free.1 + host, 0);
            }
            if Some(at) == last && fits {
                // The endpoints of the last block are right above their switches.
                free.1 = free.2 - heights[at] as u32;
            }
            for &switch in block {
                for &endpoint in self.fabric.endpoints_of(switch) {
                    if slot == together {
                        (free.1, slot) = (free.1 + host, 0);
                    }
                    // A host must fit in one rack.
                    if slot == 0 && free.1 + host > free.2 {
                        free = (free.0 + 1, 0, units);
                    }
                    let unit = (units - free.1) as u16;
                    self.endpoints[endpoint as usize] = Position { rack: free.0, unit, slot: slot as u16 };
                    racks = racks.max(free.0 - rack + 1);
                    slot += 1;
                }
            }
        }
        racks
    }
}

/// Splits `switches` like [`pack`]. If groups of equal size also fit in as many racks, returns these groups instead.
fn evenly(fabric: &Fabric, floor: &Floor, switches: &[u32]) -> Vec<Vec<u32>> {
    let packed = pack(fabric, floor, switches);
    let count = packed.len();
    let even = (0..count).map(|at| switches[at * switches.len() / count..(at + 1) * switches.len() / count].to_vec());
    let even: Vec<Vec<u32>> = even.collect();
    let fits = |run: &[u32]| pack(fabric, floor, run).len() == 1;
    if even.iter().all(|run| fits(run)) { even } else { packed }
}

/// Splits `switches` into consecutive groups that fit in one rack with their endpoints. A switch that does not fit in a rack with its
/// endpoints is a group by itself.
pub fn pack(fabric: &Fabric, floor: &Floor, switches: &[u32]) -> Vec<Vec<u32>> {
    let mut runs: Vec<Vec<u32>> = Vec::new();
    let (mut count, mut endpoints) = (0u64, 0u64);
    for &switch in switches {
        let own = fabric.endpoints_of(switch).len() as u64;
        count += 1;
        endpoints += own;
        match runs.last_mut() {
            Some(run) if count + floor.height(endpoints) <= floor.units.into() => run.push(switch),
            _ => {
                runs.push(vec![switch]);
                (count, endpoints) = (1, own);
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests;
