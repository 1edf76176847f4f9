//! k shortest simple paths, the lowest among equally long ones.

use tulle_fabric::Fabric;
use tulle_fabric::spec::{Arguments, Info, Parameter, Parameters, SpecError};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::paths::all_pairs::{Finder, Found, all_pairs};
use crate::paths::neighbours::{Neighbours, WalkLengths};
use crate::paths::shortest::{Shortest, Wanted};
use crate::schemes::Scheme;
use crate::{Error, Routes};

/// What this scheme says of itself.
pub const INFO: Info = Info {
    name: "ksp",
    summary: "k shortest simple paths per pair, ties to the lowest switches",
    parameters: &[Parameter { name: "k", legal: "1 to 255", default: "8", help: "paths per pair, at most" }],
    nested: false,
    paper: "Multi-Path Routing in the Jellyfish Network §II, Fig. 2 (Yen, with candidates kept from round to round); FatPaths \
            App. C-D",
    limitations: "The fixed tie rule favours low switches: paths of a pair share cables, and links load unevenly. Paths are \
                  distinct in their switches; of parallel cables the lowest is taken. Fewer than k paths where there are \
                  no more.",
    examples: &["ksp:k=8", "ksp:k=1"],
    rejects: &[("ksp:k=0", "k=0 is out of range; legal: 1 to 255"), ("ksp:k=x", "k=x is not a whole number")],
};

struct Ksp {
    k: u8,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Scheme>, SpecError> {
    Ok(Box::new(Ksp { k: arguments.integer("k", 1..=255)?.unwrap_or(8) as u8 }))
}

impl Scheme for Ksp {
    fn parameters(&self) -> Parameters {
        Parameters::new().integer("k", self.k)
    }

    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        connected_distances(&INFO, fabric, &LayerLinks::all(fabric))?;
        let neighbours = Neighbours::of(fabric);
        let lengths = WalkLengths::of(&neighbours);
        let wanted = Wanted::exactly(usize::from(self.k));
        let finder = || Pair { shortest: Shortest::new(&neighbours, &lengths), source: 0, wanted };
        Ok(Routes::Paths(all_pairs(&INFO, fabric, finder)?))
    }
}

struct Pair<'a> {
    shortest: Shortest<'a>,
    source: u16,
    wanted: Wanted,
}

impl Finder for Pair<'_> {
    fn begin(&mut self, source: u32) {
        self.source = source as u16;
    }

    fn find(&mut self, destination: u32, paths: &mut Found) {
        self.shortest.lowest(self.source, destination as u16, self.wanted, paths);
    }
}
