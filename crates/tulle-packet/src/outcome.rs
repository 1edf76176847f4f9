//! Results of a simulation.

use tulle_base::memory::Need;

/// An entry of a time column where the flow did not get so far.
pub const NEVER: u64 = u64::MAX;

/// The result of a simulation.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Per flow, what became of it.
    pub flows: Flows,
    /// The counters of packets and events.
    pub counters: Counters,
    /// When the last flow finished, or when the run was cut off, in picoseconds.
    pub end: u64,
    /// Whether every flow finished.
    pub complete: bool,
    /// The deadlock that ended the run, if one did.
    pub deadlock: Option<Deadlock>,
    /// Where the packets' time went.
    pub spent: PacketTime,
    /// Where the time of the simulating threads went, if that was asked for.
    pub profile: Option<Profile>,
    /// Per link, what it carried.
    pub links: Links,
    /// The state of the network from time to time, where samples were asked for.
    pub samples: Samples,
    /// Per fault, what it did.
    pub faults: Vec<FaultReport>,
    /// The times during which flows waited for what faults had taken, by when they began.
    pub stalls: Vec<Stall>,
    /// Flows that faults cut off for good: no layer leads around what is down. Ascending.
    pub cut_off: Vec<u32>,
}

/// Links as columns, one row per direction: the channels of the fabric by id, then the links from endpoints to their switches,
/// then those from switches to their endpoints, both by endpoint.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Links {
    /// Bytes sent until `end`, lost ones included; of a packet that is being sent then, those that have left.
    pub bytes: Vec<u64>,
    /// Until when bytes count, in picoseconds: the end of the run; where all flows finished and some port was still sending,
    /// when that was over.
    pub end: u64,
    /// The longest backlog: picoseconds until all that was at the port at some time had left, packets that wait taken for full
    /// ones.
    pub peak: Vec<u64>,
}

/// Where the time of all packets went, of every kind, in picoseconds in sum.
///
/// A packet's waiting and sending count in full as soon as its departure is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PacketTime {
    /// In the queues of endpoints.
    pub waiting_at_endpoints: u128,
    /// In the queues of switch ports.
    pub waiting_at_switches: u128,
    /// On their way onto a link: their bits at its rate, at every hop.
    pub sending: u128,
    /// On links: their latency, at every hop.
    pub travelling: u128,
    /// With the receiving software of endpoints, interrupts included.
    pub handling: u128,
}

/// Where the time of a simulation went, in seconds of the wall clock; no two runs give the same.
#[derive(Debug, Clone, PartialEq)]
pub struct Profile {
    /// Threads that took part.
    pub threads: usize,
    /// Reading the workload, looking up paths, setting all up.
    pub setup: f64,
    /// Gathering the outcome.
    pub gathering: f64,
    /// The event loop, all threads added.
    pub running: f64,
    /// Threads waiting for each other, all added.
    pub waiting: f64,
    /// Per kind of event, how many there were and the seconds they took, all threads added; from a sample of one in 61. What is left of
    /// the event loop's time went into ordering events.
    pub events: Vec<(&'static str, u64, f64)>,
}

/// The state of the network from time to time, as columns. Counts are since the start.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Samples {
    /// When, in picoseconds; what happens at that time has happened.
    pub time: Vec<u64>,
    /// Flows that finished.
    pub finished: Vec<u64>,
    /// Packets that arrived with payload.
    pub data_delivered: Vec<u64>,
    /// Packets with payload that were trimmed, dropped or lost to faults.
    pub data_failed: Vec<u64>,
    /// Packets of every kind in the network.
    pub in_flight: Vec<u64>,
    /// The backlogs of the ports of switches in sum, in picoseconds; see [`Links::peak`].
    pub backlog: Vec<u64>,
    /// The longest of them.
    pub longest: Vec<u64>,
}

/// The effects of a fault.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultReport {
    /// The fault, with every parameter.
    pub spec: String,
    /// When it began and ended, in picoseconds; [`NEVER`] where it does not end.
    pub at: u64,
    /// When it ended.
    pub until: u64,
    /// Links that failed, each direction counted.
    pub links: u32,
    /// Packets with payload that it took.
    pub data_lost: u64,
    /// Packets without payload that it took.
    pub control_lost: u64,
    /// Flows whose data or opening it took and that had to wait for it.
    pub stalled: u32,
    /// When the last of them had what was taken, in picoseconds; [`NEVER`] where one did not, `at` where none was stalled.
    pub recovered: u64,
}

impl FaultReport {
    pub(crate) fn new(spec: String, at: u64, until: u64, links: u32) -> Self {
        Self { spec, at, until, links, data_lost: 0, control_lost: 0, stalled: 0, recovered: at }
    }

    /// Picoseconds from its start until no flow waited any more for what it took; `None` where one still does.
    pub fn time_to_recover(&self) -> Option<u64> {
        (self.recovered != NEVER).then(|| self.recovered - self.at)
    }
}

