//! The configuration of a simulation.

use tulle_spec::{Arguments, Group, Info, parameters};

use crate::Error;
use crate::packet::HEADER;
use crate::units::{MICROSECOND, MILLISECOND, SECOND};

/// The maximum number of partitions, and therefore of threads.
pub(crate) const MAX_PARTS: usize = 64;

const MEGABIT: u64 = 1_000_000;

parameters! {
    /// The options of a packet simulation, in addition to fabric, routing and workload.
    ///
    /// The options are declared only here. The Python binding is built from this struct. `tools/options.py` derives the Python signatures,
    /// the command-line options, the parameters of studies and the table in the documentation from it.
    ///
    /// The defaults come from FatPaths (§VII-A6): 9 KB jumbo frames, 1 µs per link, queues of 8 packets, a window of 8 packets, and a
    /// flowlet gap of 50 µs. The paper gives a rate only in an example, 10 Gb/s (§VII-A4). At that rate, a window of 8 packets of 9 KB
    /// fills one round trip, so the link stays busy. At 100 Gb/s, it fills about half of a round trip over 4 links.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Config(arguments) -> Error {
        /// Transport protocol of the endpoints.
        pub transport: String = spec("transport"), default "purified";
        /// Selector of layer and path. The default is `recycle`, or `flowlet` with dcqcn, whose receivers drop packets that arrive out
        /// of order.
        // circle: `config` and `transport` import each other, because the default selector depends on the transport.
        pub selector: String = spec("selector"), or "the transport's" { crate::default_selector(&transport)?.to_owned() };
        /// Queues of switch ports. The default is the queue that the transport is made for: `trim` for purified and ndp,
        /// `droptail` for tcp, `ecn` for dctcp and mptcp, `pfc` for dcqcn.
        // circle: `config` and `transport` import each other, because the default queue depends on the transport.
        pub queue: String = spec("queue"), or "the transport's" { crate::default_queue(&transport)?.to_owned() };
        /// Order in which an endpoint sends the data of its flows: `round-robin` (the flows take turns) or `fifo`.
        pub nic: String = spec("nic"), default "round-robin";
        /// Default link rate. It applies to links whose rate the fabric does not define.
        pub rate: u64 = rate_of(MEGABIT, 100_000_000 * MEGABIT), default "10Gbps";
        /// Default link latency: the time from the end of a transmission until the packet is at the next port. It includes
        /// propagation and switch delays.
        pub link_latency: u64 = duration_of(0, SECOND), default "1us";
        /// Maximum packet size on the wire, including the header of 64 bytes.
        pub mtu: u32 = bytes_of(HEADER as u64 + 1, u16::MAX as u64), default "9KB";
        /// Time that the software of an endpoint takes per message: once at the sender, before the transport starts, and once at the
        /// receiver, after the last byte has arrived (o of the LogGP model). An endpoint handles one message at a time.
        pub software: u64 = duration_of(0, MILLISECOND), default "0";
        /// Minimum time between the starts of two messages that an endpoint sends, and between two messages that it receives (g of the
        /// LogGP model).
        pub gap: u64 = duration_of(0, MILLISECOND), default "0";
        /// Failures and repairs during the run, for example `down:links=5%,at=50us,until=1ms`. `@FILE` reads faults from a file,
        /// one per line. The id of a link is the lower of the two channel ids of its cable.
        pub faults: Vec<String> = specs("fault"), default "";
        /// End of the simulated time. The default is to run until every flow has finished. Events at this time still happen.
        pub until: Option<u64> = or("never", &duration()), default "never";
        /// Time between samples of the network's state. The default is to take none.
        pub sample: Option<u64> = or("never", &duration_of(MICROSECOND, SECOND)), default "never";
        /// Links whose queue and utilisation are sampled together with the network's state, for example `3--7` (from switch 3 to
        /// switch 7), `leaf1/4` (out of port 4), `to:12` (to endpoint 12) or `17` (channel 17). The default is to sample no link.
        pub sample_links: Vec<String> = texts("SWITCH--SWITCH, SWITCH/PORT, to:ENDPOINT or a channel id"), default "";
        /// Seed of all random choices.
        pub seed: u64 = integer(0, ANY), default "0";
        /// Number of threads. The results are the same for any number. The default is one thread per processor in networks of
        /// 4096 endpoints or more, otherwise one thread. Simulations with lossless queues, faults, dependencies between messages
        /// or very short links always use one thread.
        pub threads: Option<usize> = or("auto", &integer(1, MAX_PARTS as u64)), default "auto";
        /// Report where the simulation spent its time. This costs about one percent of the run time.
        pub profile: bool = flag(), default "no";
    }
}

