//! Optical switches: transmit and receive sides are separate, so each device connects the switches by a permutation.
//!
//! Channels are the edges of a bipartite graph from transmitters to receivers. By König's theorem, as many colours as a switch has ports
//! suffice to colour the edges. The algorithm colours one edge after another, and swaps colours along alternating paths. Each colour is a
//! device.

use tulle_base::task;
use tulle_fabric::Fabric;

use super::{Circuits, UNUSED, needed};
use crate::Error;

/// Returns a cabling of `fabric` through optical switches with `ports` ports. If there are enough ports, such a cabling always exists.
///
/// The transmitter and the receiver of a port may lead to different switches.
///
/// # Errors
/// Fails if the fabric has more switches than an optical switch has ports.
pub fn optical(fabric: &Fabric, ports: u32) -> Result<Circuits, Error> {
    let count = needed(fabric, ports, "optical switches")? as usize;
    let switches = fabric.num_switches();
    let mut colours = Colours { count, sides: [vec![UNUSED; switches * count], vec![UNUSED; switches * count]] };
    let mut devices = vec![UNUSED; fabric.num_channels()];
    for channel in 0..fabric.num_channels() {
        task::check();
        let ends = [fabric.sources()[channel], fabric.targets()[channel]];
        let [here, there] = [0, 1].map(|side| colours.free(side, ends[side]));
        if here != there {
            colours.swap(ends[1], here, there, fabric, &mut devices);
        }
        devices[channel] = here as u32;
        for (side, end) in ends.into_iter().enumerate() {
            colours.set(side, end, here, channel as u32);
        }
    }
    let mut maps = vec![UNUSED; switches * count];
    for (channel, &device) in devices.iter().enumerate() {
        maps[device as usize * switches + fabric.sources()[channel] as usize] = fabric.targets()[channel];
    }
    Ok(Circuits { ports: switches as u32, maps, devices })
}

/// For each side (transmitter or receiver), switch and colour: the channel of this colour at the switch.
struct Colours {
    count: usize,
    sides: [Vec<u32>; 2],
}

impl Colours {
    fn free(&self, side: usize, switch: u32) -> usize {
        let row = &self.sides[side][switch as usize * self.count..(switch as usize + 1) * self.count];
        row.iter().position(|&channel| channel == UNUSED).expect("a switch has a colour per port")
    }

    fn set(&mut self, side: usize, switch: u32, colour: usize, channel: u32) -> u32 {
        std::mem::replace(&mut self.sides[side][switch as usize * self.count + colour], channel)
    }

    /// Swaps colours `one` and `other` along the alternating path from the receiver `switch`, where `other` is free. Afterwards `one` is
    /// free at `switch`. The path never visits a transmitter at which `one` is free.
    fn swap(&mut self, switch: u32, one: usize, other: usize, fabric: &Fabric, devices: &mut [u32]) {
        let (mut side, mut at, mut colours) = (1, switch, [one, other]);
        let mut moved = self.set(side, at, one, UNUSED);
        while moved != UNUSED {
            let channel = moved;
            let [from, to] = colours;
            self.set(side, at, to, channel);
            devices[channel as usize] = to as u32;
            // The other end of the channel still lists the channel under colour `from`. If that end already has a channel of colour `to`,
            // the loop recolours that channel next.
            side = 1 - side;
            at = if side == 0 { fabric.sources()[channel as usize] } else { fabric.targets()[channel as usize] };
            moved = self.set(side, at, to, channel);
            self.set(side, at, from, UNUSED);
            colours = [to, from];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fabric: &Fabric, circuits: &Circuits) {
        let switches = fabric.num_switches();
        for device in 0..circuits.count() {
            let mut receivers: Vec<u32> = circuits.map(device).iter().copied().filter(|&port| port != UNUSED).collect();
            let used = receivers.len();
            receivers.sort_unstable();
            receivers.dedup();
            assert_eq!(
                receivers.len(),
                used,
                "{}: device {device} leads two transmitters to one receiver",
                fabric.spec()
            );
        }
        for channel in 0..fabric.num_channels() {
            let at = circuits.devices[channel] as usize * switches + fabric.sources()[channel] as usize;
            assert_eq!(circuits.maps[at], fabric.targets()[channel]);
        }
        let used = circuits.maps.iter().filter(|&&port| port != UNUSED).count();
        assert_eq!(used, fabric.num_channels());
    }

    #[test]
    fn every_graph_is_permutations() {
        for spec in [
            "flattenedclos:switches=144,ports=32,layers=4,p=8",
            "jellyfish:switches=37,degree=6",
            "slimfly:q=5",
            "fattree:levels=3,radix=4",
            "dragonfly:p=2,g=5",
            "clique:degree=6",
            "hyperx:shape=3x4,width=2x1",
        ] {
            let fabric = tulle_topologies::build(spec, 1).unwrap();
            let circuits = optical(&fabric, 320).unwrap();
            let most = (0..fabric.num_switches() as u32).map(|switch| fabric.degree(switch)).max().unwrap();
            assert_eq!(circuits.count() as usize, most, "{spec}");
            check(&fabric, &circuits);
        }
    }

    #[test]
    fn more_switches_than_ports_are_refused_with_both_numbers() {
        let fabric = tulle_topologies::build("jellyfish:switches=400,degree=6", 0).unwrap();
        let error = optical(&fabric, 320).unwrap_err().to_string();
        assert_eq!(
            error,
            "400 switches need optical switches with 400 ports, but these have 320; legal: at most 320 switches"
        );
    }
}
