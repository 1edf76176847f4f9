//! Next-hop tables with groups of equal-cost ports, in a layout like that of forwarding hardware.

use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::task;
use tulle_fabric::Fabric;

use crate::port_sets::{NO_GROUP, PortSets};

mod shares;

pub(crate) use shares::verify_shares;
pub use shares::{WeightedRow, total_share, turns};

/// A destination-based forwarding table of one layer. For each switch and each destination switch, it has a *group* of ports.
///
/// A port's number is the position of its channel among the channels of its switch. A group number `g` below the switch's degree stands for
/// the single port `g`. Higher group numbers stand for sets of several ports, like the ECMP groups of a real switch. Each set is stored
/// once per switch, and many destinations can use it. A table with single paths therefore stores no sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Table {
    switches: u32,
    /// The group of each pair, at index `switch * switches + destination`.
    group: Vec<u16>,
    /// Per switch, the index of its first group in `bounds`.
    first: Vec<u32>,
    /// Per group, its start in `ports`. A group ends where the next group starts.
    bounds: Vec<u32>,
    ports: Vec<u16>,
    /// Per entry of `ports`, the sum of the shares in its group up to this port. Empty if all port shares are equal.
    shares_up_to: Vec<u16>,
    /// This layer's share in the traffic of each pair, relative to the shares of the other layers, at index `source * switches +
    /// destination`. Empty if all shares are equal.
    layer_share: Vec<u8>,
}

impl Table {
    /// Returns the group that `switch` uses toward `destination`; [`NO_GROUP`] if they are the same switch.
    #[inline]
    pub fn group(&self, switch: u32, destination: u32) -> u16 {
        self.group[switch as usize * self.switches as usize + destination as usize]
    }

    /// Returns the groups of `switch`, one per destination.
    pub fn row(&self, switch: u32) -> &[u16] {
        let start = switch as usize * self.switches as usize;
        &self.group[start..start + self.switches as usize]
    }

    /// Returns the ports of a group of `switch`, ascending.
    #[inline]
    pub fn ports(&self, switch: u32, group: u16) -> &[u16] {
        let at = (self.first[switch as usize] + u32::from(group)) as usize;
        &self.ports[self.bounds[at] as usize..self.bounds[at + 1] as usize]
    }

    /// Returns the ports of `switch` toward `destination`, ascending; empty if they are the same switch.
    #[inline]
    pub fn next(&self, switch: u32, destination: u32) -> &[u16] {
        match self.group(switch, destination) {
            NO_GROUP => &[],
            group => self.ports(switch, group),
        }
    }

    /// Returns the number of switches.
    pub fn num_switches(&self) -> usize {
        self.switches as usize
    }

    /// Returns those groups of `switch` that have several ports, ordered by group number. The first of these groups has the switch's degree
    /// as its number.
    pub(crate) fn sets(&self, switch: u32) -> impl Iterator<Item = &[u16]> {
        (self.degree(switch)..self.num_groups(switch)).map(move |group| self.ports(switch, group))
    }

    /// Returns the number of groups of `switch`.
    fn num_groups(&self, switch: u32) -> u16 {
        let end = self.first.get(switch as usize + 1).map_or(self.bounds.len() - 1, |&first| first as usize);
        (end - self.first[switch as usize] as usize) as u16
    }

    /// Returns the degree of `switch`, which is the number of its ports and also the number of its single-port groups.
    fn degree(&self, switch: u32) -> u16 {
        let single = |group: &u16| self.ports(switch, *group).len() == 1;
        (0..self.num_groups(switch)).take_while(single).count() as u16
    }

    /// Returns the number of forwarding entries of `switch`: one per destination, plus, for each group of several ports, the sum of its
    /// port shares.
    pub fn entries(&self, switch: u32) -> u64 {
        let destinations = u64::from(self.switches) - 1;
        let shares = (self.degree(switch)..self.num_groups(switch)).flat_map(|group| self.shares_of(switch, group));
        destinations + shares.map(u64::from).sum::<u64>()
    }

