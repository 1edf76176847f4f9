//! Results of a simulation.

use tulle_base::memory::Need;

/// The value that stands for "never" in a time column: the event that the column records did not happen.
pub const NEVER: u64 = u64::MAX;

/// The result of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The results of every flow.
    pub flows: Flows,
    /// The counters of packets and events.
    pub counters: Counters,
    /// The time at which the last flow finished or the run was stopped, in picoseconds.
    pub end: u64,
    /// Whether every flow finished.
    pub complete: bool,
    /// The number of virtual lanes per port. It is 1 if the simulation has no plan of virtual channels.
    pub num_lanes: usize,
    /// The deadlock that ended the run, if there is one.
    pub deadlock: Option<Deadlock>,
    /// The total time that packets spent waiting, in transmission, on links, and in the software of endpoints.
    pub spent: PacketTime,
    /// The time spent by the simulating threads, if requested.
    pub profile: Option<Profile>,
    /// The traffic and the longest backlog of every link.
    pub links: Links,
    /// Samples of the network's state, if requested.
    pub samples: Samples,
    /// Samples of chosen links, if requested.
    pub link_samples: LinkSamples,
    /// The effects of every fault.
    pub faults: Vec<FaultReport>,
    /// Periods in which flows waited for packets that faults had destroyed, ordered by start.
    pub stalls: Vec<Stall>,
    /// Flows that faults disconnected permanently, because no path avoids the failed links. In ascending order.
    pub cut_off: Vec<u32>,
}

/// A table of links as columns, with one row per direction.
///
/// The rows are the channels of the fabric, by id; then the links from endpoints to switches, by endpoint; then the links from
/// switches to endpoints, by endpoint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Links {
    /// Bytes sent until `end`, including lost bytes. If a packet is being sent at `end`, only its bytes that have left count.
    pub bytes: Vec<u64>,
    /// The time until which `bytes` counts, in picoseconds: the end of the run. If ports were still sending when all flows had finished, it
    /// is the end of the last transmission.
    pub end: u64,
    /// The longest backlog of each port, in picoseconds. A backlog is the time to send all packets at the port. Waiting packets with
    /// payload count as full-size packets, and waiting packets without payload do not count.
    pub peak: Vec<u64>,
}

/// The time that packets of all kinds spent in each state, in picoseconds, summed over all packets.
///
/// The waiting and transmission times of a packet are counted in full as soon as its departure time is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PacketTime {
    /// Waiting time in the queues of endpoints.
    pub waiting_at_endpoints: u128,
    /// Waiting time in the queues of switch ports.
    pub waiting_at_switches: u128,
    /// Transmission time: the time to send the bits of each packet at the rate of every link that the packet crosses.
    pub sending: u128,
    /// Latency of the links that packets crossed.
    pub travelling: u128,
    /// Time in the receiving software of endpoints, including interrupt delays.
    pub handling: u128,
}

/// The time spent by a simulation, in wall-clock seconds; it differs from run to run.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// The number of threads.
    pub threads: usize,
    /// Time of setup: reading the workload and looking up paths.
    pub setup: f64,
    /// Time to collect the results.
    pub gathering: f64,
    /// Time of the event loop, summed over threads.
    pub running: f64,
    /// Time in which threads waited for each other, summed over threads.
    pub waiting: f64,
    /// Per kind of event: its name, the number of events, and the time of these events in seconds, summed over threads. The time is
    /// estimated from a sample of one event in 61. The event loop spent its remaining time on sorting events.
    pub events: Vec<(&'static str, u64, f64)>,
}

/// Samples of the network's state, as columns. Counts are totals since the start of the run.
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
    /// The longest backlog of a switch port, in picoseconds.
    pub longest: Vec<u64>,
}

/// Samples of chosen links. The rows are ordered by time. Rows of the same time follow the order in which the links were requested.
///
/// In addition to the times of [`Samples`], there is a sample at the end of the run, [`Links::end`]. The last `bytes` of a link are
/// therefore those of [`Links::bytes`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkSamples {
    /// The row of the link in [`Links`].
    pub link: Vec<u32>,
    /// Time of the sample in picoseconds; events at that time are included.
    pub time: Vec<u64>,
    /// Bytes sent since the start of the run, including lost bytes, in whole bytes.
    pub bytes: Vec<u64>,
    /// Bytes at the port that have not been sent: waiting packets, and the rest of the packet that is being sent.
    pub queue: Vec<u64>,
    /// Fraction of the time since the previous sample (or since the start of the run) in which the link was busy.
    pub utilisation: Vec<f64>,
}

