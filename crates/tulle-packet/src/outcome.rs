//! Results of a simulation.

use tulle_base::memory::Need;

/// The value of a time column if the flow did not reach that point.
pub const NEVER: u64 = u64::MAX;

/// The result of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Per flow, what became of it.
    pub flows: Flows,
    /// The counters of packets and events.
    pub counters: Counters,
    /// Time at which the last flow finished, or the run was ended, in picoseconds.
    pub end: u64,
    /// Whether every flow finished.
    pub complete: bool,
    /// The deadlock that ended the run, if one did.
    pub deadlock: Option<Deadlock>,
    /// Where the packets' time went.
    pub spent: PacketTime,
    /// The time spent by the simulating threads, if requested.
    pub profile: Option<Profile>,
    /// Per link, what it carried.
    pub links: Links,
    /// Samples of the network's state, if requested.
    pub samples: Samples,
    /// Per fault, what it did.
    pub faults: Vec<FaultReport>,
    /// Periods in which flows waited for packets that faults had destroyed, ordered by start.
    pub stalls: Vec<Stall>,
    /// Flows that faults disconnected for good, because no layer avoids the links that are down. Ascending.
    pub cut_off: Vec<u32>,
}

/// Links as columns, one row per direction: first the fabric's channels by id, then the links from endpoints to switches, then the links
/// from switches to endpoints, both by endpoint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Links {
    /// Bytes sent until `end`, including lost ones; of a packet that is being sent then, only the bytes that have left.
    pub bytes: Vec<u64>,
    /// End of the time in which bytes count, in picoseconds: the end of the run. If all flows finished while a port was still sending, the
    /// end of that transmission.
    pub end: u64,
    /// Longest backlog: the maximum time, in picoseconds, to send all packets at the port, with waiting packets counted as full-size ones.
    pub peak: Vec<u64>,
}

/// Total time of all packets by cause, in picoseconds.
///
/// A packet's times of waiting and transmission are counted in full as soon as its departure is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PacketTime {
    /// In the queues of endpoints.
    pub waiting_at_endpoints: u128,
    /// In the queues of switch ports.
    pub waiting_at_switches: u128,
    /// Transmission time: packets' bits at the rate of each link that they cross.
    pub sending: u128,
    /// Latency of the links that packets crossed.
    pub travelling: u128,
    /// Time in the receiving software of endpoints, including interrupt delays.
    pub handling: u128,
}

/// The time spent by a simulation, in wall-clock seconds; it differs from run to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Threads that took part.
    pub threads: usize,
    /// Time of setup: reading the workload and looking up paths.
    pub setup: f64,
    /// Gathering the outcome.
    pub gathering: f64,
    /// Time of the event loop, summed over threads.
    pub running: f64,
    /// Time in which threads waited for each other, summed over threads.
    pub waiting: f64,
    /// Per kind of event, its count and its seconds summed over threads, from a sample of one event in 61. The remaining time of the event
    /// loop went into ordering events.
    pub events: Vec<(&'static str, u64, f64)>,
}

/// Samples of the network's state, as columns. Counts are since the start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples {
    /// Time of the sample in picoseconds; events at that time are included.
    pub time: Vec<u64>,
    /// Flows that finished.
    pub finished: Vec<u64>,
    /// Packets that have arrived with payload.
    pub data_delivered: Vec<u64>,
    /// Packets with payload that were trimmed, dropped or lost to faults.
    pub data_failed: Vec<u64>,
    /// Packets of all kinds in the network.
    pub in_flight: Vec<u64>,
    /// Sum of the backlogs of all switch ports, in picoseconds; see [`Links::peak`].
    pub backlog: Vec<u64>,
    /// The longest of them.
    pub longest: Vec<u64>,
}

/// The effects of a fault.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultReport {
    /// The fault's spec, with every parameter.
    pub spec: String,
    /// Start and end of the fault in picoseconds; the end is [`NEVER`] if there is none.
    pub at: u64,
    /// When it ended.
    pub until: u64,
    /// Links that failed, each direction counted.
    pub links: u32,
    /// Packets with payload that the fault destroyed.
    pub data_lost: u64,
    /// Packets without payload that the fault destroyed.
    pub control_lost: u64,
    /// Flows that stalled because the fault destroyed their data or opening packets.
    pub stalled: u32,
    /// Time at which the last stalled flow had received its destroyed packets, in picoseconds; [`NEVER`] if a flow did not, `at` if no flow
    /// was stalled.
    pub recovered: u64,
}