    /// Returns the number of ports in the largest group.
    pub fn widest(&self) -> usize {
        self.bounds.windows(2).map(|pair| (pair[1] - pair[0]) as usize).max().unwrap_or(0)
    }
}

/// A builder of a [`Table`]. It can fill the rows of different switches in parallel.
#[derive(Debug)]
pub struct TableBuilder {
    group: Vec<u16>,
    /// The port sets of each switch.
    sets: Vec<PortSets>,
}

/// The row of one switch, while the table is built.
#[derive(Debug)]
pub struct RowBuilder<'a> {
    /// The switch.
    pub switch: u32,
    /// The port group of the switch for each destination; [`NO_GROUP`] if not set yet.
    pub groups: &'a mut [u16],
    sets: &'a mut PortSets,
}

impl TableBuilder {
    /// Returns a builder of an empty table for `fabric`.
    pub fn new(fabric: &Fabric) -> Self {
        let switches = fabric.num_switches();
        let degree = |switch| u16::try_from(fabric.degree(switch)).expect("a switch has fewer than 65535 ports");
        let sets = (0..switches as u32).map(|switch| PortSets::new(degree(switch))).collect();
        Self { group: memory::matrix("a next-hop table", NO_GROUP, switches, switches), sets }
    }

    /// Returns the rows of all switches, for parallel iteration.
    pub fn rows(&mut self) -> impl IndexedParallelIterator<Item = RowBuilder<'_>> {
        let switches = self.sets.len().max(1);
        let parts = self.group.par_chunks_mut(switches).zip(self.sets.par_iter_mut());
        parts.enumerate().map(|(switch, (groups, sets))| {
            task::check();
            RowBuilder { switch: switch as u32, groups, sets }
        })
    }

    /// Sets the ports of `switch` toward `destination`. They must be ascending and not empty.
    pub fn set(&mut self, switch: u32, destination: u32, ports: &[u16]) {
        let at = switch as usize * self.sets.len() + destination as usize;
        self.group[at] = self.sets[switch as usize].group(ports);
    }

    /// Adds `ports` to the groups of `switch`. There must be at least two ports, and they must be ascending.
    pub(crate) fn add_set(&mut self, switch: u32, ports: &[u16]) {
        self.sets[switch as usize].group(ports);
    }

    /// Returns the finished table.
    pub fn finish(self) -> Table {
        let groups: usize = self.sets.iter().map(|sets| usize::from(sets.degree()) + sets.len()).sum();
        let ports: usize = self.sets.iter().map(|sets| usize::from(sets.degree()) + sets.num_ports()).sum();
        let mut table = Table {
            switches: self.sets.len() as u32,
            group: self.group,
            first: Vec::with_capacity(self.sets.len()),
            bounds: Vec::with_capacity(groups + 1),
            ports: Vec::with_capacity(ports),
            shares_up_to: Vec::new(),
            layer_share: Vec::new(),
        };
        table.bounds.push(0);
        for sets in self.sets {
            // The last group of a switch ends where the first group of the next switch starts, so `bounds` stores this position once.
            table.first.push(table.bounds.len() as u32 - 1);
            for port in 0..sets.degree() {
                table.ports.push(port);
                table.bounds.push(table.ports.len() as u32);
            }
            for set in 0..sets.len() {
                table.ports.extend(sets.ports(set));
                table.bounds.push(table.ports.len() as u32);
            }
        }
        table
    }
}

impl RowBuilder<'_> {
    /// Sets the ports toward `destination`. They must be ascending and not empty.
    pub fn set(&mut self, destination: u32, ports: &[u16]) {
        self.groups[destination as usize] = self.sets.group(ports);
    }

    /// Returns the number of 64-bit words for a bit set of the switch's ports.
    pub(crate) fn words(&self) -> usize {
        self.sets.words()
    }

    /// Sets the ports toward `destination` from a bit set with [`Self::words`] words. At least one bit must be 1.
    pub(crate) fn set_bits(&mut self, destination: u32, ports: &[u64]) {
        self.groups[destination as usize] = self.sets.group_of_bits(ports);
    }
}
