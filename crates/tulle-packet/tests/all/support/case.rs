//! Random small simulations. A seed and a number determine the fabric, routing, workload, configuration and faults.
//!
//! Fabrics, routings, queues, transports and selectors are taken from the examples in their registries, so every registered plug-in can
//! occur. Sizes are reduced so that a simulation takes milliseconds.

use std::fmt;

use tulle_base::random::{fnv1a, mix};
use tulle_deadlock::{VcPlan, assign_vcs};
use tulle_fabric::Fabric;
use tulle_packet::Config;
use tulle_routing::Routing;
use tulle_spec::Info;
use tulle_traffic::{Dependencies, Workload};

/// The maximum number of switches; larger fabrics are skipped.
const MAX_SWITCHES: usize = 64;
/// The maximum number of endpoints; larger fabrics are skipped.
const MAX_ENDPOINTS: usize = 400;
/// The maximum number of steps; larger workloads are skipped.
const MAX_STEPS: usize = 1500;
/// The maximum number of full packets of a flow.
const MAX_PACKETS: u64 = 40;

const MICROSECOND: u64 = 1_000_000;

/// Transports in addition to the examples of the registry: short timeouts, small and large windows, no handshake.
const TRANSPORTS: [&str; 14] = [
    "purified",
    "ndp:window=4",
    "purified:window=40,priority=no,timeout=20us",
    "purified:window=1,change=no,pace=0.5",
    "tcp:rto_initial=5ms",
    "tcp:window=40,handshake=no,interrupt=0,rto_initial=1ms,change=yes",
    "dctcp:rto_initial=3ms,software=3us",
    "dctcp:handshake=no,interrupt=1us,limit=5,rto_initial=1ms",
    "mptcp:rto_initial=3ms",
    "mptcp:subflows=8,ecn=no,handshake=no,rto_initial=1ms,interrupt=0",
    "mptcp:subflows=2,limit=3,rto_initial=1ms",
    "dcqcn:timeout=500us",
    "dcqcn:control=no,timeout=1ms",
    "dcqcn:timeout=100us,window=2",
];

const SELECTORS: [&str; 4] =
    ["flowlet:gap=0", "flowlet:gap=2us,first=minimal", "letflow:gap=5us", "size-aware:bytes=20KB,gap=3us"];

const QUEUES: [&str; 12] = [
    "trim:packets=1,headers=2",
    "trim:packets=3,headers=8",
    "droptail:packets=4,loss=1%",
    "droptail:packets=1",
    "ecn:packets=10,mark=2",
    "pfc:threshold=recommended",
    "pfc:threshold=testbed",
    "pfc:xoff=20KB,xon=10KB,kmin=2KB,kmax=20KB",
    "pfc:alpha=50%,buffer=100KB",
    "pfc:threshold=recommended,control=data",
    "pfc:xoff=20KB,xon=10KB,kmin=2KB,kmax=20KB,control=data",
    "pfc:alpha=50%,buffer=100KB,control=data",
];

/// A stream of random numbers. Every case has a separate stream.
struct Draw {
    key: u64,
    count: u64,
}

impl Draw {
    fn next(&mut self) -> u64 {
        self.count += 1;
        mix(mix(self.key) ^ self.count)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len() as u64) as usize]
    }

    /// With probability 1/2, returns a random element of `more`; otherwise, returns a random example of a random element of `infos`.
    fn example(&mut self, infos: &[&'static Info], more: &[&'static str]) -> &'static str {
        if !more.is_empty() && self.one_in(2) {
            return self.pick(more);
        }
        let info = self.pick(infos);
        self.pick(info.examples)
    }
}

/// The inputs of a random simulation.
pub struct Case {
    pub number: u64,
    pub fabric: Fabric,
    pub routing: Routing,
    pub workload: Workload,
    pub config: Config,
    /// The virtual lanes; `None` for a queue that drops packets, and in some lossless cases.
    pub plan: Option<VcPlan>,
}

impl Case {
    /// Returns case `number` of `seed`.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut draw = Draw { key: mix(seed ^ fnv1a(b"packet/soak")) ^ number, count: 0 };
        let fabric = fabric(&mut draw);
        let routing = routing(&mut draw, &fabric);
        let mtu = *draw.pick(&[&65, &576, &1500, &4160, &9000, &9064, &65_535]);
        let workload = workload(&mut draw, &fabric, u64::from(mtu) - 64);
        let config = config(&mut draw, &fabric, &routing, mtu);
        let (plan, repaired) = plan(&mut draw, &fabric, &routing, &config).unzip();
        let routing = repaired.flatten().unwrap_or(routing);
        Self { number, fabric, routing, workload, config, plan }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fabric, routing, workload, config: c, .. } = self;
        let (flows, steps, traffic) = (workload.len(), workload.num_steps(), &workload.spec);
        write!(
            f,
            "{} | {} | {} | {traffic} ({flows} flows, {steps} steps) | {} | {} | {} | {} | {} bps {} ps {} B, {} ps {} ps per message | {}",
            fabric.spec(),
            routing.spec(),
            self.plan.as_ref().map_or("no lanes", VcPlan::spec),
            c.queue,
            c.nic,
            c.transport,
            c.selector,
            c.rate,
            c.link_latency,
            c.mtu,
            c.software,
            c.gap,
            c.faults.join(" ")
        )
    }
}

