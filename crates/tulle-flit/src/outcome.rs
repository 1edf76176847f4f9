//! Results of a simulation.

/// The mean latency of a sample, in cycles, above which the Jellyfish paper calls a network saturated (§IV-A).
pub(crate) const SATURATED: f64 = 500.0;

/// The outcome of a simulation. Latencies are in cycles, from a packet's creation to the arrival of its last flit.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Offered load per sending endpoint, in flits per cycle, as configured.
    pub offered: f64,
    /// Flits that arrived in the window, per cycle and sending endpoint.
    pub accepted: f64,
    /// Packets created in the window, and those of them that arrived before the run ended.
    pub created: u64,
    /// Of the packets created in the window, those that arrived.
    pub delivered: u64,
    /// Mean latency of the packets delivered; not a number where there is none.
    pub latency: f64,
    /// The same from the moment that the source sent the first flit, its queue left out; not a number unless all that were
    /// created in the window arrived.
    pub network_latency: f64,
    /// Latency that half, 90%, 99% and 99.9% of the packets do not exceed; above 1023 cycles rounded up by at most 1/512. `None`
    /// where no packet was delivered.
    pub percentiles: Option<[u64; 4]>,
    /// Mean channels between switches crossed.
    pub hops: f64,
    /// The share of packets that went by a shortest path.
    pub minimal: f64,
    /// Mean latency of the packets delivered in each sample of the window and the drain; not a number for none.
    pub samples: Vec<f64>,
    /// Per channel, the flits it carried in the window per cycle.
    pub channel_load: Vec<f64>,
    /// The first cycle of the window; those run where it was not reached.
    pub warmup: u64,
    /// Cycles run.
    pub cycles: u64,
    /// Flits that crossed a router, over the whole run.
    pub traversals: u64,
    /// Flits created and delivered over the whole run; the difference is still on its way or in a source's queue.
    pub created_flits: u64,
    /// Flits delivered over the whole run.
    pub delivered_flits: u64,
    /// Messages of the traffic from an endpoint to itself: they take no link, and no packet stands for them.
    pub to_oneself: u64,
    /// Whether every packet created in the window arrived.
    pub complete: bool,
    /// The deadlock that ended the run, if one did.
    pub deadlock: Option<Deadlock>,
    /// Warnings about the configuration, a line each.
    pub warnings: Vec<String>,
}

impl Outcome {
    /// Whether the network was saturated by the rule of the Jellyfish paper (§IV-A): the mean latency of a sample of the
    /// window above 500 cycles. It tells saturation later than accepted load does; report both.
    pub fn exceeds_500_cycles(&self, samples_of_window: usize) -> bool {
        self.deadlock.is_some() || self.samples.iter().take(samples_of_window).any(|&latency| latency > SATURATED)
    }
}

/// Packets that wait for each other in a circle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Deadlock {
    /// The cycle in which it was found; it may be older by some thousand cycles.
    pub cycle: u64,
    /// The channels whose buffers wait for each other, each with its virtual channel: each for the next, the last for the
    /// first.
    pub channels: Vec<(u32, u8)>,
    /// The same in words.
    pub name: String,
}

impl std::fmt::Display for Deadlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "deadlock found in cycle {}: {}", self.cycle, self.name)
    }
}

/// How far a running simulation is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Cycles run.
    pub cycle: u64,
    /// Packets of the window that arrived.
    pub delivered: u64,
    /// Flits created that have not arrived.
    pub in_flight: u64,
}
