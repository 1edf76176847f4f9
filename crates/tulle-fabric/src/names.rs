//! Names of switches, endpoints, cables and ports.
//!
//! A switch is called by its label ([`Fabric::label`](crate::Fabric::label)), an endpoint by its own name or its id. If the ports of a
//! switch have no names, they are numbered from 0: first the network ports by channel, then the endpoint ports. A cable is called by its
//! own name, or by its ends: `leaf1--spine2`. Parallel cables are called `leaf1/3--spine2/0`, with the port at each end.
//!
//! The GUIDs and LIDs of an InfiniBand subnet are stored separately, in [`Address`].

use std::sync::Arc;

use crate::columns::pick;

/// The InfiniBand address of a switch or of an endpoint's adapter port; 0 if unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Address {
    /// The GUID of the switch or adapter.
    pub node_guid: u64,
    /// The GUID of the port: of an adapter's port, or of port 0 of a switch.
    pub port_guid: u64,
    /// The base LID.
    pub lid: u16,
    /// The LID mask control: the port has 2^LMC LIDs.
    pub lmc: u8,
    /// The port of the adapter, from 1.
    pub port: u8,
}

impl Address {
    /// Nothing is known.
    pub const UNKNOWN: Self = Self { node_guid: 0, port_guid: 0, lid: 0, lmc: 0, port: 0 };
}

/// Explicit names, which come from a file or from the builder and are not generated; and roles. A column without any values is empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Names {
    /// Role per switch; an empty text if the role is unknown.
    pub(crate) roles: Vec<String>,
    /// Number of ports per switch, used or not; 0 if unknown.
    pub(crate) switch_ports: Vec<u32>,
    /// Name of each channel's cable; an empty text if the cable has no name.
    pub(crate) cables: Vec<String>,
    /// Name of the port through which each channel leaves its source switch; an empty text if the port has no name.
    pub(crate) ports: Vec<String>,
    /// Number of the port through which each channel leaves its source switch. Empty, unless failed parts were removed from the fabric. The
    /// number may then differ from the channel's position in the row of its switch.
    pub(crate) numbers: Vec<u32>,
    /// Name per endpoint; an empty text if the endpoint has no name.
    pub(crate) endpoints: Vec<String>,
    /// Name of the switch port to which each endpoint is attached; an empty text if the port has no name.
    pub(crate) endpoint_ports: Vec<String>,
    /// Name of the host port of each endpoint; an empty text if unknown.
    pub(crate) host_ports: Vec<String>,
    /// Number of the switch port to which each endpoint is attached. Empty, unless failed parts were removed from the fabric.
    pub(crate) endpoint_numbers: Vec<u32>,
    /// InfiniBand addresses of switches and of endpoints; all numbers are 0 if unknown.
    pub(crate) switch_addresses: Vec<Address>,
    pub(crate) endpoint_addresses: Vec<Address>,
}

impl Names {
    /// Returns these names, or `None` if all columns are empty.
    pub(crate) fn some(self) -> Option<Arc<Self>> {
        (self != Self::default()).then(|| Arc::new(self))
    }

    /// Returns the names with one value per part in every non-empty column.
    pub(crate) fn padded(mut self, switches: usize, channels: usize, endpoints: usize) -> Self {
        pad(&mut self.roles, switches);
        pad(&mut self.switch_ports, switches);
        pad(&mut self.cables, channels);
        pad(&mut self.ports, channels);
        pad(&mut self.endpoints, endpoints);
        pad(&mut self.endpoint_ports, endpoints);
        pad(&mut self.host_ports, endpoints);
        pad(&mut self.switch_addresses, switches);
        pad(&mut self.endpoint_addresses, endpoints);
        self
    }

    /// Returns the names with the channels in the order `order`.
    pub(crate) fn ordered(mut self, order: &[u32]) -> Self {
        self.cables = chosen(&self.cables, order);
        self.ports = chosen(&self.ports, order);
        self
    }

    /// Returns the names of these switches, channels and endpoints only, in their order.
    pub(crate) fn kept(&self, switches: &[u32], channels: &[u32], endpoints: &[u32]) -> Self {
        Self {
            roles: chosen(&self.roles, switches),
            switch_ports: chosen(&self.switch_ports, switches),
            cables: chosen(&self.cables, channels),
            ports: chosen(&self.ports, channels),
            numbers: pick(&self.numbers, channels, |number| number),
            endpoints: chosen(&self.endpoints, endpoints),
            endpoint_ports: chosen(&self.endpoint_ports, endpoints),
            host_ports: chosen(&self.host_ports, endpoints),
            endpoint_numbers: pick(&self.endpoint_numbers, endpoints, |number| number),
            switch_addresses: chosen(&self.switch_addresses, switches),
            endpoint_addresses: chosen(&self.endpoint_addresses, endpoints),
        }
    }
}

/// Returns the values of the parts `ids`; empty if the column is empty, or if only empty values remain.
fn chosen<T: Clone + Default + PartialEq>(values: &[T], ids: &[u32]) -> Vec<T> {
    if values.is_empty() {
        return Vec::new();
    }
    let chosen: Vec<T> = ids.iter().map(|&id| values[id as usize].clone()).collect();
    if chosen.iter().all(|value| *value == T::default()) { Vec::new() } else { chosen }
}

/// Extends a column to one value per part, unless the column is empty.
fn pad<T: Clone + Default>(values: &mut Vec<T>, parts: usize) {
    if !values.is_empty() {
        values.resize(parts, T::default());
    }
}
