//! Arbitration without a limit: every output virtual channel takes a packet at a time, whatever input it comes from.

use crate::bits::{pop, select, set};
use crate::flit::Word;
use crate::router::{Local, Run};
use crate::routes::Step;
use crate::wires::Line;

use super::state::{Queue, State, step_of, word_of};

impl<const P: usize> State<P> {
    /// Every packet at the front of an input asks for one output virtual channel that has room, drawn at random; every
    /// output virtual channel draws one of those that ask.
    pub(super) fn ask(&mut self, run: &Run, now: u32) {
        for block in 0..self.waiting.len() {
            let mut inputs = self.waiting[block];
            while inputs != 0 {
                let input = (block << 6) + pop(&mut inputs);
                if self.inputs[input].busy > now {
                    continue;
                }
                let word = self.inputs[input].head;
                let step = step_of::<P>(word);
                let Some(output) = self.draw_output(step, now) else {
                    // Another port, perhaps, in the next cycle.
                    let other = run.routes.again(self.switch, self.pool.get(word), step, &mut self.generator);
                    self.replace_head(input, word & Word::<P>::NUMBER | word_of::<P>(other));
                    continue;
                };
                self.asked[output >> 6] |= 1 << (output & 63);
                let output = &mut self.outputs[output];
                output.asking += 1;
                if output.asking == 1 || self.generator.below(output.asking.into()) == 0 {
                    output.drawn = input as u16;
                }
            }
        }
    }

    pub(super) fn replace_head(&mut self, input: usize, word: u32) {
        let queue = &mut self.inputs[input];
        if queue.length == 1 {
            queue.tail = word;
        }
        queue.head = word;
    }

    /// One of the output virtual channels of `step` that can take a packet.
    pub(super) fn draw_output(&mut self, step: Step, now: u32) -> Option<usize> {
        let lanes = self.lanes(step.port.into(), step.group);
        let first = lanes.start;
        let can = |queue: &Queue| queue.length < self.output_room && queue.busy <= now;
        let able = self.queues[lanes].iter().rev().fold(0, |able, queue| able << 1 | u64::from(can(queue)));
        match able.count_ones() {
            0 => None,
            1 => Some(first + able.trailing_zeros() as usize),
            count => Some(first + select(able, self.generator.below(count))),
        }
    }

    /// The packets drawn move from inputs to outputs.
    pub(super) fn cross(&mut self, now: u32, slot: usize, out: &mut [Line], local: &mut Local) {
        for block in 0..self.asked.len() {
            let mut outputs = std::mem::take(&mut self.asked[block]);
            while outputs != 0 {
                let output = (block << 6) + pop(&mut outputs);
                self.outputs[output].asking = 0;
                let input = usize::from(self.outputs[output].drawn);
                self.transfer(input, output, now, slot, out, local);
                if self.inputs[input].length == 0 {
                    self.waiting[input >> 6] &= !(1 << (input & 63));
                }
            }
        }
    }

    /// The first packet of input queue `queue` moves to `output`.
    #[inline]
    pub(super) fn transfer(
        &mut self,
        queue: usize,
        output: usize,
        now: u32,
        slot: usize,
        out: &mut [Line],
        local: &mut Local,
    ) {
        let word = self.inputs[queue].take_first(&self.pool);
        let end = now + u32::from(self.packet);
        self.inputs[queue].busy = end;
        let input = queue / self.fan;
        let port = input / self.vcs;
        let lane = (input - port * self.vcs) as u8;
        match port.checked_sub(self.endpoints) {
            Some(row) => out[row].credit(slot, lane),
            None => self.sources.credit(now, port, lane),
        }
        self.queues[output].append(&mut self.pool, word);
        self.queues[output].busy = end;
        let port = output / self.vcs;
        self.ports[port].filled |= 1 << (output - port * self.vcs);
        set(&mut self.sending, port);
        local.tally.traversals += u64::from(self.packet);
    }
}

#[cfg(test)]
mod tests;
