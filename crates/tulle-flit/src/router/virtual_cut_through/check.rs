//! Looking into a router: for the watchdog, and to count packets and credits.

use crate::router::{Run, Waiting};

use super::state::{State, step_of};

impl<const P: usize> State<P> {
    /// The full input buffers of channels where the first packet of every queue finds every output buffer full that it may go
    /// to, and no room after any of them.
    pub(super) fn find_stuck(&self, run: &Run) -> Vec<Waiting> {
        let mut stuck = Vec::new();
        let first_channel = run.fabric.channels_of(self.switch).start;
        for at in self.endpoints * self.vcs..self.ports.len() * self.vcs {
            let queues = self.queues_of(at);
            if queues.iter().map(|queue| queue.length).sum::<u16>() < self.room {
                continue;
            }
            let heads = queues.iter().filter(|queue| queue.length > 0).map(|queue| queue.head);
            if heads.clone().any(|head| usize::from(step_of::<P>(head).port) < self.endpoints) {
                continue;
            }
            let outputs: Vec<usize> = heads.flat_map(|head| self.outputs_of(run, head)).collect();
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

    /// The output virtual channels that the packet of `word` may go to.
    fn outputs_of(&self, run: &Run, word: u32) -> Vec<usize> {
        let step = step_of::<P>(word);
        let steps = match self.fan {
            1 => run.routes.options(self.switch, self.pool.get(word), step),
            _ => vec![step],
        };
        steps.iter().flat_map(|step| self.lanes(step.port.into(), step.group)).collect()
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
        for vc in 0..self.queues.len() {
            let (port, lane) = (vc / self.vcs, (vc % self.vcs) as u8);
            let late_flits = self.late_flits.iter().filter(|late| usize::from(late.vc) == vc).count();
            let late_credits = self.late_credits.iter().filter(|late| usize::from(late.vc) == vc).count();
            let held = self.queues_of(vc).iter().map(|queue| usize::from(queue.length)).sum::<usize>();
            let input = held + late_flits;
            assert!(self.queues[vc].length <= self.output_room && held <= usize::from(self.room));
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
