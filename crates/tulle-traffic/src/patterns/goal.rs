//! Workloads from text or binary GOAL schedules: sends, receives and computations with dependencies.

use tulle_fabric::Fabric;
use tulle_spec::plugin;

use super::Pattern;
use crate::formats::goal;
use crate::{Error, Mapping, Workload};

plugin! {
    pub struct Goal {
        /// name of the schedule file
        file: String = path("a GOAL schedule");
        mapping: Mapping;
    }
    name: "goal",
    summary: "a text or binary GOAL schedule: sends, receives and computations with dependencies",
    paper: "Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010; ATLAHS",
    limitations: "Processors and network interfaces are not modelled, so a ready operation starts immediately. A send ends when \
        its message has arrived. A receive from any rank or with any tag is an error. A message of 0 bytes becomes a \
        message of 1 byte.",
    examples: ["goal:file=pair.goal", "goal:file=pair.bin,mapping=random"],
    rejects: [("goal", "needs file="), ("goal:file=circle.goal", "circle.goal:3: this send of rank 0 requires itself")],
}

impl Pattern for Goal {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        goal::load(self.file.as_ref(), &self.mapping.place(fabric, seed)?)
    }
}
