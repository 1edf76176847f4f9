//! The scheme `low-overlap`: layers whose paths overlap little (FatPaths Listing 2). The user chooses whether layers are acyclic.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;

use rand::Rng;
use tulle_base::memory;
use tulle_base::random::stream;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_spec::{Plugin, plugin};

use crate::acyclic_layer::{acyclic_layer, permutation};
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::loads::{Least, Loads};
use crate::scheme::Scheme;
use crate::shortest::{Nearer, random_next_hops};
use crate::two_hops::{CLOSED, TwoHops};
use crate::{Error, Routes, TableBuilder};

plugin! {
    pub struct LowOverlap(arguments) {
        /// number of layers n, including layer 0, which contains all links of the fabric
        layers: u8 = integer(1, 255), default "9";
        /// minimum hops of a placed path (L_min); above the diameter, all placed paths are longer than shortest paths
        min_hops: usize = integer(2, 6), default "3";
        /// maximum hops of a placed path (L_max)
        max_hops: usize = integer(2, 6), or "min_hops" { min_hops };
        /// maximum number of paths placed per layer (M)
        paths: Option<u32> = or("all", &integer(1, u32::MAX as u64)), default "all";
        /// whether each layer except layer 0 uses its cables in one direction only, from the earlier to the later switch in a random order
        /// of the switches
        acyclic: bool = either("true", "false"), implied "true";
    }
    check {
        if min_hops > max_hops {
            let values = format!("min_hops={min_hops},max_hops={max_hops}");
            return Err(arguments.clash(values, "allow no path length", format!("legal: max_hops={min_hops} to 6")));
        }
    }
    name: "low-overlap",
    summary: "one layer with all links, and further layers (acyclic or not) built from paths of chosen lengths that \
        overlap little",
    paper: "FatPaths §V-B3, Listing 2; one random shortest next hop, §V-C",
    limitations: "By default, each layer except layer 0 uses its links in one direction only, from the earlier to the later switch in a \
        random order of the switches. About half of the pairs, or more, then have no path in such a layer. Their packets follow layer 0 \
        until they reach a switch with a path in the layer, so few pairs gain disjoint paths. With acyclic=false, links are used in both \
        directions. Layers then become similar if many paths are placed; they differ if `paths` is about a fifth of the number of cables. \
        Packets use shortest paths over the links of the layer. These paths may be shorter or longer than the placed paths.",
    examples: [
        "low-overlap:layers=4", "low-overlap:layers=3,min_hops=3,max_hops=4",
        "low-overlap:layers=3,min_hops=2,paths=20", "low-overlap:layers=4,paths=20,acyclic=false",
    ],
    rejects: [
        ("low-overlap:layers=0", "layers=0 is out of range; legal: 1 to 255"),
        ("low-overlap:min_hops=1", "min_hops=1 is out of range; legal: 2 to 6"),
        ("low-overlap:min_hops=4,max_hops=3", "min_hops=4,max_hops=3 allow no path length"),
        ("low-overlap:paths=0", "paths=0 is out of range; legal: 1 to 4294967295"),
        ("low-overlap:paths=some", "paths=some is not a whole number"),
        ("low-overlap:acyclic=maybe", "acyclic=maybe is not a choice; legal: true, false"),
    ],
}

impl Scheme for LowOverlap {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        let all = LayerLinks::all(fabric);
        let distances = connected_distances(&LowOverlap::INFO, fabric, &all)?;
        let mut builder = TableBuilder::new(fabric);
        random_next_hops(&mut builder, &all, &distances, seed, 0);
        let mut tables = vec![builder.finish()];
        let mut placement = Placement::new(self, fabric, &distances);
        let mut placed = 0;
        for layer in 1..u64::from(self.layers) {
            let mut rng = stream(seed, "routing/low-overlap", layer);
            let (keep, paths) = placement.layer(&mut rng);
            tables.push(acyclic_layer(fabric, &keep, &tables[0], seed, layer));
            placed += paths;
        }
        if self.layers > 1 && placed == 0 {
            let up = if self.acyclic {
                format!(" that ascends in one of the {} random orders of the switches", self.layers - 1)
            } else {
                String::new()
            };
            return Err(Error::Fabric {
                scheme: LowOverlap::INFO.name.to_owned(),
                problem: format!("{} has no path of {} to {} hops{up}", fabric.spec(), self.min_hops, self.max_hops),
                legal: "legal: a smaller min_hops, or layers=1".to_owned(),
            });
        }
        Ok(Routes::Layers(tables))
    }
}

