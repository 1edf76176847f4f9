//! Finds all switches within a given number of hops of a set of switches.

use tulle_fabric::Fabric;

/// The distances, in hops, of switches from a set of switches, up to a radius. The memory is reused for the next set.
#[derive(Debug)]
pub struct Ball {
    round: u32,
    /// Per switch: the number of the last call of [`Self::grow`] that reached the switch, and the number of hops from the set to the switch
    /// in that call.
    met: Vec<(u32, u32)>,
    queue: Vec<u32>,
    radius: u32,
}

impl Ball {
    /// Returns a ball (the switches near a set) that contains no switch yet.
    pub fn new(fabric: &Fabric) -> Self {
        Self { round: 0, met: vec![(0, 0); fabric.num_switches()], queue: Vec::new(), radius: 0 }
    }

    /// Computes the distances of all switches within `radius` hops of the set `centre`.
    pub fn grow(&mut self, fabric: &Fabric, centre: &[u32], radius: u32) {
        self.round += 1;
        self.radius = radius;
        self.queue.clear();
        for &switch in centre {
            self.met[switch as usize] = (self.round, 0);
            self.queue.push(switch);
        }
        let mut at = 0;
        while let Some(&switch) = self.queue.get(at) {
            at += 1;
            let hops = self.met[switch as usize].1;
            if hops == radius {
                return;
            }
            for &next in fabric.neighbours(switch) {
                let met = &mut self.met[next as usize];
                if met.0 != self.round {
                    *met = (self.round, hops + 1);
                    self.queue.push(next);
                }
            }
        }
    }

    /// Returns the hops from the set to `switch`. If `switch` is beyond the radius, the result is the radius plus 1, which is a lower
    /// bound.
    pub fn at_least(&self, switch: u32) -> u32 {
        let (round, hops) = self.met[switch as usize];
        if round == self.round { hops } else { self.radius + 1 }
    }
}
