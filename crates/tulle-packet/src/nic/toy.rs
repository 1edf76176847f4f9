//! A minimal interface order for tests. It shows what a new order needs: one file, and one line in `nic.rs`.

use tulle_spec::plugin;

use super::Order;

plugin! {
    pub(crate) struct Toy {}
    name: "toy",
    summary: "flows take turns",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy"],
    rejects: [("toy:turns=1", "unknown parameter")],
}

impl Order for Toy {
    const TURNS: bool = true;
}

#[test]
fn one_registry_line_is_enough() {
    let config = crate::Config { nic: "toy".to_owned(), ..crate::Config::default() };
    assert_eq!(crate::resolve(&config).unwrap().nic, "toy");
    assert!(super::nics().iter().any(|info| info.name == "toy" && info.fault().is_none()));
    let fabric = tulle_topologies::build("star:endpoints=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=20KB", 0).unwrap();
    let outcome = crate::simulate(&fabric, &routing, &workload, &config, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(outcome.unwrap().flows.delivered.iter().all(|&time| time != crate::NEVER));
}