/// The state of the placement of paths, which is passed from one layer to the next.
struct Placement<'a> {
    scheme: &'a LowOverlap,
    fabric: &'a Fabric,
    distances: &'a Distances,
    /// All shortest next hops in the fabric, for the path search.
    nearer: Nearer,
    /// All paths of two hops in the fabric, for the path search.
    ways: TwoHops,
    /// The switches with endpoints. Paths are placed only between these switches.
    edge: Vec<u32>,
    /// The weight W of every channel.
    weights: Vec<u64>,
    /// Per ordered pair of switches, the number of paths placed so far. The placement continues with the pair that has the fewest paths.
    counts: Vec<u32>,
}

/// The constraints that one layer puts on a path.
struct Legal {
    /// The rank of every switch in the permutation π. In an acyclic layer, ranks ascend along every path. In other layers, ranks only
    /// decide at which switch of a pair the path starts.
    rank: Vec<u32>,
    acyclic: bool,
    /// The weight of every channel. The weight is [`CLOSED`] if new paths must not use the channel. This is the case for three kinds of
    /// channels: channels to a switch of lower rank (in an acyclic layer), shortcuts between two switches of a placed path, and channels to
    /// a switch of the current path.
    weights: Vec<u64>,
}

impl<'a> Placement<'a> {
    fn new(scheme: &'a LowOverlap, fabric: &'a Fabric, distances: &'a Distances) -> Self {
        let switches = fabric.num_switches();
        let edge = Loads::new(fabric).edge();
        let (weights, counts) =
            (vec![0; fabric.num_channels()], memory::matrix("paths of pairs", 0, switches, switches));
        let nearer = Nearer::of(fabric, distances);
        let ways = TwoHops::of(fabric, distances, &nearer);
        Self { scheme, fabric, distances, nearer, ways, edge, weights, counts }
    }

    /// Places the paths of the next layer. Returns, per channel, whether the layer contains it, and the number of placed paths.
    fn layer(&mut self, rng: &mut impl Rng) -> (Vec<bool>, u64) {
        let fabric = self.fabric;
        let switches = fabric.num_switches();
        let rank = permutation(switches, rng);
        let mut legal = Legal::new(fabric, rank, self.scheme.acyclic, &self.weights);
        let mut keep = vec![false; fabric.num_channels()];
        let mut waiting = memory::matrix("waiting pairs", false, switches, switches);
        let mut entries = Vec::new();
        for &source in &self.edge {
            for &target in &self.edge {
                if legal.rank[source as usize] < legal.rank[target as usize] {
                    let pair = source as usize * switches + target as usize;
                    waiting[pair] = true;
                    entries.push(Reverse((self.counts[pair], rng.next_u32(), pair as u32)));
                }
            }
        }
        // Only few pairs are inserted into the queue a second time, so most entries leave the queue in their initial order. A sorted list
        // plus a small heap is therefore faster than one heap.
        entries.sort_unstable_by_key(|&Reverse(entry)| entry);
        let mut entries = entries.into_iter();
        let mut queue = BinaryHeap::new();
        let mut search = Search::new();
        let mut placed = 0;
        while self.scheme.paths.is_none_or(|most| placed < most) {
            task::check();
            // `Reverse` inverts the order, so the greater entry comes first.
            let first = if entries.as_slice().first() > queue.peek() { entries.next() } else { queue.pop() };
            // The pairs come in random order, so the processor cannot predict which data the next search needs. The data are therefore
            // prefetched here.
            if let Some(&Reverse((_, _, pair))) = entries.as_slice().get(1) {
                self.ways.prefetch(fabric, pair / switches as u32, pair % switches as u32);
            }
            let Some(Reverse((count, _, pair))) = first else { break };
            // Skip a stale entry: its pair was removed, or was inserted again with a larger count.
            if count != self.counts[pair as usize] || !std::mem::replace(&mut waiting[pair as usize], false) {
                continue;
            }
            let (source, target) = (pair / switches as u32, pair % switches as u32);
            let Some(path) = search.find(self, &mut legal, source, target, rng) else { continue };
            placed += 1;
            let links = path.len();
            let mut at: Vec<u32> = vec![source];
            for (position, &channel) in path.iter().enumerate() {
                // On a path of d switches, link i gets the weight i·(d−i). This is the number of pairs of switches on the path that the
                // link separates.
                let crossing = (position as u64 + 1) * (links - position) as u64;
                let back = (!legal.acyclic).then(|| fabric.reverse()[channel as usize]);
                for channel in iter::once(channel).chain(back) {
                    keep[channel as usize] = true;
                    self.weights[channel as usize] += crossing;
                    legal.weights[channel as usize] += crossing;
                }
                at.push(fabric.targets()[channel as usize]);
            }
            for (i, &before) in at.iter().enumerate() {
                for (apart, &after) in at[i..].iter().enumerate().skip(1) {
                    if apart > 1 {
                        legal.close(fabric, before, after);
                        legal.close(fabric, after, before);
                    }
                    // In this layer, every two switches form one pair, with the lower rank first. In other layers, the order of the two
                    // switches can be the opposite one. A path of a layer that is not acyclic can be used in both directions, so it counts
                    // for both ordered pairs.
                    let (lower, higher) = legal.in_order(before, after);
                    let pair = lower as usize * switches + higher as usize;
                    if apart < self.scheme.min_hops {
                        waiting[pair] = false;
                    } else {
                        self.counts[pair] += 1;
                        if !legal.acyclic {
                            self.counts[higher as usize * switches + lower as usize] += 1;
                        }
                        if waiting[pair] {
                            queue.push(Reverse((self.counts[pair], rng.next_u32(), pair as u32)));
                        }
                    }
                }
            }
        }
        (keep, u64::from(placed))
    }
}

