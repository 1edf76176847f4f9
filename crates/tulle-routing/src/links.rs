//! A subset of the cables of a fabric, stored as one row of neighbours per switch.

use tulle_fabric::Fabric;
use tulle_fabric::distances::Links;

/// A subset of the cables of a fabric. For each cable, it contains both channels.
#[derive(Debug, Clone)]
pub(crate) struct LayerLinks {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    /// The port of each link at its switch: the position of the link's channel among all channels of the switch in the fabric.
    ports: Vec<u16>,
}

impl LayerLinks {
    /// Returns all cables of `fabric`.
    pub fn all(fabric: &Fabric) -> Self {
        Self::of(fabric, |_| true)
    }

    /// Returns the channels of `fabric` that `keep` accepts. `keep` must give the same answer for both channels of a cable.
    pub fn of(fabric: &Fabric, keep: impl Fn(u32) -> bool) -> Self {
        let mut links = Self { offsets: vec![0], targets: Vec::new(), ports: Vec::new() };
        for switch in 0..fabric.num_switches() as u32 {
            for (port, channel) in fabric.channels_of(switch).enumerate() {
                if keep(channel as u32) {
                    links.targets.push(fabric.targets()[channel]);
                    links.ports.push(port as u16);
                }
            }
            links.offsets.push(links.targets.len() as u32);
        }
        links
    }

    /// Returns the cables in `cables`. Each cable is given by one of its two channels.
    pub fn of_cables(fabric: &Fabric, cables: &[u32]) -> Self {
        let mut keep = vec![false; fabric.num_channels()];
        for &cable in cables {
            keep[cable as usize] = true;
            keep[fabric.reverse()[cable as usize] as usize] = true;
        }
        Self::of(fabric, |channel| keep[channel as usize])
    }

    /// Returns the links of `switch`, each as its target and its port.
    pub fn of_switch(&self, switch: u32) -> impl Iterator<Item = (u32, u16)> + '_ {
        let range = self.offsets[switch as usize] as usize..self.offsets[switch as usize + 1] as usize;
        self.targets[range.clone()].iter().copied().zip(self.ports[range].iter().copied())
    }
}

impl<'a> From<&'a LayerLinks> for Links<'a> {
    fn from(links: &'a LayerLinks) -> Self {
        Links { offsets: &links.offsets, targets: &links.targets }
    }
}
