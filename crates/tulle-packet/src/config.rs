//! The configuration of a simulation.

use crate::Error;
use crate::packet::HEADER;

/// Parts there may be.
pub(crate) const MAX_PARTS: usize = 64;

/// The configuration of a simulation, beside fabric, routing and workload.
///
/// The default is FatPaths' (§VII-A6): 9 KB jumbo frames, 1 µs per link, queues of 8 packets, a window of 8 packets,
/// flowlets after 50 µs. The paper names a rate only in an example, 10 Gb/s (§VII-A4): the rate at which 8 packets of 9 KB
/// are one round trip, as a first window should be. At 100 Gb/s a window of 8 leaves most of a link idle.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// Bits per second of the links whose rate the fabric does not know.
    pub rate: u64,
    /// Picoseconds from the end of a transmission until the packet is at the next port: propagation, and the switch; of the links
    /// whose latency the fabric does not know.
    pub link_latency: u64,
    /// Bytes of a full packet on the wire, its header of 64 bytes included.
    pub mtu: u32,
    /// The queue model of switch ports, as `trim:packets=8`; see [`crate::queues`].
    pub queue: String,
    /// In which order the flows of an endpoint go to its link, as `round-robin`; see [`crate::nics`].
    pub nic: String,
    /// The transport, as `purified:window=8`; see [`crate::transports`].
    pub transport: String,
    /// The selector of layer and path, as `flowlet:gap=50us`; see [`crate::selectors`].
    pub selector: String,
    /// The faults in time, as `down:links=ids:12,at=50us,until=1ms`; see [`crate::faults`].
    pub faults: Vec<String>,
    /// The seed of all random choices.
    pub seed: u64,
    /// When to cut the run off, in picoseconds; what is due at this time still happens.
    pub until: Option<u64>,
    /// Picoseconds from one sample of the network's state to the next, at least a microsecond; `None` for no samples.
    pub sample: Option<u64>,
    /// Threads, 1 to 64; the outcome is the same for any number. `None`: one per processor in networks of 4096 endpoints or more,
    /// else one. A simulation with lossless queues, faults, or messages that wait for others takes one in any case, and so does one
    /// whose ports send fewer than 8 full packets in the time that a header takes over a link.
    pub threads: Option<usize>,
    /// Whether to take the times for [`crate::Profile`]; costs about a hundredth.
    pub profile: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            rate: 10_000_000_000,
            link_latency: 1_000_000,
            mtu: 9000,
            queue: "trim".to_owned(),
            // circle: the default is the first that is registered.
            nic: crate::nics()[0].name.to_owned(),
            transport: "purified".to_owned(),
            selector: "flowlet".to_owned(),
            faults: Vec::new(),
            seed: 0,
            until: None,
            sample: None,
            threads: None,
            profile: false,
        }
    }
}

/// A link, as the engine needs it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Link {
    pub(crate) rate: u64,
    pub(crate) latency: u64,
    pub(crate) mtu: u16,
    /// Picoseconds that a full packet and a header take on the wire.
    full: u64,
    header: u64,
}

impl Link {
    /// Checks the numbers of `config`.
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        const MEGABIT: u64 = 1_000_000;
        const SECOND: u64 = 1_000_000_000_000;
        check("rate", config.rate, MEGABIT..=100_000_000 * MEGABIT, "1Mbps to 100Tbps")?;
        check("link_latency", config.link_latency, 0..=SECOND, "0 to 1s in picoseconds")?;
        if let Some(period) = config.sample {
            check("sample", period, 1_000_000..=SECOND, "1us to 1s in picoseconds")?;
        }
        if let Some(threads) = config.threads {
            check("threads", threads as u64, 1..=MAX_PARTS as u64, "1 to 64")?;
        }
        let least = u64::from(HEADER) + 1;
        check("mtu", config.mtu.into(), least..=u16::MAX.into(), "65 to 65535 bytes, 64 of them header")?;
        let mut link =
            Self { rate: config.rate, latency: config.link_latency, mtu: config.mtu as u16, full: 0, header: 0 };
        link.full = link.compute(link.mtu);
        link.header = link.compute(HEADER);
        Ok(link)
    }

    /// A link of another rate and latency, both legal.
    pub(crate) fn with(&self, rate: u64, latency: u64) -> Self {
        let mut link = Self { rate, latency, ..*self };
        link.full = link.compute(link.mtu);
        link.header = link.compute(HEADER);
        link
    }

    /// Picoseconds that a full packet takes on the wire.
    #[inline(always)]
    pub(crate) fn full(&self) -> u64 {
        self.full
    }

    /// Payload of a full packet in bytes.
    pub(crate) fn payload(&self) -> u64 {
        u64::from(self.mtu - HEADER)
    }

    /// Picoseconds that `size` bytes take on the wire.
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

    /// Bytes that are sent in so many picoseconds, rounded up.
    pub(crate) fn bytes_in(&self, picoseconds: u64) -> u64 {
        (u128::from(picoseconds) * u128::from(self.rate)).div_ceil(8_000_000_000_000) as u64
    }

    /// Bytes that may still come over the link once its far end asks to pause: those of a round trip, and a packet each that
    /// makes it ask, is being sent when that is heard, and waits for the frames of another class.
    pub(crate) fn reaction(&self) -> u64 {
        self.reaction_to(self)
    }

    /// The same where what asks comes over another link, `back`.
    pub(crate) fn reaction_to(&self, back: &Self) -> u64 {
        let flight = u128::from(self.rate) * u128::from(self.latency + back.latency) / 8_000_000_000_000;
        flight as u64 + 3 * u64::from(self.mtu)
    }

    /// The least time from a packet's departure, or the moment that is decided, until it is at the far end.
    pub(crate) fn horizon(&self) -> u64 {
        self.latency + self.header
    }

    /// Rounded up, so that no packet takes no time.
    fn compute(&self, size: u16) -> u64 {
        (u64::from(size) * 8 * 1_000_000_000_000).div_ceil(self.rate)
    }
}

fn check(name: &'static str, value: u64, legal: std::ops::RangeInclusive<u64>, words: &str) -> Result<(), Error> {
    if legal.contains(&value) {
        return Ok(());
    }
    Err(Error::Config { name, value: value.to_string(), problem: "is out of range", legal: format!("legal: {words}") })
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

    /// A round trip, and three packets.
    #[test]
    fn what_comes_until_a_pause_takes_effect() {
        let reaction = |rate, link_latency, mtu| {
            Link::new(&Config { rate, link_latency, mtu, ..Config::default() }).unwrap().reaction()
        };
        assert_eq!(reaction(10_000_000_000, 1_000_000, 1500), 2500 + 3 * 1500);
        assert_eq!(reaction(100_000_000_000, 0, 9000), 3 * 9000);
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
