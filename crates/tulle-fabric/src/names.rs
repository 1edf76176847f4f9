//! Names: what switches, endpoints, cables and ports are called, and which part a name means.
//!
//! A switch is called by its label ([`Fabric::label`]), an endpoint by its own name or its id. A port of a switch without
//! port names has a number, counted from 0: network ports by channel, then those of its endpoints. A cable is called by its
//! own name, or `leaf1--spine2`; cables side by side `leaf1/3--spine2/0`, with the port at each end.
//!
//! What hardware is called by its maker and by a subnet manager is data beside that ([`Address`]).

mod lookup;

use std::sync::Arc;

pub use lookup::Part;

use crate::Fabric;
use crate::fabric::pick;

/// What a switch, or the adapter port of an endpoint, is called in an InfiniBand subnet; 0 where nobody said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Address {
    /// The GUID of the switch or adapter.
    pub node_guid: u64,
    /// The GUID of the port: of an adapter's, or of port 0 of a switch.
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

/// Names and roles, as far as they were given; a column is empty where nothing was.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Names {
    /// Per switch; empty texts where it has none.
    pub(crate) roles: Vec<String>,
    /// Per switch, how many ports it has, used or not; 0 where nobody said.
    pub(crate) switch_ports: Vec<u32>,
    /// Per channel, the name of its cable; empty texts where it has none.
    pub(crate) cables: Vec<String>,
    /// Per channel, the port it leaves its source by; empty texts where it has no name.
    pub(crate) ports: Vec<String>,
    /// Per channel, the number of that port, where it is not the place in the row: in damaged fabrics.
    pub(crate) numbers: Vec<u32>,
    /// Per endpoint; empty texts where it has none.
    pub(crate) endpoints: Vec<String>,
    /// Per endpoint, the port of its switch; empty texts where it has no name.
    pub(crate) endpoint_ports: Vec<String>,
    /// Per endpoint, the name of the port on its host; empty if unknown.
    pub(crate) host_ports: Vec<String>,
    /// Per endpoint, the number of the port of its switch, in damaged fabrics.
    pub(crate) endpoint_numbers: Vec<u32>,
    /// Per switch and per endpoint; unknown where nobody said.
    pub(crate) switch_addresses: Vec<Address>,
    pub(crate) endpoint_addresses: Vec<Address>,
}

impl Names {
    /// These, unless there are none at all.
    pub(crate) fn some(self) -> Option<Arc<Self>> {
        (self != Self::default()).then(|| Arc::new(self))
    }

    /// The same with a value per part in every column that has any.
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

    /// The same with channels in the order of `order`.
    pub(crate) fn ordered(mut self, order: &[u32]) -> Self {
        self.cables = chosen(&self.cables, order);
        self.ports = chosen(&self.ports, order);
        self
    }

    /// Of these switches, channels and endpoints alone, in their order.
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

/// The values of `ids`; none where there are none at all, or empty ones alone are left.
fn chosen<T: Clone + Default + PartialEq>(values: &[T], ids: &[u32]) -> Vec<T> {
    if values.is_empty() {
        return Vec::new();
    }
    let chosen: Vec<T> = ids.iter().map(|&id| values[id as usize].clone()).collect();
    if chosen.iter().all(|value| *value == T::default()) { Vec::new() } else { chosen }
}

/// A value per part, where there is any.
fn pad<T: Clone + Default>(values: &mut Vec<T>, parts: usize) {
    if !values.is_empty() {
        values.resize(parts, T::default());
    }
}

/// The text at `at`, unless there is none or it is empty.
fn given(texts: Option<&Vec<String>>, at: u32) -> Option<&str> {
    texts.and_then(|texts| texts.get(at as usize)).map(String::as_str).filter(|text| !text.is_empty())
}

/// The address at `at`, unless nothing is known of it.
fn known(addresses: Option<&Vec<Address>>, at: u32) -> Option<Address> {
    addresses.and_then(|addresses| addresses.get(at as usize)).copied().filter(|address| *address != Address::UNKNOWN)
}

impl Fabric {
    /// Whether ports have numbers that may not be their places, as in damaged fabrics.
    fn has_port_numbers(&self) -> bool {
        self.names().is_some_and(|names| !names.numbers.is_empty() || !names.endpoint_numbers.is_empty())
    }

    /// Whether some port without a name has another number than its place gives it, as in damaged fabrics: whoever writes the
    /// fabric must say the numbers then, as a reader would count anew.
    pub fn has_moved_ports(&self) -> bool {
        self.has_port_numbers()
            && ((0..self.num_channels() as u32).any(|channel| {
                let first = self.offsets[self.sources[channel as usize] as usize];
                self.given_port_name(channel).is_none() && self.port_number(channel) != channel - first
            }) || (0..self.num_endpoints() as u32).any(|endpoint| {
                let number = self.endpoint_number(endpoint);
                self.given_endpoint_port(endpoint).is_none() && number != self.endpoint_port_number(endpoint)
            }))
    }

    /// The name of `switch`: its label.
    pub fn switch_name(&self, switch: u32) -> String {
        self.label(switch)
    }

    /// The name of `switch` in errors: the one that it was given, or its id.
    pub fn called(&self, switch: u32) -> String {
        self.labels.get(switch as usize).cloned().unwrap_or_else(|| switch.to_string())
    }

    /// Whether switches have names of their own, beyond ids and coordinates.
    pub fn has_switch_names(&self) -> bool {
        !self.labels.is_empty()
    }

    /// The names of the switches, one each; none where they have only ids and coordinates.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Whether anything is known of roles, ports, addresses, or names of cables and endpoints.
    pub fn has_part_names(&self) -> bool {
        self.names.is_some()
    }