impl FaultReport {
    pub(crate) fn new(spec: String, at: u64, until: u64, links: u32) -> Self {
        Self { spec, at, until, links, data_lost: 0, control_lost: 0, stalled: 0, recovered: at }
    }

    /// Returns the time from the fault's start until no flow waited for destroyed packets, in picoseconds; `None` if one still does.
    pub fn time_to_recover(&self) -> Option<u64> {
        (self.recovered != NEVER).then(|| self.recovered - self.at)
    }
}

/// A period in which a flow waited for packets that faults had destroyed: from the first loss until all packets lost since had arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// The flow.
    pub flow: u32,
    /// The fault that destroyed the first packet, by its position in the list.
    pub fault: u32,
    /// Time at which the first packet would have been at the far end of its link, in picoseconds.
    pub since: u64,
    /// Time at which the last of the lost packets had arrived, in picoseconds; [`NEVER`] if it did not.
    pub until: u64,
    /// Packets that the flow lost meanwhile, without acknowledgements and other answers.
    pub lost: u32,
}

/// A cycle of paused ports that never resume: each waits for memory that packets at the next port occupy.
#[derive(Debug, Clone, PartialEq)]
pub struct Deadlock {
    /// When the last port of the cycle was asked to pause, in picoseconds; the cycle is closed from then on.
    pub time: u64,
    /// The ports; each waits for the next, and the last for the first.
    pub ports: Vec<Held>,
}

/// A port in a deadlock.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// The channel of the port, with its source and target switch.
    pub channel: u32,
    /// The switch of the port.
    pub from: u32,
    /// The switch that pauses the port.
    pub to: u32,
    /// Time since which the port is paused, in picoseconds.
    pub since: u64,
    /// Bytes that wait there.
    pub bytes: u64,
    /// The flows whose packets wait at the port, ascending.
    pub flows: Vec<u32>,
}

impl std::fmt::Display for Deadlock {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let switches: Vec<String> = self.ports.iter().map(|port| port.from.to_string()).collect();
        let cycle = switches.join(" > ");
        let first = self.ports.first().map_or(0, |port| port.from);
        let mut flows: Vec<u32> = self.ports.iter().flat_map(|port| port.flows.iter().copied()).collect();
        flows.sort_unstable();
        flows.dedup();
        let microseconds = self.time as f64 / 1e6;
        write!(
            f,
            "deadlock at {microseconds} us: switches {cycle} > {first} wait for each other, with {} flows",
            flows.len()
        )
    }
}

/// Flows as columns; row `i` of every column is row `i` of the workload. Times are in picoseconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flows {
    /// The endpoint that sends.
    pub source: Vec<u32>,
    /// The endpoint that receives.
    pub destination: Vec<u32>,
    /// Payload in bytes.
    pub bytes: Vec<u64>,
    /// When the flow started: at its earliest start, or later when the steps that it waits for had ended; [`NEVER`] if it did not start.
    pub start: Vec<u64>,
    /// Time at which the last byte had arrived; [`NEVER`] if it had not.
    pub delivered: Vec<u64>,
    /// When the source received the last acknowledgement; [`NEVER`] if it did not. The flow completion time is this time minus the start.
    pub finish: Vec<u64>,
    /// Mean number of links crossed by packets that arrived with payload, including endpoint links; 0 if none arrived.
    pub hops: Vec<f32>,
    /// Packets sent again.
    pub retransmits: Vec<u32>,
    /// Packets that arrived without payload.
    pub trimmed: Vec<u32>,
    /// Times the retransmission timer fired.
    pub timeouts: Vec<u32>,
    /// Number of times that the flow changed its layer: new flowlets in another layer than the previous one.
    pub layer_changes: Vec<u32>,
    /// Distinct payload that has arrived, in bytes. Out-of-order data counts if the transport keeps it, so not with `dcqcn`.
    pub bytes_delivered: Vec<u64>,
}

impl Flows {
    /// Returns the memory of this number of flows.
    pub(crate) fn need(flows: u64) -> Need {
        // The times of delivery and finish are moved here from the state.
        Need::default().of::<[u32; 7]>(flows).of::<[u64; 3]>(flows)
    }

    /// The number of flows.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// Whether there is no flow.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// How many flows finished.
    pub fn finished(&self) -> usize {
        self.finish.iter().filter(|&&time| time != NEVER).count()
    }

