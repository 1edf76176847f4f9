//! Samples the network's state at regular intervals.

use super::{Engine, State};
use crate::Samples;
use crate::outcome::NEVER;

/// The times of due samples, and the samples taken.
#[derive(Debug)]
pub(crate) struct Sampling {
    period: u64,
    /// Time of the next sample; [`NEVER`] if sampling is off.
    pub(super) next: u64,
    pub(crate) samples: Samples,
}

impl Sampling {
    pub(crate) fn new(period: Option<u64>) -> Self {
        Self { period: period.unwrap_or(0), next: period.unwrap_or(NEVER), samples: Samples::default() }
    }

    /// Stops sampling, because every flow has finished. Timers that are no longer needed can still fire later.
    pub(super) fn stop(&mut self) {
        self.next = NEVER;
    }
}

impl Engine<'_> {
    /// Takes the samples that are due before `time` and not after `until`, as long as a flow is unfinished. Returns the time up to
    /// which no further sample is due.
    #[cold]
    #[inline(never)]
    pub(super) fn sample(&mut self, time: u64, until: u64) -> u64 {
        if self.state.finished == self.source.len() && self.state.outbox.is_closed() {
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
            let samples = &mut self.sampling.samples;
            samples.time.push(at);
            samples.finished.push(*finished as u64);
            samples.data_delivered.push(counters.data_delivered);
            samples.data_failed.push(counters.data_trimmed + counters.data_dropped + counters.data_lost);
            samples.in_flight.push(packets.live() + outbox.leaving());
            samples.backlog.push(sum);
            samples.longest.push(longest);
        }
        self.sampling.next.min(until)
    }
}
