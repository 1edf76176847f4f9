//! Finds the paths toward one destination, and colours them. The paths of one colour form a tree.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tulle_base::random::mix;
use tulle_base::task;
use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;

use crate::columns::{NO_PORT, channel};

/// Returns, per colour, the cables of all paths of this colour from `sources` to `destination`. Each source has at most `most` paths.
///
/// Two paths may have the same colour if they continue identically from every switch that they share (FatPaths, Listing 4:
/// vlan-compatible). The paths of a colour then form a tree toward the destination. The next hops of this tree decide whether another path
/// can get the same colour. Colours are assigned greedily: first to the first paths of all sources, then to their second paths, and so on.
pub(super) fn of(
    fabric: &Fabric,
    distances: &Distances,
    sources: &[u32],
    destination: u32,
    most: usize,
    seed: u64,
) -> Vec<Vec<u32>> {
    task::check();
    let switches = fabric.num_switches();
    let tie = |switch: u32| mix(seed ^ mix((u64::from(destination) << 32) | u64::from(switch)));
    let mut search = Search::new(fabric, distances.row(destination), tie);
    let mut rounds = vec![Vec::new(); most];
    for &source in sources.iter().filter(|&&source| source != destination) {
        for (round, path) in search.paths(source, destination, most).into_iter().enumerate() {
            rounds[round].push(path);
        }
    }
    let mut colours: Vec<Vec<u16>> = Vec::new();
    for path in rounds.into_iter().flatten() {
        let hops = |&at: &u32| {
            let source = fabric.sources()[at as usize];
            (source as usize, (at - fabric.offsets()[source as usize]) as u16)
        };
        let fits = |next: &Vec<u16>| {
            path.iter().map(hops).all(|(switch, port)| next[switch] == NO_PORT || next[switch] == port)
        };
        let colour = colours.iter().position(fits).unwrap_or_else(|| {
            colours.push(vec![NO_PORT; switches]);
            colours.len() - 1
        });
        path.iter().map(hops).for_each(|(switch, port)| colours[colour][switch] = port);
    }
    let cables = |next: &Vec<u16>| {
        let set = next.iter().enumerate().filter(|&(_, &port)| port != NO_PORT);
        let channels = set.map(|(switch, &port)| channel(fabric, switch as u32, port));
        let mut cables: Vec<u32> = channels.map(|channel| channel.min(fabric.reverse()[channel as usize])).collect();
        cables.sort_unstable();
        cables
    };
    colours.iter().map(cables).collect()
}

/// A search for paths toward one destination.
struct Search<'a> {
    fabric: &'a Fabric,
    /// Per switch, the distance to the destination in hops.
    hops: &'a [u8],
    /// Per switch, a random rank that breaks ties. All sources use the same ranks, so that their paths coincide as far as possible.
    places: Vec<u32>,
    at_place: Vec<u32>,
    uses: Uses,
    /// Per switch: the number of the last search that reached it, the cost in that search, and the channel over which it was reached.
    reached: Vec<(u32, Cost, u32)>,
    searches: u32,
    /// The switches from which the search continues. `queue` holds those of the current cost, and `later` those of higher costs. Most
    /// switches in `later` are never visited.
    queue: BinaryHeap<Reverse<Open>>,
    later: Vec<Open>,
}

/// The cost of a path: the number of times that earlier paths use its cables, then its number of hops.
type Cost = (u32, u32);

/// An entry of the queue, with four fields of 32 bits. From the highest bits down, these are: earlier uses of the path's cables, fewest
/// hops of a complete path over the switch, inverted hops so far, and the rank that breaks ties.
type Open = u128;

/// The cables that the earlier paths of a pair use, and how often. They are few, so a linear search is fast enough.
#[derive(Default)]
struct Uses(Vec<(u32, u32)>);

impl Uses {
    fn of(&self, cable: u32) -> u32 {
        self.0.iter().find(|&&(used, _)| used == cable).map_or(0, |&(_, times)| times)
    }

    fn add(&mut self, cable: u32) {
        match self.0.iter_mut().find(|(used, _)| *used == cable) {
            Some((_, times)) => *times += 1,
            None => self.0.push((cable, 1)),
        }
    }
}

impl<'a> Search<'a> {
    fn new(fabric: &'a Fabric, hops: &'a [u8], tie: impl Fn(u32) -> u64) -> Self {
        let mut at_place: Vec<u32> = (0..fabric.num_switches() as u32).collect();
        at_place.sort_by_cached_key(|&switch| tie(switch));
        let mut places = vec![0; at_place.len()];
        (0..).zip(&at_place).for_each(|(place, &switch)| places[switch as usize] = place);
        let reached = vec![(0, (0, 0), 0); fabric.num_switches()];
        Self {
            fabric,
            hops,
            places,
            at_place,
            uses: Uses::default(),
            reached,
            searches: 0,
            queue: BinaryHeap::new(),
            later: Vec::new(),
        }
    }

