//! Samples the network's state at regular intervals.

use std::ops::AddAssign;

use tulle_base::memory::push;

use super::{Engine, State};
use crate::Samples;
use crate::outcome::NEVER;
use crate::port::Class;

/// The times of due samples, and the samples taken.
#[derive(Debug)]
pub(crate) struct Sampling {
    period: u64,
    /// Time of the next sample; [`NEVER`] if sampling is off.
    pub(super) next: u64,
    pub(crate) samples: Samples,
    /// The ports of the links that are sampled.
    pub(crate) ports: Vec<u32>,
    /// The states of the sampled ports, by sample and then by port.
    pub(crate) states: Vec<PortState>,
}

/// The state of a port at the time of a sample.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PortState {
    /// Bytes of all packets that the port has sent or has scheduled. A packet is scheduled as soon as its departure time is known.
    pub(crate) carried: u64,
    /// The time until the port has sent the last scheduled packet, in picoseconds.
    pub(crate) remaining: u64,
    /// Bytes of the queued packets that are not scheduled yet.
    pub(crate) stored: u64,
}

/// Adds the state of the same port in another partition. Only one partition uses a port; in all others its state is zero.
impl AddAssign for PortState {
    fn add_assign(&mut self, other: Self) {
        self.carried += other.carried;
        self.remaining += other.remaining;
        self.stored += other.stored;
    }
}

impl Sampling {
    pub(crate) fn new(period: Option<u64>, ports: Vec<u32>) -> Self {
        Self {
            period: period.unwrap_or(0),
            next: period.unwrap_or(NEVER),
            samples: Samples::default(),
            ports,
            states: Vec::new(),
        }
    }

    /// Stops sampling, because every flow has finished. Without this rule, timers that still fire would prolong the sampling.
    pub(super) fn stop(&mut self) {
        self.next = NEVER;
    }
}

impl Engine<'_> {
    /// Returns the states of the sampled ports at `at`.
    pub(crate) fn port_states(&self, at: u64) -> impl Iterator<Item = PortState> {
        let State { ports, packets, .. } = &self.state;
        self.sampling.ports.iter().map(move |&number| {
            let port = &ports[number as usize];
            let on_lanes = self.lanes.iter().flat_map(|lanes| lanes.waiting_at(number, packets));
            let waiting = Class::ALL.iter().flat_map(|&class| port.iter(packets, class)).chain(on_lanes);
            PortState {
                carried: port.record().0,
                remaining: port.free(at) - at,
                stored: waiting.map(|id| u64::from(packets[id].size)).sum(),
            }
        })
    }

    /// Takes the samples that are due before `time` and not after `until`, but none after the last flow has finished. Returns the time up
    /// to which no further sample is due.
    #[cold]
    #[inline(never)]
    pub(super) fn sample(&mut self, time: u64, until: u64) -> u64 {
        if self.progress().finished == self.source.len() && self.state.outbox.is_closed() {
            self.sampling.stop();
        }
        while self.sampling.next < time && self.sampling.next <= until {
            let at = self.sampling.next;
            self.sampling.next += self.sampling.period;
            let State { ports, packets, outbox, counters, finished, channel_targets, .. } = &self.state;
            let first_up = channel_targets.len() - self.endpoint_switch.len();
            let switch_ports = ports[..first_up].iter().chain(&ports[channel_targets.len()..]);
            let backlogs = switch_ports.map(|port| port.backlog(at, self.links.of(port).full()));
            let (sum, longest) = backlogs.fold((0, 0), |(sum, most), next| (sum + next, most.max(next)));
            // A simulation may run for so long that its samples fill the memory.
            let samples = &mut self.sampling.samples;
            push("samples", &mut samples.time, at);
            push("samples", &mut samples.finished, *finished as u64);
            push("samples", &mut samples.data_delivered, counters.data_delivered);
            let failed = counters.data_trimmed + counters.data_dropped + counters.data_lost;
            push("samples", &mut samples.data_failed, failed);
            push("samples", &mut samples.in_flight, packets.live() + outbox.leaving());
            push("samples", &mut samples.backlog, sum);
            push("samples", &mut samples.longest, longest);
            if !self.sampling.ports.is_empty() {
                let states: Vec<PortState> = self.port_states(at).collect();
                states.into_iter().for_each(|state| push("samples of links", &mut self.sampling.states, state));
            }
        }
        self.sampling.next.min(until)
    }
}
