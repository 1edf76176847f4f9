//! Disjoint paths of a switch over all layers, counted greedily.

use tulle_fabric::Fabric;

/// Counts paths that share no channel, each within one layer: a bound from below, as paths once taken stay.
pub(super) struct Disjoint<'a> {
    fabric: &'a Fabric,
    /// Per channel and per layer and switch, the count that saw it used, or seen to lead on no more.
    used: Vec<u32>,
    dead: Vec<u32>,
    counts: u32,
    stack: Vec<(u32, usize)>,
}

impl<'a> Disjoint<'a> {
    pub fn new(fabric: &'a Fabric, layers: usize) -> Self {
        Self {
            fabric,
            used: vec![0; fabric.num_channels()],
            dead: vec![0; fabric.num_switches() * layers],
            counts: 0,
            stack: Vec::new(),
        }
    }

    /// Disjoint paths from `source` to the switch of potential 0, up to `most`; `potentials` layer after layer.
    pub fn count(&mut self, potentials: &[u16], source: u32, most: usize) -> usize {
        self.counts += 1;
        let switches = self.fabric.num_switches();
        let mut order: Vec<(usize, &[u16])> = potentials.chunks(switches).enumerate().collect();
        // Layers with few ways on first: the others have more to choose from.
        order.sort_by_cached_key(|(_, potential)| {
            let here = potential[source as usize];
            self.fabric.neighbours(source).iter().filter(|&&next| potential[next as usize] < here).count()
        });
        let mut found = 0;
        for (layer, potential) in order {
            while found < most && self.take(layer * switches, potential, source) {
                found += 1;
            }
        }
        found
    }

    /// Takes a path over channels not used yet, steeply down; whether there is one.
    fn take(&mut self, first: usize, potential: &[u16], source: u32) -> bool {
        self.stack.clear();
        self.stack.push((source, usize::MAX));
        while let Some(&(switch, _)) = self.stack.last() {
            if potential[switch as usize] == 0 {
                for &(_, channel) in &self.stack[1..] {
                    self.used[channel] = self.counts;
                }
                return true;
            }
            let steepest = self
                .fabric
                .channels_of(switch)
                .filter(|&channel| {
                    let next = self.fabric.targets()[channel] as usize;
                    potential[next] < potential[switch as usize]
                        && self.used[channel] != self.counts
                        && self.dead[first + next] != self.counts
                })
                .min_by_key(|&channel| potential[self.fabric.targets()[channel] as usize]);
            match steepest {
                Some(channel) => self.stack.push((self.fabric.targets()[channel], channel)),
                None => {
                    self.dead[first + switch as usize] = self.counts;
                    self.stack.pop();
                }
            }
        }
        false
    }
}
