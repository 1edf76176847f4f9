//! Workloads from connection matrices of htsim: connections with sizes, start times and triggers.

use tulle_fabric::Fabric;
use tulle_spec::plugin;

use super::Pattern;
use crate::formats::htsim;
use crate::{Error, Mapping, Workload};

plugin! {
    pub struct Htsim {
        /// name of the matrix file
        file: String = path("a .cm file");
        /// unit of starts; older files, whose connections have no ids, use microseconds
        start: Option<&'static str> = word(&htsim::UNITS), or "us if no connection has an id, otherwise ps";
        mapping: Mapping;
    }
    name: "htsim",
    summary: "a connection matrix of htsim: connections with sizes, start times and triggers",
    paper: "Handley et al., NDP, SIGCOMM 2017; csg-htsim",
    limitations: "Endless flows and failures are errors. A trigger fires when the messages that set it have arrived.",
    examples: ["htsim:file=pair.cm", "htsim:file=pair.cm,mapping=random", "htsim:file=pair.cm,start=us"],
    rejects: [("htsim", "needs file="), ("htsim:file=absent.cm", "absent.cm: "), ("htsim:file=pair.cm,start=ns", "start=ns")],
}

impl Pattern for Htsim {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        htsim::load(self.file.as_ref(), &self.mapping.place(fabric, seed)?, self.start)
    }
}
