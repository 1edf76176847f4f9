//! Workloads from CSV files, as written by `tulle stress -o`.

use tulle_fabric::Fabric;
use tulle_spec::plugin;

use super::Pattern;
use crate::formats::csv::{self, Options};
use crate::{Error, Mapping, Workload};

plugin! {
    pub struct File {
        /// the file, also directly after the colon, with columns source and destination (ranks), bytes, and optionally
        /// start (picoseconds); sizes and times may have units
        messages: String = path("a .csv file");
        /// payload of all messages, instead of the column
        bytes: Option<u64> = bytes(), or "the column bytes";
        /// whether messages to oneself are allowed, for example fixed points of a permutation
        to_oneself "self": bool = flag(), default "no";
        mapping: Mapping;
    }
    name: "file",
    summary: "messages as CSV, one per row, as written by tulle stress -o",
    paper: "none: any messages",
    limitations: "Messages have starts but no dependencies. Other columns are refused. Messages to oneself use no link, and \
        the packet simulator refuses them.",
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
