//! Workloads from CSV files, as written by `tulle stress -o`.

use tulle_fabric::Fabric;
use tulle_spec::plugin;

use super::Pattern;
use crate::formats::csv::{self, Options};
use crate::{Error, Mapping, Workload};

plugin! {
    pub struct File {
        /// file with the columns source and destination (ranks), bytes, and optionally start (picoseconds); sizes and times may have units.
        /// The file name can also be given directly after the colon (file:NAME)
        messages: String = path("a .csv file");
        /// payload of all messages, for a file without the column bytes
        bytes: Option<u64> = bytes(), or "the column bytes";
        /// allow messages from an endpoint to itself, for example fixed points of a permutation
        to_oneself "self": bool = flag(), default "no";
        mapping: Mapping;
    }
    name: "file",
    summary: "messages from a CSV file, one per row, as written by tulle stress -o",
    paper: "none: any messages",
    limitations: "Messages have starts but no dependencies. The result columns of tulle simulate -o and tulle \
        exchange -o are ignored with a warning; other columns are errors. Messages from an endpoint to itself \
        use no link, and the packet simulator does not accept them. tulle throughput also reads a traffic matrix: \
        file:matrix=NAME.csv.",
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