impl Legal {
    fn new(fabric: &Fabric, rank: Vec<u32>, acyclic: bool, weights: &[u64]) -> Self {
        let ends = fabric.sources().iter().zip(fabric.targets());
        let open = ends.map(|(&source, &target)| !acyclic || rank[source as usize] < rank[target as usize]);
        let weights = open.zip(weights).map(|(open, &weight)| if open { weight } else { CLOSED }).collect();
        Self { rank, acyclic, weights }
    }

    /// Returns the two switches, the one with the lower rank first.
    fn in_order(&self, one: u32, other: u32) -> (u32, u32) {
        if self.rank[one as usize] < self.rank[other as usize] { (one, other) } else { (other, one) }
    }

    /// Returns whether a path to `target` may visit `switch`. In an acyclic layer, only switches of lower rank than `target` are allowed.
    fn below(&self, switch: u32, target: u32) -> bool {
        !self.acyclic || self.rank[switch as usize] < self.rank[target as usize]
    }

    /// Forbids the channels into `switch`, so that the current path does not visit the switch twice. Returns the old weights of these
    /// channels, for [`Self::leave`]. Acyclic layers do not need this, because ranks ascend along their paths.
    fn enter(&mut self, fabric: &Fabric, switch: u32) -> Vec<u64> {
        if self.acyclic {
            return Vec::new();
        }
        let into = fabric.channels_of(switch).map(|out| fabric.reverse()[out] as usize);
        into.map(|channel| std::mem::replace(&mut self.weights[channel], CLOSED)).collect()
    }

    /// Gives the channels into `switch` the weights that they had before [`Self::enter`].
    fn leave(&mut self, fabric: &Fabric, switch: u32, weights: Vec<u64>) {
        for (out, weight) in fabric.channels_of(switch).zip(weights) {
            self.weights[fabric.reverse()[out] as usize] = weight;
        }
    }

    /// Forbids further paths of this layer to use the channels from `source` to `target`.
    fn close(&mut self, fabric: &Fabric, source: u32, target: u32) {
        let row = fabric.neighbours(source);
        let first = row.partition_point(|&next| next < target);
        let start = fabric.channels_of(source).start;
        for (at, _) in row[first..].iter().enumerate().take_while(|&(_, &next)| next == target) {
            self.weights[start + first + at] = CLOSED;
        }
    }
}

/// A depth-first search for the legal path of least weight. Its memory is reused for the next search.
struct Search {
    walk: Vec<u32>,
    best: Vec<u32>,
    least: Least,
    /// Per port of the current target, the weight of the channel that enters there.
    into: Vec<u64>,
    /// Per port of a switch, the weight of the three-hop path that starts with this port.
    costs: Vec<u64>,
}

