//! The configuration of a simulation.

use tulle_fabric::Fabric;

use crate::Error;

/// The configuration of a simulation, apart from fabric, routing and traffic. Times are in cycles; a link carries one
/// flit per cycle.
///
/// The defaults are those of the Jellyfish paper (§IV): single-flit packets, links of 10 cycles, input-queued routers
/// with a speedup of 2 and 32 flits per VC, one VC per hop, 500 cycles of warm-up and a window of 5000.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The router model, for example `input-queued:vcs=2,buffer=32`; see [`crate::routers`].
    pub router: String,
    /// The route selector, for example `minimal` or `ugal:candidates=4`; see [`crate::selectors`].
    pub selector: String,
    /// The VC policy: which VCs a packet may use at each hop, for example `hops`; see [`crate::policies`].
    pub policy: String,
    /// Offered load per sending endpoint, in flits per cycle: 0 to 1.
    pub load: f64,
    /// Flits per packet.
    pub packet: u32,
    /// Latency of a cable between switches, for flits and credits.
    pub link_latency: u32,
    /// Latencies of the cables of some channel classes; they override `link_latency`.
    pub class_latency: Vec<(String, u32)>,
    /// Latency of an endpoint's cable.
    pub endpoint_latency: u32,
    /// Length of a cycle in picoseconds. If set, links whose latency the fabric knows ([`Fabric::link_latency`]) use
    /// that latency, rounded up to whole cycles, instead of `link_latency` and `endpoint_latency`. If unset, the
    /// fabric's link properties are ignored. Every link carries one flit per cycle whatever its rate: a cycle is the
    /// time of a flit at the common rate.
    pub cycle_ps: Option<u64>,
    /// Cycles before the measurement; with `warmup_tolerance` the maximum.
    pub warmup: u32,
    /// Ends the warm-up when the mean latencies, and the accepted loads, of two consecutive samples differ by less than
    /// this fraction of the later value (BookSim2's test, 0.05 there); above 0 and at most 1.
    pub warmup_tolerance: Option<f64>,
    /// Length of the measurement window. Accepted load is measured in it, and packets created in it are tracked.
    pub window: u32,
    /// Maximum cycles after the window to wait for those packets.
    pub drain: u32,
    /// Cycles per sample of the mean latency.
    pub sample: u32,
    /// The seed of all random choices.
    pub seed: u64,
    /// Number of threads; the outcome does not depend on it.
    pub threads: usize,
    /// Whether to allow configurations that can deadlock.
    pub may_deadlock: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            router: "input-queued".to_owned(),
            selector: "minimal".to_owned(),
            policy: "hops".to_owned(),
            load: 0.3,
            packet: 1,
            link_latency: 10,
            class_latency: Vec::new(),
            endpoint_latency: 1,
            cycle_ps: None,
            warmup: 500,
            warmup_tolerance: None,
            window: 5000,
            drain: 20_000,
            sample: 500,
            seed: 0,
            threads: 1,
            may_deadlock: false,
        }
    }
}

/// One second in picoseconds.
const MAX_CYCLE: u64 = 1_000_000_000_000;

/// Converts `latency` in picoseconds to cycles of `cycle` picoseconds, rounded up.
fn in_cycles(latency: u64, cycle: u64, of: impl Fn() -> String) -> Result<u32, Error> {
    let cycles = latency.div_ceil(cycle.max(1));
    u32::try_from(cycles)
        .ok()
        .filter(|&cycles| cycles <= 10_000)
        .ok_or_else(|| Error::config("latency", of(), format!("is {cycles} cycles of {cycle} ps"), "0 to 10000 cycles"))
}

