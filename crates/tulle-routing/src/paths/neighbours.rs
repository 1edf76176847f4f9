//! Lists the neighbours of switches, and computes the lengths of walks between switches.

use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, Links};

/// The neighbours of every switch in ascending order, with one entry per channel. The ports of parallel cables are consecutive.
#[derive(Debug)]
pub(crate) struct Neighbours {
    offsets: Vec<u32>,
    switches: Vec<u16>,
    /// Per entry, the port at which the reverse channel leaves the neighbour.
    back_ports: Vec<u16>,
}

impl Neighbours {
    /// Returns the neighbours of all switches of `fabric`. The fabric must have fewer than 65536 switches, and every switch fewer than
    /// 65536 ports.
    pub fn of(fabric: &Fabric) -> Self {
        let back_port = |&reverse: &u32| {
            let owner = fabric.sources()[reverse as usize];
            (reverse - fabric.offsets()[owner as usize]) as u16
        };
        Self {
            offsets: fabric.offsets().to_vec(),
            switches: fabric.targets().iter().map(|&next| next as u16).collect(),
            back_ports: fabric.reverse().iter().map(back_port).collect(),
        }
    }

    /// Returns the number of switches.
    pub fn num_switches(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Returns the number of entries, summed over all switches.
    pub fn len(&self) -> usize {
        self.switches.len()
    }

    /// Returns the entries of `switch`.
    pub fn row(&self, switch: u16) -> std::ops::Range<usize> {
        self.offsets[usize::from(switch)] as usize..self.offsets[usize::from(switch) + 1] as usize
    }

    /// Returns the neighbours of `switch`, in port order.
    pub fn of_switch(&self, switch: u16) -> &[u16] {
        &self.switches[self.row(switch)]
    }

    /// Returns the neighbour of `entry`.
    pub fn switch(&self, entry: usize) -> u16 {
        self.switches[entry]
    }

    /// Returns the neighbours of `switch` in port order, each with its port back to `switch`.
    pub fn back_ports(&self, switch: u16) -> impl Iterator<Item = (u16, u16)> + '_ {
        let row = self.row(switch);
        self.switches[row.clone()].iter().copied().zip(self.back_ports[row].iter().copied())
    }
}

/// Per pair of switches, the lengths of the shortest walk of even length and of the shortest walk of odd length, in hops. A walk may visit
/// a switch several times.
///
/// A walk of h hops can be extended to h + 2 hops by one step back and forth. So a walk of exactly h hops exists if h is at least the
/// length of the shortest walk of the same parity. The code searches in the bipartite double cover of the fabric. This graph has an even
/// and an odd copy of every switch, and every cable connects an even copy with an odd copy. A path in this graph is a walk in the fabric.
#[derive(Debug)]
pub(crate) struct WalkLengths {
    distances: Distances,
}

impl WalkLengths {
    /// Returns the walk lengths of the fabric to which `neighbours` belongs.
    pub fn of(neighbours: &Neighbours) -> Self {
        let switches = neighbours.num_switches() as u32;
        let mut offsets = vec![0u32];
        let mut targets = Vec::with_capacity(2 * neighbours.len());
        for copy in 0..2 {
            for switch in 0..switches {
                let row = neighbours.of_switch(switch as u16);
                targets.extend(row.iter().map(|&next| u32::from(next) + (1 - copy) * switches));
                offsets.push(targets.len() as u32);
            }
        }
        Self { distances: Distances::of(Links { offsets: &offsets, targets: &targets }) }
    }

    /// Returns the shortest even and the shortest odd walk length between `destination` and every switch.
    pub fn rows(&self, destination: u16) -> [&[u8]; 2] {
        let row = self.distances.row(u32::from(destination));
        let (even, odd) = row.split_at(row.len() / 2);
        [even, odd]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn walk_lengths_of_a_triangle_with_a_tail() {
        let mut builder = tulle_fabric::FabricBuilder::new(4);
        for (a, b) in [(0, 1), (0, 1), (1, 2), (2, 0), (2, 3)] {
            builder.cable(a, b);
        }
        let fabric = builder.finish("tail", Default::default()).unwrap();
        let neighbours = Neighbours::of(&fabric);
        assert_eq!(neighbours.of_switch(0), [1, 1, 2]);
        assert_eq!(neighbours.back_ports(2).collect::<Vec<_>>(), [(0, 2), (1, 2), (3, 0)]);
        // A closed walk of odd length must go around the triangle of switches 0, 1 and 2. The walk has 3 hops if it starts at a switch of
        // the triangle, and 5 hops if it starts at switch 3, which is attached to the triangle.
        assert_eq!(WalkLengths::of(&neighbours).rows(3), [[2, 2, 4, 0], [3, 3, 1, 5]]);
        assert_eq!(neighbours.back_ports(0).collect::<Vec<_>>(), [(1, 0), (1, 1), (2, 0)]);
    }
}
