//! The scheme `edksp`: k shortest edge-disjoint paths per pair. Ties go to the switches with the lowest ids.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::paths::all_pairs::all_pairs;
use crate::paths::remove_find_pair::RemoveFindPair;
use crate::scheme::Scheme;
use crate::ties::Lowest;
use crate::{Error, Routes};

plugin! {
    pub struct Edksp {
        /// maximum number of paths per pair
        k: u8 = integer(1, 255), default "8";
    }
    name: "edksp",
    summary: "k edge-disjoint paths per pair, each a shortest path over the remaining cables; ties go to the switches \
        with the lowest ids",
    paper: "Multi-Path Routing in the Jellyfish Network §III-A (EDKSP, by removing and finding)",
    limitations: "The scheme is greedy: a short path may block two other paths, so a pair may have more disjoint paths \
        than the scheme finds (the scheme disjoint finds the maximum). The fixed tie rule puts more load on switches \
        with low ids.",
    examples: ["edksp:k=8", "edksp:k=255"],
    rejects: [("edksp:k=0", "k=0 is out of range; legal: 1 to 255"), ("edksp:paths=3", "unknown parameter")],
}

impl Scheme for Edksp {
    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        let distances = connected_distances(&Edksp::INFO, fabric, &LayerLinks::all(fabric))?;
        let finder = || RemoveFindPair::new(fabric, &distances, usize::from(self.k), |_| Lowest);
        Ok(Routes::Paths(all_pairs(&Edksp::INFO, fabric, finder)?))
    }
}