impl Config {
    /// Checks the numeric fields.
    ///
    /// # Errors
    /// A number out of range, with the legal range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        if !(0.0..=1.0).contains(&self.load) {
            return Err(Error::config("load", self.load, "is out of range", "0 to 1 flits per cycle and endpoint"));
        }
        if let Some(share) = self.warmup_tolerance.filter(|share| !(*share > 0.0 && *share <= 1.0)) {
            return Err(Error::config("warmup_tolerance", share, "is out of range", "above 0 and at most 1"));
        }
        let numbers: [(_, u64, _); 8] = [
            ("packet", self.packet.into(), 1..=1024),
            ("link_latency", self.link_latency.into(), 0..=10_000),
            ("endpoint_latency", self.endpoint_latency.into(), 0..=10_000),
            ("warmup", self.warmup.into(), 0..=500_000_000),
            ("window", self.window.into(), 1..=500_000_000),
            ("drain", self.drain.into(), 0..=500_000_000),
            ("sample", self.sample.into(), 1..=500_000_000),
            ("threads", self.threads as u64, 1..=256),
        ];
        for (name, value, legal) in numbers {
            if !legal.contains(&value) {
                return Err(Error::config(
                    name,
                    value,
                    "is out of range",
                    format!("{} to {}", legal.start(), legal.end()),
                ));
            }
        }
        Ok(())
    }

    /// Returns this configuration with the endpoint latency that `fabric` knows.
    ///
    /// # Errors
    /// A cycle length or a latency out of range, or endpoints with different latencies.
    pub(crate) fn with_endpoint_latency_of(&self, fabric: &Fabric) -> Result<Self, Error> {
        let Some(cycle) = self.cycle_ps else { return Ok(self.clone()) };
        if !(1..=MAX_CYCLE).contains(&cycle) {
            return Err(Error::config("cycle_ps", cycle, "is out of range", format!("1 to {MAX_CYCLE}")));
        }
        let mut latency = None;
        for endpoint in 0..fabric.num_endpoints() as u32 {
            let of = || format!("endpoint {}", fabric.endpoint_name(endpoint));
            let known = fabric.endpoint_latency(endpoint);
            let cycles = known.map_or(Ok(self.endpoint_latency), |known| in_cycles(known, cycle, of))?;
            if *latency.get_or_insert(cycles) != cycles {
                let problem = format!("is {cycles} cycles from its switch, unlike other endpoints");
                return Err(Error::config("endpoint_latency", of(), problem, "the same latency for all endpoints"));
            }
        }
        Ok(Self { endpoint_latency: latency.unwrap_or(self.endpoint_latency), ..self.clone() })
    }

    /// Returns warnings about properties of `fabric`'s links that the simulation ignores, one line each.
    pub(crate) fn ignored_link_properties(&self, fabric: &Fabric) -> Vec<String> {
        let Some(links) = fabric.links() else { return Vec::new() };
        let mut lines = Vec::new();
        if self.cycle_ps.is_none() && links.kinds().iter().any(|link| link.latency.is_some()) {
            lines.push("the link latencies of the fabric are ignored without cycle_ps=".to_owned());
        }
        let rates = || links.kinds().iter().filter_map(|link| link.rate);
        if let (Some(least), Some(most)) = (rates().min(), rates().max())
            && least < most
        {
            let [least, most] = [least, most].map(tulle_spec::units::write_rate);
            lines.push(format!("links have rates of {least} to {most}, but every link carries one flit per cycle"));
        }
        lines
    }

    /// Returns the latency of every channel of `fabric`.
    ///
    /// # Errors
    /// A class that the fabric does not have, or a latency out of range.
    pub(crate) fn latencies(&self, fabric: &Fabric) -> Result<Vec<u32>, Error> {
        let mut latency = vec![self.link_latency; fabric.num_channels()];
        if let Some(cycle) = self.cycle_ps {
            for (channel, latency) in (0..).zip(&mut latency) {
                if let Some(known) = fabric.link_latency(channel) {
                    *latency = in_cycles(known, cycle, || format!("cable {}", fabric.cable_name(channel)))?;
                }
            }
        }
        for (class, cycles) in &self.class_latency {
            let names = fabric.class_names();
            let Some(number) = names.iter().position(|name| name == class) else {
                let problem = format!("is not a channel class of {}", fabric.spec());
                return Err(Error::config("class_latency", class, problem, names.join(", ")));
            };
            if *cycles > 10_000 {
                return Err(Error::config("class_latency", cycles, "is out of range", "0 to 10000"));
            }
            let of_class = fabric.classes().iter().zip(&mut latency).filter(|(of, _)| usize::from(**of) == number);
            of_class.for_each(|(_, latency)| *latency = *cycles);
        }
        // Credits return over the opposite direction of the cable, so both directions need the same latency.
        if let Some(channel) = (0..latency.len()).find(|&at| latency[at] != latency[fabric.reverse()[at] as usize]) {
            if self.cycle_ps.is_some() && fabric.links().is_some() {
                let cable = format!("cable {}", fabric.cable_name(channel as u32));
                let problem =
                    "has different latencies in its two directions, but credits return over the opposite direction";
                return Err(Error::config("latency", cable, problem, "the same in both directions"));
            }
            let class = fabric.class_names()[usize::from(fabric.classes()[channel])];
            let problem = "gives the two directions of a cable different latencies";
            return Err(Error::config("class_latency", class, problem, "the same for both classes of a cable"));
        }
        Ok(latency)
    }
}
