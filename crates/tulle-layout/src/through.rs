//! Cabling through devices. Network port n of every switch is connected to optical switch or patch panel n. The devices connect their ports
//! so that the result is the network's graph (Flattened Clos (NSDI23) §3.3, uniform cabling). Another graph with equally many switches and
//! ports needs the same cables; only the connections inside the devices differ.

mod matching;
mod optical;
mod panel;

pub use optical::optical;
pub use panel::panels;

use tulle_fabric::Fabric;

use crate::Error;

/// Marks an unused port in [`Circuits::maps`].
pub const UNUSED: u32 = u32::MAX;

/// The connections inside devices. The cable at port `u` of device d comes from network port d of switch `u`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circuits {
    /// Maximum number of used ports of a device: the number of switches.
    pub ports: u32,
    /// For each device (row) and each of its ports: the port through which light leaves if it enters at this port, or [`UNUSED`].
    pub maps: Vec<u32>,
    /// For each channel of the fabric, its device. This is also the number of the network port at which the channel leaves its switch.
    pub devices: Vec<u32>,
}

impl Circuits {
    /// Returns the number of devices.
    pub fn count(&self) -> u32 {
        if self.ports == 0 { 0 } else { (self.maps.len() / self.ports as usize) as u32 }
    }

    /// Returns the connections inside `device`. Light that enters the device at port p leaves it at the port that element p of the result
    /// names.
    pub fn map(&self, device: u32) -> &[u32] {
        &self.maps[(device * self.ports) as usize..((device + 1) * self.ports) as usize]
    }
}

/// Returns the number of devices that `fabric` needs, which is the maximum number of network ports of a switch.
fn needed(fabric: &Fabric, ports: u32, what: &str) -> Result<u32, Error> {
    let switches = fabric.num_switches();
    if switches > ports as usize {
        return Err(Error::Input(format!(
            "{switches} switches need {what} with {switches} ports, but these have {ports}; legal: at most {ports} switches"
        )));
    }
    Ok((0..switches as u32).map(|switch| fabric.degree(switch)).max().unwrap_or(0) as u32)
}