    /// The role of `switch`, as `leaf` or `spine`, where somebody said.
    pub fn switch_role(&self, switch: u32) -> Option<&str> {
        given(self.names().map(|names| &names.roles), switch)
    }

    /// How many ports `switch` has, used or not, where somebody said.
    pub fn switch_ports(&self, switch: u32) -> Option<u32> {
        self.names().and_then(|names| names.switch_ports.get(switch as usize)).copied().filter(|&ports| ports > 0)
    }

    /// What `switch` is called in its InfiniBand subnet, where somebody said.
    pub fn switch_address(&self, switch: u32) -> Option<Address> {
        known(self.names().map(|names| &names.switch_addresses), switch)
    }

    /// What the adapter port of `endpoint` is called in its InfiniBand subnet, where somebody said.
    pub fn endpoint_address(&self, endpoint: u32) -> Option<Address> {
        known(self.names().map(|names| &names.endpoint_addresses), endpoint)
    }

    /// The name of `endpoint`, or its id.
    pub fn endpoint_name(&self, endpoint: u32) -> String {
        self.given_endpoint_name(endpoint).map_or_else(|| endpoint.to_string(), str::to_owned)
    }

    /// The name that `endpoint` was given.
    pub fn given_endpoint_name(&self, endpoint: u32) -> Option<&str> {
        given(self.names().map(|names| &names.endpoints), endpoint)
    }

    /// The port by which `channel` leaves its source: its name, or its number from 0.
    pub fn port_name(&self, channel: u32) -> String {
        self.given_port_name(channel).map_or_else(|| self.port_number(channel).to_string(), str::to_owned)
    }

    /// The number of that port, from 0, whatever its name.
    pub(crate) fn port_number(&self, channel: u32) -> u32 {
        let first = self.offsets[self.sources[channel as usize] as usize];
        self.names().and_then(|names| names.numbers.get(channel as usize)).copied().unwrap_or(channel - first)
    }

    /// The name that the port was given by which `channel` leaves its source.
    pub fn given_port_name(&self, channel: u32) -> Option<&str> {
        given(self.names().map(|names| &names.ports), channel)
    }

    /// The port of its switch that `endpoint` is at: its name, or its number behind those of the network ports.
    pub fn endpoint_port_name(&self, endpoint: u32) -> String {
        self.given_endpoint_port(endpoint).map_or_else(|| self.endpoint_number(endpoint).to_string(), str::to_owned)
    }

    /// The number of that port, whatever its name.
    pub(crate) fn endpoint_number(&self, endpoint: u32) -> u32 {
        let kept = self.names().and_then(|names| names.endpoint_numbers.get(endpoint as usize)).copied();
        kept.unwrap_or_else(|| self.endpoint_port_number(endpoint))
    }

    /// The name that the port was given that `endpoint` is at.
    pub fn given_endpoint_port(&self, endpoint: u32) -> Option<&str> {
        given(self.names().map(|names| &names.endpoint_ports), endpoint)
    }

    /// Returns the name of the port on the host that `endpoint` stands for, if known.
    pub fn host_port(&self, endpoint: u32) -> Option<&str> {
        given(self.names().map(|names| &names.host_ports), endpoint)
    }

    /// The host that `endpoint` is a port of, where its port is known: an endpoint of a host with several ports is called
    /// `HOST:PORT`.
    pub fn host(&self, endpoint: u32) -> Option<&str> {
        let (name, port) = (self.given_endpoint_name(endpoint)?, self.host_port(endpoint)?);
        let host = name.strip_suffix(port).and_then(|name| name.strip_suffix(':')).filter(|host| !host.is_empty());
        Some(host.unwrap_or(name))
    }

    /// The name of the cable of `channel`: its own, or those of its ends.
    pub fn cable_name(&self, channel: u32) -> String {
        if let Some(name) = self.given_cable_name(channel) {
            return name.to_owned();
        }
        let back = self.reverse[channel as usize];
        let [there, back] = [channel.min(back), channel.max(back)];
        let [a, b] = [there, back].map(|channel| self.label(self.sources[channel as usize]));
        let target = self.targets[there as usize];
        let beside = self.neighbours(self.sources[there as usize]).iter().filter(|&&other| other == target).count();
        match beside {
            1 => format!("{a}--{b}"),
            _ => format!("{a}/{}--{b}/{}", self.port_name(there), self.port_name(back)),
        }
    }

    /// The name that the cable of `channel` was given.
    pub fn given_cable_name(&self, channel: u32) -> Option<&str> {
        given(self.names().map(|names| &names.cables), channel)
    }

    pub(crate) fn names(&self) -> Option<&Names> {
        self.names.as_deref()
    }

    fn endpoint_port_number(&self, endpoint: u32) -> u32 {
        let switch = self.endpoint_switch[endpoint as usize];
        let beside = self.endpoints_of(switch);
        (self.degree(switch) + beside.partition_point(|&other| other < endpoint)) as u32
    }

    /// The names of what is kept when the rest is taken away. Ports keep the numbers they had.
    pub(crate) fn kept_names(&self, switches: &[u32], channels: &[u32], endpoints: &[u32]) -> Option<Arc<Names>> {
        let mut names = self.names().cloned().unwrap_or_default();
        if names.numbers.len() != self.num_channels() || names.endpoint_numbers.len() != self.num_endpoints() {
            let first = |channel: usize| self.offsets[self.sources[channel] as usize];
            names.numbers = (0..self.num_channels()).map(|channel| channel as u32 - first(channel)).collect();
            let endpoints = 0..self.num_endpoints() as u32;
            names.endpoint_numbers = endpoints.map(|endpoint| self.endpoint_port_number(endpoint)).collect();
        }
        names.kept(switches, channels, endpoints).some()
    }
}