fn fabric(draw: &mut Draw) -> Fabric {
    let infos: Vec<&Info> = tulle_topologies::families().iter().map(|entry| entry.info).collect();
    loop {
        let spec = draw.example(&infos, &[]);
        let seed = draw.below(4);
        // Examples that read a file fail, because the tests have no such file.
        let Ok(fabric) = tulle_topologies::build(spec, seed) else { continue };
        let endpoints = 2..=MAX_ENDPOINTS;
        if !endpoints.contains(&fabric.num_endpoints()) || fabric.num_switches() > MAX_SWITCHES {
            continue;
        }
        // Some fabrics have a failed link from the start.
        if draw.one_in(8)
            && fabric.num_switches() > 2
            && let Ok(faults) = "links=1".parse::<tulle_fabric::Faults>()
            && let Ok(damaged) = fabric.without(&faults, seed)
            && tulle_fabric::distances::is_connected(&damaged)
        {
            return damaged;
        }
        return fabric;
    }
}

fn routing(draw: &mut Draw, fabric: &Fabric) -> Routing {
    let infos: Vec<&Info> = tulle_routing::schemes().iter().map(|entry| entry.info).collect();
    // Some routing schemes do not support every fabric; `minimal` does.
    for _ in 0..8 {
        let spec = draw.example(&infos, &[]);
        if let Ok(routing) = tulle_routing::build(fabric, spec, draw.below(4))
            && is_usable(fabric, &routing)
        {
            return routing;
        }
    }
    tulle_routing::build(fabric, "minimal", 0).unwrap()
}

/// Returns whether `routing` can be simulated: at most 255 layers, or 1 to 255 explicit paths between all switches with endpoints.
/// `virtual-updown` does not guarantee a path for every pair.
fn is_usable(fabric: &Fabric, routing: &Routing) -> bool {
    let switches = fabric.endpoint_switches();
    let pairs = || switches.iter().flat_map(|&from| switches.iter().map(move |&to| (from, to)));
    match routing.path_set() {
        Some(paths) => pairs().all(|(from, to)| from == to || (1..=255).contains(&paths.between(from, to).len())),
        None => routing.num_layers() <= 255,
    }
}

fn workload(draw: &mut Draw, fabric: &Fabric, payload: u64) -> Workload {
    let mut workload = if draw.one_in(2) { rows(draw, fabric) } else { pattern(draw, fabric) };
    let most = payload * (1 + draw.below(MAX_PACKETS));
    workload.bytes.iter_mut().for_each(|bytes| *bytes = 1 + *bytes % most);
    workload.start.iter_mut().for_each(|start| *start %= 3000 * MICROSECOND);
    workload.compute.iter_mut().for_each(|time| *time %= 300 * MICROSECOND);
    workload
}

/// Returns a workload from the registry of traffic patterns, including its dependencies.
fn pattern(draw: &mut Draw, fabric: &Fabric) -> Workload {
    let infos: Vec<&Info> = tulle_traffic::patterns().iter().map(|entry| entry.info).collect();
    for _ in 0..16 {
        let spec = draw.example(&infos, &[]);
        let seed = draw.below(4);
        if let Ok(workload) = tulle_traffic::build(fabric, spec, seed)
            && (1..=MAX_STEPS).contains(&workload.num_steps())
            && !workload.is_empty()
        {
            return workload;
        }
    }
    rows(draw, fabric)
}

