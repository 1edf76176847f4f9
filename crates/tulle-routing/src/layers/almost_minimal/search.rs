//! Searches for the path of least weight that has an allowed number of hops and does not contradict the fixed paths of the layer (Blach et
//! al., NSDI24, App. B.1.1).

use rand::Rng;
use rayon::prelude::*;
use tulle_base::prefetch::prefetch;
use tulle_fabric::Fabric;
use tulle_fabric::distances::UNREACHED;

use super::layer::Layer;
use crate::columns::beyond;
use crate::loads::{Least, Loads};
use crate::shortest::Nearer;
use crate::two_hops::{CLOSED, channels, entry};

/// A depth-first search for paths. Its memory is reused for the next search.
pub(super) struct Search<'a> {
    /// All shortest next hops.
    nearer: &'a Nearer,
    /// Per number of hops, whether a path may have this length.
    allowed: Vec<bool>,
    /// Per channel, whether its two switches have a common neighbour. If not, there is no path of two hops between them.
    triangles: Vec<bool>,
    walk: Vec<u32>,
    best: Vec<u32>,
    least: Least,
    /// Per switch, a lower bound for the weights of its outgoing channels. Weights never decrease, so the bound stays valid when weights
    /// change.
    floor: Vec<u64>,
    /// Per switch, a lower bound for the weight of its incoming channels.
    floor_into: Vec<u64>,
    /// The number of searches until the lower bounds are computed again.
    until_raised: u32,
    /// Per port of a switch, the weight of the three-hop path that starts with this port. `last_three` uses this as working memory.
    costs: Vec<u64>,
}

/// The lower bounds are computed again after every `RAISE` searches. If the fabric has more than `RAISE` · `SHARE` channels, they are
/// computed again after C / `SHARE` searches, where C is the number of channels. The mean cost per search thus does not grow with the
/// fabric.
const RAISE: u32 = 64;
const SHARE: u32 = 16;

/// The data that one search reads.
struct View<'a> {
    layer: &'a Layer<'a>,
    routes: &'a [u64],
    source: u32,
    destination: u32,
    /// Per switch, the distance to the destination in hops.
    distances: &'a [u8],
    /// Per switch, the hops of its fixed path to the destination.
    hops: &'a [u8],
    /// Per port of the destination, the weight of the channel that enters there.
    into: &'a [u64],
    /// A lower bound for the weight of the channels into the destination.
    last: u64,
}

impl<'a> Search<'a> {
    /// Returns a search for paths whose number of hops is in `lengths`, which must be ascending. `nearer` contains all shortest next hops.
    pub fn new(fabric: &Fabric, lengths: &[u64], nearer: &'a Nearer) -> Self {
        let mut allowed = vec![false; lengths.last().map_or(0, |&longest| longest as usize + 1)];
        lengths.iter().for_each(|&hops| allowed[hops as usize] = true);
        Self {
            nearer,
            allowed,
            triangles: triangles(fabric),
            walk: Vec::new(),
            best: Vec::new(),
            least: Least::new(),
            floor: Vec::new(),
            floor_into: Vec::new(),
            until_raised: 0,
            costs: Vec::new(),
        }
    }

    /// Prefetches the shortest-path data that a search from `source` to `destination` reads first.
    pub fn ask(&self, source: u32, destination: u32) {
        self.nearer.prefetch(source, destination);
    }

    /// Prefetches the data of the switches after the source. The data that [`Self::ask`] prefetched must have arrived.
    pub fn ask_between(&self, layer: &Layer, source: u32, destination: u32) {
        let distances = layer.distances.row(destination);
        prefetch(distances, source as usize);
        if let Some(port) = self.nearer.only(source, destination) {
            let between = beyond(layer.fabric, source, port);
            prefetch(distances, between as usize);
            self.nearer.prefetch(between, destination);
        }
    }

    /// Returns the number of hops of the longest allowed path.
    pub fn longest(&self) -> u8 {
        self.allowed.len() as u8 - 1
    }

