//! Computes the hops of up-down paths between all pairs of switches.

use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::task;
use tulle_fabric::Fabric;

/// Per destination and switch, the direction of the first hop and the number of remaining hops.
pub(super) struct Ascent {
    switches: usize,
    steps: Vec<Step>,
}

/// The direction of the first hop from a switch toward a destination, with the number of remaining hops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// The path leads only downward.
    Down(u16),
    /// The path first leads up, and later down.
    Up(u16),
    /// No up-down path exists. The first hop leads toward the nearest switch that has an up-down path. The number counts the hops to this
    /// switch.
    Astray(u16),
    /// Not computed yet.
    Unknown,
}

impl Ascent {
    /// Returns the first step of every up-down path in the connected `fabric`. All its cables must join switches of different levels.
    pub fn new(fabric: &Fabric) -> Self {
        let switches = fabric.num_switches();
        let mut highest_first: Vec<u32> = (0..switches as u32).collect();
        highest_first.sort_by_key(|&switch| std::cmp::Reverse(fabric.levels()[switch as usize]));
        let mut steps = memory::matrix("steps of up-down paths", Step::Unknown, switches, switches);
        steps.par_chunks_mut(switches.max(1)).enumerate().for_each(|(destination, steps)| {
            task::check();
            descend(fabric, destination as u32, steps);
            ascend(fabric, &highest_first, steps);
            stray(fabric, steps);
        });
        Self { switches, steps }
    }

    /// Returns the first pair of switches with endpoints that has no up-down path. If no switch has endpoints, all switches count.
    pub fn first_without_path(&self, fabric: &Fabric) -> Option<(u32, u32)> {
        let ends = |switch: u32| fabric.num_endpoints() == 0 || !fabric.endpoints_of(switch).is_empty();
        let astray = self.steps.iter().enumerate().filter(|(_, step)| matches!(step, Step::Astray(_)));
        let mut pairs = astray.map(|(at, _)| ((at % self.switches) as u32, (at / self.switches) as u32));
        pairs.find(|&(source, destination)| ends(source) && ends(destination))
    }

    /// Writes to `ports` all next hops of `switch` toward another switch `destination`. They are the neighbours in the direction of the
    /// first step (up or down) with the fewest remaining hops.
    pub fn next_hops(&self, fabric: &Fabric, switch: u32, destination: u32, ports: &mut Vec<u16>) {
        let steps = &self.steps[destination as usize * self.switches..(destination as usize + 1) * self.switches];
        let level = fabric.levels()[switch as usize];
        ports.clear();
        for (port, &next) in fabric.neighbours(switch).iter().enumerate() {
            let above = fabric.levels()[next as usize] > level;
            let leads = match (steps[switch as usize], steps[next as usize]) {
                (Step::Down(here), Step::Down(there)) => !above && there + 1 == here,
                (Step::Up(here), Step::Down(there) | Step::Up(there)) => above && there + 1 == here,
                (Step::Astray(here), Step::Astray(there)) => there + 1 == here,
                (Step::Astray(here), _) => here == 1,
                _ => false,
            };
            if leads {
                ports.push(port as u16);
            }
        }
    }
}

/// Marks the switches from which a path of only downward cables leads to `destination`, the nearest first.
fn descend(fabric: &Fabric, destination: u32, steps: &mut [Step]) {
    steps[destination as usize] = Step::Down(0);
    let mut queue = vec![destination];
    let mut at = 0;
    while let Some(&switch) = queue.get(at) {
        at += 1;
        let Step::Down(hops) = steps[switch as usize] else { continue };
        for &above in fabric.neighbours(switch) {
            let higher = fabric.levels()[above as usize] > fabric.levels()[switch as usize];
            if higher && steps[above as usize] == Step::Unknown {
                steps[above as usize] = Step::Down(hops + 1);
                queue.push(above);
            }
        }
    }
}

/// Marks the switches from which upward cables lead to a switch that `descend` marked. The loop starts with the highest levels.
fn ascend(fabric: &Fabric, highest_first: &[u32], steps: &mut [Step]) {
    for &switch in highest_first {
        if steps[switch as usize] != Step::Unknown {
            continue;
        }
        let level = fabric.levels()[switch as usize];
        let above = fabric.neighbours(switch).iter().filter(|&&next| fabric.levels()[next as usize] > level);
        let fewest = above.filter_map(|&next| match steps[next as usize] {
            Step::Down(hops) | Step::Up(hops) => Some(hops + 1),
            _ => None,
        });
        if let Some(hops) = fewest.min() {
            steps[switch as usize] = Step::Up(hops);
        }
    }
}

/// For each switch without an up-down path, stores the hops to the nearest switch that has one.
fn stray(fabric: &Fabric, steps: &mut [Step]) {
    let mut queue: Vec<(u32, u16)> = (0..steps.len() as u32).map(|switch| (switch, 0)).collect();
    queue.retain(|&(switch, _)| steps[switch as usize] != Step::Unknown);
    let mut at = 0;
    while let Some(&(switch, hops)) = queue.get(at) {
        at += 1;
        for &next in fabric.neighbours(switch) {
            if steps[next as usize] == Step::Unknown {
                steps[next as usize] = Step::Astray(hops + 1);
                queue.push((next, hops + 1));
            }
        }
    }
}
