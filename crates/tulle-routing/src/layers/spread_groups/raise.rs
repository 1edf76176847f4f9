//! Raises the potential of a switch in one layer, toward one destination. A switch forwards to all neighbours of lower potential (see the
//! module `spread_groups`).

use super::ways::Ways;

/// Maximum number of other switches whose potentials may have to change with the potential of one switch. If more must change, the raise is
/// undone.
const MAX_LIFTS: usize = 64;

/// An increase of potentials in one layer (a raise), which can be undone. After a raise, every switch except the destination still has a
/// neighbour of lower potential.
#[derive(Default)]
pub(super) struct Raise {
    layer: usize,
    /// The switches with changed potentials, each with its old potential, in the order of the changes.
    before: Vec<(u32, u16)>,
    stuck: Vec<u32>,
    /// After the raise is undone: the raised potentials, so that the raise can be repeated.
    made: Vec<u16>,
}

/// Returns one of the two potentials that the search tries for `switch`. It is above the initial potentials of all switches that are one
/// hop farther from the destination.
pub(super) fn raised(ways: &Ways, switch: u32) -> u16 {
    ways.double(switch) + 4
}

/// Returns the other potential that the search tries for `switch`: one more than the highest potential of its neighbours.
pub(super) fn top(ways: &Ways, layer: usize, switch: u32) -> u16 {
    ways.highest(layer, switch).map_or(0, |highest| highest + 1)
}

impl Raise {
    /// Raises `switch` to the potential `height`. If another switch loses its only next hop for this reason, the potential of that switch
    /// becomes one more than the lowest potential of its neighbours. Returns false and changes nothing in three cases: `height` is not
    /// higher than the old potential, too many other switches must change, or a switch is left without a next hop.
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

    /// Repeats the raise that was undone just before.
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