    /// Returns the path of least total weight from `source` to `destination`; ties are broken uniformly at random. The result is `None` if
    /// there is no allowed path. The path is a list of channels that ends at the first switch with a fixed path.
    ///
    /// `source` must not have a fixed path yet. All searches must use the same `loads`, which must never decrease.
    pub fn find(
        &mut self,
        layer: &Layer,
        loads: &Loads,
        source: u32,
        destination: u32,
        rng: &mut impl Rng,
    ) -> Option<&[u32]> {
        if self.until_raised == 0 {
            self.raise(layer, loads);
        }
        self.until_raised -= 1;
        let fabric = layer.fabric;
        let hops = layer.hops_toward(destination);
        let view = View {
            layer,
            routes: &loads.routes,
            source,
            destination,
            distances: layer.distances.row(destination),
            hops,
            into: layer.into(destination),
            last: self.floor_into[destination as usize],
        };
        self.best.clear();
        self.walk.clear();
        self.least = Least::new();
        self.extend(&view, source, 0, rng);
        if let Some(&last) = self.best.last() {
            // If the path ends with the only path of two hops between two switches, `best` does not contain these two hops yet. They are
            // added, and then the path is cut at the first switch with a fixed path.
            let end = fabric.targets()[last as usize];
            self.best.extend(layer.ways.way(fabric, end, destination).into_iter().flatten());
        }
        let fixed = |&channel: &u32| hops[fabric.sources()[channel as usize] as usize] != UNREACHED;
        self.best.truncate(self.best.iter().position(fixed).unwrap_or(self.best.len()));
        (!self.best.is_empty()).then_some(&self.best[..])
    }

    /// Tries all continuations of the current path. The path has reached `switch` with total weight `sum`.
    fn extend(&mut self, view: &View, switch: u32, sum: u64, rng: &mut impl Rng) {
        let channels = view.layer.fabric.channels_of(switch);
        let left = self.allowed.len() - 1 - self.walk.len();
        if left == usize::from(view.distances[switch as usize]) {
            // The remaining hops equal the distance, so only shortest paths reach the destination within the hop limit.
            let nearer = self.nearer.next(switch, view.destination);
            nearer.iter().for_each(|&port| self.step(view, channels.start + usize::from(port), sum, rng));
            return;
        }
        if left == 2 && !self.allowed[self.walk.len() + 1] {
            // With a single hop to the destination, the path would be too short. So two hops are needed, over a common neighbour of the
            // switch and the destination.
            let straight = self.nearer.next(switch, view.destination)[0];
            if !self.triangles[channels.start + usize::from(straight)] {
                return;
            }
        }
        if left == 3 && self.allowed.len() - 1 > usize::from(view.distances[view.source as usize]) {
            self.last_three(view, switch, sum, rng);
            return;
        }
        for channel in channels {
            let next = view.layer.fabric.targets()[channel];
            if usize::from(view.distances[next as usize]) < left {
                self.step(view, channel, sum, rng);
            }
        }
    }

    /// Tries all continuations of the current path, which has reached `switch` with total weight `sum` and has at most three hops left. If
    /// a neighbour has exactly one path of two hops to the destination, a lookup table gives this path.
    fn last_three(&mut self, view: &View, switch: u32, sum: u64, rng: &mut impl Rng) {
        let fabric = view.layer.fabric;
        let mut costs = std::mem::take(&mut self.costs);
        view.layer.ways.weigh(fabric, switch, view.destination, (view.routes, view.into), &mut costs);
        for (&next, _) in fabric.neighbours(switch).iter().zip(&costs).filter(|&(_, &cost)| cost == 0) {
            view.layer.ways.ask_several(next, view.destination);
        }
        // The only path of two hops from a neighbour may lead back through `switch`, if `switch` is adjacent to the destination.
        let may_turn = view.distances[switch as usize] == 1 || !self.walk.is_empty();
        for (channel, &cost) in fabric.channels_of(switch).zip(&costs) {
            if sum + cost > self.least.cost || cost >= CLOSED {
                continue;
            }
            let next = fabric.targets()[channel];
            if cost == 0 && !view.layer.ways.has(next, view.destination) {
                self.several(view, channel, sum, rng);
                continue;
            }
            if may_turn {
                let way = view.layer.ways.way(fabric, next, view.destination);
                let between = way.map(|[second, _]| fabric.targets()[second as usize]);
                if self.visited(view, next)
                    || between.is_some_and(|between| between == switch || self.visited(view, between))
                {
                    continue;
                }
            }
            if self.least.takes(sum + cost, rng) {
                self.best.clear();
                self.best.extend_from_slice(&self.walk);
                self.best.push(channel as u32);
                view.layer.ask_on(next, view.destination);
            }
        }
        self.costs = costs;
    }

