//! Looking into a router: for the watchdog, and to count packets and credits.

use crate::router::{Run, Waiting};

use super::pipeline::step_of;
use super::state::State;

impl State {
    /// The full input buffers of channels whose first packet finds every output buffer full that it may go to, and no room
    /// after any of them.
    pub(super) fn find_stuck(&self, run: &Run) -> Vec<Waiting> {
        let mut stuck = Vec::new();
        let first_channel = run.fabric.channels_of(self.switch).start;
        for (at, input) in self.inputs.iter().enumerate().skip(self.endpoints * self.vcs) {
            if input.length < self.room {
                continue;
            }
            let step = step_of(input.head);
            if usize::from(step.port) < self.endpoints {
                continue;
            }
            let ports = run.ways.options(self.switch, self.pool.get(input.head), step);
            let outputs: Vec<usize> = ports.iter().flat_map(|&port| self.lanes(port.into(), step.group)).collect();
            let blocked = |&vc: &usize| self.queues[vc].length >= self.output_room && self.outputs[vc].credits == 0;
            if outputs.iter().all(blocked) {
                let channel = |vc: usize| (first_channel + vc / self.vcs - self.endpoints) as u32;
                stuck.push(Waiting {
                    at: (self.ports[at / self.vcs].channel, (at % self.vcs) as u8),
                    wants: outputs.into_iter().map(|vc| (channel(vc), (vc % self.vcs) as u8)).collect(),
                });
            }
        }
        stuck
    }

    /// Packets and credits of every virtual channel.
    #[cfg(feature = "conservation")]
    pub(super) fn count(&self, run: &Run) -> crate::conservation::Census {
        let packets =
            u64::from(self.pool.len()) + self.late_flits.len() as u64 + self.sources.arriving.all().count() as u64;
        let mut census = crate::conservation::Census {
            flits: packets * u64::from(self.packet),
            queued: self.sources.queued(),
            per_record: self.packet.into(),
            ..Default::default()
        };
        let first_channel = run.fabric.channels_of(self.switch).start;
        for vc in 0..self.inputs.len() {
            let (port, lane) = (vc / self.vcs, (vc % self.vcs) as u8);
            let late_flits = self.late_flits.iter().filter(|late| usize::from(late.vc) == vc).count();
            let late_credits = self.late_credits.iter().filter(|late| usize::from(late.vc) == vc).count();
            let input = usize::from(self.inputs[vc].length) + late_flits;
            assert!(self.queues[vc].length <= self.output_room && self.inputs[vc].length <= self.room);
            if port < self.endpoints {
                // The endpoint's side of the link is here, too.
                assert_eq!(input + self.sources.credits_of(port, lane), usize::from(self.room), "credits of a source");
            } else {
                census.inputs.push(((self.ports[port].channel, lane), input));
                let channel = (first_channel + port - self.endpoints) as u32;
                census.outputs.push(((channel, lane), usize::from(self.outputs[vc].credits) + late_credits));
            }
        }
        census
    }
}
