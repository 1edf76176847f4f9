//! The scheme `almost-minimal`: almost-minimal paths that overlap little (Blach et al., NSDI24, Algorithm 1).

mod layer;
mod search;

use std::collections::VecDeque;

use rand::Rng;
use rand::seq::SliceRandom;
use tulle_base::memory;
use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use crate::columns::Columns;
use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::loads::{BalancedTrees, Loads};
use crate::scheme::Scheme;
use crate::shortest::Nearer;
use crate::two_hops::TwoHops;
use crate::{Error, Routes};
use layer::Layer;
use search::Search;

plugin! {
    pub struct AlmostMinimal(arguments) {
        /// number of layers n, including the minimal one
        layers: u8 = integer(1, 255), default "4";
        /// numbers of hops that paths in the non-minimal layers may have; a pair uses only paths that are longer than its shortest path
        lengths: Vec<u64> = shape(2, 6), note "ascending", default "3";
    }
    check {
        if !lengths.is_sorted_by(|a, b| a < b) {
            lengths.sort_unstable();
            lengths.dedup();
            let ascending: Vec<String> = lengths.iter().map(u64::to_string).collect();
            let given = arguments.text("lengths").unwrap_or_default();
            return Err(arguments.bad("lengths", given, "does not ascend", format!("legal: {}", ascending.join("x"))));
        }
    }
    name: "almost-minimal",
    summary: "one layer of minimal paths, and further layers of longer paths with chosen numbers of hops, balanced \
        over the links",
    paper: "Slim Fly deployment (NSDI24) §4.3, Algorithm 1, and App. B.1",
    limitations: "The scheme is greedy: the paths of earlier pairs restrict the paths of later pairs. If a layer has no path of an allowed \
        length for a pair, the pair uses a minimal path in this layer. Next hops that paths of other pairs have fixed may lengthen this \
        path, but to at most the longest allowed length, or the diameter if that is larger. For pairs of switches without endpoints, the \
        scheme does not search longer paths. The time grows as the network radix to the power of (longest length − 1).",
    examples: ["almost-minimal:layers=4", "almost-minimal:layers=3,lengths=3x4", "almost-minimal:layers=1"],
    rejects: [
        ("almost-minimal:layers=0", "layers=0 is out of range; legal: 1 to 255"),
        ("almost-minimal:lengths=1", "lengths=1 is not a shape; legal: sizes joined by x, each 2 to 6"),
        ("almost-minimal:lengths=3-4", "lengths=3-4 is not a shape"),
        ("almost-minimal:lengths=4x3", "lengths=4x3 does not ascend; legal: 3x4"),
    ],
}

/// These three constants control prefetching. The entry of a pair is prefetched when the pair is `SOON` places ahead of the current pair.
/// Up to `SEARCHED` pairs that need a search wait in a queue. The data for the search of a pair are prefetched when the pair is at place
/// `NEXT` of the queue.
const SOON: usize = 48;
const SEARCHED: usize = 6;
const NEXT: usize = 2;

impl Scheme for AlmostMinimal {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        let distances = connected_distances(&AlmostMinimal::INFO, fabric, &LayerLinks::all(fabric))?;
        let switches = fabric.num_switches();
        let mut loads = Loads::new(fabric);
        let mut minimal = Columns::new(switches);
        let mut trees = BalancedTrees::new(switches);
        let mut destinations: Vec<u32> = (0..switches as u32).collect();
        let mut rng = stream(seed, "routing/almost-minimal", 0);
        destinations.shuffle(&mut rng);
        for &destination in &destinations {
            let column = minimal.column_mut(destination);
            trees.add(fabric, &distances, destination, &mut loads, column, &mut rng);
        }
        let mut tables = vec![minimal.table(fabric)];
        let nearer = Nearer::of(fabric, &distances);
        let mut ways = TwoHops::of(fabric, &distances, &nearer);
        let mut search = Search::new(fabric, &self.lengths, &nearer);
        let longest = search.longest().max(distances.diameter());
        let mut priority = memory::matrix("priorities of pairs", 0u8, switches, switches);
        let mut pairs = pairs(&loads.edge(), switches as u32);
        let mut longer = self.layers == 1;
        for number in 1..u64::from(self.layers) {
            let mut rng = stream(seed, "routing/almost-minimal", number);
            by_priority(&mut pairs, &priority, &mut rng);
            let mut layer = Layer::new(fabric, &distances, &loads, &mut ways);
            let ends = |&pair: &u32| (pair % switches as u32, pair / switches as u32);
            let (mut at, mut waiting) = (0, VecDeque::with_capacity(SEARCHED));
            // Pairs come in random order, so the processor cannot predict which data they need. Their data are therefore prefetched while
            // the search works on earlier pairs.
            loop {
                while at < pairs.len() && waiting.len() < SEARCHED {
                    if let Some((source, destination)) = pairs.get(at + SOON).map(ends) {
                        layer.ask_fixed(source, destination);
                    }
                    let (source, destination) = ends(&pairs[at]);
                    if !layer.has(source, destination) {
                        search.ask(source, destination);
                        waiting.push_back((source, destination));
                    }
                    at += 1;
                }
                if let Some(&(source, destination)) = waiting.get(NEXT) {
                    layer.ask_ways(source, destination);
                    search.ask_between(&layer, source, destination);
                }
                let Some((source, destination)) = waiting.pop_front() else { break };
                if layer.has(source, destination) {
                    continue;
                }
                if let Some(walk) = search.find(&layer, &loads, source, destination, &mut rng) {
                    layer.insert(walk, destination, &mut loads);
                }
            }
            layer.prioritise(&mut priority);
            layer.complete(longest, &loads, &mut rng);
            longer |= pairs.iter().any(|&pair| layer.is_longer(pair % switches as u32, pair / switches as u32));
            tables.push(layer.table());
        }
        if !longer {
            return Err(self.nothing_longer(fabric, longest));
        }
        Ok(Routes::Layers(tables))
    }
}

impl AlmostMinimal {
    fn nothing_longer(&self, fabric: &Fabric, longest: u8) -> Error {
        let lengths: Vec<String> = self.lengths.iter().map(u64::to_string).collect();
        Error::Fabric {
            scheme: AlmostMinimal::INFO.name.to_owned(),
            problem: format!(
                "in {}, no pair of switches gets a non-minimal path of {} hops within the limit of {longest} hops",
                fabric.spec(),
                lengths.join(" or ")
            ),
            legal: "legal: other lengths, or layers=1 for minimal paths alone".to_owned(),
        }
    }
}

/// Returns all ordered pairs of distinct switches in `edge`. A pair is encoded as the number `destination * switches + source`, where
/// `switches` is the number of switches of the fabric.
fn pairs(edge: &[u32], switches: u32) -> Vec<u32> {
    let toward = |destination: u32| {
        edge.iter().filter(move |&&source| source != destination).map(move |source| destination * switches + source)
    };
    edge.iter().flat_map(|&destination| toward(destination)).collect()
}

/// Sorts pairs by ascending priority value. Pairs with equal values are in random order (Blach et al., NSDI24, App. B.1.2).
fn by_priority(pairs: &mut [u32], priority: &[u8], rng: &mut impl Rng) {
    pairs.shuffle(rng);
    pairs.sort_by_key(|&pair| priority[pair as usize]);
}
