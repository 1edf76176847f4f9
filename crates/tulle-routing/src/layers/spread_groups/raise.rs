//! Raises a switch in one layer toward one destination.

use super::ways::Ways;

/// Maximum number of switches that a raise may lift. A raise that would lift more is undone.
const MAX_LIFTS: usize = 64;

/// A raise of potentials in one layer, which can be undone; every switch but the destination keeps a neighbour of lower potential.
#[derive(Default)]
pub(super) struct Raise {
    layer: usize,
    /// Changed switches with their previous potentials, in order.
    before: Vec<(u32, u16)>,
    stuck: Vec<u32>,
    /// The new potentials, if the raise was undone, so that it can be repeated.
    made: Vec<u16>,
}

/// Returns the potential of a raised switch: above switches that are one hop farther from the destination, and above their sideways
/// neighbours.
pub(super) fn raised(ways: &Ways, switch: u32) -> u16 {
    ways.double(switch) + 4
}

/// Returns a potential above the potentials of all neighbours of the switch.
pub(super) fn top(ways: &Ways, layer: usize, switch: u32) -> u16 {
    ways.highest(layer, switch).map_or(0, |highest| highest + 1)
}

impl Raise {
    /// Raises `switch` to `height`, if that is higher and leaves every switch a next hop. Switches that lose their only next hop are lifted
    /// above their lowest neighbour. Returns whether the switch was raised.
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

    /// Takes it back.
    pub fn take_back(&mut self, ways: &mut Ways) {
        self.made.clear();
        for &(switch, was) in self.before.iter().rev() {
            self.made.push(ways.of(self.layer, switch));
            ways.set(self.layer, switch, was);
        }
    }

    /// Repeats the raise right after it was undone.
    pub fn repeat(&mut self, ways: &mut Ways) {
        for &(switch, _) in &self.before {
            let made = self.made.pop().expect("one per change");
            ways.set(self.layer, switch, made);
        }
    }

    /// Returns the switches with changed potentials, and neighbours that may have lost a next hop.
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