/// Returns messages between random endpoints. One of three workloads also has computations and dependencies between steps.
fn rows(draw: &mut Draw, fabric: &Fabric) -> Workload {
    let endpoints = fabric.num_endpoints() as u64;
    let mut workload = Workload { spec: "rows".to_owned(), ..Workload::default() };
    for _ in 0..=draw.below(60) {
        let source = draw.below(endpoints);
        let destination = (source + 1 + draw.below(endpoints - 1)) % endpoints;
        let start = if draw.one_in(2) { 0 } else { draw.below(300 * MICROSECOND) };
        workload.push(source as u32, destination as u32, draw.next(), start);
    }
    if draw.one_in(3) {
        let computations = draw.below(10);
        workload.compute = (0..computations).map(|_| if draw.one_in(4) { 0 } else { draw.next() }).collect();
        let steps = workload.num_steps() as u64;
        let mut pairs = Vec::new();
        // Steps depend only on earlier steps of a random order, so dependencies have no cycle.
        let mut order: Vec<u32> = (0..steps as u32).collect();
        order.sort_by_key(|&step| mix(draw.key ^ u64::from(step)));
        for at in 1..steps {
            for _ in 0..draw.below(3) {
                pairs.push((order[at as usize], order[draw.below(at) as usize]));
            }
        }
        workload.dependencies = Dependencies::from_pairs(steps as usize, &pairs).unwrap();
    }
    workload
}

fn config(draw: &mut Draw, fabric: &Fabric, routing: &Routing, mtu: u32) -> Config {
    let transports: Vec<&Info> = tulle_packet::transports();
    let selectors: Vec<&Info> = tulle_packet::selectors();
    let queues: Vec<&Info> = tulle_packet::queues();
    let mut config = Config {
        rate: *draw.pick(&[&1_000_000_000, &10_000_000_000, &10_000_000_000, &100_000_000_000, &400_000_000_000]),
        link_latency: *draw.pick(&[&0, &1, &100_000, &1_000_000, &1_000_000, &20_000_000]),
        mtu,
        seed: draw.next(),
        ..Config::default()
    };
    // Some parameter values are legal only for certain links, and `letflow` needs forwarding tables.
    loop {
        config.transport = draw.example(&transports, &TRANSPORTS).to_owned();
        config.selector = draw.example(&selectors, &SELECTORS).to_owned();
        config.queue = draw.example(&queues, &QUEUES).to_owned();
        let over_paths = routing.path_set().is_some();
        if tulle_packet::check(&config).is_ok() && !(over_paths && config.selector.starts_with("letflow")) {
            break;
        }
    }
    let nics = tulle_packet::nics();
    config.nic = nics[draw.below(nics.len() as u64) as usize].name.to_owned();
    // With short links, time windows are short, and two threads are slow on busy processors. Therefore, only a few cases use two threads.
    config.threads = Some(if draw.one_in(16) && config.link_latency >= 100_000 { 2 } else { 1 });
    if draw.one_in(8) {
        config.sample = Some(100 * MICROSECOND * (1 + draw.below(100)));
    }
    if draw.one_in(2) {
        config.faults = (0..=draw.below(3)).map(|_| fault(draw, fabric)).collect();
    }
    if draw.one_in(4) {
        config.software = *draw.pick(&[&0, &1, &700_000, &(30 * MICROSECOND)]);
        config.gap = *draw.pick(&[&0, &1, &100_000, &(20 * MICROSECOND)]);
    }
    config
}

/// Returns a plan of virtual lanes, and the changed routing if the scheme had to change paths. Some schemes do not support every routing.
fn plan(draw: &mut Draw, fabric: &Fabric, routing: &Routing, config: &Config) -> Option<(VcPlan, Option<Routing>)> {
    if !config.queue.starts_with("pfc") || draw.one_in(3) {
        return None;
    }
    let infos: Vec<&Info> = tulle_deadlock::schemes();
    (0..4).find_map(|_| {
        let planned = assign_vcs(fabric, routing, draw.example(&infos, &["dfsssp", "hops"])).ok()?;
        (planned.0.num_vcs() <= 15 && planned.0.num_phases() == 1).then_some(planned)
    })
}

/// Returns a random fault: links or switches that go down temporarily or permanently, or lose packets.
fn fault(draw: &mut Draw, fabric: &Fabric) -> String {
    let amounts = ["switches=1", "switches=10%", "links=10%", "links=30%", "links=1", "links=2"];
    let amount = draw.pick(&amounts[..amounts.len() - 2 + fabric.num_cables().min(2)]);
    let at = draw.below(200);
    let until = at + 1 + draw.below(2000);
    if draw.one_in(3) {
        // A permanent high loss would let flows finish only after simulated hours, so a fault with high loss always ends.
        return match draw.below(3) {
            0 => format!("drop:{amount},at={at}us,until={until}us"),
            1 => format!("drop:{amount},at={at}us,until={until}us,loss=30%"),
            _ => format!("drop:{amount},at={at}us,loss=5%"),
        };
    }
    let detect = *draw.pick(&[&"0", &"1us", &"100us", &"10ms"]);
    match draw.below(3) {
        0 => format!("down:{amount},at={at}us,detect={detect}"),
        _ => format!("down:{amount},at={at}us,until={until}us,detect={detect}"),
    }
}
