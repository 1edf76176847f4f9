//! A minimal fault for tests. It shows what a new fault needs: one file, and one line in `faults.rs`.

use tulle_spec::plugin;

use super::{FaultKind, FaultModel, FaultScope};
use crate::Error;

plugin! {
    pub(crate) struct Toy(arguments) -> Error {
        scope: FaultScope;
    }
    name: "toy",
    summary: "links or switches go down, and endpoints are notified immediately",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:switches=1,at=1us,until=2us"],
    rejects: [("toy:at=1us", "needs links= or switches=")],
}

impl FaultModel for Toy {
    fn scope(&self) -> &FaultScope {
        &self.scope
    }

    fn kind(&self) -> FaultKind {
        FaultKind::Down { detect: 0 }
    }
}

#[test]
fn one_registry_line_is_enough() {
    let config =
        crate::Config { faults: vec!["toy:switches=1,at=1us,until=1500ns".to_owned()], ..crate::Config::default() };
    assert_eq!(crate::resolve(&config).unwrap().faults, ["toy:switches=1,at=1us,until=1500ns"]);
    assert!(super::faults().iter().any(|info| info.name == "toy" && info.fault().is_none()));
    let fabric = tulle_topologies::build("star:endpoints=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=20KB", 0).unwrap();
    let outcome = crate::simulate(&fabric, &routing, &workload, &config, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(outcome.unwrap().flows.delivered.iter().all(|&time| time != crate::NEVER));
}
