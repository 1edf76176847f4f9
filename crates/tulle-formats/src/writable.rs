//! Finds names that a format cannot store.

use super::Format;
use super::listing::check_name;
use super::parts::Part;
use tulle_fabric::Fabric;

impl Format {
    /// Returns a message about the first name that this format would write but that no reader would accept. Labels of switches are not
    /// checked, because ids are written instead of illegal labels.
    pub(super) fn illegal_name(&self, fabric: &Fabric) -> Option<String> {
        fabric.has_part_names().then_some(())?;
        let (channels, endpoints) = (0..fabric.num_channels() as u32, 0..fabric.num_endpoints() as u32);
        let switches = 0..fabric.num_switches() as u32;
        let wrong = |part: Part, kind: &str, name: Option<&str>| {
            name.filter(|_| self.holds(part)).and_then(|name| check_name(name, kind).err())
        };
        let of_channels = |channel: u32| {
            wrong(Part::Ports, "port", fabric.given_port_name(channel))
                .or_else(|| wrong(Part::CableNames, "cable", fabric.given_cable_name(channel)))
        };
        let of_endpoints = |at: u32| {
            wrong(Part::EndpointNames, "endpoint", fabric.given_endpoint_name(at))
                .or_else(|| wrong(Part::EndpointPorts, "port", fabric.given_endpoint_port(at)))
        };
        let of_switches = |switch: u32| wrong(Part::Roles, "role", fabric.switch_role(switch));
        let in_parts = || endpoints.clone().find_map(of_endpoints).or_else(|| switches.clone().find_map(of_switches));
        channels.clone().find_map(of_channels).or_else(in_parts)
    }
}
