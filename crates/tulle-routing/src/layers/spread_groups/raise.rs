//! Raises the potential of a switch in one layer, toward one destination.

use super::ways::Ways;

/// Maximum number of switches whose potential a raise may change in addition. A raise that needs more changes is undone.
const MAX_LIFTS: usize = 64;

/// A raise of potentials in one layer, which can be undone. After it, every switch except the destination still has a neighbour of lower
/// potential.
#[derive(Default)]
pub(super) struct Raise {
    layer: usize,
    /// The switches with changed potentials, each with its old potential, in the order of the changes.
    before: Vec<(u32, u16)>,
    stuck: Vec<u32>,
    /// After the raise was undone: the new potentials, so that the raise can be repeated.
    made: Vec<u16>,
}

/// Returns the lower of the two heights to which a switch can be raised. It is above the usual potentials of switches one hop farther from
/// the destination, and of their neighbours at the same distance.
pub(super) fn raised(ways: &Ways, switch: u32) -> u16 {
    ways.double(switch) + 4
}

/// Returns the greater height to which `switch` can be raised: above the potentials of all its neighbours.
pub(super) fn top(ways: &Ways, layer: usize, switch: u32) -> u16 {
    ways.highest(layer, switch).map_or(0, |highest| highest + 1)
}

impl Raise {
    /// Raises `switch` to the potential `height`. If a switch loses its only next hop, its potential becomes one more than that of its
    /// lowest neighbour. Returns false, and changes nothing, if `height` is not higher than before, or if a switch would have no next hop.
    pub fn make(&mut self, ways: &mut Ways, layer: usize, switch: u32, height: u16) -> bool {
        self.layer = layer;
        self.before.clear();
        if height <= ways.of(layer, switch) {
            return false;
        }
        self.set(ways, switch, height);
        self.stuck.clear();
        self.stuck.extend(ways.fabric.neighbours(switch));
        while let Some(switch) = self.stuck.pop() {
            if ways.has_way(layer, switch) {
                continue;
            }
            if self.before.len() > MAX_LIFTS {
                self.take_back(ways);
                return false;
            }
            let lifted = ways.lowest(layer, switch) + 1;
            self.set(ways, switch, lifted);
            self.stuck.extend(ways.fabric.neighbours(switch));
        }
        let is_sound = self.before.iter().all(|&(changed, _)| ways.has_way(layer, changed));
        if !is_sound {
            self.take_back(ways);
        }
        is_sound
    }

    /// Undoes the raise.
    pub fn take_back(&mut self, ways: &mut Ways) {
        self.made.clear();
        for &(switch, was) in self.before.iter().rev() {
            self.made.push(ways.of(self.layer, switch));
            ways.set(self.layer, switch, was);
        }
    }

    /// Repeats the raise. It must have been undone just before.
    pub fn repeat(&mut self, ways: &mut Ways) {
        for &(switch, _) in &self.before {
            let made = self.made.pop().expect("one per change");
            ways.set(self.layer, switch, made);
        }
    }

    /// Returns the switches with changed potentials, and the neighbours that may have lost a next hop.
    pub fn touched(&self, ways: &Ways) -> Vec<u32> {
        let mut touched: Vec<u32> = self.before.iter().map(|&(switch, _)| switch).collect();
        for &(switch, was) in &self.before {
            let near = ways.fabric.neighbours(switch).iter().copied();
            touched.extend(near.filter(|&near| was < ways.of(self.layer, near)));
        }
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    fn set(&mut self, ways: &mut Ways, switch: u32, potential: u16) {
        self.before.push((switch, ways.of(self.layer, switch)));
        ways.set(self.layer, switch, potential);
    }
}
