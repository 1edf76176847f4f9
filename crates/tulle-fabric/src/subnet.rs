//! InfiniBand subnets: assigns GUIDs and ports to parts of a fabric that have none.

use std::collections::HashSet;

use crate::{Address, Fabric};

/// The addresses of a fabric's parts in an InfiniBand subnet. Known addresses stay the same; other GUIDs and ports are generated from ids.
#[derive(Debug, Clone)]
pub struct Subnet {
    /// GUIDs of each switch.
    pub switches: Vec<Address>,
    /// GUIDs of each endpoint's adapter, and of the adapter's port.
    pub endpoints: Vec<Address>,
    /// Number, from 1, of the port by which each channel leaves its switch.
    pub ports: Vec<u32>,
    /// Switch port of each endpoint.
    pub endpoint_ports: Vec<u32>,
    /// Number of switches with port names that are not distinct numbers from 1 to [`Subnet::MAX_PORTS`]. Their ports get new numbers.
    pub renumbered: usize,
}

impl Subnet {
    /// Maximum number of ports of a switch in InfiniBand.
    pub const MAX_PORTS: u32 = 254;

    /// The subnet of `fabric`.
    pub fn of(fabric: &Fabric) -> Self {
        let (switches, endpoints) = (fabric.num_switches() as u64, fabric.num_endpoints() as u64);
        // If a fabric has 0x7f00 switches or more, adapters get another range of GUIDs. So the GUIDs of switches and adapters never
        // overlap.
        let adapters = if switches < 0x7f00 { 0x5f00_0000_0080_0000 } else { 0x5f00_0100_0000_0000 };
        let made = |known: Option<Address>, node_guid: u64, port: u64| {
            let mut address = known.unwrap_or(Address::UNKNOWN);
            if address.node_guid == 0 {
                address.node_guid = node_guid;
            }
            if address.port_guid == 0 {
                address.port_guid = address.node_guid + port;
            }
            address
        };
        let switch = |at: u64| made(fabric.switch_address(at as u32), 0x5f00_0000_0001_0000 + (at << 8), 0);
        let endpoint = |at: u64| {
            let known = fabric.endpoint_address(at as u32);
            let port = known.map_or(0, |address| address.port).max(1);
            Address { port, ..made(known, adapters + (at << 8), port.into()) }
        };
        let (mut ports, mut endpoint_ports, mut renumbered) = (Vec::new(), vec![0; endpoints as usize], 0);
        for switch in 0..switches as u32 {
            let channels = fabric.channels_of(switch).map(|channel| channel as u32);
            let at = fabric.endpoints_of(switch);
            let given: Option<Vec<u32>> = channels
                .clone()
                .map(|channel| fabric.given_port_name(channel))
                .chain(at.iter().map(|&endpoint| fabric.given_endpoint_port(endpoint)))
                .map(|name| name?.parse::<u32>().ok().filter(|port| (1..=Self::MAX_PORTS).contains(port)))
                .collect();
            let given = given.filter(|ports| ports.iter().collect::<HashSet<_>>().len() == ports.len());
            let has_names = channels.clone().any(|channel| fabric.given_port_name(channel).is_some())
                || at.iter().any(|&endpoint| fabric.given_endpoint_port(endpoint).is_some());
            renumbered += usize::from(given.is_none() && has_names);
            let numbers = given.unwrap_or_else(|| {
                let network = channels.clone().map(|channel| fabric.port_number(channel) + 1);
                network.chain(at.iter().map(|&endpoint| fabric.endpoint_number(endpoint) + 1)).collect()
            });
            ports.extend(&numbers[..channels.len()]);
            at.iter()
                .zip(&numbers[channels.len()..])
                .for_each(|(&endpoint, &port)| endpoint_ports[endpoint as usize] = port);
        }
        Self {
            switches: (0..switches).map(switch).collect(),
            endpoints: (0..endpoints).map(endpoint).collect(),
            ports,
            endpoint_ports,
            renumbered,
        }
    }

    /// Returns the reason why the addresses of `fabric` are illegal: too many ports of a switch, or a duplicate GUID.
    pub fn refuses(&self, fabric: &Fabric) -> Option<String> {
        let sources = fabric.sources().iter().zip(&self.ports);
        let attached = fabric.endpoint_switch().iter().zip(&self.endpoint_ports);
        if let Some((&switch, port)) = sources.chain(attached).find(|(_, port)| **port > Self::MAX_PORTS) {
            let name = fabric.label(switch);
            return Some(format!("switch {name} has a port {port}; legal in InfiniBand: 1 to {}", Self::MAX_PORTS));
        }
        let mut seen = HashSet::new();
        let nodes = self.switches.iter().map(|address| (address.node_guid, 0));
        let mut ports = nodes.chain(self.endpoints.iter().map(|address| (address.node_guid, address.port)));
        let (guid, _) = ports.find(|port| !seen.insert(*port))?;
        Some(format!("two nodes have the GUID 0x{guid:016x}; legal: GUIDs that differ"))
    }
}

impl Fabric {
    /// Returns the fabric with these GUIDs and LIDs, and with numbers as port names.
    pub fn in_subnet(&self, subnet: &Subnet) -> Self {
        let mut fabric = self.with_port_numbers(&subnet.ports, &subnet.endpoint_ports);
        let mut names = fabric.names().cloned().unwrap_or_default();
        names.switch_addresses.clone_from(&subnet.switches);
        names.endpoint_addresses.clone_from(&subnet.endpoints);
        fabric.names = names.some();
        fabric
    }

    /// Returns the fabric with these numbers as port names, by channel and by endpoint.
    ///
    /// # Panics
    /// Panics if a list has the wrong length.
    pub fn with_port_numbers(&self, ports: &[u32], endpoint_ports: &[u32]) -> Self {
        assert_eq!([ports.len(), endpoint_ports.len()], [self.num_channels(), self.num_endpoints()]);
        let mut names = self.names().cloned().unwrap_or_default();
        names.ports = ports.iter().map(u32::to_string).collect();
        names.endpoint_ports = endpoint_ports.iter().map(u32::to_string).collect();
        Self { names: names.some(), ..self.clone() }
    }
}
