//! Tests of switches with more than 64 ports, whose port sets take several 64-bit words.

use crate::support::{close, fabric, run, uniform};
use tulle_fabric::FabricBuilder;
use tulle_flit::{Config, Traffic};

fn config(router: &str) -> Config {
    Config { router: router.to_owned(), window: 600, drain: 4000, ..Config::default() }
}

const ROUTERS: [&str; 5] = [
    "input-queued:vcs=2",
    "input-queued:vcs=3,allocator=islip,speedup=1,buffer=64",
    "virtual-cut-through:vcs=2",
    "virtual-cut-through:vcs=2,crossbar=1,queues=voq,transit=first",
    "virtual-cut-through:vcs=2,crossbar=2",
];

#[test]
fn switches_of_200_ports_carry_the_offered_load() {
    // Two switches with 100 endpoints each, joined by 100 cables; half of the packets cross a cable.
    let mut builder = FabricBuilder::new(2);
    (0..100).for_each(|_| builder.cable(0, 1));
    builder.endpoints_each(100);
    let wide = builder.finish("file", Default::default()).unwrap();
    for router in ROUTERS {
        let config = Config { load: 0.6, ..config(router) };
        let outcome = uniform(&wide, "minimal", &config);
        assert!(outcome.complete, "{router}");
        close(outcome.accepted, 0.6, 0.02);
        close(outcome.hops, 0.5, 0.03);
        // All cables carry the same load, including the cables in the last word of the port sets.
        let (least, most) = outcome.channel_load.iter().fold((1.0f64, 0.0f64), |(a, b), &at| (a.min(at), b.max(at)));
        assert!(least > 0.15 && most < 0.45, "{router}: {least} to {most}");
        let threads = uniform(&wide, "minimal", &Config { threads: 2, ..config });
        assert!(outcome.latency == threads.latency && outcome.channel_load == threads.channel_load, "{router}");
    }
}

#[test]
fn the_widest_switch_shares_its_outputs() {
    // All endpoints but one send to the last of 256 endpoints. Each sender gets an equal part of one flit per cycle.
    let mut builder = FabricBuilder::new(1);
    builder.endpoints(0, 256);
    let one = builder.finish("file", Default::default()).unwrap();
    let routing = tulle_routing::build(&one, "minimal", 0).unwrap();
    let mut workload = tulle_traffic::Workload::default();
    (0..255).for_each(|from| workload.push(from, 255, 1, 0));
    let traffic = Traffic::from_workload(&one, &workload).unwrap();
    for router in ROUTERS {
        let outcome = run(&one, &routing, &traffic, &Config { load: 1.0, drain: 0, ..config(router) }).unwrap();
        close(outcome.accepted, 1.0 / 255.0, 0.02);
    }
}

#[test]
fn the_largest_routers_fit_a_small_stack() {
    let mut builder = FabricBuilder::new(1);
    builder.endpoints(0, 256);
    let one = builder.finish("file", Default::default()).unwrap();
    let largest = ["input-queued:vcs=16,buffer=8", "virtual-cut-through:vcs=16,buffer=8"];
    let work = move || largest.map(|router| uniform(&one, "minimal", &Config { load: 0.1, ..config(router) }).complete);
    let small = std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap();
    assert_eq!(small.join().unwrap(), [true; 2]);
}

#[test]
fn a_run_ends_with_an_error_if_a_switch_holds_too_many_flits() {
    // All endpoints send to one endpoint, so a flit per sender and cycle stays in the buffers.
    for (endpoints, cycles, most) in [(60, 40_000, 1_048_574), (250, 3000, 262_142)] {
        let fabric = fabric(&format!("star:endpoints={endpoints}"));
        let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
        let traffic = Traffic::new(&fabric, "hot-spot:share=1", 0).unwrap();
        for (router, records) in [("input-queued", "flits"), ("virtual-cut-through", "packets")] {
            let config = Config { load: 1.0, window: cycles, ..config(&format!("{router}:vcs=16,buffer=4096")) };
            let error = run(&fabric, &routing, &traffic, &config).unwrap_err().to_string();
            let legal = format!("legal: up to {most} {records} in a switch of ");
            assert!(error.starts_with("the buffers of switch 0 are too large: ") && error.contains(&legal), "{error}");
        }
    }
}
