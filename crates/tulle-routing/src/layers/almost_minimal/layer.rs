//! Builds a layer by inserting one path after another.

use rand::Rng;
use rayon::prelude::*;
use tulle_base::memory;
use tulle_base::prefetch::prefetch;
use tulle_fabric::Fabric;
use tulle_fabric::distances::{Distances, UNREACHED};

use crate::Table;
use crate::columns::{Columns, NO_PORT, beyond, channel, port};
use crate::loads::{Least, Loads, by_distance};
use crate::two_hops::{CLOSED, TwoHops};

/// A layer under construction, with the next hops fixed so far. The fixed next hops toward a destination always form a tree with the
/// destination as its root.
pub(super) struct Layer<'a> {
    pub(super) fabric: &'a Fabric,
    pub(super) distances: &'a Distances,
    /// The paths of two hops between switches. A path of two hops is blocked if its first switch already forwards to the destination over
    /// another path.
    pub(super) ways: &'a mut TwoHops,
    next: Columns,
    /// Per channel, the weight of its reverse channel, so that the weights of all channels into a switch are contiguous. [`CLOSED`] is
    /// added if new paths must not use the reverse channel as their last hop into the switch.
    back: Vec<u64>,
    /// The number of hops of every fixed path, by destination and switch; [`UNREACHED`] if no path is fixed.
    hops: Vec<u8>,
}

impl<'a> Layer<'a> {
    /// Returns a layer without paths.
    pub fn new(fabric: &'a Fabric, distances: &'a Distances, loads: &Loads, ways: &'a mut TwoHops) -> Self {
        ways.open();
        let switches = fabric.num_switches();
        let mut hops = memory::matrix("hop distances", UNREACHED, switches, switches);
        hops.iter_mut().step_by(switches + 1).for_each(|own| *own = 0);
        let back = fabric.reverse().iter().map(|&channel| loads.routes[channel as usize]).collect();
        Self { fabric, distances, ways, next: Columns::new(switches), back, hops }
    }

    /// Returns whether `source` has a fixed path toward `destination`.
    pub fn has(&self, source: u32, destination: u32) -> bool {
        self.hops_toward(destination)[source as usize] != UNREACHED
    }

    /// Prefetches the data that [`Self::has`] reads.
    #[inline]
    pub fn ask_fixed(&self, source: u32, destination: u32) {
        prefetch(self.hops_toward(destination), source as usize);
    }

    /// Returns, for each port of `destination`, the weight of the channel that enters there. If new paths must not use this channel as
    /// their last hop, [`CLOSED`] is added to the weight.
    pub fn into(&self, destination: u32) -> &[u64] {
        &self.back[self.fabric.channels_of(destination)]
    }

    /// Prefetches the data that a search from `source` to `destination` reads, if the pair needs a search.
    pub fn ask_ways(&self, source: u32, destination: u32) {
        if !self.has(source, destination) {
            self.ways.prefetch(self.fabric, source, destination);
            prefetch(self.next.column(destination), source as usize);
        }
    }

    /// Returns whether the fixed path from `source` to `destination` is longer than a shortest path.
    pub fn is_longer(&self, source: u32, destination: u32) -> bool {
        self.hops_toward(destination)[source as usize] > self.distances.row(destination)[source as usize]
    }

    /// Returns, per switch, the number of hops of its fixed path toward `destination`; [`UNREACHED`] if it has no path.
    pub fn hops_toward(&self, destination: u32) -> &[u8] {
        let switches = self.fabric.num_switches();
        &self.hops[destination as usize * switches..(destination as usize + 1) * switches]
    }

