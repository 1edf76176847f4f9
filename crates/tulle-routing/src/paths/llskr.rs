//! Limited length spread: all simple paths that are not much longer than the shortest.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use crate::paths::lowest::lowest;
use crate::paths::shortest::Wanted;
use crate::schemes::Scheme;
use crate::{Error, Routes};

/// What this scheme says of itself.
pub const INFO: Info = Info {
    name: "llskr",
    summary: "all simple paths of limited length spread, at least and at most so many per pair, ties to the lowest switches",
    parameters: &[
        Parameter::prose("spread", "0 to 254", "1", "hops that a path may have over the shortest of its pair"),
        Parameter::prose(
            "min",
            "1 to max",
            "4, or max where that is less",
            "paths per pair at least, longer ones where the spread holds fewer",
        ),
        Parameter::prose("max", "1 to 255", "16", "paths per pair at most"),
    ],
    nested: false,
    paper: "Yuan et al., A New Routing Scheme for Jellyfish and its Performance with HPC Workloads, SC 2013, as the Jellyfish \
            paper has it, §II: use all short paths where there are many, no long ones where there are few",
    limitations: "The thresholds are parameters; the defaults are ours. Ties as in ksp, with its bias to low switches. Fewer \
                  than min paths where there are no more.",
    examples: &["llskr", "llskr:spread=0,min=1,max=255", "llskr:spread=2,max=3"],
    rejects: &[
        ("llskr:min=9,max=8", "min=9, max=8 leave no number of paths; legal: min=1 to 8 or max=9 to 255"),
        ("llskr:max=0", "max=0 is out of range; legal: 1 to 255"),
        ("llskr:spread=255", "spread=255 is out of range; legal: 0 to 254"),
    ],
};

struct Llskr {
    spread: u8,
    min: u8,
    max: u8,
}

/// Reads the parameters.
///
/// # Errors
/// A value outside its legal range.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Scheme>, SpecError> {
    let spread = arguments.integer("spread", 0..=254)?.unwrap_or(1) as u8;
    let max = arguments.integer("max", 1..=255)?.unwrap_or(16) as u8;
    let min = arguments.integer("min", 1..=255)?.unwrap_or(u64::from(max.min(4))) as u8;
    if min > max {
        let legal = format!("legal: min=1 to {max} or max={min} to 255");
        return Err(arguments.clash(format!("min={min}, max={max}"), "leave no number of paths", legal));
    }
    Ok(Box::new(Llskr { spread, min, max }))
}

impl Scheme for Llskr {
    fn parameters(&self) -> Parameters {
        Parameters::new().integer("spread", self.spread).integer("min", self.min).integer("max", self.max)
    }

    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        lowest(
            &INFO,
            fabric,
            Wanted { least: usize::from(self.min), most: usize::from(self.max), spread: usize::from(self.spread) },
        )
    }
}
