//! The scheme `ksp`: k shortest simple paths per pair. Ties go to the switches with the lowest ids.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use crate::paths::lowest::lowest;
use crate::paths::shortest::Wanted;
use crate::scheme::Scheme;
use crate::{Error, Routes};

plugin! {
    pub struct Ksp {
        /// maximum number of paths per pair
        k: u8 = integer(1, 255), default "8";
    }
    name: "ksp",
    summary: "k shortest simple paths per pair; ties go to the switches with the lowest ids",
    paper: "Multi-Path Routing in the Jellyfish Network §II, Fig. 2 (Yen's algorithm; candidates that a round does not \
        use remain for later rounds); FatPaths App. C-D",
    limitations: "The fixed tie rule favours switches with low ids: paths of a pair share cables, and the load on \
        links is uneven. Paths that differ only in a parallel cable count as different paths. A pair has fewer than k \
        paths if there are no more.",
    examples: ["ksp:k=8", "ksp:k=1"],
    rejects: [("ksp:k=0", "k=0 is out of range; legal: 1 to 255"), ("ksp:k=x", "k=x is not a whole number")],
}

impl Scheme for Ksp {
    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        lowest(&Ksp::INFO, fabric, Wanted::exactly(usize::from(self.k)))
    }
}