    /// Returns the channels of the fixed path from `switch` to `destination`.
    pub fn tail(&self, switch: u32, destination: u32) -> impl Iterator<Item = u32> + '_ {
        let mut switch = switch;
        std::iter::from_fn(move || {
            let channel = self.channel_on(switch, destination)?;
            switch = self.fabric.targets()[channel as usize];
            Some(channel)
        })
    }

    /// Returns the next channel of the fixed path from `switch` to `destination`.
    #[inline]
    fn channel_on(&self, switch: u32, destination: u32) -> Option<u32> {
        let port = self.next.column(destination)[switch as usize];
        (port != NO_PORT).then(|| channel(self.fabric, switch, port))
    }

    /// Prefetches the data of `switch` that [`Self::insert`] reads and writes.
    #[inline]
    pub fn ask_on(&self, switch: u32, destination: u32) {
        self.ask_fixed(switch, destination);
        prefetch(self.next.column(destination), switch as usize);
    }

    /// Fixes the path `walk`, given as channels. Every channel starts at a switch without a fixed path. The last channel ends at the
    /// destination or at a switch with a fixed path.
    ///
    /// The weight of every channel on the path of a newly fixed switch grows by the number of endpoints of the switch times the number of
    /// endpoints of the destination (Blach et al., NSDI24, App. B.1.3).
    pub fn insert(&mut self, walk: &[u32], destination: u32, loads: &mut Loads) {
        let Some(&last) = walk.last() else { return };
        let end = self.fabric.targets()[last as usize];
        let row = destination as usize * self.fabric.num_switches();
        let mut left = walk.len() as u8 + self.hops[row + end as usize];
        let mut routes = 0;
        for &at in walk {
            let switch = self.fabric.sources()[at as usize];
            routes += loads.endpoints[switch as usize] * loads.endpoints[destination as usize];
            loads.routes[at as usize] += routes;
            self.back[self.fabric.reverse()[at as usize] as usize] += routes;
            self.next.column_mut(destination)[switch as usize] = port(self.fabric, at);
            self.hops[row + switch as usize] = left;
            match left {
                0 | 1 => {}
                2 => self.ways.fix(switch, destination, port(self.fabric, at)),
                _ => self.ways.shut(switch, destination),
            }
            let is_near = || self.distances.row(destination)[switch as usize] == 1;
            if left > 1 && !self.ways.has(switch, destination) && is_near() {
                self.close(switch, destination);
            }
            left -= 1;
        }
        if end == destination {
            return;
        }
        let mut switch = end;
        while let Some(at) = self.channel_on(switch, destination) {
            loads.routes[at as usize] += routes;
            self.back[self.fabric.reverse()[at as usize] as usize] += routes;
            switch = self.fabric.targets()[at as usize];
        }
    }

    fn close(&mut self, switch: u32, destination: u32) {
        let ports = self.fabric.channels_of(destination).zip(self.fabric.neighbours(destination));
        ports.filter(|&(_, &next)| next == switch).for_each(|(channel, _)| self.back[channel] |= CLOSED);
    }

    /// Adds 1 to the priority value of each pair whose fixed path is longer than its shortest path (Blach et al., NSDI24, App. B.1.2). The
    /// next layer places paths for pairs with low values first.
    pub fn prioritise(&self, priority: &mut [u8]) {
        let switches = self.fabric.num_switches().max(1);
        let rows = priority.par_chunks_mut(switches).zip(self.hops.par_chunks(switches)).zip(0..switches as u32);
        rows.for_each(|((priority, hops), destination)| {
            for ((priority, &hops), &least) in priority.iter_mut().zip(hops).zip(self.distances.row(destination)) {
                *priority += u8::from(hops > least && hops != UNREACHED);
            }
        });
    }

    /// Gives every switch without a path a next hop that is one hop nearer to the destination (Blach et al., NSDI24, App. B.1.4). Among
    /// these next hops, the function chooses the one with the shortest path in this layer. Ties go to the least loaded channel.
    ///
    /// The path of such a next hop may be longer than minimal. If the path of the switch then exceeds `longest` hops (at least the
    /// diameter), the switch forwards to the neighbour with the fewest hops to the destination instead. If this path also exceeds the
    /// limit, the switch and the rest of its path change to a shortest path. No path of the layer thus exceeds the limit. Deadlock schemes
    /// with one virtual channel per hop rely on this.
    pub fn complete(&mut self, longest: u8, loads: &Loads, rng: &mut impl Rng) {
        let mut order = Vec::new();
        for destination in 0..self.fabric.num_switches() as u32 {
            let distances = self.distances.row(destination);
            by_distance(distances, &mut order);
            for &switch in &order {
                if self.has(switch, destination) {
                    continue;
                }
                let nearer = distances[switch as usize] - 1;
                let minimal = |next: u32| distances[next as usize] == nearer;
                let mut taken = self.lightest(switch, destination, longest, loads, rng, minimal);
                if taken == NO_PORT {
                    taken = self.lightest(switch, destination, longest, loads, rng, |_| true);
                }
                if taken == NO_PORT {
                    self.shorten(switch, destination);
                } else {
                    let next = beyond(self.fabric, switch, taken) as usize;
                    let row = destination as usize * self.fabric.num_switches();
                    self.next.column_mut(destination)[switch as usize] = taken;
                    self.hops[row + switch as usize] = self.hops[row + next] + 1;
                }
            }
        }
    }

    /// Returns the port of `switch` to the neighbour with the fewest hops to the destination. The neighbour must have fewer than `longest`
    /// hops, and `fits` must accept it. Ties go to the least loaded channel.
    fn lightest(
        &self,
        switch: u32,
        destination: u32,
        longest: u8,
        loads: &Loads,
        rng: &mut impl Rng,
        fits: impl Fn(u32) -> bool,
    ) -> u16 {
        let hops = self.hops_toward(destination);
        let mut least = Least::new();
        let mut fewest = longest;
        for (port, at) in self.fabric.channels_of(switch).enumerate() {
            let next = self.fabric.targets()[at];
            let hops = hops[next as usize];
            if hops > fewest || hops == longest || !fits(next) {
                continue;
            }
            if hops < fewest {
                (fewest, least) = (hops, Least::new());
            }
            least.offer(loads.routes[at], port as u16, rng);
        }
        least.port
    }

    /// Replaces the path of `switch` by a shortest path. All switches on this path then have shortest paths, and no other path becomes
    /// longer.
    fn shorten(&mut self, switch: u32, destination: u32) {
        let switches = self.fabric.num_switches();
        let distances = self.distances.row(destination);
        let mut at = switch;
        while at != destination {
            let nearer = distances[at as usize] - 1;
            let hops = self.hops_toward(destination);
            let ports = self.fabric.neighbours(at).iter().enumerate();
            let (port, next) = ports
                .filter(|&(_, &next)| distances[next as usize] == nearer)
                .map(|(port, &next)| (port as u16, next))
                .min_by_key(|&(_, next)| hops[next as usize])
                .expect("a switch has a neighbour nearer to the destination");
            self.next.column_mut(destination)[at as usize] = port;
            at = next;
        }
        let mut hops = vec![UNREACHED; switches];
        for start in 0..switches as u32 {
            if self.next.column(destination)[start as usize] != NO_PORT || start == destination {
                hops[start as usize] = self.tail(start, destination).count() as u8;
            }
        }
        self.hops[destination as usize * switches..][..switches].copy_from_slice(&hops);
    }

    /// Returns the finished layer.
    pub fn table(&self) -> Table {
        debug_assert!(self.hops.par_iter().all(|&hops| hops != UNREACHED));
        self.next.table(self.fabric)
    }
}

