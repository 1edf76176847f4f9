//! A minimal pattern for tests. It shows what a new pattern needs: one file, and one line in `patterns.rs`.

use tulle_fabric::Fabric;
use tulle_spec::plugin;

use super::Pattern;
use crate::{Error, Workload};

plugin! {
    pub struct Toy {
        /// size of the message
        bytes: u64 = bytes(), default "1KB";
    }
    name: "toy",
    summary: "one message from endpoint 0 to endpoint 1",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:bytes=9KB"],
    rejects: [("toy:bytes=0", "bytes=0 is not a size")],
}

impl Pattern for Toy {
    fn messages(&self, _fabric: &Fabric, _seed: u64) -> Result<Workload, Error> {
        let mut workload = Workload::default();
        workload.push(0, 1, self.bytes, 0);
        Ok(workload)
    }
}

#[test]
fn one_line_registers_it() {
    let fabric = tulle_topologies::build("star:endpoints=2", 0).unwrap();
    let workload = super::build(&fabric, "toy", 0).unwrap();
    assert_eq!((workload.spec.as_str(), workload.bytes), ("toy:bytes=1KB", vec![1000]));
    assert!(super::patterns().iter().any(|entry| entry.info.name == "toy" && entry.info.fault().is_none()));
}
