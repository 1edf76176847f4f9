//! Runs every transport with losses, small buffers and reordering. A snapshot of the results reveals every change of behaviour.
//!
//! Eight flows send to two endpoints of a switch. Half of them cross another switch, over two paths. `cargo insta review` (or
//! `INSTA_UPDATE=always`) accepts an intended change.

use std::fmt::Write;

use crate::support::{flows, run};
use tulle_fabric::FabricBuilder;
use tulle_packet::Config;

#[test]
fn transports_under_loss_small_buffers_and_reordering() {
    let mut builder = FabricBuilder::new(4);
    for (a, b) in [(0, 1), (0, 2), (1, 3), (2, 3)] {
        builder.cable(a, b);
    }
    builder.endpoints(0, 4);
    builder.endpoints(3, 4);
    let fabric = builder.finish("edges", Default::default()).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let rows = [(0, 4), (1, 4), (2, 5), (3, 5), (6, 4), (7, 4), (6, 5), (7, 5)];
    let workload = flows(&rows.map(|(source, destination)| (source, destination, 300_000)));
    let mut table = String::from("transport loss buffer order | mean us, max us, sent, again, dropped, timeouts\n");
    for transport in tulle_packet::transports().iter().map(|info| info.name) {
        for loss in ["0", "0.1%", "1%", "5%"] {
            for packets in [4, 16, 100] {
                for (order, selector) in [("kept", "ecmp"), ("mixed", "spray")] {
                    let config = Config {
                        mtu: 1500,
                        transport: transport.to_owned(),
                        queue: format!("droptail:packets={packets},loss={loss}"),
                        selector: selector.to_owned(),
                        ..Config::default()
                    };
                    let outcome = run(&fabric, &routing, &workload, &config);
                    assert!(outcome.complete, "{transport} {loss} {packets} {order}");
                    assert!(outcome.counters.balance());
                    let mean = outcome.flows.completion_times().sum::<u64>() / 8 / 1_000_000;
                    let c = &outcome.counters;
                    let (again, dropped, timeouts) = (c.retransmitted, c.data_dropped, c.timeouts);
                    let (max, sent) = (outcome.end / 1_000_000, c.data_sent);
                    writeln!(
                        table,
                        "{transport:8} {loss:>4} {packets:3} {order:5} | {mean:6} {max:6} {sent:5} {again:5} {dropped:5} {timeouts:3}"
                    )
                    .unwrap();
                }
            }
        }
    }
    insta::assert_snapshot!(table);
}