/// The description of the options, for help texts and code generators.
pub static OPTIONS: Info = Info {
    name: "",
    aliases: &[],
    summary: "the options of a packet simulation",
    parameters: Config::PARAMETERS,
    nested: false,
    paper: "FatPaths §VII-A6",
    limitations: "All links of a simulation have the same MTU.",
    examples: &["rate=100Gbps"],
    rejects: &[],
};

impl Default for Config {
    fn default() -> Self {
        Arguments::of(&OPTIONS, [])
            .map_err(Error::from)
            .and_then(|none| Self::read(&none, &()))
            .expect("defaults are legal")
    }
}

impl Config {
    /// Parses options, given as pairs of name and value. Options that are not given keep their defaults.
    ///
    /// # Errors
    /// Fails if a name is unknown or a value is illegal.
    pub fn parse(options: impl IntoIterator<Item = (String, String)>) -> Result<Self, Error> {
        Self::read(&Arguments::of(&OPTIONS, options)?, &())
    }
}

/// The rate, latency and maximum packet size (MTU) of a link, with precomputed transmission times.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    pub(crate) rate: u64,
    pub(crate) latency: u64,
    pub(crate) mtu: u16,
    /// Transmission times of a full packet and of a header, in picoseconds.
    full: u64,
    header: u64,
}

impl Link {
    /// Returns the default link of `config`, after checking the numeric options of `config`.
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        check("rate", config.rate)?;
        check("link_latency", config.link_latency)?;
        check("software", config.software)?;
        check("gap", config.gap)?;
        config.sample.map_or(Ok(()), |period| check("sample", period))?;
        config.threads.map_or(Ok(()), |threads| check("threads", threads as u64))?;
        check("mtu", config.mtu.into())?;
        let mut link =
            Self { rate: config.rate, latency: config.link_latency, mtu: config.mtu as u16, full: 0, header: 0 };
        link.full = link.compute(link.mtu);
        link.header = link.compute(HEADER);
        Ok(link)
    }

    /// Returns a link with another rate and latency, which must be legal.
    pub(crate) fn with(&self, rate: u64, latency: u64) -> Self {
        let mut link = Self { rate, latency, ..*self };
        link.full = link.compute(link.mtu);
        link.header = link.compute(HEADER);
        link
    }

    /// Returns the transmission time of a full packet in picoseconds.
    #[inline(always)]
    pub(crate) fn full(&self) -> u64 {
        self.full
    }

    /// Returns the payload of a full packet in bytes.
    pub(crate) fn payload(&self) -> u64 {
        u64::from(self.mtu - HEADER)
    }

    /// Returns the transmission time of `size` bytes in picoseconds.
    #[inline]
    pub(crate) fn time(&self, size: u16) -> u64 {
        if size == self.mtu {
            self.full
        } else if size == HEADER {
            self.header
        } else {
            self.compute(size)
        }
    }

    /// Returns the bytes that are sent within a time in picoseconds, rounded up.
    pub(crate) fn bytes_in(&self, picoseconds: u64) -> u64 {
        (u128::from(picoseconds) * u128::from(self.rate)).div_ceil(8_000_000_000_000) as u64
    }

    /// Returns how many bytes can still arrive over this link after the far end of the link has requested a pause.
    ///
    /// The sum contains the bytes of one round trip and three full packets. One packet triggers the request, one packet can delay the pause
    /// frame at the far end (only in real switches; simulated pause frames do not wait), and one packet is being sent when the pause frame
    /// arrives.
    pub(crate) fn reaction(&self) -> u64 {
        self.reaction_to(self)
    }

    /// Like [`Self::reaction`], but for pause frames that come over another link, `back`.
    pub(crate) fn reaction_to(&self, back: &Self) -> u64 {
        let flight = u128::from(self.rate) * u128::from(self.latency + back.latency) / 8_000_000_000_000;
        flight as u64 + 3 * u64::from(self.mtu)
    }

    /// Returns the minimum time from the decision to send a packet until the packet is at the far end.
    pub(crate) fn horizon(&self) -> u64 {
        self.latency + self.header
    }

    /// Returns the transmission time of `size` bytes, rounded up so that every packet takes some time.
    fn compute(&self, size: u16) -> u64 {
        (u64::from(size) * 8 * 1_000_000_000_000).div_ceil(self.rate)
    }
}

