//! Prefix entries: a weighted group of ports for each switch, layer and destination switch.

use std::collections::HashMap;

use rayon::prelude::*;
use tulle_base::{memory, task};
use tulle_fabric::{Fabric, Subnet};
use tulle_routing::Routing;

use crate::Error;

/// A next hop in a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Hop {
    /// The port of the switch, from 1.
    pub port: u32,
    /// The port's weight in the group.
    pub weight: u16,
    /// The switch to which the port leads.
    pub next: u32,
}

/// The entries of one switch.
#[derive(Debug, Clone, Default)]
pub struct Row {
    /// The group for each layer and index of a destination; [`Row::NONE`] if the destination is the switch itself.
    pub group: Vec<u32>,
    /// Index of the first hop of every group, followed by the total number of hops.
    pub bounds: Vec<u32>,
    /// The hops of all groups.
    pub hops: Vec<Hop>,
}

impl Row {
    /// No group.
    pub const NONE: u32 = u32::MAX;

    /// The hops of a group.
    pub fn of(&self, group: u32) -> &[Hop] {
        &self.hops[self.bounds[group as usize] as usize..self.bounds[group as usize + 1] as usize]
    }
}

/// The entries of all switches.
#[derive(Debug, Clone)]
pub struct Entries {
    layers: usize,
    destinations: Vec<u32>,
    rows: Vec<Row>,
    ports: Vec<u32>,
    endpoint_ports: Vec<u32>,
}

impl Entries {
    /// Returns the entries of `routing` for every destination switch with endpoints.
    ///
    /// Equal groups of a switch are stored only once, even if they belong to entries of different layers and destinations. Real switches
    /// store groups in the same way.
    ///
    /// # Errors
    /// Fails if the fabric has no endpoints, or if the routing has explicit paths.
    pub fn of(fabric: &Fabric, routing: &Routing) -> Result<Self, Error> {
        if routing.path_set().is_some() {
            return Err(Error::Input(format!(
                "{} has explicit paths, which switches that forward by destination cannot store; legal: layers of \
                 tables, for example random:layers=4, or the target srv6",
                routing.spec()
            )));
        }
        let destinations = fabric.endpoint_switches();
        if destinations.is_empty() {
            return Err(Error::Input(format!(
                "{} has no endpoints, so no destination needs an entry; legal: a fabric with endpoints{}",
                fabric.spec(),
                fabric.endpoint_hint()
            )));
        }
        let subnet = Subnet::of(fabric);
        let (switches, layers) = (fabric.num_switches(), routing.num_layers());
        memory::require(|| "prefix entries".to_owned(), (switches * layers * destinations.len() * 4) as u64)?;
        let row = |switch: u32| {
            task::check();
            let first = fabric.channels_of(switch).start;
            let mut row = Row { bounds: vec![0], ..Row::default() };
            row.group.reserve_exact(layers * destinations.len());
            let mut known: HashMap<Vec<Hop>, u32> = HashMap::new();
            for table in routing.layers() {
                // Within one layer, equal group numbers of the routing mean equal ports. So ports need not be compared.
                let mut seen: HashMap<u16, u32> = HashMap::new();
                for &destination in &destinations {
                    if destination == switch {
                        row.group.push(Row::NONE);
                        continue;
                    }
                    let group = *seen.entry(table.group(switch, destination)).or_insert_with(|| {
                        let shares = table.port_shares(switch, destination);
                        let hops = table.next(switch, destination).iter().zip(shares).map(|(&at, weight)| {
                            let channel = first + usize::from(at);
                            Hop { port: subnet.ports[channel], weight, next: fabric.targets()[channel] }
                        });
                        let mut hops: Vec<Hop> = hops.collect();
                        hops.sort_by_key(|hop| hop.port);
                        lowest_terms(&mut hops);
                        *known.entry(hops).or_insert_with_key(|hops| {
                            row.hops.extend(hops);
                            row.bounds.push(row.hops.len() as u32);
                            row.bounds.len() as u32 - 2
                        })
                    });
                    row.group.push(group);
                }
            }
            row
        };
        let rows = (0..switches as u32).into_par_iter().map(row).collect();
        Ok(Self { layers, destinations, rows, ports: subnet.ports, endpoint_ports: subnet.endpoint_ports })
    }

    /// Returns the number of layers.
    pub fn layers(&self) -> usize {
        self.layers
    }

    /// Returns the switches with endpoints, ascending.
    pub fn destinations(&self) -> &[u32] {
        &self.destinations
    }

    /// The entries of every switch.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns, for each channel, the number of its port at the sending switch, from 1.
    pub fn ports(&self) -> &[u32] {
        &self.ports
    }

    /// Returns, for each endpoint, the number of its port at its switch, from 1.
    pub fn endpoint_ports(&self) -> &[u32] {
        &self.endpoint_ports
    }

    /// Returns the hops of `switch` in a layer to the destination with index `place`; empty if the destination is the switch itself.
    pub fn hops(&self, switch: u32, layer: usize, place: usize) -> &[Hop] {
        let row = &self.rows[switch as usize];
        match row.group[layer * self.destinations.len() + place] {
            Row::NONE => &[],
            group => row.of(group),
        }
    }

    /// Returns the number of entries of `switch`.
    pub fn count(&self, switch: u32) -> usize {
        self.rows[switch as usize].group.iter().filter(|group| **group != Row::NONE).count()
    }
}

/// Divides the weights by their greatest common divisor, because many switches store a group with as many table slots as the sum of its
/// weights.
fn lowest_terms(hops: &mut [Hop]) {
    let divisor = hops.iter().fold(0, |a, hop| divisor(a, hop.weight)).max(1);
    hops.iter_mut().for_each(|hop| hop.weight /= divisor);
}

fn divisor(a: u16, b: u16) -> u16 {
    if b == 0 { a } else { divisor(b, a % b) }
}

#[cfg(test)]
mod tests;
