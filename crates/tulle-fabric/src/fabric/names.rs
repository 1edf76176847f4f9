//! The names of the parts of a fabric, by switch, channel and endpoint.

use std::sync::Arc;

use super::Fabric;
use crate::names::{Address, Names};

/// Returns the text with index `at`, unless it is missing or empty.
fn given(texts: Option<&Vec<String>>, at: u32) -> Option<&str> {
    texts.and_then(|texts| texts.get(at as usize)).map(String::as_str).filter(|text| !text.is_empty())
}

/// Returns the address at `at`, if known.
fn known(addresses: Option<&Vec<Address>>, at: u32) -> Option<Address> {
    addresses.and_then(|addresses| addresses.get(at as usize)).copied().filter(|address| *address != Address::UNKNOWN)
}

impl Fabric {
    /// Whether the fabric stores port numbers. It stores them if failed parts were removed, because the number of a port may then differ
    /// from its position in the row of its switch.
    fn has_port_numbers(&self) -> bool {
        self.names().is_some_and(|names| !names.numbers.is_empty() || !names.endpoint_numbers.is_empty())
    }

    /// Whether some port without a name has a number that differs from its position in the row of its switch. This happens in fabrics from
    /// which failed parts were removed. A written file must then contain the numbers, because a reader would number the ports differently.
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

    /// Returns the name of `switch` for errors: its explicit name, or its id.
    pub fn called(&self, switch: u32) -> String {
        self.labels.get(switch as usize).cloned().unwrap_or_else(|| switch.to_string())
    }

    /// Whether switches have names of their own, beyond ids and coordinates.
    pub fn has_switch_names(&self) -> bool {
        !self.labels.is_empty()
    }

    /// The explicit names of the switches; empty if switches have only ids and coordinates.
    pub fn labels(&self) -> &[String] {
        &self.labels
    }

    /// Whether the fabric stores roles, names or numbers of ports, addresses, or names of cables or endpoints.
    pub fn has_part_names(&self) -> bool {
        self.names.is_some()
    }

    /// Returns the role of `switch`, for example `leaf` or `spine`, if known.
    pub fn switch_role(&self, switch: u32) -> Option<&str> {
        given(self.names().map(|names| &names.roles), switch)
    }

    /// Returns the number of ports of `switch`, used or not, if known.
    pub fn switch_ports(&self, switch: u32) -> Option<u32> {
        self.names().and_then(|names| names.switch_ports.get(switch as usize)).copied().filter(|&ports| ports > 0)
    }

    /// Returns the address of `switch` in its InfiniBand subnet, if known.
    pub fn switch_address(&self, switch: u32) -> Option<Address> {
        known(self.names().map(|names| &names.switch_addresses), switch)
    }

    /// Returns the address of `endpoint`'s adapter port in its InfiniBand subnet, if known.
    pub fn endpoint_address(&self, endpoint: u32) -> Option<Address> {
        known(self.names().map(|names| &names.endpoint_addresses), endpoint)
    }

    /// The name of `endpoint`, or its id.
    pub fn endpoint_name(&self, endpoint: u32) -> String {
        self.given_endpoint_name(endpoint).map_or_else(|| endpoint.to_string(), str::to_owned)
    }

    /// Returns the explicit name of `endpoint`, if it has one.
    pub fn given_endpoint_name(&self, endpoint: u32) -> Option<&str> {
        given(self.names().map(|names| &names.endpoints), endpoint)
    }

    /// Returns the port by which `channel` leaves its source: its name, or its number from 0.
    pub fn port_name(&self, channel: u32) -> String {
        self.given_port_name(channel).map_or_else(|| self.port_number(channel).to_string(), str::to_owned)
    }

    /// Returns the number, from 0, of the port by which `channel` leaves its source. The number does not depend on the port's name.
    pub(crate) fn port_number(&self, channel: u32) -> u32 {
        let first = self.offsets[self.sources[channel as usize] as usize];
        self.names().and_then(|names| names.numbers.get(channel as usize)).copied().unwrap_or(channel - first)
    }

    /// Returns the explicit name of the port through which `channel` leaves its source, if the port has one.
    pub fn given_port_name(&self, channel: u32) -> Option<&str> {
        given(self.names().map(|names| &names.ports), channel)
    }

    /// Returns the switch port of `endpoint`: its name, or its number. Endpoint ports are numbered after the network ports.
    pub fn endpoint_port_name(&self, endpoint: u32) -> String {
        self.given_endpoint_port(endpoint).map_or_else(|| self.endpoint_number(endpoint).to_string(), str::to_owned)
    }

    /// Returns the number of the switch port of `endpoint`. The number does not depend on the port's name.
    pub(crate) fn endpoint_number(&self, endpoint: u32) -> u32 {
        let kept = self.names().and_then(|names| names.endpoint_numbers.get(endpoint as usize)).copied();
        kept.unwrap_or_else(|| self.endpoint_port_number(endpoint))
    }

    /// Returns the explicit name of the switch port of `endpoint`, if the port has one.
    pub fn given_endpoint_port(&self, endpoint: u32) -> Option<&str> {
        given(self.names().map(|names| &names.endpoint_ports), endpoint)
    }

    /// Returns the name of the host port that `endpoint` represents, if known.
    pub fn host_port(&self, endpoint: u32) -> Option<&str> {
        given(self.names().map(|names| &names.host_ports), endpoint)
    }

    /// Returns the host of `endpoint`, if the name of the endpoint's port on the host is known. An endpoint of a host with several ports is
    /// called `HOST:PORT`.
    pub fn host(&self, endpoint: u32) -> Option<&str> {
        let (name, port) = (self.given_endpoint_name(endpoint)?, self.host_port(endpoint)?);
        let host = name.strip_suffix(port).and_then(|name| name.strip_suffix(':')).filter(|host| !host.is_empty());
        Some(host.unwrap_or(name))
    }

    /// Returns the name of the cable of `channel`: its explicit name, or a name made of the names of its two ends.
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

    /// Returns the explicit name of the cable of `channel`, if it has one.
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

    /// Returns the names of the parts that remain after some parts are removed. Ports keep their numbers.
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
