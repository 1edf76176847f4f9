//! Workloads from GOAL schedules, text or binary: sends, receives and computations with dependencies.

use tulle_fabric::Fabric;
use tulle_spec::plugin;

use super::Pattern;
use crate::formats::goal;
use crate::{Error, Mapping, Workload};

plugin! {
    pub struct Goal {
        /// the file
        file: String = path("a GOAL schedule");
        mapping: Mapping;
    }
    name: "goal",
    summary: "a GOAL schedule, text or binary: sends, receives and computations with dependencies",
    paper: "Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010; ATLAHS",
    limitations: "Processors and interfaces are not modelled: a ready operation starts at once. A send ends when its message \
        has arrived. Receives from any rank or tag are refused; messages of 0 bytes become 1 byte.",
    examples: ["goal:file=pair.goal", "goal:file=pair.bin,mapping=random"],
    rejects: [("goal", "needs file="), ("goal:file=circle.goal", "circle.goal:3: this send of rank 0 requires itself")],
}

impl Pattern for Goal {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        goal::load(self.file.as_ref(), &self.mapping.place(fabric, seed)?)
    }
}
