//! Reruns reference curves of BookSim2 and CAMINOS. Prints the results of tulle (means over eight seeds) beside the
//! reference values.
//!
//! `cargo run --release -p tulle-flit --example curves -- DIRECTORY [NAME]`: DIRECTORY holds a CSV file per curve
//! (columns offered_load, packet_latency_avg or message_delay_avg, accepted_load), optionally its `.meta.json`, and
//! `topologies/`. With NAME, only curves whose names contain NAME are run.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;

use tulle_fabric::Fabric;
use tulle_flit::{Config, Traffic, simulate};
use tulle_traffic::Workload;

type Failure = Box<dyn std::error::Error>;

/// The settings of a curve: its name, fabric (a spec, or the name of its files), routing, router, selector, policy,
/// traffic (a spec, or a file of pairs), link latency, and the latency of global cables if it differs.
struct Curve {
    name: &'static str,
    fabric: &'static str,
    routing: &'static str,
    router: &'static str,
    selector: &'static str,
    policy: &'static str,
    traffic: &'static str,
    latency: u32,
    global: Option<u32>,
}

const fn booksim(name: &'static str, fabric: &'static str, router: &'static str) -> Curve {
    Curve {
        name,
        fabric,
        routing: "minimal",
        router,
        selector: "minimal",
        policy: "hops",
        traffic: "uniform",
        latency: 10,
        global: None,
    }
}

/// Router parameters of curves from a patched BookSim2 that chooses the VC of a new packet at random.
macro_rules! drawn {
    ($parameters:literal) => {
        concat!("input-queued:inject=random,", $parameters)
    };
}

const CURVES: [Curve; 13] = [
    booksim("bs_rrg36_minrnd_uniform", "rrg_36_24_16_s1", drawn!("vcs=2")),
    booksim("bs_sf5_minrnd_uniform", "sf_q5_p4", drawn!("vcs=2")),
    booksim("bs_hyperx8x8_minrnd_uniform", "hyperx_8x8_p4", drawn!("vcs=2")),
    booksim("bs_oft6_minrnd_uniform", "oft_k6", drawn!("vcs=2")),
    Curve {
        selector: "single-path",
        policy: "free",
        ..booksim("bs_oft6_min_uniform_8vcany", "oft_k6", drawn!("vcs=8"))
    },
    Curve {
        selector: "valiant",
        traffic: "perm_hyperx_8x8_p4_shiftrow.csv",
        ..booksim("bs_hyperx8x8_valiant_shiftrow", "hyperx_8x8_p4", drawn!("vcs=4"))
    },
    // The native flattened butterfly of BookSim2 crosses the dimensions in random order. On this graph, random minimal
    // routing gives the same paths.
    Curve { latency: 1, ..booksim("bs_flatfly8x8_native_ranmin_uniform", "hyperx_8x8_p4", drawn!("vcs=4")) },
    // This curve uses BookSim2's own mesh, router and injection process.
    Curve {
        selector: "dimension-order",
        policy: "free",
        latency: 1,
        ..booksim(
            "bs_mesh8x8_dor_uniform_native",
            "mesh:shape=8x8,p=1",
            "input-queued:vcs=2,buffer=8,speedup=1,credit=0,route=1,allocator=islip",
        )
    },
    // The native Dragonfly of BookSim2 routes over local, global and local cables, and changes the VC on the global
    // cable. It chooses the VC of a new packet at random.
    Curve {
        routing: "hierarchical",
        policy: "crossings",
        global: Some(100),
        ..booksim("bs_dragonfly_k2_min_uniform_native", "dragonfly:p=2", drawn!("vcs=2,buffer=256"))
    },
    caminos("cam_rrg36_min_uniform_1phit", "rrg_36_24_16_s1", "virtual-cut-through:vcs=2"),
    caminos("cam_sf5_min_uniform_1phit", "sf_q5_p4", "virtual-cut-through:vcs=2"),
    Curve { policy: "free", ..caminos("cam_oft6_updown_uniform_1phit_8vc", "oft_k6", "virtual-cut-through:vcs=8") },
    Curve {
        global: Some(100),
        ..caminos(
            "cam_dragonfly_h2_min_uniform_1phit",
            "dragonfly:p=2,arrangement=palm-tree",
            "virtual-cut-through:vcs=3,buffer=256",
        )
    },
];