/// The effects of a fault.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultReport {
    /// The fault's spec, with every parameter.
    pub spec: String,
    /// Start of the fault in picoseconds.
    pub at: u64,
    /// End of the fault in picoseconds; [`NEVER`] if the fault is permanent.
    pub until: u64,
    /// Number of failed links; the two directions of a cable count as two links.
    pub links: u32,
    /// Packets with payload that the fault destroyed.
    pub data_lost: u64,
    /// Packets without payload that the fault destroyed.
    pub control_lost: u64,
    /// Flows that stalled because the fault destroyed data packets or packets that open a connection.
    pub stalled: u32,
    /// The time in picoseconds at which the last stalled flow had received its lost packets. The time is [`NEVER`] if a flow did not
    /// receive them, and `at` if no flow stalled.
    pub recovered: u64,
}

impl FaultReport {
    pub(crate) fn new(spec: String, at: u64, until: u64, links: u32) -> Self {
        Self { spec, at, until, links, data_lost: 0, control_lost: 0, stalled: 0, recovered: at }
    }

    /// Returns the time from the fault's start until no flow waited for destroyed packets, in picoseconds; `None` if a flow still waits.
    pub fn time_to_recover(&self) -> Option<u64> {
        (self.recovered != NEVER).then(|| self.recovered - self.at)
    }
}

/// A period in which a flow waited for packets that faults had destroyed: from the first loss until all lost packets, or all data of the
/// flow, have arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// The flow.
    pub flow: u32,
    /// The fault that destroyed the first packet, as an index into the list of faults.
    pub fault: u32,
    /// Start of the period in picoseconds: the time at which the first lost packet would have reached the far end of its link.
    pub since: u64,
    /// End of the period in picoseconds: the time at which the flow no longer waits for lost packets; [`NEVER`] if it still waits.
    pub until: u64,
    /// The number of packets from the flow's source that faults destroyed in the period. Acknowledgements and other answers do not
    /// count.
    pub lost: u32,
}

/// A deadlock: a cycle of paused ports that never resume, because each waits for buffer space that packets at the next port occupy.
#[derive(Debug, Clone, PartialEq)]
pub struct Deadlock {
    /// The time at which the last pause of the cycle was requested, in picoseconds.
    pub time: u64,
    /// The ports of the cycle. Each port waits for the next one, and the last port waits for the first.
    pub ports: Vec<HeldPort>,
}

/// A port in a deadlock.
#[derive(Debug, Clone, PartialEq)]
pub struct HeldPort {
    /// The channel of the port.
    pub channel: u32,
    /// The paused virtual lane; `None` if the simulation has no virtual lanes.
    pub lane: Option<u8>,
    /// The switch of the port.
    pub from: u32,
    /// The switch that pauses the port.
    pub to: u32,
    /// Time at which the switch `to` requested the pause, in picoseconds.
    pub since: u64,
    /// Bytes of the packets that wait at the port because of this pause.
    pub bytes: u64,
    /// The flows of these packets, in ascending order.
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
            "deadlock at {microseconds} us: switches {cycle} > {first} wait for each other and block packets of {} flows",
            flows.len()
        )
    }
}

