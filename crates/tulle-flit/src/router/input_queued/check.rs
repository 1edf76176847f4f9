//! Looking into a router: for the watchdog, and to count flits and credits.

use crate::flit::{GROUP, NONE, Word};
use crate::router::{Run, Waiting};

use super::state::{NO_VC, State};

impl<const W: usize, const P: usize> State<W, P> {
    /// The full input buffers of channels whose first flit can go nowhere for want of credits.
    pub(super) fn find_stuck(&self, run: &Run) -> Vec<Waiting> {
        let mut stuck = Vec::new();
        let first_channel = run.fabric.channels_of(self.switch).start;
        for (at, input) in self.inputs.first(self.num_lanes()).iter().enumerate().skip(self.endpoints << self.shift) {
            if input.head == NONE || self.queue_length(at) < usize::from(self.model.buffer) {
                continue;
            }
            let port = if input.output != NO_VC {
                usize::from(input.output) >> self.shift
            } else {
                Word::<P>::port(input.head)
            };
            if port < self.endpoints {
                continue;
            }
            let channel = (first_channel + port - self.endpoints) as u32;
            let lanes = if input.output != NO_VC {
                let lane = input.output as usize & ((1 << self.shift) - 1);
                lane..lane + 1
            } else {
                let (first, count) = self.ranges[(input.head >> GROUP & 15) as usize];
                usize::from(first)..usize::from(first + count)
            };
            // An output virtual channel that has credits will be free: whoever has it can go on.
            if lanes.clone().all(|lane| self.outputs[port << self.shift | lane].credits == 0) {
                stuck.push(Waiting {
                    at: (self.ports[at >> self.shift].channel, (at & ((1 << self.shift) - 1)) as u8),
                    wants: lanes.map(|lane| (channel, lane as u8)).collect(),
                });
            }
        }
        stuck
    }

    /// Flits in an input buffer.
    pub(super) fn queue_length(&self, input: usize) -> usize {
        let queue = &self.inputs[input];
        let mut word = queue.head;
        let mut length = 0;
        while word != NONE {
            length += 1;
            word = if (word ^ queue.tail) & Word::<P>::NUMBER == 0 { NONE } else { self.pool.next(word) };
        }
        length
    }

    /// Flits and credits of every virtual channel.
    #[cfg(feature = "conservation")]
    pub(super) fn count(&self, run: &Run) -> crate::conservation::Census {
        use crate::bits::is_empty;
        let mut census = crate::conservation::Census {
            flits: u64::from(self.pool.len())
                + self.late_flits.len() as u64
                + self.sources.arriving.all().count() as u64,
            queued: self.sources.queued(),
            ..Default::default()
        };
        let lanes = usize::from(self.model.vcs);
        let first_channel = run.fabric.channels_of(self.switch).start;
        let mut outputs = vec![0; self.num_lanes()];
        for (at, port) in self.ports.first(self.num_ports).iter().enumerate() {
            let mut word = port.head;
            for _ in 0..port.queued {
                outputs[at << self.shift | (word >> GROUP & 15) as usize] += 1;
                word = self.pool.next(word);
            }
        }
        for (port, state) in self.ports.first(self.num_ports).iter().enumerate() {
            for lane in 0..lanes {
                let vc = port << self.shift | lane;
                let pending = |credits: u64, count: u16| {
                    (0..count.min(16)).filter(|at| (credits >> (4 * at) & 15) as usize == lane).count()
                };
                let owed = pending(state.credits, state.num_credits)
                    + self.overflow[port].iter().filter(|&&other| usize::from(other) == lane).count();
                let late_flits = self.late_flits.iter().filter(|late| usize::from(late.vc) == vc).count();
                let late_credits = self.late_credits.iter().filter(|late| usize::from(late.vc) == vc).count();
                let input = self.queue_length(vc) + late_flits + owed;
                let output = usize::from(self.outputs[vc].credits) + outputs[vc] + late_credits;
                if port < self.endpoints {
                    // The endpoint's side of the link is here, too.
                    assert_eq!(input + self.sources.credits_of(port, lane as u8), usize::from(self.model.buffer));
                    let back = self.ejected.all().filter(|&&back| usize::from(back) == vc).count();
                    assert_eq!(output + back, usize::from(self.model.buffer), "credits of an endpoint");
                } else {
                    census.inputs.push(((state.channel, lane as u8), input));
                    census.outputs.push((((first_channel + port - self.endpoints) as u32, lane as u8), output));
                }
                // An output virtual channel is free, or has an owner that has it.
                let owner = self.outputs[vc].owner;
                let is_free = self.free[vc >> 6] >> (vc & 63) & 1 == 1;
                assert!(if is_free {
                    owner == NO_VC
                } else {
                    usize::from(self.inputs[usize::from(owner)].output) == vc
                });
                let waits = !is_empty(&self.wait[vc]);
                assert_eq!(self.waiting[vc >> 6] >> (vc & 63) & 1 == 1, waits, "who waits is known");
            }
        }
        census
    }
}