#[cfg(test)]
mod tests {
    use tulle_fabric::FabricBuilder;

    use super::super::search::Search;
    use super::*;
    use crate::shortest::Nearer;

    /// Returns a ring of `switches` switches, with `endpoints` endpoints each.
    fn ring(switches: u32, endpoints: usize) -> Fabric {
        let mut builder = FabricBuilder::new(switches);
        for switch in 0..switches {
            builder.cable(switch, (switch + 1) % switches);
        }
        builder.endpoints_each(endpoints);
        builder.finish("ring", Default::default()).unwrap()
    }

    #[test]
    fn weights_of_figure_15() {
        // Four switches in a ring, with three endpoints each. The only path of three hops from switch 0 to switch 3 leads over switches 1
        // and 2.
        let ring = ring(4, 3);
        let distances = Distances::of(&ring);
        let nearer = Nearer::of(&ring, &distances);
        let mut loads = Loads::new(&ring);
        let mut priority = vec![0; 16];
        let mut ways = TwoHops::of(&ring, &distances, &nearer);
        let mut layer = Layer::new(&ring, &distances, &loads, &mut ways);
        let mut search = Search::new(&ring, &[3], &nearer);
        let mut rng = tulle_base::random::stream(0, "test", 0);
        let walk = search.find(&layer, &loads, 0, 3, &mut rng).unwrap().to_vec();
        layer.insert(&walk, 3, &mut loads);
        let weights: Vec<u64> = layer.tail(0, 3).map(|channel| loads.routes[channel as usize]).collect();
        assert_eq!(weights, [9, 18, 27]);
        assert_eq!(loads.routes.iter().sum::<u64>(), 54, "no other channel has a load");
        layer.prioritise(&mut priority);
        // From switch 0, the path is longer than minimal. From switch 1 it has two hops and from switch 2 one hop, which is minimal.
        assert_eq!(priority[12..], [1, 0, 0, 0]);
    }