    /// Tries all continuations over `channel`, if its end does not have exactly one path of two hops to the destination.
    fn several(&mut self, view: &View, channel: usize, sum: u64, rng: &mut impl Rng) {
        let fabric = view.layer.fabric;
        let next = fabric.targets()[channel];
        let ways = view.layer.ways.several(next, view.destination);
        if ways.is_empty() {
            if usize::from(view.distances[next as usize]) < 3 {
                self.step(view, channel, sum, rng);
            }
            return;
        }
        let switch = fabric.sources()[channel];
        if self.visited(view, next) {
            return;
        }
        for &way in ways {
            let [second, third] = channels(fabric, next, view.destination, way);
            let cost = sum + view.routes[channel] + view.routes[second as usize] + view.into[entry(way)];
            if cost > self.least.cost || cost >= CLOSED {
                continue;
            }
            let between = fabric.targets()[second as usize];
            if between != switch && !self.visited(view, between) && self.least.takes(cost, rng) {
                self.best.clear();
                self.best.extend_from_slice(&self.walk);
                self.best.extend([channel as u32, second, third]);
            }
        }
    }

    /// Tries all continuations of the current path over `channel`. The path has reached the start of `channel` with total weight `sum`.
    #[inline]
    fn step(&mut self, view: &View, channel: usize, sum: u64, rng: &mut impl Rng) {
        let next = view.layer.fabric.targets()[channel];
        let sum = sum + view.routes[channel];
        let hops = view.hops[next as usize];
        if hops == UNREACHED {
            // A fixed path contains no switch of the current path, because these switches have no fixed path. So only a new switch without
            // a fixed path must be compared with the switches of the current path.
            if sum + self.onward(view, next) <= self.least.cost && !self.visited(view, next) {
                self.walk.push(channel as u32);
                self.extend(view, next, sum, rng);
                self.walk.pop();
            }
            return;
        }
        // No continuation of this path can have a lower weight than the best path, so the search skips it.
        if next != view.destination && sum + self.onward(view, next) > self.least.cost {
            return;
        }
        let total = self.walk.len() + 1 + usize::from(hops);
        let longer = total > usize::from(view.distances[view.source as usize]);
        if !longer || !self.allowed.get(total).is_some_and(|&allowed| allowed) {
            return;
        }
        let tail: u64 = match next == view.destination {
            true => 0,
            false => view.layer.tail(next, view.destination).map(|channel| view.routes[channel as usize]).sum(),
        };
        if self.least.takes(sum + tail, rng) {
            self.best.clear();
            self.best.extend_from_slice(&self.walk);
            self.best.push(channel as u32);
        }
    }

    /// Returns a lower bound for the weight of any path from `switch` to the destination. The bound counts the first channel and, if the
    /// path has more than one hop, the last channel.
    fn onward(&self, view: &View, switch: u32) -> u64 {
        let first = self.floor[switch as usize];
        if view.distances[switch as usize] > 1 { first + view.last } else { first.max(view.last) }
    }

    fn raise(&mut self, layer: &Layer, loads: &Loads) {
        let fabric = layer.fabric;
        let least = |switch| fabric.channels_of(switch).map(|channel| loads.routes[channel]).min().unwrap_or(0);
        self.floor.clear();
        self.floor.extend((0..fabric.num_switches() as u32).map(least));
        let least = |switch| layer.into(switch).iter().map(|weight| weight & (CLOSED - 1)).min().unwrap_or(0);
        self.floor_into.clear();
        self.floor_into.extend((0..fabric.num_switches() as u32).map(least));
        self.until_raised = RAISE.max(fabric.num_channels() as u32 / SHARE);
    }

    fn visited(&self, view: &View, switch: u32) -> bool {
        let sources = view.layer.fabric.sources();
        switch == view.source || self.walk.iter().any(|&channel| sources[channel as usize] == switch)
    }
}

/// Returns, per channel, whether its two switches have a common neighbour.
fn triangles(fabric: &Fabric) -> Vec<bool> {
    let mut triangles = vec![false; fabric.num_channels()];
    let mut left = &mut triangles[..];
    let mut rows = Vec::with_capacity(fabric.num_switches());
    for switch in 0..fabric.num_switches() as u32 {
        let (row, rest) = left.split_at_mut(fabric.degree(switch));
        rows.push((switch, row));
        left = rest;
    }
    let near = || vec![u32::MAX; fabric.num_switches()];
    rows.into_par_iter().for_each_init(near, |near, (switch, row)| {
        fabric.neighbours(switch).iter().for_each(|&next| near[next as usize] = switch);
        for (triangle, &next) in row.iter_mut().zip(fabric.neighbours(switch)) {
            *triangle = fabric.neighbours(next).iter().any(|&third| near[third as usize] == switch);
        }
    });
    triangles
}
