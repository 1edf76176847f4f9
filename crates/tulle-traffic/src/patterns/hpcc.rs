//! Workloads from flow files of the HPCC simulator: flows with sizes and start times.

use tulle_fabric::Fabric;
use tulle_spec::plugin;

use super::Pattern;
use crate::formats::hpcc::{self, Nodes};
use crate::{Error, Mapping, Workload};

plugin! {
    pub struct Hpcc {
        /// name of the flow file
        file: String = path("a flow file");
        mapping: Mapping;
    }
    name: "hpcc",
    summary: "a flow file of the HPCC simulator: flows with sizes and start times",
    paper: "Li et al., HPCC, SIGCOMM 2019; Flattened Clos (NSDI23) §5.2",
    limitations: "Priorities and ports are ignored.",
    examples: ["hpcc:file=pair.flows", "hpcc:file=pair.flows,mapping=random"],
    rejects: [("hpcc", "needs file="), ("hpcc:file=absent.txt", "absent.txt: ")],
}

impl Pattern for Hpcc {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let places = self.mapping.place(fabric, seed)?;
        let nodes = match self.mapping.has_places() {
            true => Nodes::in_order(&places),
            false => Nodes::by_name(fabric, &places),
        };
        hpcc::load(self.file.as_ref(), nodes)
    }
}