    #[test]
    fn a_path_merges_into_what_is_fixed() {
        // A ring of six switches, and paths toward switch 5. The first path leads from switch 1 to switch 5 and fixes the next hops of
        // switches 1 to 4. The path of switch 0 can then only follow these next hops.
        let ring = ring(6, 1);
        let distances = Distances::of(&ring);
        let nearer = Nearer::of(&ring, &distances);
        let mut loads = Loads::new(&ring);
        let mut priority = vec![0; 36];
        let mut ways = TwoHops::of(&ring, &distances, &nearer);
        let mut layer = Layer::new(&ring, &distances, &loads, &mut ways);
        let mut rng = tulle_base::random::stream(0, "test", 0);
        let mut search = Search::new(&ring, &[4], &nearer);
        let walk = search.find(&layer, &loads, 1, 5, &mut rng).unwrap().to_vec();
        layer.insert(&walk, 5, &mut loads);
        // Switch 0 can reach switch 5 in five hops, along the path of switch 1.
        let mut search = Search::new(&ring, &[5], &nearer);
        let walk = search.find(&layer, &loads, 0, 5, &mut rng).unwrap().to_vec();
        assert_eq!(walk.len(), 1, "the remaining hops are already fixed");
        layer.insert(&walk, 5, &mut loads);
        let weights: Vec<u64> = layer.tail(0, 5).map(|channel| loads.routes[channel as usize]).collect();
        assert_eq!(weights, [1, 2, 3, 4, 5]);
        layer.prioritise(&mut priority);
        assert_eq!(priority[30..], [1, 1, 0, 0, 0, 0]);
    }

    #[test]
    fn paths_stay_within_the_limit() {
        // Paths toward switch 0. Switch 1 has a fixed path of three hops, 1-3-4-0. Switch 2 can only forward to switch 1, so its path would
        // have four hops. The layer therefore replaces the path of switch 1 by a shortest path.
        let mut builder = FabricBuilder::new(5);
        for (a, b) in [(0, 1), (1, 2), (1, 3), (3, 4), (4, 0)] {
            builder.cable(a, b);
        }
        let fabric = builder.finish("edges", Default::default()).unwrap();
        let distances = Distances::of(&fabric);
        let nearer = Nearer::of(&fabric, &distances);
        let mut loads = Loads::new(&fabric);
        let mut ways = TwoHops::of(&fabric, &distances, &nearer);
        let mut layer = Layer::new(&fabric, &distances, &loads, &mut ways);
        let mut rng = tulle_base::random::stream(0, "test", 0);
        let walk = Search::new(&fabric, &[3], &nearer).find(&layer, &loads, 1, 0, &mut rng).unwrap().to_vec();
        layer.insert(&walk, 0, &mut loads);
        assert_eq!(layer.hops_toward(0), [0, 3, UNREACHED, 2, 1]);
        layer.complete(3, &loads, &mut rng);
        assert_eq!(layer.hops_toward(0), [0, 1, 2, 2, 1]);
    }
}
