//! The scheme `disjoint`: a maximum number of edge-disjoint paths of bounded length per pair.

use std::sync::Mutex;

use tulle_fabric::Fabric;
use tulle_fabric::distances::Distances;
use tulle_spec::{Plugin, plugin};

use crate::connected::connected_distances;
use crate::disjoint::Bounded;
use crate::links::LayerLinks;
use crate::paths::all_pairs::{Finder, Found, all_pairs};
use crate::scheme::Scheme;
use crate::{Error, Routes};

plugin! {
    pub struct Disjoint {
        /// maximum number of hops by which a path may be longer than the shortest path of its pair
        spread: u8 = integer(0, 254), default "1";
        /// maximum number of paths per pair; if there are more, the scheme uses the shortest ones
        k: u8 = integer(1, 255), default "255";
    }
    name: "disjoint",
    summary: "per pair, a maximum set of edge-disjoint paths of bounded length, computed exactly",
    paper: "FatPaths §IV-B1 (the count of disjoint paths); a maximum flow in a network with one copy of every switch \
        per hop, and branch and bound over the cables that this flow crosses twice",
    limitations: "If a pair has several largest sets, the scheme uses any of them, not the one with the fewest hops. \
        For paths of up to three hops, a maximum flow gives the set. From five hops on, the problem is NP-hard. If \
        20,000 max-flow computations are not enough for a pair, the result is an error.",
    examples: ["disjoint", "disjoint:spread=0", "disjoint:k=3"],
    rejects: [
        ("disjoint:spread=255", "spread=255 is out of range; legal: 0 to 254"),
        ("disjoint:k=0", "k=0 is out of range; legal: 1 to 255"),
    ],
}

/// Maximum number of max-flow computations per pair before the scheme gives up. In small fabrics, if paths may be twice as long as the
/// diameter, a pair needs several hundred of them.
const FLOWS: usize = 20_000;

impl Scheme for Disjoint {
    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        let distances = connected_distances(&Disjoint::INFO, fabric, &LayerLinks::all(fabric))?;
        // The first pair for which the search could not prove that its set of paths is a maximum set. This pair does not depend on the
        // order of threads.
        let unsettled = Mutex::new(None::<(u32, u32)>);
        let finder = || Pair {
            search: Bounded::new(fabric),
            fabric,
            distances: &distances,
            spread: u32::from(self.spread),
            k: usize::from(self.k),
            source: 0,
            unsettled: &unsettled,
            ports: Vec::new(),
        };
        let paths = all_pairs(&Disjoint::INFO, fabric, finder)?;
        match unsettled.into_inner().expect("no thread panics while it holds the lock") {
            None => Ok(Routes::Paths(paths)),
            Some((source, destination)) => Err(Error::Fabric {
                scheme: Disjoint::INFO.name.to_owned(),
                problem: format!(
                    "{FLOWS} max-flow computations do not prove how many disjoint paths of at most {} hops lead from switch {} to {}",
                    u32::from(distances.row(destination)[source as usize]) + u32::from(self.spread),
                    fabric.called(source),
                    fabric.called(destination)
                ),
                legal: match self.spread {
                    0 => "legal: the scheme edksp, which chooses the shortest paths first".to_owned(),
                    spread => format!(
                        "legal: a spread below {spread}, or the scheme edksp, which chooses the shortest paths first"
                    ),
                },
            }),
        }
    }
}

struct Pair<'a> {
    search: Bounded<'a>,
    fabric: &'a Fabric,
    distances: &'a Distances,
    spread: u32,
    k: usize,
    source: u32,
    unsettled: &'a Mutex<Option<(u32, u32)>>,
    ports: Vec<u16>,
}

