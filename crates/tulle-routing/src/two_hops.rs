//! Stores the paths of two hops between switches. With this table, a path search finds the weights of the last two hops from all neighbours
//! of a switch in one loop.

use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::prefetch::prefetch;
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;

use crate::shortest::Nearer;

/// For each pair of switches at distance 2: its path of two hops if there is only one, otherwise a list of its paths.
///
/// In a Slim Fly, most pairs have exactly one path of two hops. A search for paths of three hops needs the path of two hops from
/// every neighbour of the source. The table gives the two channels of such a path directly, so no search is needed.
pub(crate) struct TwoHops {
    switches: usize,
    /// One entry per destination and switch. If there is exactly one path of two hops, the entry has the port out of the switch, and the
    /// destination's port toward the switch in the middle. Otherwise, the entry is [`OTHER`] plus the position of a list in `several`. The
    /// bit [`SHUT`] means that the paths must not be used.
    ways: Vec<u32>,
    /// Per destination, lists of several paths. Each list begins with its length. The list at position 0 is empty. An entry that points to
    /// this list means that there is no path, or that the paths are not listed.
    several: Vec<Vec<u32>>,
    /// The entries of `ways` that were replaced by a single path: position and old entry.
    fixed: Vec<(usize, u32)>,
}

/// The bits of an entry, from the highest: `SHUT`, `OTHER`, 14 bits for the port out of the switch, and 16 bits for the destination's port.
const SHUT: u32 = 1 << 31;
const OTHER: u32 = 1 << 30;
const PORT: u32 = (1 << 14) - 1;

/// The weight of a forbidden channel or path, which is greater than the weight of any allowed path. The sum of three such weights does not
/// overflow.
pub(crate) const CLOSED: u64 = 1 << 61;

impl TwoHops {
    /// Returns the paths of two hops in `fabric`.
    pub fn of(fabric: &Fabric, distances: &Distances, nearer: &Nearer) -> Self {
        let switches = fabric.num_switches();
        let mut ways = memory::matrix("paths of two hops", OTHER, switches, switches);
        let rows = ways.par_chunks_mut(switches.max(1)).zip(0..switches as u32);
        let several = rows.map(|(ways, destination)| {
            let hops = distances.row(destination);
            let mut several = vec![0];
            for (entry, switch) in ways.iter_mut().zip(0..).filter(|&(_, switch)| hops[switch as usize] == 2) {
                let place = several.len();
                several.push(0);
                several.extend(all(fabric, nearer, switch, destination).map_while(|way| way));
                let (here, from) = (several.len() - place - 1, nearer.next(switch, destination).len());
                several[place] = here as u32;
                *entry = match (here, from) {
                    (1, 1) => several[place + 1],
                    _ if here == from => OTHER | place as u32,
                    _ => OTHER,
                };
                if here == 1 || here != from {
                    several.truncate(place);
                }
            }
            several
        });
        let several = several.collect();
        Self { switches, ways, several, fixed: Vec::new() }
    }

    /// Writes to `costs` the weights of the three-hop paths from `switch` to `destination`, one per port of `switch`. `weights` has the
    /// weights of all channels. `into` has the weights of the channels into the destination, ordered by the destination's ports.
    ///
    /// If the neighbour at a port does not have exactly one path of two hops to `destination`, the cost at this port is 0. If it has
    /// exactly one, but this path is forbidden, the cost is at least [`CLOSED`].
    pub fn weigh(
        &self,
        fabric: &Fabric,
        switch: u32,
        destination: u32,
        (weights, into): (&[u64], &[u64]),
        costs: &mut Vec<u64>,
    ) {
        let row = &self.ways[destination as usize * self.switches..][..self.switches];
        let (targets, offsets) = (fabric.targets(), fabric.offsets());
        costs.clear();
        costs.extend(fabric.channels_of(switch).map(|first| {
            let (next, way) = (targets[first] as usize, row[targets[first] as usize]);
            // The loop has no branches, because the processor could not predict which entries are forbidden paths or lists.
            let one = (way >> 30 & 1).wrapping_sub(1);
            let second = (offsets[next] + ((way & one) >> 16 & PORT)) as usize;
            let cost = weights[first] + weights[second] + into[(way & one) as u16 as usize];
            let known = u64::from(way >> 30 & !(way >> 31) & 1).wrapping_sub(1);
            (cost | (u64::from(way >> 31) * CLOSED)) & known
        }));
    }

    /// Prefetches the memory that [`Self::weigh`] reads.
    pub fn prefetch(&self, fabric: &Fabric, switch: u32, destination: u32) {
        let row = &self.ways[destination as usize * self.switches..][..self.switches];
        fabric.neighbours(switch).iter().for_each(|&next| prefetch(row, next as usize));
    }

    /// Returns whether there is exactly one path of two hops from `switch` to `destination`. This path may be forbidden.
    pub fn has(&self, switch: u32, destination: u32) -> bool {
        self.ways[destination as usize * self.switches + switch as usize] & OTHER == 0
    }

    /// Returns the two channels of the only path from `switch` to `destination`; `None` if there is not exactly one.
    #[inline]
    pub fn way(&self, fabric: &Fabric, switch: u32, destination: u32) -> Option<[u32; 2]> {
        let way = self.ways[destination as usize * self.switches + switch as usize];
        (way & OTHER == 0).then(|| channels(fabric, switch, destination, way))
    }

