//! The configuration of a simulation.

use tulle_fabric::Fabric;
use tulle_spec::{Arguments, Group, Info, SpecError, parameters};

use crate::{Error, SaturationRule};

/// Upper limits of a measurement window and of a link latency, in cycles.
const MAX_WINDOW: u64 = 500_000_000;
const MAX_LATENCY: u64 = 10_000;

parameters! {
    /// The options of a flit simulation, in addition to fabric, routing and traffic. Times are in cycles: a link
    /// carries one flit per cycle.
    ///
    /// This is the only declaration of the options. The Python binding uses it directly. `tools/options.py` generates
    /// from it the Python signatures, the command-line options, the study parameters and the table in the
    /// documentation.
    ///
    /// The defaults are from the paper Multi-Path Routing in the Jellyfish Network, §IV: single-flit packets, links of 10 cycles,
    /// input-queued routers with a speedup of 2 and 32 flits per virtual channel, one virtual channel per hop, 500 cycles of warm-up and a
    /// window of 5000 cycles.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Config(arguments) -> SpecError {
        /// Router model.
        pub router: String = spec("router"), default "input-queued";
        /// Selector that chooses the route of a packet.
        pub selector: String = spec("flit-selector"), default "minimal";
        /// Policy that assigns virtual channels to each hop.
        pub policy: String = spec("policy"), default "hops";
        /// Offered load per sending endpoint, in flits per cycle.
        pub load: f64 = chance(), default "0.3";
        /// Flits per packet.
        pub packet: u32 = integer(1, 1024), default "1";
        /// Latency of the cables between switches, in cycles, for flits and credits.
        pub link_latency: u32 = integer(0, MAX_LATENCY), default "10";
        /// Latency of the cables of a channel class, in cycles, for example `global=50`. It replaces the link latency for these cables.
        pub class_latency: Vec<(String, u32)> = counts("channel class"), default "";
        /// Latency of the cables to endpoints, in cycles.
        pub endpoint_latency: u32 = integer(0, MAX_LATENCY), default "1";
        /// Length of a cycle in picoseconds. If it is given, links use the latencies of the fabric, rounded up to whole
        /// cycles; a class latency takes precedence. If it is not given, the latencies of the fabric are ignored. Link
        /// rates are always ignored: every link carries one flit per cycle.
        pub cycle_ps: Option<u64> = or("none", &integer(1, MAX_CYCLE)), default "none";
        /// Number of warm-up cycles before the measurement window; with a warm-up tolerance, the maximum number.
        pub warmup: u32 = integer(0, MAX_WINDOW), default "500";
        /// Warm-up tolerance: the warm-up ends when mean latency and accepted load both change by less than this
        /// fraction between consecutive samples. BookSim2 uses 0.05.
        pub warmup_tolerance: Option<f64> = or("none", &fraction()), default "none";
        /// Length of the measurement window in cycles.
        pub window: u32 = integer(1, MAX_WINDOW), default "5000";
        /// Maximum number of cycles to wait, after the window, for the packets created in the window.
        pub drain: u32 = integer(0, MAX_WINDOW), default "20000";
        /// Length of a sample in cycles. The mean latency is measured for each sample.
        pub sample: u32 = integer(1, MAX_WINDOW), default "500";
        /// Rule that decides whether a run is saturated. A run is saturated if a mean latency exceeds 500 cycles; the rules differ in this
        /// mean. `arrivals`: the mean over the packets of the window that arrive in one sample. `booksim`: BookSim2's mean over all
        /// measured packets that have arrived and the ages of all flits in flight, checked after every sample, and every 1000 cycles while
        /// packets drain.
        pub saturation: SaturationRule = word(SaturationRule::WORDS), default "arrivals";
        /// Seed of all random choices.
        pub seed: u64 = integer(0, ANY), default "0";
        /// Number of threads. The results do not depend on it.
        pub threads: usize = integer(1, 256), default "1";
        /// Allow configurations that can deadlock. Without this option, they are errors.
        pub may_deadlock: bool = flag(), default "no";
    }
}

/// The description of the options, for help texts and code generators.
pub static OPTIONS: Info = Info {
    name: "",
    aliases: &[],
    summary: "the options of a flit simulation",
    parameters: Config::PARAMETERS,
    nested: false,
    paper: "Multi-Path Routing in the Jellyfish Network §IV",
    limitations: "All links carry one flit per cycle.",
    examples: &["packet=4"],
    rejects: &[],
};

/// The options of simulations that measure a window of time. Run-to-completion simulations have their own options
/// instead.
pub const OPEN_LOOP: [&str; 7] = ["cycle_ps", "warmup", "warmup_tolerance", "window", "drain", "sample", "saturation"];

impl Default for Config {
    fn default() -> Self {
        Self::parse([]).expect("defaults are legal")
    }
}

/// The longest cycle in picoseconds: one second.
const MAX_CYCLE: u64 = 1_000_000_000_000;

/// Converts a latency in picoseconds to cycles of `cycle` picoseconds, rounded up.
fn in_cycles(latency: u64, cycle: u64, of: impl Fn() -> String) -> Result<u32, Error> {
    let cycles = latency.div_ceil(cycle.max(1));
    u32::try_from(cycles).ok().filter(|&cycles| cycles <= 10_000).ok_or_else(|| {
        Error::shape(format!("the latency of {} is {cycles} cycles of {cycle} ps", of()), "0 to 10000 cycles")
    })
}

impl Config {
    /// Parses options given as texts; all other options have their defaults.
    ///
    /// # Errors
    /// Fails if a name is unknown or a value is illegal.
    pub fn parse(options: impl IntoIterator<Item = (String, String)>) -> Result<Self, SpecError> {
        Self::read(&Arguments::of(&OPTIONS, options)?, &())
    }