impl Finder for Pair<'_> {
    fn begin(&mut self, source: u32) {
        self.source = source;
    }

    fn find(&mut self, destination: u32, paths: &mut Found) {
        let pair = (self.source, destination);
        // The error names the first pair without a proof, regardless of the order in which threads find such pairs. So after one such pair,
        // the search skips all later pairs.
        if self.unsettled.lock().expect("no thread panics while it holds the lock").is_some_and(|first| first < pair) {
            return;
        }
        // A simple path has fewer hops than the fabric has switches.
        let longest = self.fabric.num_switches() as u32 - 1;
        let hops = (u32::from(self.distances.row(destination)[self.source as usize]) + self.spread).min(longest);
        let Some(found) = self.search.paths(self.source, destination, hops, FLOWS) else {
            let mut unsettled = self.unsettled.lock().expect("no thread panics while it holds the lock");
            *unsettled = Some(unsettled.map_or(pair, |first| first.min(pair)));
            return;
        };
        for path in found.iter().take(self.k) {
            self.ports.clear();
            for &channel in path {
                let switch = self.fabric.sources()[channel as usize];
                self.ports.push((channel - self.fabric.offsets()[switch as usize]) as u16);
            }
            paths.push(&self.ports);
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::RngExt;
    use tulle_base::random::stream;
    use tulle_fabric::FabricBuilder;

    use super::*;

    /// Returns all simple paths of at most `hops` hops, each as its list of cables.
    fn simple_paths(fabric: &Fabric, source: u32, destination: u32, hops: usize) -> Vec<Vec<u32>> {
        let mut found = Vec::new();
        let mut growing = vec![(vec![source], Vec::new())];
        while let Some((switches, cables)) = growing.pop() {
            let last = switches[switches.len() - 1];
            if last == destination {
                found.push(cables);
                continue;
            }
            for channel in fabric.channels_of(last) {
                let next = fabric.targets()[channel];
                if cables.len() < hops && !switches.contains(&next) {
                    let cable = (channel as u32).min(fabric.reverse()[channel]);
                    growing.push(([&switches[..], &[next]].concat(), [&cables[..], &[cable]].concat()));
                }
            }
        }
        found
    }

    /// Returns the size of the largest subset of `paths` whose paths share no cable with each other or with `taken`.
    fn largest(paths: &[Vec<u32>], taken: &[u32]) -> usize {
        let Some((first, rest)) = paths.split_first() else { return 0 };
        let without = largest(rest, taken);
        if first.iter().any(|cable| taken.contains(cable)) {
            return without;
        }
        without.max(1 + largest(rest, &[taken, first].concat()))
    }

    #[test]
    fn sets_are_disjoint_and_the_largest() {
        let mut greedy_was_less = 0;
        for seed in 0..24 {
            let mut random = stream(seed, "test", 0);
            let mut builder = FabricBuilder::new(6);
            (1..6).for_each(|switch| builder.cable(random.random_range(0..switch), switch));
            for _ in 0..2 + seed % 5 {
                let one = random.random_range(0..6);
                builder.cable(one, (one + random.random_range(1..6)) % 6);
            }
            let fabric = builder.finish("edges", Default::default()).unwrap();
            let distances = Distances::of(&LayerLinks::all(&fabric));
            for spread in 0..4 {
                let scheme = |spec: &str| {
                    let made = crate::schemes::build(&fabric, spec, 0).unwrap();
                    made.path_set().unwrap().clone()
                };
                let (set, greedy) = (scheme(&format!("disjoint:spread={spread}")), scheme("edksp:k=255"));
                for (source, destination) in (0..6).flat_map(|s| (0..6).map(move |d| (s, d))).filter(|(s, d)| s != d) {
                    let hops = usize::from(distances.row(destination)[source as usize]) + spread;
                    let mut cables = Vec::new();
                    for path in set.between(source, destination) {
                        let channels: Vec<u32> = set.channels(&fabric, source, path).collect();
                        assert!(channels.len() <= hops);
                        assert_eq!(fabric.targets()[*channels.last().unwrap() as usize], destination);
                        cables.extend(channels.iter().map(|&channel| channel.min(fabric.reverse()[channel as usize])));
                    }
                    let crossed = cables.len();
                    cables.sort_unstable();
                    cables.dedup();
                    assert_eq!(
                        cables.len(),
                        crossed,
                        "seed {seed}: two paths from {source} to {destination} cross the same cable"
                    );
                    let found = set.between(source, destination).len();
                    let expected = largest(&simple_paths(&fabric, source, destination, hops), &[]);
                    assert_eq!(
                        found, expected,
                        "seed {seed}: wrong number of disjoint paths of {hops} hops from {source} to {destination}"
                    );
                    let short = greedy.between(source, destination).filter(|&path| greedy.ports(path).len() <= hops);
                    greedy_was_less += u32::from(short.count() < found);
                }
            }
        }
        assert!(greedy_was_less > 0, "the test needs a case in which edksp finds fewer paths");
    }
}
