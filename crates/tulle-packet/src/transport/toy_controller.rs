//! A minimal congestion controller for tests, which always sends at a fixed rate.
//!
//! This file shows what a new controller needs: one file, and one line in `transport.rs`.

use tulle_spec::plugin;

use super::Flows;
use super::congestion::{Ack, Connection, Controller, Start};
use super::stream::{Common, Options, Stream};

plugin! {
    #[derive(Debug)]
    pub(crate) struct ToyController(arguments, flows: Flows<'a>) {
        common: Common;
        /// rate at which every connection sends
        pace: u64 = rate_of(1_000_000, 1_000_000_000_000), default "1Gbps";
        machine: Stream<FixedRate> => Stream::new(Options::new(&common, false, pace, flows), flows);
    }
    name: "toy-controller",
    summary: "tcp at a fixed rate",
    paper: "none",
    limitations: "For tests.",
    examples: ["toy-controller:pace=2Gbps"],
    rejects: [("toy-controller:pace=0", "pace=0 is out of range; legal: 1Mbps to 1Tbps")],
}

runs!(ToyController: Stream<FixedRate>, "droptail", "recycle");

#[derive(Debug, Clone)]
pub(crate) struct FixedRate {
    rate: f64,
    /// The shortest measured round-trip time.
    shortest: Option<u64>,
}

impl Controller for FixedRate {
    type Parameters = u64;

    fn new(_: &Start, &rate: &u64) -> Self {
        Self { rate: rate as f64, shortest: None }
    }

    fn on_ack(&mut self, ack: &Ack, _: &Connection, _: &u64) {
        self.shortest = self.shortest.into_iter().chain(ack.rtt).min();
    }

    fn on_loss(&mut self, _: &Connection, _: &u64) {}

    fn on_timeout(&mut self, _: &Connection, _: &u64) {}

    /// Returns twice the number of packets that are sent at the fixed rate in the shortest round-trip time (as in BBR), but at least 10.
    /// Packets have 9000 bytes.
    fn cwnd(&self) -> f64 {
        self.shortest.map_or(10.0, |time| (2.0 * self.rate * time as f64 / 72e15).max(10.0))
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.rate)
    }
}

/// The fixed rate determines the completion time of a flow. Neither the window nor the link limits the flow.
#[test]
fn one_registry_line_is_enough_and_the_rate_limits_flows() {
    assert!(super::transports().iter().any(|info| info.name == "toy-controller" && info.fault().is_none()));
    let fabric = tulle_topologies::build("star:endpoints=3", 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, "permutation:bytes=1MB", 0).unwrap();
    for (pace, bits_per_second) in [("1Gbps", 1e9), ("2Gbps", 2e9), ("4Gbps", 4e9)] {
        let config = crate::Config {
            transport: format!("toy-controller:pace={pace},handshake=no"),
            rate: 10_000_000_000,
            ..crate::Config::default()
        };
        let outcome =
            crate::simulate(&fabric, &routing, &workload, &config, &mut |_| std::ops::ControlFlow::Continue(()));
        let outcome = outcome.unwrap();
        // Every 8936 bytes of payload need a header of 64 bytes.
        let expected = 1e6 * 8.0 * (9000.0 / 8936.0) / bits_per_second * 1e12;
        for time in outcome.flows.completion_times() {
            let ratio = time as f64 / expected;
            assert!((0.98..1.05).contains(&ratio), "{pace}: {ratio}");
        }
        assert_eq!(outcome.flows.completion_times().count(), 3);
        assert_eq!((outcome.counters.retransmitted, outcome.counters.timeouts), (0, 0));
    }
}
