//! The rings of a torus, and their datelines (policy `datelines`).

use tulle_fabric::Fabric;

/// The rings along the coordinates of a fabric. A dimension has rings if cables join its first and its last coordinate. These cables are
/// the datelines. The level of a packet is the number of the dimension whose dateline it has crossed, or 0. A packet that enters another
/// dimension has not crossed the dateline of that dimension, so its level returns to 0. Every dimension needs a number of its own, because
/// a router sees only the packet's level and its next channel.
#[derive(Debug, Clone)]
pub(crate) struct Rings {
    channels: Vec<Place>,
}

/// The place of a channel.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The number of the dimension of the channel's ring, from 1; 0 if the channel is on no ring.
    dimension: u8,
    is_dateline: bool,
}

impl Rings {
    /// Returns the rings of `fabric`. In the error, the text says why the fabric has none.
    pub fn of(fabric: &Fabric) -> Result<Self, String> {
        let coordinates = fabric.coordinates();
        let width = coordinates.names.len();
        if width == 0 {
            return Err("which has no coordinates".to_owned());
        }
        let last: Vec<u32> = (0..width)
            .map(|dimension| coordinates.values.iter().skip(dimension).step_by(width).copied().max().unwrap_or(0))
            .collect();
        // Per channel: its dimension, and whether it joins the first and the last coordinate.
        let mut along = Vec::with_capacity(fabric.num_channels());
        for (&source, &target) in fabric.sources().iter().zip(fabric.targets()) {
            let [here, there] = [source, target].map(|switch| coordinates.of(switch));
            let differs = |dimension: &usize| here[*dimension] != there[*dimension];
            let mut changed = (0..width).filter(differs);
            let steps = |dimension: usize| here[dimension].abs_diff(there[dimension]);
            let place = match (changed.next(), changed.next()) {
                (Some(dimension), None) if steps(dimension) == 1 => Some((dimension, false)),
                (Some(dimension), None) if steps(dimension) == last[dimension] => Some((dimension, true)),
                _ => None,
            };
            let Some(place) = place else {
                let (a, b) = (fabric.called(source), fabric.called(target));
                return Err(format!("where the cable {a}–{b} is on no ring along the coordinates"));
            };
            along.push(place);
        }
        let has_rings: Vec<bool> = (0..width).map(|dimension| along.contains(&(dimension, true))).collect();
        if !has_rings.contains(&true) {
            return Err("which has no rings along its coordinates".to_owned());
        }
        let number = |dimension: usize| has_rings[..=dimension].iter().filter(|&&has| has).count() as u8;
        let place = |(dimension, is_dateline): (usize, bool)| {
            let dimension = if has_rings[dimension] { number(dimension) } else { 0 };
            Place { dimension, is_dateline }
        };
        Ok(Self { channels: along.into_iter().map(place).collect() })
    }

    /// Returns the rings without datelines, for the test that datelines are necessary.
    #[cfg(test)]
    pub fn without_datelines(&self) -> Self {
        let channels = self.channels.iter().map(|&place| Place { is_dateline: false, ..place }).collect();
        Self { channels }
    }

    /// Returns the level of a packet after it has crossed `channel`; `before` is its level before the crossing.
    #[inline]
    pub fn after(&self, before: u8, channel: u32) -> u8 {
        let place = self.channels[channel as usize];
        if place.is_dateline || before == place.dimension { place.dimension } else { 0 }
    }

    /// Returns the request group of a packet on `channel`: 0 before the dateline, 1 on the dateline and after it. `before` is the packet's
    /// level before `channel`.
    #[inline]
    pub fn group(&self, before: u8, channel: u32) -> u8 {
        u8::from(self.after(before, channel) > 0)
    }
}
