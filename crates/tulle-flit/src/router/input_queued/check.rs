//! Looking into a router: for the watchdog.

use crate::flit::{GROUP, NONE, NUMBER, PORT};
use crate::router::{Run, Waiting};

use super::state::{NO_VC, State};

impl<const W: usize> State<W> {
    /// The full input buffers of channels whose first flit can go nowhere for want of credits.
    pub(super) fn find_stuck(&self, run: &Run) -> Vec<Waiting> {
        let mut stuck = Vec::new();
        let first_channel = run.fabric.channels_of(self.switch).start;
        for (at, input) in self.inputs.iter().enumerate().skip(self.endpoints << self.shift) {
            if input.head == NONE || self.queue_length(at) < usize::from(self.model.buffer) {
                continue;
            }
            let port = if input.output != NO_VC {
                usize::from(input.output) >> self.shift
            } else {
                (input.head >> PORT & 63) as usize
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
            word = if (word ^ queue.tail) & NUMBER == 0 { NONE } else { self.pool.next(word) };
        }
        length
    }
}
