//! Turns: a turn is a pair of consecutive channels that a packet may take through a switch.

use tulle_fabric::Fabric;

/// The number of turns of `fabric`.
pub(crate) fn count(fabric: &Fabric) -> u64 {
    fabric.targets().iter().map(|&switch| fabric.degree(switch) as u64).sum()
}

/// Numbers the turns of a fabric. A turn is a pair of a channel into a switch and a channel out of the same switch, including U-turns.
///
/// A channel dependency is a turn with a virtual channel for each of its two channels. So the dependencies from one virtual channel to
/// another need one bit per turn: C·k' bits in a fabric with C channels and network radix k'.
#[derive(Debug, Clone)]
pub(crate) struct Turns {
    /// For each channel, the number of its first turn; at the end, the number of all turns.
    first: Vec<usize>,
    /// For each channel, the first channel out of the switch that it enters.
    onward: Vec<u32>,
}

impl Turns {
    /// The turns of `fabric`.
    pub fn of(fabric: &Fabric) -> Self {
        let mut first = Vec::with_capacity(fabric.num_channels() + 1);
        let mut count = 0;
        for &switch in fabric.targets() {
            first.push(count);
            count += fabric.degree(switch);
        }
        first.push(count);
        let onward = fabric.targets().iter().map(|&switch| fabric.offsets()[switch as usize]).collect();
        Self { first, onward }
    }

    /// The number of turns.
    pub fn len(&self) -> usize {
        self.first[self.onward.len()]
    }

    /// The number of channels.
    pub fn num_channels(&self) -> usize {
        self.onward.len()
    }

    /// Returns the turn from channel `before` to channel `channel`. `channel` must leave the switch that `before` enters.
    #[inline]
    pub fn turn(&self, before: u32, channel: u32) -> usize {
        self.first[before as usize] + (channel - self.onward[before as usize]) as usize
    }

    /// Returns the first channel out of the switch that `channel` enters.
    #[inline]
    pub fn first_onward(&self, channel: u32) -> u32 {
        self.onward[channel as usize]
    }

    /// The turns out of `channel`.
    #[inline]
    pub fn out_of(&self, channel: u32) -> std::ops::Range<usize> {
        self.first[channel as usize]..self.first[channel as usize + 1]
    }

    /// Returns the second channel of `turn`, whose first channel is `before`.
    #[inline]
    pub fn leads_to(&self, before: u32, turn: usize) -> u32 {
        self.onward[before as usize] + (turn - self.first[before as usize]) as u32
    }

    /// Per turn, the channel before it.
    pub fn channels_before(&self) -> Vec<u32> {
        let mut before = vec![0; self.len()];
        for channel in 0..self.num_channels() as u32 {
            before[self.out_of(channel)].fill(channel);
        }
        before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_counted_before_they_are_numbered() {
        // Each of the k channels into a switch with k cables has k turns, so the switch has k² turns.
        for (spec, turns) in [("torus:shape=5", 20), ("clique:degree=3", 36), ("mesh:shape=3", 6)] {
            let fabric = tulle_topologies::build(spec, 0).unwrap();
            assert_eq!((count(&fabric), Turns::of(&fabric).len()), (turns, turns as usize), "{spec}");
        }
    }
}
