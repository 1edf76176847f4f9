//! The scheme `redksp`: k shortest edge-disjoint paths per pair. Ties are broken at random.

use tulle_base::random::stream;
use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::paths::all_pairs::all_pairs;
use crate::paths::remove_find_pair::RemoveFindPair;
use crate::scheme::Scheme;
use crate::ties::Random;
use crate::{Error, Routes};

plugin! {
    pub struct Redksp {
        /// maximum number of paths per pair
        k: u8 = integer(1, 255), default "8";
    }
    name: "redksp",
    summary: "k edge-disjoint paths per pair, each a shortest path over the remaining cables; ties are broken at random",
    paper: "Multi-Path Routing in the Jellyfish Network §III-A (rEDKSP)",
    limitations: "The scheme is greedy, like edksp. At each switch, all next hops on shortest paths are equally \
        likely. Whole paths are therefore not equally likely: paths through switches with few next hops are more \
        likely.",
    examples: ["redksp:k=8", "redksp:k=255"],
    rejects: [("redksp:k=0", "k=0 is out of range; legal: 1 to 255"), ("redksp:k=-1", "k=-1 is out of range")],
}

impl Scheme for Redksp {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        let distances = connected_distances(&Redksp::INFO, fabric, &LayerLinks::all(fabric))?;
        let ties = |source| Random(stream(seed, "routing/redksp", u64::from(source)));
        let finder = || RemoveFindPair::new(fabric, &distances, usize::from(self.k), ties);
        Ok(Routes::Paths(all_pairs(&Redksp::INFO, fabric, finder)?))
    }
}
