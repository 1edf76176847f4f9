//! Benchmark of NDP on fat trees with permutation traffic: measures link hops per second of processor time, and memory per endpoint.
//!
//! The settings match a measurement of csg-htsim (commit 841d9e7): 9000 bytes of payload and 64 bytes of header per packet, 100 Gb/s, 1 us
//! per link, a window of 30 packets, packet spraying, and a queue of 15·9000 bytes, which holds 14 packets. In csg-htsim,
//! `htsim_ndp -strat perm -cwnd 30 -q 15 -mtu 9000` takes 0.16, 5–7 and 22–28 s for the three cases of this benchmark.
//!
//! `cargo bench -p tulle-packet` runs all three cases; `cargo bench -p tulle-packet -- 1024` runs only the case with 1024 endpoints.

use std::fs;
use std::ops::ControlFlow;
use std::time::Instant;

use tulle_packet::{Config, simulate};

/// The benchmark cases, each as number of endpoints, switch radix, and packets per flow.
const CASES: [(usize, u32, u64); 3] = [(128, 8, 223), (1024, 16, 223), (8192, 32, 56)];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // `cargo test --all-targets` also starts this program, but without `--bench`; it must not run the benchmark.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let chosen: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    println!("endpoints  FCT mean  FCT max [us]  link hops    events   cpu [s]  Mhop/s  KB/endpoint  on two threads");
    for (endpoints, radix, packets) in CASES {
        if chosen.is_empty() || chosen.contains(&endpoints) {
            measure(endpoints, radix, packets);
        }
    }
}

fn measure(endpoints: usize, radix: u32, packets: u64) {
    let fabric = tulle_topologies::build(&format!("fattree:levels=3,radix={radix}"), 0).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 0).unwrap();
    let workload = tulle_traffic::build(&fabric, &format!("permutation:bytes={}KB", packets * 9), 7).unwrap();
    let config = Config {
        rate: 100_000_000_000,
        mtu: 9064,
        queue: "trim:packets=14".to_owned(),
        transport: "ndp:window=30".to_owned(),
        selector: "spray".to_owned(),
        threads: Some(1),
        ..Config::default()
    };
    let run = |config: &Config| {
        let (elapsed, used) = (Instant::now(), processor_seconds());
        let outcome = simulate(&fabric, &routing, &workload, config, &mut |_| ControlFlow::Continue(())).unwrap();
        (outcome, processor_seconds() - used, elapsed.elapsed().as_secs_f64())
    };
    // The table shows the best of several runs. In small cases the clock resolution matters, and other processes can use the machine.
    let runs = (4096 / endpoints).clamp(3, 10);
    let (outcome, mut seconds, mut elapsed) = run(&config);
    let memory = peak_kilobytes() / endpoints as f64;
    let two = Config { threads: Some(2), ..config.clone() };
    let (again, _, mut together) = run(&two);
    assert!(outcome == again, "two threads changed the outcome");
    for _ in 1..runs {
        let (_, processor, wall) = run(&config);
        (seconds, elapsed) = (seconds.min(processor), elapsed.min(wall));
        together = together.min(run(&two).2);
    }
    let times: Vec<f64> = outcome.flows.completion_times().map(|time| time as f64 / 1e6).collect();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let max = times.iter().copied().fold(0.0, f64::max);
    let (hops, events) = (outcome.counters.link_hops, outcome.counters.events);
    let rate = hops as f64 / seconds / 1e6;
    let faster = elapsed / together;
    println!(
        "{endpoints:9}  {mean:8.2}  {max:12.2}  {hops:9}  {events:8}  {seconds:8.3}  {rate:6.2}  {memory:11.1}  {faster:13.2}x"
    );
}

/// Returns the processor time of this process in seconds, from the Linux scheduler; NaN on other systems.
fn processor_seconds() -> f64 {
    fs::read_to_string("/proc/self/schedstat")
        .ok()
        .and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok())
        .map_or(f64::NAN, |nanoseconds| nanoseconds / 1e9)
}

/// Returns this process's peak resident memory in KB, over all cases so far; NaN on systems other than Linux.
fn peak_kilobytes() -> f64 {
    fs::read_to_string("/proc/self/status")
        .ok()
        .and_then(|text| {
            text.lines().find_map(|line| line.strip_prefix("VmHWM:")?.split_whitespace().next()?.parse().ok())
        })
        .unwrap_or(f64::NAN)
}
