//! Stores the potentials of all switches toward one destination, in all layers. A potential is a number per switch: a switch forwards to
//! all neighbours with a lower number. For each switch, ports are grouped by the potential of the neighbour that they lead to.

use tulle_fabric::Fabric;

/// Number of indices for the potentials of a switch's neighbours. Index 0 is the lowest possible potential of a neighbour, and the last
/// index stands for all higher potentials.
const STEPS: usize = 16;

/// The potentials of all layers toward one destination. For each switch and each potential of a neighbour, there is one bit per port.
/// Searches can thus find the neighbours of lowest potential without reading the potentials of all neighbours.
pub(super) struct Ways<'a> {
    pub fabric: &'a Fabric,
    /// Per switch, the distance to the destination in hops.
    distance: &'a [u8],
    /// The potentials of all switches, one layer after the other. A potential is at least twice the distance of its switch.
    potential: Vec<u16>,
    /// The number of 64-bit words for the ports of one switch and one potential.
    words: usize,
    /// The bits of ports, by layer, switch, and index of the potential.
    ports: Vec<u64>,
}

impl<'a> Ways<'a> {
    /// Stores `potential`, which lists the potentials of all switches, one layer after the other. Each potential must be at least twice the
    /// distance of its switch. The destination must have potential 0.
    pub fn new(fabric: &'a Fabric, distance: &'a [u8], potential: Vec<u16>) -> Self {
        let ports = (0..fabric.num_switches() as u32).map(|switch| fabric.degree(switch)).max().unwrap_or(0);
        let words = ports.div_ceil(64).max(1);
        let mut ways = Self { fabric, distance, words, ports: vec![0; potential.len() * STEPS * words], potential };
        for layer in 0..ways.layers() {
            for switch in 0..distance.len() as u32 {
                for (port, &next) in fabric.neighbours(switch).iter().enumerate() {
                    let at = ways.row(layer, switch) + ways.step(switch, ways.of(layer, next)) * words + port / 64;
                    ways.ports[at] |= 1 << (port % 64);
                }
            }
        }
        ways
    }

    pub fn layers(&self) -> usize {
        self.potential.len() / self.distance.len()
    }

    pub fn words(&self) -> usize {
        self.words
    }

    /// Returns the potentials, one layer after the other.
    pub fn into_potentials(self) -> Vec<u16> {
        self.potential
    }

    /// Returns the potential of `switch` in `layer`.
    #[inline]
    pub fn of(&self, layer: usize, switch: u32) -> u16 {
        self.potential[layer * self.distance.len() + switch as usize]
    }

    /// Returns the potentials of all switches in `layer`.
    pub fn layer(&self, layer: usize) -> &[u16] {
        let switches = self.distance.len();
        &self.potential[layer * switches..(layer + 1) * switches]
    }

    /// Returns twice the distance of `switch` to the destination.
    #[inline]
    pub fn double(&self, switch: u32) -> u16 {
        2 * u16::from(self.distance[switch as usize])
    }

    /// Returns the index (below [`STEPS`]) under which the ports of `switch` to neighbours of potential `potential` are stored.
    #[inline]
    fn step(&self, switch: u32, potential: u16) -> usize {
        usize::from(potential - self.double(switch).saturating_sub(2)).min(STEPS - 1)
    }

    #[inline]
    fn row(&self, layer: usize, switch: u32) -> usize {
        (layer * self.distance.len() + switch as usize) * STEPS * self.words
    }

    /// Sets the potential of `switch` in `layer`. The potential must be at least twice the distance to the destination.
    pub fn set(&mut self, layer: usize, switch: u32, potential: u16) {
        let at = layer * self.distance.len() + switch as usize;
        let before = std::mem::replace(&mut self.potential[at], potential);
        let (fabric, words) = (self.fabric, self.words);
        for (channel, &next) in fabric.channels_of(switch).zip(fabric.neighbours(switch)) {
            let (from, to) = (self.step(next, before), self.step(next, potential));
            let port = (fabric.reverse()[channel] - fabric.offsets()[next as usize]) as usize;
            let row = self.row(layer, next) + port / 64;
            self.ports[row + from * words] &= !(1 << (port % 64));
            self.ports[row + to * words] |= 1 << (port % 64);
        }
    }

    /// Returns the port of `switch` that leads to the neighbour of lowest potential. The neighbour's potential must be below that of
    /// `switch`, `fits` must accept the neighbour, and the port must not be in the bit set `but`. Ties go to the lowest port.
    #[inline]
    pub fn steepest(&self, layer: usize, switch: u32, but: &[u64], mut fits: impl FnMut(u32) -> bool) -> Option<u32> {
        let here = self.of(layer, switch);
        let row = &self.ports[self.row(layer, switch)..][..STEPS * self.words];
        let neighbours = self.fabric.neighbours(switch);
        let own = self.step(switch, here);
        for ports in row.chunks_exact(self.words).take(own) {
            for ((&ports, &but), first) in ports.iter().zip(but).zip((0..).step_by(64)) {
                let mut left = ports & !but;
                while left != 0 {
                    let port = first + left.trailing_zeros();
                    if fits(neighbours[port as usize]) {
                        return Some(port);
                    }
                    left &= left - 1;
                }
            }
        }
        if own < STEPS - 1 {
            return None;
        }
        let last = &row[(STEPS - 1) * self.words..];
        let open = (0..neighbours.len() as u32).filter(|&port| {
            let (word, bit) = (port as usize / 64, 1 << (port % 64));
            last[word] & !but[word] & bit != 0 && self.of(layer, neighbours[port as usize]) < here
        });
        let fitting = open.filter(|&port| fits(neighbours[port as usize]));
        fitting.min_by_key(|&port| self.of(layer, neighbours[port as usize]))
    }