impl Search {
    fn new() -> Self {
        Self { walk: Vec::new(), best: Vec::new(), least: Least::new(), into: Vec::new(), costs: Vec::new() }
    }

    /// Returns the channels of the path of least weight from `source` to `target`. Ties are broken at random. The result is `None` if there
    /// is no legal path.
    fn find(
        &mut self,
        placement: &Placement,
        legal: &mut Legal,
        source: u32,
        target: u32,
        rng: &mut impl Rng,
    ) -> Option<&[u32]> {
        self.best.clear();
        self.walk.clear();
        self.least = Least::new();
        let fabric = placement.fabric;
        self.into.clear();
        self.into.extend(fabric.channels_of(target).map(|out| legal.weights[fabric.reverse()[out] as usize]));
        let weights = legal.enter(fabric, source);
        self.extend(placement, legal, source, target, 0, rng);
        legal.leave(fabric, source, weights);
        (!self.best.is_empty()).then_some(&self.best[..])
    }

    /// Tries all continuations of the current path. The path has reached `switch` with total weight `sum`.
    fn extend(
        &mut self,
        placement: &Placement,
        legal: &mut Legal,
        switch: u32,
        target: u32,
        sum: u64,
        rng: &mut impl Rng,
    ) {
        let distances = placement.distances.row(target);
        let channels = placement.fabric.channels_of(switch);
        let left = placement.scheme.max_hops - self.walk.len();
        if left == usize::from(distances[switch as usize]) {
            // The remaining hops equal the distance, so only shortest paths reach the target within the hop limit.
            for &port in placement.nearer.next(switch, target) {
                self.step(placement, legal, channels.start + usize::from(port), target, sum, rng);
            }
            return;
        }
        if left == 3 {
            self.last_three(placement, legal, switch, target, sum, rng);
            return;
        }
        for channel in channels {
            if usize::from(distances[placement.fabric.targets()[channel] as usize]) < left {
                self.step(placement, legal, channel, target, sum, rng);
            }
        }
    }

    /// Tries all continuations of the current path, which has reached `switch` with total weight `sum` and has at most three hops left. If
    /// a neighbour has exactly one path of two hops to the target, a lookup table gives this path.
    fn last_three(
        &mut self,
        placement: &Placement,
        legal: &mut Legal,
        switch: u32,
        target: u32,
        sum: u64,
        rng: &mut impl Rng,
    ) {
        let (fabric, ways) = (placement.fabric, &placement.ways);
        let distances = placement.distances.row(target);
        let mut costs = std::mem::take(&mut self.costs);
        ways.weigh(fabric, switch, target, (&legal.weights, &self.into), &mut costs);
        for (channel, &cost) in fabric.channels_of(switch).zip(&costs) {
            if cost >= CLOSED || sum + cost > self.least.cost {
                continue;
            }
            let next = fabric.targets()[channel];
            match ways.way(fabric, next, target) {
                Some(rest) if self.least.takes(sum + cost, rng) => {
                    self.best.clear();
                    self.best.extend_from_slice(&self.walk);
                    self.best.push(channel as u32);
                    self.best.extend(rest);
                }
                None if distances[next as usize] < 3 => self.step(placement, legal, channel, target, sum, rng),
                _ => {}
            }
        }
        self.costs = costs;
    }

    /// Tries all continuations of the current path over `channel`. The path has reached the start of `channel` with total weight `sum`.
    #[inline]
    fn step(
        &mut self,
        placement: &Placement,
        legal: &mut Legal,
        channel: usize,
        target: u32,
        sum: u64,
        rng: &mut impl Rng,
    ) {
        let (next, weight) = (placement.fabric.targets()[channel], legal.weights[channel]);
        if weight >= CLOSED {
            return;
        }
        let sum = sum + weight;
        if next == target {
            if self.walk.len() + 1 >= placement.scheme.min_hops && self.least.takes(sum, rng) {
                self.best.clear();
                self.best.extend_from_slice(&self.walk);
                self.best.push(channel as u32);
            }
        } else if sum <= self.least.cost && legal.below(next, target) {
            let weights = legal.enter(placement.fabric, next);
            self.walk.push(channel as u32);
            self.extend(placement, legal, next, target, sum, rng);
            self.walk.pop();
            legal.leave(placement.fabric, next, weights);
        }
    }
}

#[cfg(test)]
mod tests;
