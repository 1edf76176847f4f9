//! Results of a simulation.

use crate::saturation_rule::SATURATED;

/// The outcome of a simulation. Latencies are in cycles, from the creation of a packet to the arrival of its last flit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Offered load per sending endpoint, in flits per cycle, as configured.
    pub offered: f64,
    /// Accepted load: flits that arrived in the window, per cycle and sending endpoint.
    pub accepted: f64,
    /// Packets created in the window.
    pub created: u64,
    /// Packets created in the window that arrived before the run ended.
    pub delivered: u64,
    /// Mean latency of the delivered packets; NaN if there are none.
    pub latency: f64,
    /// Mean latency without the time in the source's queue, counted from the cycle in which the source sent the first flit. NaN unless all
    /// packets created in the window arrived.
    pub network_latency: f64,
    /// Latencies that 50%, 90%, 99% and 99.9% of the packets do not exceed. Values above 1023 cycles are rounded up by
    /// at most 1/512. `None` if no packet was delivered.
    pub percentiles: Option<[u64; 4]>,
    /// Mean number of channels between switches that a packet crossed.
    pub hops: f64,
    /// Fraction of packets that took a minimal route: layer 0 without an intermediate switch, or a path with as few hops as the pair's
    /// first path.
    pub minimal: f64,
    /// Mean latency of the packets that were created in the window and delivered in each sample; NaN for a sample without such packets. The
    /// first sample begins with the window, and the last one is the last in which such a packet was delivered.
    pub samples: Vec<f64>,
    /// The mean latencies that [`Config::saturation`](crate::Config::saturation) compares with 500 cycles, one for each check. If a check
    /// counts neither packets nor flits, its mean is NaN.
    pub latency_checks: Vec<f64>,
    /// Whether no packet that was created in the window arrived in the window, although many of them were created more than 500 cycles
    /// before its end. All their latencies exceed 500 cycles, but the rule `arrivals` has no arrived packet to average over.
    pub stalled: bool,
    /// Flits per cycle in the window, for each channel.
    pub channel_load: Vec<f64>,
    /// The first cycle of the window; if the run ended before the window began, the number of simulated cycles.
    pub warmup: u64,
    /// Number of simulated cycles.
    pub cycles: u64,
    /// Number of times a flit traversed a crossbar, over the whole run.
    pub traversals: u64,
    /// Flits created over the whole run. Flits that were not delivered are in the network or in the queue of their source.
    pub created_flits: u64,
    /// Flits delivered over the whole run.
    pub delivered_flits: u64,
    /// Number of messages in the traffic that an endpoint sends to itself. They use no link, and no packets are sent for
    /// them.
    pub to_oneself: u64,
    /// Whether every packet created in the window arrived.
    pub complete: bool,
    /// The deadlock that ended the run, if any.
    pub deadlock: Option<Deadlock>,
    /// The canonical spec of the VC policy that the run used. It differs from the configuration if `datelines` replaced `hops`.
    pub policy: String,
    /// Warnings about the configuration, one line each.
    pub warnings: Vec<String>,
}

impl Outcome {
    /// Returns whether the network was saturated by the rule of the configuration: a mean latency exceeds 500 cycles (Multi-Path Routing in
    /// the Jellyfish Network §IV-A), no packet arrived in time ([`Self::stalled`]), or a deadlock ended the run. The accepted load shows
    /// saturation earlier than this criterion does, so report the accepted load too.
    pub fn exceeds_500_cycles(&self) -> bool {
        self.deadlock.is_some() || self.stalled || self.latency_checks.iter().any(|&latency| latency > SATURATED)
    }
}

/// A deadlock: packets that wait for each other in a cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// The cycle in which the deadlock was detected; it may have formed a few thousand cycles earlier.
    pub cycle: u64,
    /// The channels and VCs whose buffers wait for each other. Each buffer waits for the next one, and the last buffer
    /// for the first.
    pub channels: Vec<(u32, u8)>,
    /// A description of the cycle.
    pub name: String,
}

impl std::fmt::Display for Deadlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "deadlock found in cycle {}: {}", self.cycle, self.name)
    }
}

/// Progress of a running simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Number of simulated cycles so far.
    pub cycle: u64,
    /// Packets created in the window that arrived.
    pub delivered: u64,
    /// Flits that were created but have not arrived.
    pub in_flight: u64,
}
