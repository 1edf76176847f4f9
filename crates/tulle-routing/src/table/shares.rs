//! Shares (weights): the proportions in which traffic uses the ports of a group, and in which the traffic of a pair uses the layers.
//!
//! Shares are whole numbers, as in weighted-cost multipath (WCMP: Zhou et al., EuroSys 2014). In a switch, the share of a port is the
//! number of its entries in the group. A source uses the layers in turn, in proportion to their shares.

use std::collections::HashMap;

use rayon::prelude::*;

use super::Table;
use crate::port_sets::NO_GROUP;

impl Table {
    /// Returns whether this table stores shares: unequal port shares, or layer shares.
    pub fn is_weighted(&self) -> bool {
        !self.shares_up_to.is_empty() || !self.layer_share.is_empty()
    }

    /// Returns this layer's share in the traffic from `source` to `destination`. It is relative to the shares of the other layers.
    #[inline]
    pub fn layer_share(&self, source: u32, destination: u32) -> u8 {
        match self.layer_share.is_empty() {
            true => 1,
            false => self.layer_share[source as usize * self.switches as usize + destination as usize],
        }
    }

    /// Returns the shares of the ports of `switch` toward `destination`, in port order.
    pub fn port_shares(&self, switch: u32, destination: u32) -> impl ExactSizeIterator<Item = u16> + '_ {
        self.shares_of(switch, self.group(switch, destination))
    }

    /// Returns the shares of the ports of a group of `switch`, in port order.
    pub fn shares_of(&self, switch: u32, group: u16) -> impl ExactSizeIterator<Item = u16> + '_ {
        let ports = if group == NO_GROUP { 0..0 } else { self.range(switch, group) };
        let first = ports.start;
        ports.map(move |at| match self.shares_up_to.is_empty() {
            true => 1,
            false => self.shares_up_to[at] - if at == first { 0 } else { self.shares_up_to[at - 1] },
        })
    }

    /// Divides the interval from 0 to 1 among the ports of a group of `switch`, in proportion to their shares. Returns the port to which
    /// the position `*part` / 2³² belongs. Sets `*part` to the relative position within the part of this port, also in units of 2⁻³².
    #[inline]
    pub fn at_fraction(&self, switch: u32, group: u16, part: &mut u32) -> u16 {
        let range = self.range(switch, group);
        if self.shares_up_to.is_empty() {
            let product = u64::from(*part) * range.len() as u64;
            *part = product as u32;
            return self.ports[range.start + (product >> 32) as usize];
        }
        let up_to = &self.shares_up_to[range.clone()];
        let product = u64::from(*part) * u64::from(up_to[up_to.len() - 1]);
        let at = up_to.iter().position(|&up_to| product >> 32 < u64::from(up_to)).expect("a fraction is below 1");
        let before = if at == 0 { 0 } else { up_to[at - 1] };
        *part = ((product - (u64::from(before) << 32)) / u64::from(up_to[at] - before)) as u32;
        self.ports[range.start + at]
    }

    /// Returns a port of `switch` toward `destination`, chosen in proportion to its share. The function calls `number` with the sum of all
    /// shares; `number` must return a number below this sum, for example a random one.
    #[inline]
    pub fn draw(&self, switch: u32, destination: u32, number: impl FnOnce(u32) -> u32) -> u16 {
        let range = self.range(switch, self.group(switch, destination));
        if self.shares_up_to.is_empty() {
            return self.ports[range.start + number(range.len() as u32) as usize];
        }
        let up_to = &self.shares_up_to[range.clone()];
        let number = number(up_to[up_to.len() - 1].into());
        self.ports[range.start + up_to.iter().position(|&up_to| number < up_to.into()).expect("it is below the sum")]
    }

    /// Returns a copy of this table with the ports and shares that `fill` sets in the row of each switch. Entries that `fill` does not set
    /// stay the same.
    pub fn weighted(&self, fill: impl Fn(&mut WeightedRow) + Sync) -> Self {
        let rows: Vec<Row> = (0..self.switches)
            .into_par_iter()
            .map(|switch| {
                let mut row = WeightedRow::of(self, switch);
                fill(&mut row);
                Row::of(row, self.degree(switch))
            })
            .collect();
        let switches = self.switches as usize;
        let mut table = Self {
            switches: self.switches,
            group: Vec::with_capacity(switches * switches),
            first: Vec::with_capacity(switches),
            bounds: vec![0],
            ports: Vec::new(),
            shares_up_to: Vec::new(),
            layer_share: Vec::with_capacity(switches * switches),
        };
        for row in rows {
            table.first.push(table.bounds.len() as u32 - 1);
            table.group.extend(row.groups);
            table.layer_share.extend(row.layer_shares);
            for (ports, shares) in row.sets {
                table.ports.extend(ports);
                table.shares_up_to.extend(shares.iter().scan(0, |sum, &share| {
                    *sum += u16::from(share);
                    Some(*sum)
                }));
                table.bounds.push(table.ports.len() as u32);
            }
        }
        // Two tables that forward in the same way must be stored in the same form. So if the port shares are equal in every group, they are
        // not stored.
        let is_even = |group: &[u32]| {
            let up_to = &table.shares_up_to[group[0] as usize..group[1] as usize];
            up_to.iter().zip(1..).all(|(&up_to, place)| up_to == place)
        };
        if table.bounds.windows(2).all(is_even) {
            table.shares_up_to = Vec::new();
        }
        table
    }

    /// Returns this table with the layer shares of `other`, which must have the same number of switches.
    pub fn with_layer_shares_of(self, other: &Self) -> Self {
        Self { layer_share: other.layer_share.clone(), ..self }
    }

    /// Returns the port shares of each set of `switch`, in the order of [`Table::sets`].
    pub(crate) fn set_shares(&self, switch: u32) -> impl Iterator<Item = u16> + '_ {
        (self.degree(switch)..self.num_groups(switch)).flat_map(move |group| self.shares_of(switch, group))
    }

    fn range(&self, switch: u32, group: u16) -> std::ops::Range<usize> {
        let at = (self.first[switch as usize] + u32::from(group)) as usize;
        self.bounds[at] as usize..self.bounds[at + 1] as usize
    }
}

