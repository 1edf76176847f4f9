//! A minimal transport for tests. It shows what a new transport needs: one file, and one line in `transport.rs`.

use tulle_spec::plugin;

use super::Flows;
use super::stream::{Common, Options, Stream};
use super::tcp::NewReno;

plugin! {
    #[derive(Debug)]
    pub(crate) struct Toy(arguments, flows: Flows<'a>) {
        common: Common;
        machine: Stream<NewReno> => Stream::new(Options::new(&common, false, (), flows), flows);
    }
    name: "toy",
    summary: "tcp that keeps its layer",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:window=4"],
    rejects: [("toy:window=0", "window=0 is out of range; legal: 1 to 65535")],
}

runs!(Toy: Stream<NewReno>, "droptail", "recycle");

#[test]
fn one_registry_line_is_enough() {
    let config = crate::Config { transport: "toy".to_owned(), ..crate::Config::default() };
    assert!(crate::resolve(&config).unwrap().transport.starts_with("toy:window=2,limit=1024,"));
    assert_eq!(
        (super::default_queue("toy").unwrap(), super::default_selector("toy").unwrap()),
        ("droptail", "recycle")
    );
    assert!(super::transports().iter().any(|info| info.name == "toy" && info.fault().is_none()));
    let fabric = tulle_topologies::build("star:endpoints=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=20KB", 0).unwrap();
    let outcome = crate::simulate(&fabric, &routing, &workload, &config, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(outcome.unwrap().flows.delivered.iter().all(|&time| time != crate::NEVER));
}