    /// Returns up to `most` different paths from `source` to `destination`, as channels. Each path uses the cables of earlier paths as
    /// rarely as possible. Among such paths, it has the fewest hops. The list ends when the search finds one of these paths again.
    ///
    /// FatPaths, Listing 4, describes this choice of paths by costs: each hop costs 1, and each earlier use of a cable adds the number of
    /// cables in the fabric.
    fn paths(&mut self, source: u32, destination: u32, most: usize) -> Vec<Vec<u32>> {
        self.uses.0.clear();
        let mut paths: Vec<Vec<u32>> = Vec::new();
        while paths.len() < most {
            let path = if paths.is_empty() { self.first(source, destination) } else { self.next(source, destination) };
            if paths.contains(&path) {
                break;
            }
            for &channel in &path {
                self.uses.add(channel.min(self.fabric.reverse()[channel as usize]));
            }
            paths.push(path);
        }
        paths
    }

    /// Returns a shortest path. Ties are broken so that the first paths of all sources form a tree.
    fn first(&self, source: u32, destination: u32) -> Vec<u32> {
        let mut path = Vec::new();
        let mut switch = source;
        while switch != destination {
            let nearer = self.fabric.channels_of(switch).filter(|&channel| {
                let next = self.fabric.targets()[channel] as usize;
                self.hops[next] + 1 == self.hops[switch as usize]
            });
            let channel = nearer.min_by_key(|&channel| self.places[self.fabric.targets()[channel] as usize]);
            let channel = channel.expect("a switch has a neighbour nearer to the destination");
            path.push(channel as u32);
            switch = self.fabric.targets()[channel];
        }
        path
    }

    /// Returns the path that uses the cables of earlier paths as rarely as possible and, among such paths, has the fewest hops. The search
    /// is A*: the distance in hops estimates the remaining cost.
    fn next(&mut self, source: u32, destination: u32) -> Vec<u32> {
        let (fabric, toward, places) = (self.fabric, self.hops, &self.places);
        let (reached, queue, later) = (&mut self.reached, &mut self.queue, &mut self.later);
        self.searches += 1;
        let search = self.searches;
        queue.clear();
        later.clear();
        let entry = |switch: u32, (used, hops): Cost| {
            let ahead = hops + u32::from(toward[switch as usize]);
            // The hops so far are inverted: among ties, the path with more hops so far comes first, because it is closer to its end.
            let parts = [used, ahead, !hops, places[switch as usize]];
            parts.into_iter().fold(0, |open: Open, part| open << 32 | Open::from(part))
        };
        reached[source as usize] = (search, (0, 0), u32::MAX);
        // `now` is the cost (uses of cables, then hops) of all entries in `queue`. Entries that are added later never have a lower cost.
        let rank = |open: Open| open >> 64;
        let first = entry(source, (0, 0));
        let mut now = rank(first);
        queue.push(Reverse(first));
        loop {
            let Some(Reverse(open)) = queue.pop() else {
                let Some(next) = later.iter().map(|&open| rank(open)).min() else { break };
                now = next;
                queue.extend(later.extract_if(.., |open| rank(*open) == now).map(Reverse));
                continue;
            };
            let (used, hops) = ((open >> 96) as u32, !(open >> 32) as u32);
            let switch = self.at_place[open as u32 as usize];
            if switch == destination {
                break;
            }
            if reached[switch as usize].1 != (used, hops) {
                continue;
            }
            for channel in fabric.channels_of(switch) {
                let next = fabric.targets()[channel];
                let cable = (channel as u32).min(fabric.reverse()[channel]);
                let cost = (used + self.uses.of(cable), hops + 1);
                let (found, before, _) = reached[next as usize];
                if found != search || cost < before {
                    reached[next as usize] = (search, cost, channel as u32);
                    let open = entry(next, cost);
                    if rank(open) == now { queue.push(Reverse(open)) } else { later.push(open) }
                }
            }
        }
        let mut path = Vec::new();
        let mut switch = destination;
        while switch != source {
            let channel = reached[switch as usize].2;
            path.push(channel);
            switch = fabric.sources()[channel as usize];
        }
        path.reverse();
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_disjoint_while_links_last_and_colours_make_trees() {
        let fabric = tulle_topologies::build("hypercube:dimensions=4", 0).unwrap();
        let distances = Distances::of(&fabric);
        let mut search = Search::new(&fabric, distances.row(5), |switch| mix(switch.into()));
        for source in (0..16).filter(|&source| source != 5) {
            let paths = search.paths(source, 5, 6);
            // In a hypercube of four dimensions, every pair has four disjoint paths. A fifth path must reuse a cable.
            let mut cables: Vec<u32> =
                paths[..4].iter().flatten().map(|&c| c.min(fabric.reverse()[c as usize])).collect();
            let all = cables.len();
            cables.sort_unstable();
            cables.dedup();
            assert_eq!(cables.len(), all);
            let hops = u32::from(distances.row(5)[source as usize]);
            assert_eq!(paths[0].len(), hops as usize);
            for path in &paths {
                assert_eq!(fabric.targets()[*path.last().unwrap() as usize], 5);
                assert_eq!(fabric.sources()[path[0] as usize], source);
            }
        }
        let all: Vec<u32> = (0..16).collect();
        let subgraphs = of(&fabric, &distances, &all, 5, 3, 1);
        assert_eq!(subgraphs[0].len(), 15, "the first paths of all sources have one colour");
        let hung: usize = subgraphs.iter().map(Vec::len).sum();
        assert!(
            subgraphs.len() >= 3 && hung >= 3 * 15,
            "the three paths from each source differ after the first switch"
        );
    }
}