    /// Checks the numbers.
    ///
    /// # Errors
    /// Fails if a number is out of range; the message states the legal range.
    pub(crate) fn check(&self) -> Result<(), Error> {
        // The spec parser checks the fields that are specs. This method also checks the numbers, because Rust callers can set fields
        // without the parser.
        let declared =
            |name: &str| Self::PARAMETERS.iter().find(|option| option.name == name).map(|option| option.kind);
        let reals = [("load", Some(self.load)), ("warmup_tolerance", self.warmup_tolerance)];
        for (name, value) in reals.into_iter().filter_map(|(name, value)| Some((name, value?))) {
            if let Some(why) = declared(name).and_then(|kind| kind.plain().read(&value.to_string()).err()) {
                return Err(Error::Config { name, value: value.to_string(), problem: why.problem, legal: why.legal });
            }
        }
        let numbers: [(_, u64); 8] = [
            ("packet", self.packet.into()),
            ("link_latency", self.link_latency.into()),
            ("endpoint_latency", self.endpoint_latency.into()),
            ("warmup", self.warmup.into()),
            ("window", self.window.into()),
            ("drain", self.drain.into()),
            ("sample", self.sample.into()),
            ("threads", self.threads as u64),
        ];
        for (name, value) in numbers {
            let range = declared(name).and_then(|kind| kind.range());
            if let Some((least, most)) = range.filter(|(least, most)| !(least..=most).contains(&&value)) {
                return Err(Error::config(name, value, "is out of range", format!("{least} to {most}")));
            }
        }
        Ok(())
    }

    /// Returns this configuration with the endpoint latency stated by `fabric`, if any.
    ///
    /// # Errors
    /// Fails if the cycle length or a latency is out of range, or if endpoints have different latencies.
    pub(crate) fn with_endpoint_latency_of(&self, fabric: &Fabric) -> Result<Self, Error> {
        let Some(cycle) = self.cycle_ps else { return Ok(self.clone()) };
        if !(1..=MAX_CYCLE).contains(&cycle) {
            return Err(Error::config("cycle_ps", cycle, "is out of range", format!("1 to {MAX_CYCLE}")));
        }
        let mut first: Option<(u32, u32)> = None;
        for endpoint in 0..fabric.num_endpoints() as u32 {
            let of = || format!("endpoint {}", fabric.endpoint_name(endpoint));
            let known = fabric.endpoint_latency(endpoint);
            let cycles = known.map_or(Ok(self.endpoint_latency), |known| in_cycles(known, cycle, of))?;
            let (other, expected) = *first.get_or_insert((endpoint, cycles));
            if cycles != expected {
                let problem = format!("differs from the {expected} cycles of endpoint {}", fabric.endpoint_name(other));
                let value = format!("{cycles} cycles of {}", of());
                return Err(Error::config("endpoint_latency", value, problem, "the same latency for all endpoints"));
            }
        }
        Ok(Self { endpoint_latency: first.map_or(self.endpoint_latency, |(_, cycles)| cycles), ..self.clone() })
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
        } else if let Some(rate) = rates().max()
            && (0..fabric.num_channels() as u32).any(|channel| fabric.link(channel).rate.is_none())
        {
            let rate = tulle_spec::units::write_rate(rate);
            lines.push(format!("some links have a rate of {rate}, but every link carries one flit per cycle"));
        }
        lines
    }

    /// Returns the latency of every channel of `fabric`.
    ///
    /// # Errors
    /// Fails if the fabric lacks a channel class named in the configuration, or if a latency is out of range.
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
                let problem = format!(
                    "cable {} has different latencies in its two directions, but credits return over the opposite direction",
                    fabric.cable_name(channel as u32)
                );
                return Err(Error::shape(problem, "the same latency in both directions"));
            }
            let class = fabric.class_names()[usize::from(fabric.classes()[channel])];
            let problem = "gives the two directions of a cable different latencies";
            return Err(Error::config("class_latency", class, problem, "the same latency for both classes of a cable"));
        }
        Ok(latency)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_declared_once_and_well() {
        assert_eq!(OPTIONS.fault(), None);
        assert!(OPEN_LOOP.iter().all(|name| OPTIONS.parameter(name).is_some()));
        let parse = |name: &str, text: &str| Config::parse([(name.to_owned(), text.to_owned())]);
        let classes = vec![("global".to_owned(), 50), ("local".to_owned(), 5)];
        assert_eq!(parse("class_latency", "global=50\nlocal=5").unwrap().class_latency, classes);
        for (name, text, expected) in [
            ("packet", "0", "packet=0 is out of range; legal: 1 to 1024"),
            (
                "warmup_tolerance",
                "2",
                "warmup_tolerance=2 is out of range; legal: above 0 and at most 1, or a percentage, or none",
            ),
            (
                "class_latency",
                "global",
                "class_latency=global holds 'global', which is not a count; legal: a whole number for each channel class, as name=number",
            ),
            ("pakcet", "1", "unknown parameter 'pakcet=1'; did you mean packet?"),
        ] {
            assert_eq!(parse(name, text).unwrap_err().to_string(), expected);
        }
        let error = |config: Config| config.check().unwrap_err().to_string();
        let base = Config::default;
        assert_eq!(error(Config { window: 0, ..base() }), "window=0 is out of range; legal: 1 to 500000000");
        assert!(error(Config { load: 1.5, ..base() }).starts_with("load=1.5 is out of range; legal: 0 to 1"));
    }
}
