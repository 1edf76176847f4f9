//! Simulates the configuration given by the arguments, and prints latency, load, and cycles per second of processor
//! time.
//!
//! `cargo run --release -p tulle-flit --example measure -- FABRIC ROUTING TRAFFIC ROUTER SELECTOR POLICY LOAD CYCLES
//! THREADS [LATENCY ENDPOINT_LATENCY]`, for example `jellyfish:switches=720,degree=19,p=5 minimal uniform
//! input-queued:vcs=4 minimal hops 0.3 2000 1`.

use std::fs;
use std::ops::ControlFlow;
use std::time::Instant;

use tulle_flit::{Config, Traffic, simulate};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Err(error) = measure(&arguments) {
        eprintln!("{error}");
        std::process::exit(2);
    }
}

fn measure(arguments: &[String]) -> Result<(), Box<dyn std::error::Error>> {
    let Some(([fabric, routing, traffic, router, selector, policy, load, cycles, threads], latencies)) =
        arguments.split_first_chunk::<9>()
    else {
        return Err(
            "usage: measure FABRIC ROUTING TRAFFIC ROUTER SELECTOR POLICY LOAD CYCLES THREADS [LATENCY ENDPOINT_LATENCY]".into(),
        );
    };
    let (link_latency, endpoint_latency) = match latencies {
        [] => (10, 1),
        [link_latency, endpoint_latency] => (link_latency.parse()?, endpoint_latency.parse()?),
        _ => return Err("give both latencies or none".into()),
    };
    let fabric = tulle_topologies::build(fabric, 1)?;
    let routing = tulle_routing::build(&fabric, routing, 1)?;
    let traffic = Traffic::new(&fabric, traffic, 1)?;
    let config = Config {
        router: router.clone(),
        selector: selector.clone(),
        policy: policy.clone(),
        load: load.parse()?,
        warmup: 500,
        window: cycles.parse()?,
        drain: 0,
        threads: threads.parse()?,
        link_latency,
        endpoint_latency,
        ..Config::default()
    };
    let before = peak_megabytes();
    // Measure the speed only in the window, to exclude construction and warm-up.
    let mut start = None;
    let outcome = simulate(&fabric, &routing, &traffic, &config, &mut |progress| {
        if progress.cycle >= 500 && start.is_none() {
            start = Some((progress.cycle, processor_seconds(), Instant::now()));
        }
        ControlFlow::Continue(())
    })?;
    let (from, processor, wall) = start.ok_or("the window is empty")?;
    let (seconds, wall) = (processor_seconds() - processor, wall.elapsed().as_secs_f64());
    let run = (outcome.cycles - from) as f64;
    println!(
        "latency {:.3} network {:.3} p99 {} accepted {:.5} hops {:.4} minimal {:.3} created {} delivered {}",
        outcome.latency,
        outcome.network_latency,
        outcome.percentiles.map_or(0, |percentiles| percentiles[2]),
        outcome.accepted,
        outcome.hops,
        outcome.minimal,
        outcome.created,
        outcome.delivered
    );
    println!(
        "{run} cycles: {:.0} per second of processor time, {:.0} per second of wall-clock time; {:.1} ns per traversal; {} MB ({before} before the run)",
        run / seconds,
        run / wall,
        seconds * 1e9 / (outcome.traversals as f64 * run / outcome.cycles as f64),
        peak_megabytes()
    );
    for warning in &outcome.warnings {
        println!("{warning}");
    }
    if let Some(deadlock) = &outcome.deadlock {
        println!("{deadlock}");
    }
    Ok(())
}

/// Returns the processor time of all threads of this process in seconds (on Linux, in ticks of 10 ms; elsewhere NaN).
fn processor_seconds() -> f64 {
    let Ok(text) = fs::read_to_string("/proc/self/stat") else { return f64::NAN };
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(11) + ticks(12)) / 100.0
}

/// Returns the peak memory of this process in megabytes (on Linux; elsewhere 0).
fn peak_megabytes() -> u64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|kilobytes| kilobytes.parse::<u64>().ok()).map_or(0, |kb| kb / 1024)
}