    /// Prefetches the memory that [`Self::several`] reads.
    #[inline]
    pub fn ask_several(&self, switch: u32, destination: u32) {
        let place = self.ways[destination as usize * self.switches + switch as usize] & (OTHER - 1);
        prefetch(&self.several[destination as usize], place as usize);
    }

    /// Returns the paths from `switch` to `destination`, if there are several and they are listed; otherwise an empty list. The functions
    /// [`channels`] and [`entry`] decode a path.
    #[inline]
    pub fn several(&self, switch: u32, destination: u32) -> &[u32] {
        let place = (self.ways[destination as usize * self.switches + switch as usize] & (OTHER - 1)) as usize;
        let several = &self.several[destination as usize];
        &several[place + 1..][..several[place] as usize]
    }

    /// If several paths lead from `switch` to `destination`, forbids all of them except the path that leaves over `port`.
    pub fn fix(&mut self, switch: u32, destination: u32, port: u16) {
        let at = destination as usize * self.switches + switch as usize;
        if self.ways[at] <= OTHER {
            return;
        }
        if let Some(&way) = self.several(switch, destination).iter().find(|&&way| way >> 16 == u32::from(port)) {
            self.fixed.push((at, self.ways[at]));
            self.ways[at] = way;
        }
    }

    /// Forbids all paths of two hops from `switch` to `destination`.
    pub fn shut(&mut self, switch: u32, destination: u32) {
        let way = &mut self.ways[destination as usize * self.switches + switch as usize];
        *way |= if *way == OTHER { 0 } else { SHUT };
    }

    /// Allows all paths again.
    pub fn open(&mut self) {
        self.fixed.drain(..).for_each(|(at, way)| self.ways[at] = way);
        self.ways.par_iter_mut().for_each(|way| *way &= !SHUT);
    }
}

/// Returns the two channels of the path that `way` encodes, which leads from `switch` to `destination`.
#[inline]
pub(crate) fn channels(fabric: &Fabric, switch: u32, destination: u32, way: u32) -> [u32; 2] {
    let back = fabric.offsets()[destination as usize] + (way & 0xffff);
    [fabric.offsets()[switch as usize] + (way >> 16 & PORT), fabric.reverse()[back as usize]]
}

/// Returns the destination's port at which the path that `way` encodes enters.
#[inline]
pub(crate) fn entry(way: u32) -> usize {
    way as u16 as usize
}

/// Returns all paths of two hops from `switch` to `destination`, ordered by the first port. If the middle switch of a path has several
/// channels to the destination, or if a port number does not fit in an entry, the iterator yields `None` for this path.
fn all<'a>(
    fabric: &'a Fabric,
    nearer: &'a Nearer,
    switch: u32,
    destination: u32,
) -> impl Iterator<Item = Option<u32>> + 'a {
    nearer.next(switch, destination).iter().map(move |&out| {
        let channel = fabric.channels_of(switch).start + usize::from(out);
        let between = fabric.targets()[channel];
        let &[last] = nearer.next(between, destination) else { return None };
        let last = fabric.channels_of(between).start + usize::from(last);
        let back = fabric.reverse()[last] - fabric.offsets()[destination as usize];
        (u32::from(out) <= PORT && back <= 0xffff).then_some(u32::from(out) << 16 | back)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_ways_weigh_what_their_channels_do() {
        for spec in ["slimfly:q=5", "hypercube:dimensions=3", "torus:shape=5x3", "clique:degree=4"] {
            let fabric = tulle_topologies::build(spec, 1).unwrap();
            let (distances, switches) = (Distances::of(&fabric), fabric.num_switches() as u32);
            let nearer = Nearer::of(&fabric, &distances);
            let mut two = TwoHops::of(&fabric, &distances, &nearer);
            let weights: Vec<u64> = (0..fabric.num_channels() as u64).map(|at| at * at % 101 + 1).collect();
            let mut costs = Vec::new();
            for (switch, destination) in (0..switches).flat_map(|a| (0..switches).map(move |b| (a, b))) {
                let back = fabric.channels_of(destination).map(|out| fabric.reverse()[out] as usize);
                let into: Vec<u64> = back.map(|channel| weights[channel]).collect();
                let mut weigh = |two: &TwoHops| {
                    two.weigh(&fabric, switch, destination, (&weights, &into), &mut costs);
                    costs.clone()
                };
                for (first, cost) in fabric.channels_of(switch).zip(weigh(&two)) {
                    let next = fabric.targets()[first];
                    let between: Vec<usize> = fabric
                        .channels_of(next)
                        .filter(|&channel| distances.row(destination)[fabric.targets()[channel] as usize] == 1)
                        .collect();
                    let one = distances.row(destination)[next as usize] == 2 && between.len() == 1;
                    let Some([second, third]) = two.way(&fabric, next, destination) else {
                        assert!(!one && cost == 0, "{spec}");
                        continue;
                    };
                    assert!(one && second as usize == between[0] && fabric.targets()[third as usize] == destination);
                    assert_eq!(fabric.sources()[third as usize], fabric.targets()[second as usize]);
                    assert_eq!(cost, weights[first] + weights[second as usize] + weights[third as usize]);
                    two.shut(next, destination);
                    assert!(weigh(&two).into_iter().any(|cost| cost >= CLOSED));
                    two.open();
                    assert!(weigh(&two).into_iter().all(|cost| cost < CLOSED));
                }
            }
        }
    }
}
