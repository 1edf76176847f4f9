//! k shortest edge-disjoint paths, ties to the lowest switches.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use crate::connected::connected_distances;
use crate::links::LayerLinks;
use crate::paths::all_pairs::all_pairs;
use crate::paths::disjoint::Disjoint;
use crate::paths::ties::Lowest;
use crate::schemes::Scheme;
use crate::{Error, Routes};

/// What this scheme says of itself.
pub const INFO: Info = Info {
    name: "edksp",
    summary: "k edge-disjoint paths per pair, each the shortest over the cables left, ties to the lowest switches",
    parameters: &[Parameter::prose("k", "1 to 255", "8", "paths per pair, at most")],
    nested: false,
    paper: "Multi-Path Routing in the Jellyfish Network §III-A (EDKSP, by removing and finding)",
    limitations: "Greedy: a short path may block two others, so there may be more disjoint paths than it finds \
                  (virtual-updown finds the most, in its fabrics). The fixed tie rule loads low switches more.",
    examples: &["edksp:k=8", "edksp:k=255"],
    rejects: &[("edksp:k=0", "k=0 is out of range; legal: 1 to 255"), ("edksp:paths=3", "unknown parameter")],
};

struct Edksp {
    k: u8,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Scheme>, SpecError> {
    Ok(Box::new(Edksp { k: arguments.integer("k", 1..=255)?.unwrap_or(8) as u8 }))
}

impl Scheme for Edksp {
    fn parameters(&self) -> Parameters {
        Parameters::new().integer("k", self.k)
    }

    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        let distances = connected_distances(&INFO, fabric, &LayerLinks::all(fabric))?;
        let finder = || Disjoint::new(fabric, &distances, usize::from(self.k), |_| Lowest);
        Ok(Routes::Paths(all_pairs(&INFO, fabric, finder)?))
    }
}