/// A set of ports, ascending, and their shares.
type Set = (Vec<u16>, Vec<u8>);

/// The row of one switch, for setting ports and shares.
#[derive(Debug)]
pub struct WeightedRow {
    /// The switch.
    pub switch: u32,
    /// One set per destination; empty toward the switch itself.
    sets: Vec<Set>,
    layer_shares: Vec<u8>,
}

impl WeightedRow {
    /// Returns the row of `switch` in `table`, with its current shares.
    fn of(table: &Table, switch: u32) -> Self {
        let share = |share: u16| u8::try_from(share).expect("a share is a byte");
        let set = |to| (table.next(switch, to).to_vec(), table.port_shares(switch, to).map(share).collect());
        Self {
            switch,
            sets: (0..table.switches).map(set).collect(),
            layer_shares: (0..table.switches).map(|to| table.layer_share(switch, to)).collect(),
        }
    }

    /// Returns all destinations, without the switch itself.
    pub fn destinations(&self) -> impl Iterator<Item = u32> + use<> {
        let (own, switches) = (self.switch, self.sets.len() as u32);
        (0..switches).filter(move |&destination| destination != own)
    }

    /// Sets the ports toward `destination` and their shares. Ports must be ascending and not empty, and shares must not be 0.
    pub fn set(&mut self, destination: u32, ports: Vec<u16>, shares: Vec<u8>) {
        debug_assert!(ports.len() == shares.len() && !shares.contains(&0) && ports.is_sorted_by(|a, b| a < b));
        self.sets[destination as usize] = (ports, shares);
    }