/// A time during which a flow waited for what faults had taken: from the first loss until everything lost since had arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// The flow.
    pub flow: u32,
    /// The fault that took the first packet, by its place in the list.
    pub fault: u32,
    /// When the first packet would have been at the far end of its link, in picoseconds.
    pub since: u64,
    /// When the last of what was lost had arrived, in picoseconds; [`NEVER`] where it did not.
    pub until: u64,
    /// Packets of the flow lost meanwhile, acknowledgements and other answers not counted.
    pub lost: u32,
}

/// A cycle of paused ports that never go on: each waits for memory that the packets waiting at the next one hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Deadlock {
    /// When the last port of the cycle was asked to pause, in picoseconds; the cycle is closed from then on.
    pub time: u64,
    /// The ports, each waiting for the next and the last for the first.
    pub ports: Vec<Held>,
}

/// A port in a deadlock.
#[derive(Debug, Clone, PartialEq)]
pub struct Held {
    /// The channel that the port sends over, and the switches that it leads from and to.
    pub channel: u32,
    /// The switch of the port.
    pub from: u32,
    /// The switch that asks it to pause.
    pub to: u32,
    /// Since when it is asked to pause, in picoseconds.
    pub since: u64,
    /// Bytes that wait there.
    pub bytes: u64,
    /// The flows whose packets wait there, ascending.
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
    /// When the flow started: at its earliest start, or later when what it waits for had ended; [`NEVER`] where it had not.
    pub start: Vec<u64>,
    /// When its last byte had arrived; [`NEVER`] where it had not.
    pub delivered: Vec<u64>,
    /// When its source knew so, by the last acknowledgement; [`NEVER`] where it did not. The flow completion time is this
    /// less the start.
    pub finish: Vec<u64>,
    /// Links crossed per packet that arrived with payload, endpoint links counted, on average; 0 where none arrived.
    pub hops: Vec<f32>,
    /// Packets sent again.
    pub retransmits: Vec<u32>,
    /// Packets that arrived without payload.
    pub trimmed: Vec<u32>,
    /// Times the retransmission timer fired.
    pub timeouts: Vec<u32>,
    /// Times the flow left its layer: new flowlets on another layer than the one before.
    pub layer_changes: Vec<u32>,
    /// Payload that has arrived in bytes, each counted once: all of it where the last byte has arrived. What comes out of order
    /// counts where the transport keeps it, so not with `dcqcn`.
    pub bytes_delivered: Vec<u64>,
}

impl Flows {
    /// The memory that so many flows take.
    pub(crate) fn need(flows: u64) -> Need {
        // When they were delivered and finished is handed over from the state.
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

    /// The flow completion times, start to last acknowledgement, of the flows that finished, in picoseconds.
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
/// Data is conserved: `data_sent = data_delivered + data_trimmed + data_dropped + data_lost + data_in_flight`. So are headers,
/// which are sent by endpoints or left by trimming:
/// `control_sent + data_trimmed = control_delivered + control_dropped + control_lost + control_in_flight`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Packets with payload that endpoints sent.
    pub data_sent: u64,
    /// Packets that arrived with payload, duplicates counted.
    pub data_delivered: u64,
    /// Packets that lost their payload to a full queue and went on as headers.
    pub data_trimmed: u64,
    /// Packets with payload that a queue dropped whole.
    pub data_dropped: u64,
    /// Packets with payload that faults took.
    pub data_lost: u64,
    /// Packets with payload in the network at the end.
    pub data_in_flight: u64,
    /// Control packets that endpoints sent: acknowledgements, pulls, handshakes, notices.
    pub control_sent: u64,
    /// Acknowledgements, pulls and headers that arrived.
    pub control_delivered: u64,
    /// Acknowledgements, pulls and headers that a full queue dropped.
    pub control_dropped: u64,
    /// Acknowledgements, pulls and headers that faults took.
    pub control_lost: u64,
    /// Acknowledgements, pulls and headers in the network at the end.
    pub control_in_flight: u64,
    /// Packets sent again; part of `data_sent`.
    pub retransmitted: u64,
    /// Retransmission timers that fired.
    pub timeouts: u64,
    /// Packets that arrived marked: a queue was too long.
    pub marked: u64,
    /// Pause frames that switches sent.
    pub pauses: u64,
    /// Pulls that packets of their own carried; part of `control_sent`. The others rode on acknowledgements.
    pub pulls: u64,
    /// Links crossed by packets of every kind.
    pub link_hops: u64,
    /// Events.
    pub events: u64,
}

impl Counters {
    /// Adds what was counted in another part of the network.
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

/// How far a running simulation is.
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
    /// The share of the work that is done, as far as packets tell: 1 once as many have arrived as there are.
    pub fn fraction(&self) -> f64 {
        if self.packets == 0 { 1.0 } else { (self.delivered as f64 / self.packets as f64).min(1.0) }
    }
}