    /// Returns the completion times of finished flows, from start to last acknowledgement, in picoseconds.
    pub fn completion_times(&self) -> impl Iterator<Item = u64> + '_ {
        self.start
            .iter()
            .zip(&self.finish)
            .filter(|&(_, &finish)| finish != NEVER)
            .map(|(start, finish)| finish - start)
    }
}

/// Counts over a whole run.
///
/// Data packets are conserved: `data_sent = data_delivered + data_trimmed + data_dropped + data_lost + data_in_flight`. So are headers,
/// which endpoints send and trimming creates: `control_sent + data_trimmed = control_delivered + control_dropped + control_lost +
/// control_in_flight`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Packets with payload that endpoints sent.
    pub data_sent: u64,
    /// Packets that arrived with payload, including duplicates.
    pub data_delivered: u64,
    /// Packets whose payload a full queue trimmed; their headers continued.
    pub data_trimmed: u64,
    /// Packets with payload that a queue dropped whole.
    pub data_dropped: u64,
    /// Packets with payload that faults destroyed.
    pub data_lost: u64,
    /// Packets with payload in the network at the end.
    pub data_in_flight: u64,
    /// Control packets that endpoints sent: acknowledgements, pulls, handshakes, notices.
    pub control_sent: u64,
    /// Acknowledgements, pulls and headers that arrived.
    pub control_delivered: u64,
    /// Acknowledgements, pulls and headers that a full queue dropped.
    pub control_dropped: u64,
    /// Acknowledgements, pulls and headers that faults destroyed.
    pub control_lost: u64,
    /// Acknowledgements, pulls and headers in the network at the end.
    pub control_in_flight: u64,
    /// Retransmitted packets; part of `data_sent`.
    pub retransmitted: u64,
    /// Retransmission timers that fired.
    pub timeouts: u64,
    /// Packets that arrived with a congestion mark.
    pub marked: u64,
    /// Pause frames that switches sent.
    pub pauses: u64,
    /// Pulls in packets of their own; part of `control_sent`. Other pulls are part of acknowledgements.
    pub pulls: u64,
    /// Links crossed by packets of all kinds.
    pub link_hops: u64,
    /// Events.
    pub events: u64,
}

impl Counters {
    /// Adds the counts of another partition of the network.
    pub(crate) fn add(&mut self, other: &Self) {
        let Self {
            data_sent,
            data_delivered,
            data_trimmed,
            data_dropped,
            data_lost,
            data_in_flight,
            control_sent,
            control_delivered,
            control_dropped,
            control_lost,
            control_in_flight,
            retransmitted,
            timeouts,
            marked,
            pauses,
            pulls,
            link_hops,
            events,
        } = other;
        self.data_sent += data_sent;
        self.data_delivered += data_delivered;
        self.data_trimmed += data_trimmed;
        self.data_dropped += data_dropped;
        self.data_lost += data_lost;
        self.data_in_flight += data_in_flight;
        self.control_sent += control_sent;
        self.control_delivered += control_delivered;
        self.control_dropped += control_dropped;
        self.control_lost += control_lost;
        self.control_in_flight += control_in_flight;
        self.retransmitted += retransmitted;
        self.timeouts += timeouts;
        self.marked += marked;
        self.pauses += pauses;
        self.pulls += pulls;
        self.link_hops += link_hops;
        self.events += events;
    }

    /// Whether data and headers are conserved.
    pub fn balance(&self) -> bool {
        let data = self.data_delivered + self.data_trimmed + self.data_dropped + self.data_lost + self.data_in_flight;
        let control = self.control_delivered + self.control_dropped + self.control_lost + self.control_in_flight;
        self.data_sent == data && self.control_sent + self.data_trimmed == control
    }
}

/// The progress of a running simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Simulated time in picoseconds.
    pub now: u64,
    /// Events so far.
    pub events: u64,
    /// Links crossed so far.
    pub link_hops: u64,
    /// Flows that finished.
    pub finished: usize,
    /// All flows.
    pub flows: usize,
    /// Packets that arrived with payload, duplicates counted.
    pub delivered: u64,
    /// Packets that all flows have.
    pub packets: u64,
}

impl Progress {
    /// Returns the share of packets that have arrived, as an estimate of the work done, at most 1.
    pub fn fraction(&self) -> f64 {
        if self.packets == 0 { 1.0 } else { (self.delivered as f64 / self.packets as f64).min(1.0) }
    }
}
