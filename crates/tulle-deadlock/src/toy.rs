//! A minimal deadlock scheme for tests. It consists of this file and one line in the registry in `lib.rs`.

use tulle_fabric::Fabric;
use tulle_routing::{Error, Routing};
use tulle_spec::plugin;

use super::{Deadlock, Draft, Hardware, read};

plugin! {
    pub struct Toy {
        hardware: Hardware;
    }
    name: "toy",
    summary: "a virtual channel per hop, like the scheme hops",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:vcs=4"],
    rejects: [("toy:vcs=0", "vcs=0 is out of range; legal: 1 to 255")],
}

impl Deadlock for Toy {
    fn hardware(&self) -> Hardware {
        self.hardware
    }

    fn draft(&self, fabric: &Fabric, routing: &Routing) -> Result<Draft, Error> {
        read("hops")?.draft(fabric, routing)
    }
}

#[test]
fn it_is_registered_by_its_line() {
    let fabric = tulle_topologies::build("clique:degree=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let (plan, _) = super::assign_vcs(&fabric, &routing, "toy:vcs=2").unwrap();
    assert_eq!((plan.spec(), plan.num_vcs()), ("toy:vcs=2", 2));
    assert!(super::schemes().iter().any(|info| info.name == "toy" && info.fault().is_none()));
}