    /// Returns the number of ports of `switch` that lead to neighbours of lower potential, which are its next hops.
    pub fn lower(&self, layer: usize, switch: u32) -> usize {
        let here = self.of(layer, switch);
        let own = self.step(switch, here);
        let row = &self.ports[self.row(layer, switch)..];
        let lower = row[..own * self.words].iter().map(|ports| ports.count_ones() as usize).sum::<usize>();
        if own < STEPS - 1 {
            return lower;
        }
        let beyond = self.fabric.neighbours(switch).iter().map(|&next| self.of(layer, next));
        lower + beyond.filter(|&next| next < here && self.step(switch, next) == STEPS - 1).count()
    }

    /// Returns the number of ports of `switch` that lead to a neighbour of lower potential in at least one layer. Neighbours whose
    /// potential has the last index are not counted, so the result is a lower bound.
    pub fn open(&self, switch: u32) -> usize {
        let open = (0..self.words).map(|word| {
            let ports = (0..self.layers()).flat_map(|layer| {
                let row = &self.ports[self.row(layer, switch) + word..];
                row.iter().step_by(self.words).take(self.step(switch, self.of(layer, switch)))
            });
            ports.fold(0, |open, ports| open | ports).count_ones() as usize
        });
        open.sum()
    }

    /// Returns whether `switch` is the destination or has a neighbour of lower potential.
    pub fn has_way(&self, layer: usize, switch: u32) -> bool {
        let here = self.of(layer, switch);
        let own = self.step(switch, here);
        let row = &self.ports[self.row(layer, switch)..];
        here == 0
            || row[..own * self.words].iter().any(|&ports| ports != 0)
            || own == STEPS - 1 && self.lowest(layer, switch) < here
    }

    /// Returns the lowest potential among the neighbours of `switch`.
    pub fn lowest(&self, layer: usize, switch: u32) -> u16 {
        self.neighbours(layer, switch).min().expect("it has neighbours")
    }

    /// Returns the highest potential among the neighbours of `switch`; `None` if it has no neighbours.
    pub fn highest(&self, layer: usize, switch: u32) -> Option<u16> {
        self.neighbours(layer, switch).max()
    }

    fn neighbours(&self, layer: usize, switch: u32) -> impl Iterator<Item = u16> {
        self.fabric.neighbours(switch).iter().map(move |&next| self.of(layer, next))
    }

    /// Returns whether every path of `layer` has at most `limit` hops.
    pub fn within(&self, layer: usize, limit: u32) -> bool {
        let potential = self.layer(layer);
        // The potential falls at every hop, so a path has at most as many switches as there are different potentials. If there are few
        // potentials, every path is short enough, and no search is needed.
        let seen = potential.iter().fold(0u64, |seen, &here| seen | 1 << here.min(63));
        if seen >> 63 == 0 && seen.count_ones() <= limit + 1 {
            return true;
        }
        let mut order: Vec<u32> = (0..potential.len() as u32).collect();
        order.sort_unstable_by_key(|&switch| potential[switch as usize]);
        // Per switch, the hops of the longest path to the destination; [`u32::MAX`] if not computed yet. The next hops of a switch have
        // lower potentials, so the loop visits switches by ascending potential.
        let mut hops = vec![u32::MAX; order.len()];
        hops[order[0] as usize] = 0;
        order[1..].iter().all(|&switch| {
            let here = potential[switch as usize];
            // The loop has no branch, because the processor could not predict whether a neighbour has a lower potential.
            let longest = self.fabric.neighbours(switch).iter().fold(0, |longest: u32, &next| {
                let onward = hops[next as usize].wrapping_add(1);
                longest.max(if potential[next as usize] < here { onward } else { 0 })
            });
            hops[switch as usize] = longest;
            longest <= limit
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tulle_fabric::distances::Distances;

    proptest! {
        #[test]
        fn ways_are_those_of_the_potentials(
            fabric in prop::sample::select(vec!["slimfly:q=5", "torus:shape=4x4", "clique:degree=70", "dragonfly:p=2"]),
            changes in prop::collection::vec((0usize..2, 0u32..1000, 0u16..40), 0..60),
            but in any::<u64>(),
        ) {
            let fabric = tulle_topologies::build(fabric, 0).unwrap();
            let switches = fabric.num_switches() as u32;
            let distances = Distances::of(&fabric);
            let distance = distances.row(3);
            let start = distance.iter().map(|&hops| 2 * u16::from(hops));
            let mut ways = Ways::new(&fabric, distance, start.clone().chain(start).collect());
            for (layer, switch, more) in changes {
                let switch = switch % switches;
                if switch != 3 {
                    ways.set(layer, switch, ways.double(switch) + more);
                }
            }
            let but = vec![but; ways.words()];
            let open = |port: usize| but[port / 64] >> (port % 64) & 1 == 0;
            for (layer, switch) in (0..2).flat_map(|layer| (0..switches).map(move |switch| (layer, switch))) {
                let here = ways.of(layer, switch);
                let potentials: Vec<u16> = fabric.neighbours(switch).iter().map(|&next| ways.of(layer, next)).collect();
                let lower = potentials.iter().filter(|&&next| next < here).count();
                prop_assert_eq!(ways.lower(layer, switch), lower);
                prop_assert_eq!(ways.has_way(layer, switch), lower > 0 || switch == 3);
                let fits = |next: u32| !next.is_multiple_of(3);
                let steepest = (0..potentials.len())
                    .filter(|&port| potentials[port] < here && open(port) && fits(fabric.neighbours(switch)[port]))
                    .min_by_key(|&port| potentials[port]);
                prop_assert_eq!(ways.steepest(layer, switch, &but, fits), steepest.map(|port| port as u32));
            }
        }
    }
}
