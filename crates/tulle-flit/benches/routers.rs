//! Benchmark of speed (cycles per second of processor time) and memory. All cases use single-flit packets, uniform traffic, random minimal
//! routing, one virtual channel per hop, links of 10 cycles, and random regular graphs.
//!
//! The settings match those of the other simulators' measurements. BookSim2: input-queued routers, 32 flits per virtual
//! channel, no routing delay, one cycle each for allocation and traversal, internal speedup 2, separable allocators,
//! credit delay 2. CAMINOS 0.6.3: basic routers without delay, 32 phits per virtual channel at inputs and outputs,
//! packets of one phit. Results of the input-queued model are compared with BookSim2, and results of the virtual
//! cut-through model with CAMINOS. The graphs are random regular graphs, RRG(switches, radix, channels per switch):
//! RRG(36,24,16) with 8 endpoints per router, RRG(720,24,19) with 5, and RRG(2880,48,38) with 10. BookSim2 and CAMINOS
//! ran on another day. The table gives their cycles per second on one thread, at loads 0.3 / 0.8 (docs/results/performance.md
//! has simultaneous runs):
//!
//! | case    | BookSim2, MB           | CAMINOS, MB           |
//! |---------|------------------------|-----------------------|
//! | RRG36   | 1730 / 700, 17–19      | 4340 / 1636, 11–15    |
//! | RRG720  | 52 / 16.6, 534–573     | 126 / 52, 61–98       |
//! | RRG2880 | about 5 (extrapolated) | about 8.6             |
//!
//! `cargo bench -p tulle-flit --bench routers` runs all cases; with `-- 720` it runs the cases with 720 routers. Each line shows the best
//! of several runs, because other processes disturb the best run least. The peak memory covers all cases so far, so cases run from small to
//! large.

use std::fs;
use std::ops::ControlFlow;
use std::time::Instant;

use tulle_flit::{Config, Outcome, Traffic, simulate};

/// A case to run.
struct Case {
    graph: Graph,
    load: f64,
    /// Number of measured cycles.
    window: u32,
    model: Model,
    /// Cycles per second of the other simulator, BookSim2 or CAMINOS, with the same settings.
    peer: f64,
}

/// The router model of a benchmark case, its traffic pattern, and the simulator that was measured with the same
/// settings.
type Model = (&'static str, &'static str, &'static str);

const INPUT_QUEUED: Model = ("input-queued", "uniform", "BookSim2");
const CUT_THROUGH: Model = ("virtual-cut-through", "uniform:self=no", "CAMINOS");

/// The numbers of switches, of channels per switch, of endpoints per switch, and of VCs.
type Graph = (usize, u32, u32, u8);

const SMALL: Graph = (36, 16, 8, 2);
const MIDDLE: Graph = (720, 19, 5, 4);
const LARGE: Graph = (2880, 38, 10, 4);

const CASES: [Case; 9] = [
    Case { graph: SMALL, load: 0.3, window: 20_000, model: INPUT_QUEUED, peer: 1730.0 },
    Case { graph: SMALL, load: 0.8, window: 10_000, model: INPUT_QUEUED, peer: 700.0 },
    Case { graph: SMALL, load: 0.3, window: 20_000, model: CUT_THROUGH, peer: 4340.0 },
    Case { graph: SMALL, load: 0.8, window: 10_000, model: CUT_THROUGH, peer: 1636.0 },
    Case { graph: MIDDLE, load: 0.3, window: 1500, model: INPUT_QUEUED, peer: 52.0 },
    Case { graph: MIDDLE, load: 0.8, window: 1000, model: INPUT_QUEUED, peer: 16.6 },
    Case { graph: MIDDLE, load: 0.3, window: 1500, model: CUT_THROUGH, peer: 126.0 },
    Case { graph: MIDDLE, load: 0.8, window: 1000, model: CUT_THROUGH, peer: 52.0 },
    Case { graph: LARGE, load: 0.3, window: 250, model: INPUT_QUEUED, peer: 5.0 },
];

/// Number of warm-up cycles, which the benchmark simulates before it starts the clock.
const WARMUP: u32 = 300;

/// The result of one run: its outcome, its processor time and wall-clock time in seconds, and the number of cycles
/// simulated in these times.
struct Run {
    outcome: Outcome,
    processor: f64,
    wall: f64,
    cycles: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    // Do nothing when `cargo test --all-targets` runs this file.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    let chosen: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    println!(
        "routers  load  latency  accepted  cycles/s  Mtraversals/s  compared with  peak MB  on two threads  router"
    );
    for case in CASES {
        if chosen.is_empty() || chosen.contains(&case.graph.0) {
            measure(case);
        }
    }
}

fn measure(Case { graph: (switches, degree, p, vcs), load, window, model: (router, traffic, name), peer }: Case) {
    let fabric = tulle_topologies::build(&format!("jellyfish:switches={switches},degree={degree},p={p}"), 1).unwrap();
    let routing = tulle_routing::build(&fabric, "minimal", 1).unwrap();
    let traffic = Traffic::new(&fabric, traffic, 1).unwrap();
    let router = format!("{router}:vcs={vcs}");
    let config = |threads| Config {
        router: router.clone(),
        load,
        warmup: WARMUP,
        window,
        drain: 0,
        threads,
        ..Config::default()
    };
    let run = |threads| {
        let mut start = None;
        let outcome = simulate(&fabric, &routing, &traffic, &config(threads), &mut |progress| {
            if progress.cycle >= u64::from(WARMUP) && start.is_none() {
                start = Some((progress.cycle, processor_seconds(), Instant::now()));
            }
            ControlFlow::Continue(())
        });
        let (outcome, (from, processor, clock)) = (outcome.unwrap(), start.unwrap());
        let (processor, wall) = (processor_seconds() - processor, clock.elapsed().as_secs_f64());
        Run { cycles: (outcome.cycles - from) as f64, outcome, processor, wall }
    };
    let mut best = run(1);
    let memory = peak_megabytes();
    let mut together = run(2);
    // Compare the outcomes as text. Samples without packets have NaN latency, and NaN is not equal to NaN.
    assert_eq!(format!("{:?}", best.outcome), format!("{:?}", together.outcome), "two threads change the outcome");
    for _ in 0..4 {
        let (one, two) = (run(1), run(2));
        best.wall = best.wall.min(one.wall);
        best.processor = best.processor.min(one.processor);
        together.wall = together.wall.min(two.wall);
    }
    let speed = best.cycles / best.processor;
    let traversals = best.outcome.traversals as f64 / best.outcome.cycles as f64 * speed / 1e6;
    println!(
        "{switches:7}  {load:4}  {:7.2}  {:8.4}  {speed:8.0}  {traversals:13.2}  {:13}  {memory:7.0}  {:13.2}x  {router}",
        best.outcome.latency,
        best.outcome.accepted,
        format!("{:.1} {name}", speed / peer),
        best.wall / together.wall
    );
}

/// Returns the processor time of all threads of this process in seconds (on Linux, in ticks of 10 ms; elsewhere NaN).
fn processor_seconds() -> f64 {
    let Ok(text) = fs::read_to_string("/proc/self/stat") else { return f64::NAN };
    let fields: Vec<&str> = text.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(f64::NAN);
    (ticks(11) + ticks(12)) / 100.0
}

/// Returns the peak resident memory of this process, including all cases so far (on Linux; elsewhere NaN).
fn peak_megabytes() -> f64 {
    let text = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok()).map_or(f64::NAN, |kb| kb / 1024.0)
}
