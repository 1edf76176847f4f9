//! The scheme `rksp`: k shortest simple paths per pair. Ties are broken at random.

use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::paths::all_pairs::{Finder, Found, all_pairs};
use crate::paths::neighbours::{Neighbours, WalkLengths};
use crate::paths::shortest::Shortest;
use crate::scheme::Scheme;
use crate::ties::Random;
use crate::{Error, Routes};

plugin! {
    pub struct Rksp {
        /// maximum number of paths per pair
        k: u8 = integer(1, 255), default "8";
    }
    name: "rksp",
    summary: "k shortest simple paths per pair; ties are broken at random",
    paper: "Multi-Path Routing in the Jellyfish Network §III-A (rKSP)",
    limitations: "Paths of a pair may share cables. All choices among equally long paths are equally likely. (The \
        paper uses Dijkstra's algorithm with random next hops, and does not state the distribution.) If a pair has too \
        many such paths to list, the scheme builds paths from random next hops, which is not uniform. A pair has fewer \
        than k paths if there are no more.",
    examples: ["rksp:k=8", "rksp:k=1"],
    rejects: [("rksp:k=0", "k=0 is out of range; legal: 1 to 255"), ("rksp:k=256", "k=256 is out of range")],
}

impl Scheme for Rksp {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        connected_distances(&Rksp::INFO, fabric, &LayerLinks::all(fabric))?;
        let neighbours = Neighbours::of(fabric);
        let lengths = WalkLengths::of(&neighbours);
        let finder = || Pair {
            shortest: Shortest::new(&neighbours, &lengths),
            random: Random(stream(seed, "routing/rksp", 0)),
            seed,
            source: 0,
            k: usize::from(self.k),
        };
        Ok(Routes::Paths(all_pairs(&Rksp::INFO, fabric, finder)?))
    }
}

struct Pair<'a> {
    shortest: Shortest<'a>,
    random: Random,
    seed: u64,
    source: u16,
    k: usize,
}

impl Finder for Pair<'_> {
    fn begin(&mut self, source: u32) {
        self.source = source as u16;
        self.random = Random(stream(self.seed, "routing/rksp", u64::from(source)));
    }

    fn find(&mut self, destination: u32, paths: &mut Found) {
        self.shortest.random(self.source, destination as u16, self.k, &mut self.random, paths);
    }
}
