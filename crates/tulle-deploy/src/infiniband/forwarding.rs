//! Linear forwarding tables: the output port for each switch and LID.

use rayon::prelude::*;
use tulle_base::{memory, task};
use tulle_fabric::{Fabric, Subnet};
use tulle_routing::{Routing, Table};

use super::{Lids, Owner};
use crate::Error;

/// The port of an unreachable LID.
pub const NO_PORT: u8 = 255;

/// The tables of all switches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tables {
    lids: usize,
    ports: Vec<u8>,
}

/// The tables that were loaded before the fabric was damaged.
#[derive(Debug, Clone, Copy)]
pub struct Before<'a> {
    /// The tables.
    pub tables: &'a Tables,
    /// Per switch of the damaged fabric, its id in these tables.
    pub switches: &'a [u32],
}

/// Refuses routings that InfiniBand switches cannot implement with 2^`lmc` LIDs per port.
pub(super) fn fits(routing: &Routing, lmc: u8) -> Result<(), Error> {
    let (spec, layers) = (routing.spec(), routing.num_layers());
    if routing.path_set().is_some() {
        return Err(Error::Input(format!(
            "{spec} has explicit paths, which switches that forward by destination cannot store; legal: layers of \
             tables, for example almost-minimal:layers=4"
        )));
    }
    if layers > 1usize << lmc.min(7) {
        let least = (0..=7).find(|&lmc| layers <= 1usize << lmc);
        let legal = least.map_or("128 layers or fewer".to_owned(), |lmc| format!("lmc={lmc} to 7, or fewer layers"));
        return Err(Error::Input(format!(
            "{spec} has {layers} layers, but lmc={lmc} gives an adapter port only {} LIDs; legal: {legal}",
            1u32 << lmc
        )));
    }
    Ok(())
}

impl Tables {
    /// Returns the tables of `routing`. If an adapter port has more LIDs than the routing has layers, the further LIDs use the same layers
    /// again, starting with layer 0.
    ///
    /// If a layer has several ports for a destination, the number of the destination's adapter selects the port, as in OpenSM's ftree
    /// routing. Above level 0, this number is first divided by the product of the maximum sizes of next-hop groups on all lower levels. The
    /// port shares of weighted routings are ignored.
    pub(super) fn of(
        fabric: &Fabric,
        subnet: &Subnet,
        routing: &Routing,
        lids: &Lids,
        before: Option<Before<'_>>,
    ) -> Result<Self, Error> {
        let owners = lids.owners();
        let width = owners.len();
        memory::require(|| "forwarding tables".to_owned(), (width * fabric.num_switches()) as u64)?;
        let mut ports = memory::array("forwarding tables", NO_PORT, width * fabric.num_switches());
        let strides = strides(fabric, routing);
        ports.par_chunks_mut(width).enumerate().for_each(|(switch, row)| {
            task::check();
            let switch = switch as u32;
            let first = fabric.channels_of(switch).start;
            let stride = strides[usize::from(fabric.levels()[switch as usize])];
            let old = before.map(|before| before.tables.row(before.switches[switch as usize]));
            for (lid, &owner) in owners.iter().enumerate() {
                let (table, destination, rank): (&Table, u32, u64) = match owner {
                    Owner::Nobody => continue,
                    Owner::Switch(destination) if destination == switch => {
                        row[lid] = 0;
                        continue;
                    }
                    Owner::Switch(destination) => (&routing.layers()[0], destination, destination.into()),
                    Owner::Endpoint { endpoint, offset } => {
                        let destination = fabric.endpoint_switch()[endpoint as usize];
                        if destination == switch {
                            row[lid] = subnet.endpoint_ports[endpoint as usize] as u8;
                            continue;
                        }
                        let layer = usize::from(offset) % routing.num_layers();
                        let again = usize::from(offset) / routing.num_layers();
                        (&routing.layers()[layer], destination, u64::from(endpoint) + again as u64)
                    }
                };
                let port = |at: u16| subnet.ports[first + usize::from(at)] as u8;
                row[lid] = match table.next(switch, destination) {
                    [] => NO_PORT,
                    &[only] => port(only),
                    choice => {
                        let old = old.and_then(|old| old.get(lid).copied());
                        match choice.iter().map(|&at| port(at)).find(|&port| Some(port) == old) {
                            Some(old) => old,
                            None => port(choice[(rank / stride % choice.len() as u64) as usize]),
                        }
                    }
                };
            }
        });
        Ok(Self { lids: width, ports })
    }

    /// Returns tables from `ports`, which has a row of `lids` ports for each switch.
    pub(super) fn from_ports(lids: usize, ports: Vec<u8>) -> Self {
        Self { lids, ports }
    }

    /// Returns the number of LIDs in every row, including LID 0.
    pub fn lids(&self) -> usize {
        self.lids
    }

    /// Returns the ports of all switches, row by row.
    pub fn ports(&self) -> &[u8] {
        &self.ports
    }

    /// Returns the ports of `switch`, one per LID from 0.
    pub fn row(&self, switch: u32) -> &[u8] {
        &self.ports[switch as usize * self.lids..(switch as usize + 1) * self.lids]
    }
}

/// Returns, for each level of switches, the divisor of adapter numbers that [`Tables::of`] uses: the product of the maximum sizes of
/// next-hop groups on the levels below.
fn strides(fabric: &Fabric, routing: &Routing) -> Vec<u64> {
    let top = fabric.levels().iter().copied().max().unwrap_or(0);
    let mut widest = vec![1u64; usize::from(top) + 1];
    let switches = 0..fabric.num_switches() as u32;
    for (table, switch) in routing.layers().iter().flat_map(|table| switches.clone().map(move |switch| (table, switch)))
    {
        let level = usize::from(fabric.levels()[switch as usize]);
        let most = table.row(switch).iter().filter(|group| **group != tulle_routing::NO_GROUP);
        let most = most.map(|&group| table.ports(switch, group).len()).max().unwrap_or(1);
        widest[level] = widest[level].max(most as u64);
    }
    let mut below = 1u64;
    let above = |&widest: &u64| {
        let stride = below;
        below = below.saturating_mul(widest);
        stride
    };
    widest.iter().map(above).collect()
}

#[cfg(test)]
mod tests;
