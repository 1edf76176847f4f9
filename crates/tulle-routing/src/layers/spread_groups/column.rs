//! Potentials of one layer toward one destination, and raising a switch in them.

use tulle_fabric::Fabric;

/// A raise that lifts more switches is given up.
const MAX_LIFTS: usize = 64;

/// The potentials of one layer toward one destination, whose own is 0; every other switch has a neighbour of lower potential.
pub(super) struct Column<'a> {
    fabric: &'a Fabric,
    distance: &'a [u8],
    potential: &'a mut [u16],
    /// What to put back, the last first.
    before: Vec<(u32, u16)>,
}

impl<'a> Column<'a> {
    /// Over `potential`, which is sound, toward the destination that `distance` is from.
    pub fn new(fabric: &'a Fabric, distance: &'a [u8], potential: &'a mut [u16]) -> Self {
        Self { fabric, distance, potential, before: Vec::new() }
    }

    /// The potential of a raised switch: above switches a hop farther from the destination, and their sideways neighbours.
    pub fn raised(&self, switch: u32) -> u16 {
        self.double(switch) + 4
    }

    /// A potential above all neighbours.
    pub fn top(&self, switch: u32) -> u16 {
        let highest = self.fabric.neighbours(switch).iter().map(|&next| self.potential[next as usize]).max();
        highest.map_or(0, |highest| highest + 1)
    }

    /// Raises `switch` to `height`, if that is higher and leaves every switch a way on; those that lose their only way on are
    /// lifted above their lowest neighbour. Whether it did.
    pub fn raise(&mut self, switch: u32, height: u16) -> bool {
        self.before.clear();
        if height <= self.potential[switch as usize] {
            return false;
        }
        self.set(switch, height);
        let fabric = self.fabric;
        let mut stuck: Vec<u32> = fabric.neighbours(switch).to_vec();
        while let Some(switch) = stuck.pop() {
            if self.has_way(switch) {
                continue;
            }
            if self.before.len() > MAX_LIFTS {
                self.undo();
                return false;
            }
            self.set(switch, self.lowest(switch) + 1);
            stuck.extend(fabric.neighbours(switch));
        }
        let is_sound = self.before.iter().all(|&(changed, _)| self.has_way(changed));
        if !is_sound {
            self.undo();
        }
        is_sound
    }

    /// The lowest potential of the neighbours of `switch`.
    fn lowest(&self, switch: u32) -> u16 {
        let potentials = self.fabric.neighbours(switch).iter().map(|&next| self.potential[next as usize]);
        potentials.min().expect("it has neighbours")
    }

    fn undo(&mut self) {
        while let Some((switch, was)) = self.before.pop() {
            self.potential[switch as usize] = was;
        }
    }

    /// What the last raise changed: switches and their potentials before.
    pub fn changes(self) -> Vec<(u32, u16)> {
        self.before
    }

    /// The switches whose potential the last raise changed, and the neighbours that may have lost a way by it.
    pub fn touched(&self) -> Vec<u32> {
        let mut touched: Vec<u32> = self.before.iter().map(|&(switch, _)| switch).collect();
        for &(switch, was) in &self.before {
            let near = self.fabric.neighbours(switch).iter().copied();
            touched.extend(near.filter(|&near| was < self.potential[near as usize]));
        }
        touched.sort_unstable();
        touched.dedup();
        touched
    }

    fn set(&mut self, switch: u32, potential: u16) {
        self.before.push((switch, self.potential[switch as usize]));
        self.potential[switch as usize] = potential;
    }

    fn double(&self, switch: u32) -> u16 {
        2 * u16::from(self.distance[switch as usize])
    }

    /// Whether `switch` is the destination or has a neighbour of lower potential.
    fn has_way(&self, switch: u32) -> bool {
        let here = self.potential[switch as usize];
        here == 0 || self.fabric.neighbours(switch).iter().any(|&next| self.potential[next as usize] < here)
    }

    /// The hops of the longest path.
    pub fn longest(&self) -> u32 {
        let mut order: Vec<u32> = (0..self.potential.len() as u32).collect();
        order.sort_unstable_by_key(|&switch| self.potential[switch as usize]);
        let mut hops = vec![0u32; order.len()];
        for &switch in &order[1..] {
            let here = self.potential[switch as usize];
            let lower = self.fabric.neighbours(switch).iter().filter(|&&next| self.potential[next as usize] < here);
            hops[switch as usize] = lower.map(|&next| hops[next as usize] + 1).max().unwrap_or(0);
        }
        hops.into_iter().max().unwrap_or(0)
    }
}