    /// Sets the layer's share in the traffic from this switch to `destination`.
    pub fn set_layer_share(&mut self, destination: u32, share: u8) {
        self.layer_shares[destination as usize] = share;
    }
}

/// The finished row of a switch. `sets` contains the single ports first, then each set of several ports once. The shares of a set are
/// divided by their greatest common divisor.
struct Row {
    groups: Vec<u16>,
    layer_shares: Vec<u8>,
    sets: Vec<Set>,
}

impl Row {
    fn of(row: WeightedRow, degree: u16) -> Self {
        let mut sets: Vec<Set> = (0..degree).map(|port| (vec![port], vec![1])).collect();
        let mut numbers: HashMap<Set, u16> = HashMap::new();
        let number = |(ports, mut shares): Set| match ports[..] {
            [] => NO_GROUP,
            [port] => port,
            _ => {
                let common = shares.iter().fold(0, |common, &share| gcd(common, share));
                shares.iter_mut().for_each(|share| *share /= common);
                *numbers.entry((ports, shares)).or_insert_with_key(|set| {
                    let number = u16::try_from(sets.len()).ok().filter(|&number| number < NO_GROUP);
                    sets.push(set.clone());
                    number.expect("a switch has at most one group per port and one per destination")
                })
            }
        };
        let groups = row.sets.into_iter().map(number).collect();
        Self { groups, layer_shares: row.layer_shares, sets }
    }
}

/// Returns the sum of the shares of all `layers` in the traffic from `source` to `destination`.
pub fn total_share(layers: &[Table], source: u32, destination: u32) -> u32 {
    layers.iter().map(|table| u32::from(table.layer_share(source, destination))).sum()
}

/// Checks that every pair has a share above 0 in some layer.
///
/// # Errors
/// Fails if the shares of some pair are all 0. The one-line error names the first such pair.
pub(crate) fn verify_shares(layers: &[Table]) -> Result<(), String> {
    if layers.iter().any(|table| table.layer_share.is_empty()) {
        return Ok(());
    }
    let switches = layers.first().map_or(0, |table| table.switches);
    let mut pairs = (0..switches).flat_map(|source| (0..switches).map(move |destination| (source, destination)));
    let none =
        |&(source, destination): &(u32, u32)| source != destination && total_share(layers, source, destination) == 0;
    match pairs.find(none) {
        Some((source, destination)) => Err(format!(
            "the shares of all layers from switch {source} to {destination} are 0; legal: at least one share above 0"
        )),
        None => Ok(()),
    }
}

/// Returns the sequence of layers that packets from `source` to `destination` use in turn. Each layer occurs in proportion to its share,
/// and its occurrences are spread evenly over the sequence. If all shares are equal, every layer occurs once.
pub fn turns(layers: &[Table], source: u32, destination: u32) -> Vec<u8> {
    let shares: Vec<u8> = layers.iter().map(|table| table.layer_share(source, destination)).collect();
    let common = shares.iter().fold(0, |common, &share| gcd(common, share)).max(1);
    let shares: Vec<i32> = shares.iter().map(|&share| i32::from(share / common)).collect();
    let total: i32 = shares.iter().sum();
    // This is smooth weighted round robin. In each turn, the credit of every layer grows by its share. The layer with the most credit comes
    // next, and its credit falls by the sum of all shares.
    let mut owed = vec![0; shares.len()];
    let turn = |_| {
        owed.iter_mut().zip(&shares).for_each(|(owed, share)| *owed += share);
        let most = owed.iter().max().copied().unwrap_or(0);
        let next = owed.iter().position(|&owed| owed == most).expect("it is one of them");
        owed[next] -= total;
        next as u8
    };
    (0..total).map(turn).collect()
}

fn gcd(a: u8, b: u8) -> u8 {
    if b == 0 { a } else { gcd(b, a % b) }
}
