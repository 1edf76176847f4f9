//! Workloads from files: messages as CSV, as `tulle stress -o` writes them.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Info, Parameter, Parameters, SpecError};

use super::Pattern;
use crate::formats::csv::{self, Options};
use crate::{Error, Mapping, Workload};

/// What this pattern says of itself.
pub const INFO: Info = Info {
    name: "file",
    summary: "messages as CSV, a row each, as tulle stress -o writes them",
    parameters: &[
        Parameter::prose(
            "messages",
            "the path of a .csv file",
            "",
            "the file, also alone after the colon: columns source and destination (ranks), bytes, and start \
                   (picoseconds; may be missing); sizes and times may have units",
        ),
        Parameter::prose(
            "bytes",
            "1 byte or more",
            "the column bytes",
            "payload of all messages, in place of the column",
        ),
        Parameter::prose(
            "self",
            "yes, no",
            "no",
            "whether messages to oneself, as of a permutation with fixed points, are taken",
        ),
        Mapping::PARAMETERS[0],
        Mapping::PARAMETERS[1],
    ],
    nested: false,
    paper: "none: any messages",
    limitations: "Messages wait for nothing but their start; other columns are refused; messages to oneself take no link, and \
                  the packet simulator refuses them.",
    examples: &["file:messages=pair.csv", "file:messages=fixed.csv,bytes=4KB,self=yes,mapping=random"],
    rejects: &[
        ("file", "needs messages="),
        ("file:messages=absent.csv", "absent.csv: "),
        ("file:messages=pair.csv,bytes=4KB", "pair.csv:1: column 'bytes' and bytes= in the spec"),
        ("file:messages=fixed.csv,bytes=4KB", "fixed.csv:3: a node sends to itself"),
        ("file:messages=pair.csv,self=maybe", "self=maybe is not a choice; legal: yes, no"),
    ],
};

struct File {
    path: String,
    options: Options,
    mapping: Mapping,
}

/// Reads the parameters; the file itself is read with the messages.
///
/// # Errors
/// No file, or a value that is not legal.
pub fn read(arguments: &Arguments) -> Result<Box<dyn Pattern>, SpecError> {
    let path = arguments.text("messages").ok_or_else(|| arguments.missing("messages"))?.to_owned();
    let to_oneself = arguments.word("self", &["yes", "no"])? == Some("yes");
    let options = Options { bytes: arguments.bytes("bytes")?, to_oneself };
    Ok(Box::new(File { path, options, mapping: Mapping::read(arguments)? }))
}

impl Pattern for File {
    fn parameters(&self) -> Parameters {
        let parameters = Parameters::new().word("messages", self.path.clone());
        let parameters = match self.options.bytes {
            Some(bytes) => parameters.bytes("bytes", bytes),
            None => parameters,
        };
        let parameters = parameters.word("self", if self.options.to_oneself { "yes" } else { "no" });
        self.mapping.write(parameters)
    }

    fn messages(&self, fabric: &Fabric, seed: u64) -> Result<Workload, Error> {
        csv::load(self.path.as_ref(), &self.mapping.place(fabric, seed)?, self.options)
    }
}
