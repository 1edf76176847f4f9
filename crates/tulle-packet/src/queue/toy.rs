//! A minimal queue model for tests. It shows what a new model needs: one file, and one line in `queue.rs`.

use tulle_spec::plugin;

use super::droptail::DropTail;
use super::{Hop, Model, Verdict};
use crate::config::Link;
use crate::packet::Arena;
use crate::port::Port;

plugin! {
    #[derive(Debug)]
    pub(crate) struct Toy(arguments, link: Link) {
        /// full-size packets per port
        packets: u64 = integer(1, 99), default "50";
        queue: DropTail => DropTail::new(link, packets);
    }
    name: "toy",
    summary: "drop tail with a shorter queue",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy:packets=40"],
    rejects: [("toy:packets=0", "packets=0 is out of range; legal: 1 to 99")],
}

impl Model for Toy {
    fn longest_wait(&self) -> u64 {
        self.queue.longest_wait()
    }

    fn drain(&self, link: &Link) -> u64 {
        self.queue.drain(link)
    }

    fn admit(
        &mut self,
        hop: Hop,
        port: &mut Port,
        packets: &mut Arena,
        id: u32,
        now: u64,
        draw: impl Fn(u32) -> u64,
    ) -> Verdict {
        self.queue.admit(hop, port, packets, id, now, draw)
    }
}

#[test]
fn one_registry_line_is_enough() {
    let config = crate::Config { queue: "toy".to_owned(), ..crate::Config::default() };
    assert_eq!(crate::resolve(&config).unwrap().queue, "toy:packets=50");
    assert!(super::queues().iter().any(|info| info.name == "toy" && info.fault().is_none()));
    let fabric = tulle_topologies::build("star:endpoints=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=20KB", 0).unwrap();
    let outcome = crate::simulate(&fabric, &routing, &workload, &config, &mut |_| std::ops::ControlFlow::Continue(()));
    assert!(outcome.unwrap().flows.delivered.iter().all(|&time| time != crate::NEVER));
}
