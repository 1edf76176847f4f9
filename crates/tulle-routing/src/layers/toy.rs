//! A minimal scheme for tests. It needs only this file and one line in `layers.rs`.

use tulle_fabric::Fabric;
use tulle_spec::plugin;

use super::minimal::Minimal;
use crate::scheme::Scheme;
use crate::{Error, Routes};

plugin! {
    pub struct Toy {
        /// number of layers, all equal
        layers: usize = integer(1, 4), default "2";
    }
    name: "toy",
    summary: "the shortest paths, repeated in every layer",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:layers=3"],
    rejects: [("toy:layers=5", "layers=5 is out of range; legal: 1 to 4")],
}

impl Scheme for Toy {
    fn routes(&self, fabric: &Fabric, seed: u64) -> Result<Routes, Error> {
        match Minimal::by_hops().routes(fabric, seed)? {
            Routes::Layers(layers) => Ok(Routes::Layers(layers.iter().cycle().take(self.layers).cloned().collect())),
            paths => Ok(paths),
        }
    }
}

#[test]
fn it_is_registered_by_its_line() {
    let fabric = tulle_topologies::build("clique:degree=3", 0).unwrap();
    let routing = crate::build(&fabric, "toy", 0).unwrap();
    assert_eq!((routing.spec(), routing.num_layers()), ("toy:layers=2", 2));
    assert!(crate::schemes().iter().any(|entry| entry.info.name == "toy" && entry.info.fault().is_none()));
}
