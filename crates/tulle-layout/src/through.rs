//! Cabling through devices: network port n of every switch is connected to optical switch or patch panel n, and these connect ports to form
//! the network's graph (Flattened Clos §3.3, uniform cabling). The cables of another graph with as many switches and ports are the same;
//! only the connections inside the devices change.

mod matching;
mod optical;
mod panel;

pub use optical::optical;
pub use panel::panels;

use tulle_fabric::Fabric;

use crate::Error;

/// No port, in the maps of devices.
pub const UNUSED: u32 = u32::MAX;

/// The connections inside devices. Port `u` of every device has the cable of switch `u`, from the switch's network port with the device's
/// number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circuits {
    /// Maximum number of used ports of a device: the number of switches.
    pub ports: u32,
    /// Per device and port, row by row: the port through which light that enters here leaves, or [`UNUSED`].
    pub maps: Vec<u32>,
    /// Per channel of the fabric, its device, which is also the number of the network port through which it leaves.
    pub devices: Vec<u32>,
}

impl Circuits {
    /// The number of devices.
    pub fn count(&self) -> u32 {
        if self.ports == 0 { 0 } else { (self.maps.len() / self.ports as usize) as u32 }
    }

    /// The map of `device`.
    pub fn map(&self, device: u32) -> &[u32] {
        &self.maps[(device * self.ports) as usize..((device + 1) * self.ports) as usize]
    }
}

/// The devices that it takes: as many as a switch has network ports.
fn needed(fabric: &Fabric, ports: u32, what: &str) -> Result<u32, Error> {
    let switches = fabric.num_switches();
    if switches > ports as usize {
        return Err(Error::Input(format!(
            "{switches} switches need {what} of {switches} ports, these have {ports}; legal: at most {ports} switches"
        )));
    }
    Ok((0..switches as u32).map(|switch| fabric.degree(switch)).max().unwrap_or(0) as u32)
}