const fn caminos(name: &'static str, fabric: &'static str, router: &'static str) -> Curve {
    Curve { traffic: "uniform:self=no", ..booksim(name, fabric, router) }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(directory) = arguments.first() else {
        eprintln!("missing argument: the directory of the reference curves");
        std::process::exit(2);
    };
    let wanted = arguments.get(1).map_or("", String::as_str);
    for curve in CURVES.iter().filter(|curve| curve.name.contains(wanted)) {
        if let Err(error) = compare(Path::new(directory), curve) {
            eprintln!("{}: {error}", curve.name);
            std::process::exit(2);
        }
    }
}

fn compare(directory: &Path, curve: &Curve) -> Result<(), Failure> {
    let fabric = match curve.fabric.contains(':') {
        true => tulle_topologies::build(curve.fabric, 0)?,
        false => {
            let topology = directory.join("topologies").join(curve.fabric);
            let topology = topology.display();
            tulle_topologies::build(&format!("file:edges={topology}.edges.csv,nodes={topology}.nodes.csv"), 0)?
        }
    };
    let routing = tulle_routing::build(&fabric, curve.routing, 0)?;
    let traffic = traffic(directory, &fabric, curve.traffic)?;
    let config = |load, seed| Config {
        router: curve.router.to_owned(),
        selector: curve.selector.to_owned(),
        policy: curve.policy.to_owned(),
        load,
        link_latency: curve.latency,
        class_latency: curve.global.map(|cycles| ("global".to_owned(), cycles)).into_iter().collect(),
        window: if curve.name.starts_with("cam") { 2500 } else { 5000 },
        seed,
        ..Config::default()
    };
    println!("{}", curve.name);
    let text = fs::read_to_string(directory.join(format!("{}.csv", curve.name)))?;
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let header = lines.next().unwrap_or_default();
    let column = |names: [&str; 2]| {
        header.iter().position(|name| names.contains(name)).ok_or_else(|| format!("the column {} is missing", names[0]))
    };
    let columns = [
        column(["offered_load"; 2])?,
        column(["packet_latency_avg", "message_delay_avg"])?,
        column(["accepted_load"; 2])?,
    ];
    for row in lines {
        let [load, latency, accepted] = columns.map(|at| row[at].parse::<f64>().unwrap_or(f64::NAN));
        let ours = mean(|seed| {
            let ours = simulate(&fabric, &routing, &traffic, &config(load, seed), &mut |_| ControlFlow::Continue(()))?;
            Ok([ours.latency, ours.accepted])
        })?;
        let of = |ours: f64, theirs: f64| 100.0 * (ours / theirs - 1.0);
        println!(
            "  load {load:.2}: latency {:8.3} reference {latency:8.3} ({:+.2}%), accepted {:.4} reference {accepted:.4} ({:+.2}%)",
            ours[0],
            of(ours[0], latency),
            ours[1],
            of(ours[1], accepted),
        );
    }
    let Ok(meta) = fs::read_to_string(directory.join(format!("{}.meta.json", curve.name))) else { return Ok(()) };
    let full = meta.split("\"accepted_at_offered_1\":").nth(1).and_then(|rest| rest.split([',', '\n', '}']).next());
    if let Some(theirs) = full.and_then(|value| value.trim().parse::<f64>().ok()) {
        let [ours] = mean(|seed| {
            let full = Config { drain: 0, ..config(1.0, seed) };
            Ok([simulate(&fabric, &routing, &traffic, &full, &mut |_| ControlFlow::Continue(()))?.accepted])
        })?;
        println!(
            "  at offered load 1.0: accepted load {ours:.4} reference {theirs:.4} ({:+.2}%)",
            100.0 * (ours / theirs - 1.0)
        );
    }
    Ok(())
}

/// Averages results over seeds. At light load, results of single runs differ by about one percent.
fn mean<const N: usize>(run: impl Fn(u64) -> Result<[f64; N], Failure>) -> Result<[f64; N], Failure> {
    const SEEDS: u64 = 8;
    let mut sums = [0.0; N];
    for seed in 1..=SEEDS {
        let figures = run(seed)?;
        sums.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure / SEEDS as f64);
    }
    Ok(sums)
}

fn traffic(directory: &Path, fabric: &Fabric, traffic: &str) -> Result<Traffic, Failure> {
    if !traffic.contains(".csv") {
        return Ok(Traffic::new(fabric, traffic, 0)?);
    }
    let mut workload = Workload { spec: traffic.to_owned(), ..Workload::default() };
    for line in fs::read_to_string(directory.join("topologies").join(traffic))?.lines().skip(1) {
        let (source, destination) =
            line.split_once(',').ok_or("the traffic file needs lines of the form SOURCE,DESTINATION")?;
        workload.push(source.parse()?, destination.parse()?, 1, 0);
    }
    Ok(Traffic::from_workload(fabric, &workload)?)
}
