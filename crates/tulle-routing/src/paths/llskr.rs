//! The scheme `llskr` (limited length spread k-shortest path routing): for each pair, all simple paths that are at most a few hops longer
//! than the shortest path.

use tulle_fabric::Fabric;
use tulle_spec::{Plugin, plugin};

use crate::paths::lowest::lowest;
use crate::paths::shortest::Wanted;
use crate::scheme::Scheme;
use crate::{Error, Routes};

plugin! {
    pub struct Llskr(arguments) {
        /// maximum number of hops by which a path may be longer than the shortest path of its pair
        spread: u8 = integer(0, 254), default "1";
        /// minimum number of paths per pair; if fewer paths are within the spread, longer paths are added
        min: u8 = integer(1, 255), note "at most max", or "4, or max if it is smaller" {
            arguments.get::<u8>("max")?.min(4)
        };
        /// maximum number of paths per pair
        max: u8 = integer(1, 255), default "16";
    }
    check {
        if min > max {
            let legal = format!("legal: min=1 to {max} or max={min} to 255");
            return Err(arguments.clash(format!("min={min}, max={max}"), "allow no number of paths", legal));
        }
    }
    name: "llskr",
    summary: "all simple paths that are at most spread hops longer than the shortest, with a minimum and a maximum \
        number per pair; ties go to the switches with the lowest ids",
    paper: "Yuan et al., A New Routing Scheme for Jellyfish and its Performance with HPC Workloads, SC 2013, as \
        described in Multi-Path Routing in the Jellyfish Network §II: use all short paths if a pair has many, and no \
        long paths if it has few short ones",
    limitations: "The thresholds (spread, min and max) are parameters; their defaults are tulle's choice. Ties are \
        broken as in ksp, which favours switches with low ids. A pair has fewer than min paths if there are no more.",
    examples: ["llskr", "llskr:spread=0,min=1,max=255", "llskr:spread=2,max=3"],
    rejects: [
        ("llskr:min=9,max=8", "min=9, max=8 allow no number of paths; legal: min=1 to 8 or max=9 to 255"),
        ("llskr:max=0", "max=0 is out of range; legal: 1 to 255"),
        ("llskr:spread=255", "spread=255 is out of range; legal: 0 to 254"),
    ],
}

impl Scheme for Llskr {
    fn routes(&self, fabric: &Fabric, _seed: u64) -> Result<Routes, Error> {
        lowest(
            &Llskr::INFO,
            fabric,
            Wanted { least: usize::from(self.min), most: usize::from(self.max), spread: usize::from(self.spread) },
        )
    }
}
