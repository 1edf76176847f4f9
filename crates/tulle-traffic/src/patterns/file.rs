//! Workloads from files: messages as CSV, as `tulle stress -o` writes them.

use tulle_fabric::Fabric;
use tulle_spec::plugin;

use super::Pattern;
use crate::formats::csv::{self, Options};
use crate::{Error, Mapping, Workload};

plugin! {
    pub struct File {
        /// the file, also alone after the colon: columns source and destination (ranks), bytes, and start (picoseconds;
        /// may be missing); sizes and times may have units
        messages: String = path("a .csv file");
        /// payload of all messages, in place of the column
        bytes: Option<u64> = bytes(), or "the column bytes";
        /// whether messages to oneself, as of a permutation with fixed points, are taken
        to_oneself "self": bool = flag(), default "no";
        mapping: Mapping;
    }
    name: "file",
    summary: "messages as CSV, a row each, as tulle stress -o writes them",
    paper: "none: any messages",
    limitations: "Messages wait for nothing but their start; other columns are refused; messages to oneself take no \
        link, and the packet simulator refuses them.",
    examples: ["file:messages=pair.csv", "file:messages=fixed.csv,bytes=4KB,self=yes,mapping=random"],
    rejects: [
        ("file", "needs messages="),
        ("file:messages=absent.csv", "absent.csv: "),
        ("file:messages=pair.csv,bytes=4KB", "pair.csv:1: column 'bytes' and bytes= in the spec"),
        ("file:messages=fixed.csv,bytes=4KB", "fixed.csv:3: a node sends to itself"),
        ("file:messages=pair.csv,self=maybe", "self=maybe is not a choice; legal: yes, no"),
    ],
}

impl Pattern for File {
    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        let options = Options { bytes: self.bytes, to_oneself: self.to_oneself };
        csv::load(self.messages.as_ref(), &self.mapping.place(fabric, seed)?, options)
    }
}
