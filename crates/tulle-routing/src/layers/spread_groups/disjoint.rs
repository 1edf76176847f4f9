//! Counts the disjoint paths from a switch over all layers, greedily. In each layer, a switch forwards to all neighbours of lower potential
//! (see the module `spread_groups`).

use super::ways::Ways;

/// A counter of disjoint paths. Each path stays in one layer, and disjoint paths share no channel. The search is greedy, so the result is a
/// lower bound of the maximum number.
pub(super) struct Disjoint {
    words: usize,
    /// Per switch, one bit per used port (`used`), and the number of the call of [`Self::count`] in which these bits were set (`noted`).
    used: Vec<u64>,
    noted: Vec<u32>,
    /// By layer and switch, the number of the last call of [`Self::count`] that found no path through the switch.
    dead: Vec<u32>,
    counts: u32,
    /// The current path: each switch with its port to the next switch.
    stack: Vec<(u32, u32)>,
    order: Vec<(usize, usize)>,
}

impl Disjoint {
    pub fn new(ways: &Ways) -> Self {
        let switches = ways.fabric.num_switches();
        Self {
            words: ways.words(),
            used: vec![0; switches * ways.words()],
            noted: vec![0; switches],
            dead: vec![0; switches * ways.layers()],
            counts: 0,
            stack: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Returns the number of disjoint paths found from `source` to the destination (the switch of potential 0), at most `most`.
    pub fn count(&mut self, ways: &Ways, source: u32, most: usize) -> usize {
        self.counts += 1;
        // The search starts with the layers in which the source has few next hops, because the other layers have more alternatives.
        self.order.clear();
        self.order.extend((0..ways.layers()).map(|layer| (ways.lower(layer, source), layer)));
        self.order.sort_unstable();
        let mut found = 0;
        for at in 0..self.order.len() {
            let layer = self.order[at].1;
            while found < most && self.take(ways, layer, source) {
                found += 1;
            }
        }
        found
    }

    /// Searches for a path over unused channels, and marks the channels of this path as used. At each switch, it tries the neighbour of
    /// lowest potential first. Returns whether there is a path.
    fn take(&mut self, ways: &Ways, layer: usize, source: u32) -> bool {
        let Self { words, used, noted, dead, counts, stack, .. } = self;
        let dead = &mut dead[layer * noted.len()..];
        stack.clear();
        let mut switch = source;
        loop {
            if ways.of(layer, switch) == 0 {
                for &(switch, port) in &*stack {
                    used[switch as usize * *words + port as usize / 64] |= 1 << (port % 64);
                }
                return true;
            }
            let used = &mut used[switch as usize * *words..][..*words];
            if std::mem::replace(&mut noted[switch as usize], *counts) != *counts {
                used.fill(0);
            }
            match ways.steepest(layer, switch, used, |next| dead[next as usize] != *counts) {
                Some(port) => {
                    stack.push((switch, port));
                    switch = ways.fabric.neighbours(switch)[port as usize];
                }
                None => {
                    dead[switch as usize] = *counts;
                    let Some((before, _)) = stack.pop() else { return false };
                    switch = before;
                }
            }
        }
    }
}