/// Checks a number that a caller set directly, without the option parser, against the declared range of the option.
fn check(name: &'static str, value: u64) -> Result<(), Error> {
    let kind = Config::PARAMETERS.iter().find(|option| option.name == name).map(|option| option.kind.plain());
    match kind.and_then(|kind| Some((kind, kind.range()?))) {
        Some((kind, (least, most))) if !(least..=most).contains(&value) => Err(Error::Config {
            name,
            value: value.to_string(),
            problem: "is out of range",
            legal: format!("legal: {kind}"),
        }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wire_times_are_exact() {
        let link = Link::new(&Config { rate: 100_000_000_000, mtu: 9064, ..Config::default() }).unwrap();
        assert_eq!((link.time(9064), link.time(64), link.time(1064)), (725_120, 5_120, 85_120));
        let slow = Link::new(&Config { rate: 3_000_000, ..Config::default() }).unwrap();
        assert_eq!(slow.time(64), 170_666_667);
    }

    /// The result is the number of bytes in a round trip plus three packets.
    #[test]
    fn reaction_covers_a_round_trip_and_three_packets() {
        let reaction = |rate, link_latency, mtu| {
            Link::new(&Config { rate, link_latency, mtu, ..Config::default() }).unwrap().reaction()
        };
        assert_eq!(reaction(10_000_000_000, 1_000_000, 1500), 2500 + 3 * 1500);
        assert_eq!(reaction(100_000_000_000, 0, 9000), 3 * 9000);
    }

    #[test]
    fn options_are_parsed_and_checked() {
        assert_eq!(OPTIONS.fault(), None);
        let given =
            [("rate", "40Gbps"), ("transport", "tcp"), ("faults", "down:links=5%,at=1us\ndrop:links=1,loss=1%")];
        let config = Config::parse(given.map(|(name, text)| (name.to_owned(), text.to_owned()))).unwrap();
        let expected = Config {
            rate: 40_000_000_000,
            transport: "tcp".to_owned(),
            queue: "droptail".to_owned(),
            faults: vec!["down:links=5%,at=1us".to_owned(), "drop:links=1,loss=1%".to_owned()],
            ..Config::default()
        };
        assert_eq!(config, expected);
        let error =
            |name: &str, text: &str| Config::parse([(name.to_owned(), text.to_owned())]).unwrap_err().to_string();
        assert_eq!(error("rate", "1bps"), "rate=1bps is out of range; legal: 1Mbps to 100Tbps");
        assert_eq!(error("nix", "fifo"), "unknown parameter 'nix=fifo'; did you mean nic?");
    }

    #[test]
    fn numbers_out_of_range_are_refused() {
        let error = |config| Link::new(&config).unwrap_err().to_string();
        let base = Config::default;
        assert_eq!(error(Config { rate: 0, ..base() }), "rate=0 is out of range; legal: 1Mbps to 100Tbps");
        assert!(error(Config { mtu: 64, ..base() }).starts_with("mtu=64 is out of range"));
        assert!(error(Config { mtu: 65_536, ..base() }).contains("65535"));
        assert!(error(Config { link_latency: u64::MAX, ..base() }).starts_with("link_latency="));
    }
}