/// A table of flows as columns. Row `i` of every column belongs to row `i` of the workload. Times are in picoseconds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Flows {
    /// The sending endpoint.
    pub source: Vec<u32>,
    /// The receiving endpoint.
    pub destination: Vec<u32>,
    /// Payload in bytes.
    pub bytes: Vec<u64>,
    /// Start time: the earliest start of the flow, or the end of the last step that the flow depends on, whichever is later.
    /// In workloads with dependencies, [`NEVER`] if the flow did not start.
    pub start: Vec<u64>,
    /// The time at which the last missing byte of the flow arrived. If [`crate::Config::software`] or [`crate::Config::gap`] is above 0,
    /// the time at which the destination has handled the message. [`NEVER`] if the flow is incomplete.
    pub delivered: Vec<u64>,
    /// The time at which the last acknowledgement reached the source, or `delivered` if that is later; [`NEVER`] if the flow did not
    /// finish. The flow completion time is `finish` minus `start`.
    pub finish: Vec<u64>,
    /// Mean number of links crossed by packets that arrived with payload, including endpoint links; 0 if none arrived.
    pub hops: Vec<f32>,
    /// The number of retransmitted packets.
    pub retransmits: Vec<u32>,
    /// The number of packets that arrived without payload.
    pub trimmed: Vec<u32>,
    /// The number of times that the retransmission timer fired.
    pub timeouts: Vec<u32>,
    /// The number of layer changes: flowlets that use another layer than the flow's previous flowlet. Only the selectors `flowlet` and
    /// `size-aware` count them.
    pub layer_changes: Vec<u32>,
    /// Payload that has arrived, in bytes, without duplicates. Packets that arrive out of order count if the transport keeps them. The
    /// transport `dcqcn` drops such packets.
    pub bytes_delivered: Vec<u64>,
}

impl Flows {
    /// Returns the memory that this number of flows needs.
    pub(crate) fn need(flows: u64) -> Need {
        // The columns `delivered` and `finish` need no further memory: they are moved out of the simulation state.
        Need::default().of::<[u32; 7]>(flows).of::<[u64; 3]>(flows)
    }

    /// Returns the number of flows.
    pub fn len(&self) -> usize {
        self.source.len()
    }

    /// Returns whether there are no flows.
    pub fn is_empty(&self) -> bool {
        self.source.is_empty()
    }

    /// Returns the number of finished flows.
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

/// The counters of a whole run.
///
/// Data packets are conserved: `data_sent = data_delivered + data_trimmed + data_dropped + data_lost + data_in_flight`. Control
/// packets and trimmed headers are conserved as well:
/// `control_sent + data_trimmed = control_delivered + control_dropped + control_lost + control_in_flight`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Packets with payload that endpoints sent.
    pub data_sent: u64,
    /// Packets that arrived with payload, including duplicates.
    pub data_delivered: u64,
    /// Packets whose payload a full queue trimmed. Their headers were forwarded, or dropped if there was no space for them (part of
    /// `control_dropped`).
    pub data_trimmed: u64,
    /// Packets with payload that a queue dropped completely.
    pub data_dropped: u64,
    /// Packets with payload that faults destroyed.
    pub data_lost: u64,
    /// Packets with payload in the network at the end.
    pub data_in_flight: u64,
    /// Control packets that endpoints sent: acknowledgements, pulls, handshakes, congestion notifications.
    pub control_sent: u64,
    /// Control packets and trimmed headers that arrived.
    pub control_delivered: u64,
    /// Control packets and trimmed headers that a queue dropped.
    pub control_dropped: u64,
    /// Control packets and trimmed headers that faults destroyed.
    pub control_lost: u64,
    /// Control packets and trimmed headers in the network at the end.
    pub control_in_flight: u64,
    /// Retransmitted packets; part of `data_sent`.
    pub retransmitted: u64,
    /// Retransmission timers that fired.
    pub timeouts: u64,
    /// Data packets that arrived with a congestion mark.
    pub marked: u64,
    /// Pause frames that switches sent.
    pub pauses: u64,
    /// Pulls that were sent as separate packets; part of `control_sent`. Other pulls are part of acknowledgements.
    pub pulls: u64,
    /// Number of links that packets of all kinds crossed, summed over packets.
    pub link_hops: u64,
    /// The number of simulated events.
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

    /// Returns whether data packets and control packets are conserved.
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
    /// The total number of flows.
    pub flows: usize,
    /// Packets that arrived with payload, including duplicates.
    pub delivered: u64,
    /// The total number of packets of all flows.
    pub packets: u64,
}

impl Progress {
    /// Returns the fraction of packets that have arrived, at most 1, as an estimate of the simulation's progress.
    pub fn fraction(&self) -> f64 {
        if self.packets == 0 { 1.0 } else { (self.delivered as f64 / self.packets as f64).min(1.0) }
    }
}
