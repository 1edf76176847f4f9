//! Marks the cables that the paths of one switch use.

use super::context::Context;
use super::forest::Forest;

/// Per channel, the layers in which a path of the current switch uses the channel's cable, in either direction, as a set of bits: bit l
/// stands for layer l.
pub(super) struct Marks {
    layers: Vec<u64>,
}

impl Marks {
    pub fn new(context: &Context) -> Self {
        Self { layers: vec![0; context.fabric.num_channels()] }
    }

    /// Marks the cables of the path from `switch` in `layer`.
    pub fn add(&mut self, context: &Context, forest: &Forest, layer: usize, switch: u32) {
        for &channel in forest.path(layer, switch) {
            self.layers[channel as usize] |= 1 << layer;
            self.layers[context.reverse(channel) as usize] |= 1 << layer;
        }
    }

    /// Removes all marks from the cables of the path from `switch` in `layer`, including the marks of other layers.
    pub fn clear(&mut self, context: &Context, forest: &Forest, layer: usize, switch: u32) {
        for &channel in forest.path(layer, switch) {
            self.layers[channel as usize] = 0;
            self.layers[context.reverse(channel) as usize] = 0;
        }
    }

    /// Returns the set of layers with a mark on any of `channels`.
    #[inline]
    pub fn on(&self, channels: &[u32]) -> u64 {
        channels.iter().fold(0, |layers, &channel| layers | self.layers[channel as usize])
    }
}
