//! The parts list of a network: the number of each item.

use std::collections::BTreeMap;

use tulle_fabric::Fabric;

use crate::{Layout, Medium};

/// The number of each item in a network.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Items {
    /// The number of switches by port count. The port count of a switch is its stated number of ports, or its number of used ports if the
    /// stated number is missing or too small.
    pub switches: BTreeMap<u64, u64>,
    /// The number of copper cables by length in millimetres, including the cables of endpoints.
    pub copper: BTreeMap<u64, u64>,
    /// The number of fibre cables by length in millimetres, including the cables in `to_devices`.
    pub fibre: BTreeMap<u64, u64>,
    /// The number of fibre cables from a switch to an optical switch or patch panel, by length in millimetres. Such a cable has a
    /// transceiver only at the switch.
    pub to_devices: BTreeMap<u64, u64>,
    /// The number of endpoints.
    pub endpoints: u64,
    /// The number of optical switches or patch panels.
    pub devices: u64,
    /// The number of racks.
    pub racks: u64,
}

impl Items {
    pub(crate) fn cable(&mut self, (length, medium): (u64, Medium)) {
        let lengths = match medium {
            Medium::Copper => &mut self.copper,
            Medium::Fibre => &mut self.fibre,
        };
        *lengths.entry(length).or_default() += 1;
    }

    /// Returns the number of all cables, including those to endpoints and devices.
    pub fn cables(&self) -> u64 {
        self.copper.values().chain(self.fibre.values()).sum()
    }
}

impl Layout {
    /// Returns the parts list of `fabric` in this layout. With devices (optical switches or patch panels), port n of every switch has a
    /// fibre to device n, and no switch has a cable to another switch.
    pub fn items(&self, fabric: &Fabric) -> Items {
        let mut items = Items {
            endpoints: fabric.num_endpoints() as u64,
            devices: self.devices.len() as u64,
            racks: self.racks.len() as u64,
            ..Items::default()
        };
        for switch in 0..fabric.num_switches() as u32 {
            let used = (fabric.degree(switch) + fabric.endpoints_of(switch).len()) as u64;
            let ports = fabric.switch_ports(switch).map_or(used, u64::from).max(used);
            *items.switches.entry(ports).or_default() += 1;
        }
        if self.devices.is_empty() {
            fabric.cables().for_each(|cable| items.cable(self.cable_of(fabric, cable)));
        } else {
            for switch in 0..fabric.num_switches() as u32 {
                for &device in self.devices.iter().take(fabric.degree(switch)) {
                    let length = self.length(self.switches[switch as usize], device);
                    items.cable((length, Medium::Fibre));
                    *items.to_devices.entry(length).or_default() += 1;
                }
            }
        }
        (0..fabric.num_endpoints() as u32).for_each(|endpoint| items.cable(self.endpoint_cable(fabric, endpoint)));
        items
    }
}

#[cfg(test)]
mod tests;
