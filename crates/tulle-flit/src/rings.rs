//! The rings of a torus, and their datelines (policy `datelines`).

use tulle_fabric::Fabric;

/// The rings along the coordinates of a fabric. A dimension has rings if cables join its first and its last coordinate. These cables are
/// the datelines. The level of a packet is the number of the dimension whose dateline it has crossed, or 0. A packet that enters another
/// dimension has not crossed the dateline of that dimension, so its level returns to 0. Every dimension needs a number of its own, because
/// a router sees only the packet's level, its next channel and its target.
#[derive(Debug, Clone)]
pub(crate) struct Rings {
    channels: Vec<Place>,
    /// Per switch and ring dimension: the coordinate.
    coordinates: Vec<u32>,
    /// Number of dimensions with rings.
    dimensions: usize,
    /// Whether a packet that will cross the dateline uses request group 1 in the whole ring.
    whole: bool,
}

/// The place of a channel.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The number of the dimension of the channel's ring, from 1; 0 if the channel belongs to no ring.
    dimension: u8,
    is_dateline: bool,
    /// The coordinate where the channel begins.
    from: u32,
    /// Whether packets over the channel move to higher coordinates.
    rises: bool,
}

impl Rings {
    /// Returns the rings of `fabric`, or a text that says why it has none. With `whole`, a packet whose path crosses the dateline of a ring
    /// uses request group 1 in the whole ring. Otherwise it uses group 1 from the dateline on.
    pub fn of(fabric: &Fabric, whole: bool) -> Result<Self, String> {
        let coordinates = fabric.coordinates();
        let width = coordinates.names.len();
        if width == 0 {
            return Err("which has no coordinates".to_owned());
        }
        let column = |dimension: usize| coordinates.values.iter().skip(dimension).step_by(width).copied();
        let last: Vec<u32> = (0..width).map(|dimension| column(dimension).max().unwrap_or(0)).collect();
        // Until all rings are known, the field `dimension` is the position among all coordinates.
        let mut channels = Vec::with_capacity(fabric.num_channels());
        let mut has_rings = vec![false; width];
        for (channel, (&source, &target)) in (0..).zip(fabric.sources().iter().zip(fabric.targets())) {
            let [here, there] = [source, target].map(|switch| coordinates.of(switch));
            let mut changed = (0..width).filter(|&dimension| here[dimension] != there[dimension]);
            let (dimension, None) = (changed.next().unwrap_or(0), changed.next()) else {
                return Err(off_ring(fabric, channel));
            };
            let (from, to) = (here[dimension], there[dimension]);
            let is_dateline = last[dimension] > 1 && from.abs_diff(to) == last[dimension];
            if !is_dateline && from.abs_diff(to) != 1 {
                return Err(off_ring(fabric, channel));
            }
            has_rings[dimension] |= is_dateline;
            channels.push(Place { dimension: dimension as u8, is_dateline, from, rises: (from < to) != is_dateline });
        }
        let ringed: Vec<usize> = (0..width).filter(|&dimension| has_rings[dimension]).collect();
        if ringed.is_empty() {
            return Err("which has no rings along its coordinates".to_owned());
        }
        for place in &mut channels {
            let number = ringed.iter().position(|&dimension| dimension == usize::from(place.dimension));
            place.dimension = number.map_or(0, |number| number as u8 + 1);
        }
        let coordinates = (0..fabric.num_switches() as u32)
            .flat_map(|switch| ringed.iter().map(move |&dimension| coordinates.of(switch)[dimension]))
            .collect();
        Ok(Self { channels, coordinates, dimensions: ringed.len(), whole })
    }

    /// Returns the rings without datelines, for the test that datelines are necessary.
    #[cfg(test)]
    pub fn without_datelines(&self) -> Self {
        let channels = self.channels.iter().map(|&place| Place { is_dateline: false, ..place }).collect();
        Self { channels, whole: false, ..self.clone() }
    }

    /// Returns whether the request group depends on the packet's target.
    pub fn depends_on_target(&self) -> bool {
        self.whole
    }

    /// Returns the level of a packet after it has crossed `channel`; `before` is its level before the crossing.
    #[inline]
    pub fn after(&self, before: u8, channel: u32) -> u8 {
        let place = self.channels[channel as usize];
        if place.is_dateline || before == place.dimension { place.dimension } else { 0 }
    }

    /// Returns the request group, 0 or 1, of a packet to the switch `target` on `channel`. `before` is the packet's level before `channel`.
    #[inline]
    pub fn group(&self, before: u8, channel: u32, target: u32) -> u8 {
        u8::from(self.after(before, channel) > 0 || self.whole && self.will_cross(channel, target))
    }

    /// Returns whether a packet to the switch `target` that takes `channel` reaches the dateline of the ring before the target's
    /// coordinate.
    #[inline]
    fn will_cross(&self, channel: u32, target: u32) -> bool {
        let place = self.channels[channel as usize];
        let Some(dimension) = usize::from(place.dimension).checked_sub(1) else { return false };
        let to = self.coordinates[target as usize * self.dimensions + dimension];
        if place.rises { place.from > to } else { place.from < to }
    }
}

fn off_ring(fabric: &Fabric, channel: u32) -> String {
    format!("where the cable {} belongs to no ring of any dimension", fabric.cable_name(channel))
}

#[cfg(test)]
mod tests;
