//! A minimal selector for tests. It shows what a new selector needs: one file, and one line in `selector.rs`.

use tulle_spec::plugin;

use super::{Over, Queues, Route, RouteRequest, Select};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Toy {}
    name: "toy",
    summary: "minimal",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy"],
    rejects: [("toy:via=1", "unknown parameter")],
}

impl Select for Toy {
    const OVER: Over = Over::Tables;

    fn choose<Q: Queues>(&self, _: &mut RouteRequest<'_, Q>) -> Route {
        Route::minimal()
    }
}

#[test]
fn one_line_registers_it() {
    let config = crate::Config { selector: "toy".to_owned(), ..crate::Config::default() };
    assert_eq!(crate::resolve(&config).unwrap().selector, "toy");
    assert!(super::selectors().iter().any(|info| info.name == "toy" && info.fault().is_none()));
    let fabric = tulle_topologies::build("clique:degree=3,p=2", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let traffic = crate::Traffic::new(&fabric, "uniform", 0).unwrap();
    let outcome = crate::simulate(&fabric, &routing, &traffic, &config, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(outcome.unwrap().accepted > 0.0);
}
