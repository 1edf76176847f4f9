//! k shortest simple paths, the lowest among equally long ones.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use crate::paths::lowest::lowest;
use crate::paths::shortest::Wanted;
use crate::schemes::Scheme;
use crate::{Error, Routes};

/// What this scheme says of itself.
pub const INFO: Info = Info {
    name: "ksp",
    summary: "k shortest simple paths per pair, ties to the lowest switches",
    parameters: &[Parameter::prose("k", "1 to 255", "8", "paths per pair, at most")],
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
        lowest(&INFO, fabric, Wanted::exactly(usize::from(self.k)))
    }
}
