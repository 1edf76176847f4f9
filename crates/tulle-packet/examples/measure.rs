//! Runs one simulation and prints completion times, link hops per second of processor time, and counters.
//!
//! Usage: `cargo run --release -p tulle-packet --example measure -- FABRIC ROUTING TRAFFIC QUEUE TRANSPORT SELECTOR`, for example with
//! `fattree:levels=3,radix=16 minimal permutation:bytes=2MB pfc dcqcn:control=no ecmp`. Links have 100 Gb/s and 1 us; packets have at
//! most 9064 bytes.

use std::fs;
use std::ops::ControlFlow;

use tulle_packet::{Config, simulate};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [fabric, routing, traffic, queue, transport, selector] = arguments.as_slice() else {
        eprintln!("needs six specs: FABRIC ROUTING TRAFFIC QUEUE TRANSPORT SELECTOR");
        std::process::exit(2);
    };
    let config = Config {
        rate: 100_000_000_000,
        mtu: 9064,
        queue: queue.clone(),
        transport: transport.clone(),
        selector: selector.clone(),
        ..Config::default()
    };
    if let Err(error) = measure(fabric, routing, traffic, &config) {
        eprintln!("{error}");
        std::process::exit(2);
    }
}

fn measure(fabric: &str, routing: &str, traffic: &str, config: &Config) -> Result<(), Box<dyn std::error::Error>> {
    let fabric = tulle_topologies::build(fabric, 0)?;
    let routing = tulle_routing::build(&fabric, routing, 0)?;
    let workload = tulle_traffic::build(&fabric, traffic, 7)?;
    let start = processor_seconds();
    let outcome = simulate(&fabric, &routing, &workload, config, &mut |_| ControlFlow::Continue(()))?;
    let seconds = processor_seconds() - start;
    let mut times: Vec<f64> = outcome.flows.completion_times().map(|time| time as f64 / 1e6).collect();
    times.sort_by(f64::total_cmp);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let max = times.last().copied().unwrap_or(f64::NAN);
    let hops = outcome.counters.link_hops;
    println!("{} of {} flows, mean {mean:.2} us, max {max:.2} us", times.len(), outcome.flows.len());
    println!("{hops} links crossed in {seconds:.3} s: {:.2} million a second", hops as f64 / seconds / 1e6);
    println!("{:?}", outcome.counters);
    if let Some(deadlock) = &outcome.deadlock {
        println!("{deadlock}");
    }
    Ok(())
}

/// Returns the processor time of this process in seconds, from the Linux scheduler; NaN on other systems.
fn processor_seconds() -> f64 {
    fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(f64::NAN, |nanoseconds| nanoseconds / 1e9)
}
