//! A minimal selector for tests. It shows what a new selector needs: one file, and one line in `selector.rs`.

use tulle_spec::plugin;

use super::{Flows, Path, ReversePath, Select};

plugin! {
    #[derive(Debug)]
    pub(crate) struct Toy(arguments, flows: Flows<'a>) {
        /// layer of all data packets, modulo the number of the flow's layers
        layer: u32 = integer(0, 7), default "0";
        layers: Vec<u32> => (0..flows.source.len() as u32).map(|flow| flows.choices.of(flow)).collect();
    }
    name: "toy",
    summary: "all data packets take one layer",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:layer=1"],
    rejects: [("toy:layer=8", "layer=8 is out of range; legal: 0 to 7")],
}

impl Select for Toy {
    fn data(&mut self, flow: u32, _now: u64) -> Path {
        Path::of((self.layer % self.layers[flow as usize]) as u8, 0)
    }

    fn control(&mut self, _flow: u32, _back: &ReversePath) -> Path {
        Path::any(0)
    }
}

#[test]
fn it_is_registered_by_its_line() {
    let config = crate::Config { selector: "toy".to_owned(), ..crate::Config::default() };
    assert_eq!(crate::resolve(&config).unwrap().selector, "toy:layer=0");
    assert!(super::selectors().iter().any(|info| info.name == "toy" && info.fault().is_none()));
    let fabric = tulle_topologies::build("star:endpoints=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=20KB", 0).unwrap();
    let outcome = crate::simulate(&fabric, &routing, &workload, &config, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(outcome.unwrap().flows.delivered.iter().all(|&time| time != crate::NEVER));
}
