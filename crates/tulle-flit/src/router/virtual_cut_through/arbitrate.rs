//! Arbitration without a crossbar limit: every output VC accepts one packet at a time, from any input VC.

use crate::bits::{pop, select, set};
use crate::router::context::{Cycle, Run};
use crate::router::handle::{redirect, step_of};
use crate::router::switch::Switch;
use crate::routes::Step;

use super::state::{Queue, State};

impl<const P: usize> State<P> {
    /// Each packet at the head of an input queue requests a random output VC that has room. Then each output VC accepts
    /// a random one of its requests.
    pub(super) fn request(&mut self, switch: &mut Switch<P>, run: &Run, now: u32) {
        for block in 0..self.waiting.len() {
            let mut inputs = self.waiting[block];
            while inputs != 0 {
                let input = (block << 6) + pop(&mut inputs);
                if self.inputs[input].busy > now {
                    continue;
                }
                let step = step_of::<P>(self.inputs[input].head);
                let Some(output) = self.draw_output(switch, step, now) else {
                    // No VC of the port has room. So the port is chosen again: the new port may have room in the next cycle.
                    self.draw_again(input, switch, run);
                    continue;
                };
                self.requested_outputs[output >> 6] |= 1 << (output & 63);
                let output = &mut self.outputs[output];
                output.requests += 1;
                if output.requests == 1 || switch.generator.below(output.requests.into()) == 0 {
                    output.winner = input as u16;
                }
            }
        }
    }

    /// Chooses a new random next hop for the first packet of input queue `queue`.
    pub(super) fn draw_again(&mut self, queue: usize, switch: &mut Switch<P>, run: &Run) {
        let queue = &mut self.inputs[queue];
        let (handle, flit) = (queue.head, switch.pool.get(queue.head));
        let step = run.routes.redraw(switch.layout.switch, flit, step_of::<P>(handle), &mut switch.generator);
        queue.head = redirect::<P>(handle, step);
        if queue.length == 1 {
            queue.tail = queue.head;
        }
    }

    /// Chooses at random one of the output VCs of `step` that can accept a packet; returns `None` if there is none.
    pub(super) fn draw_output(&self, switch: &mut Switch<P>, step: Step, now: u32) -> Option<usize> {
        let port_vcs = switch.layout.port_vcs(step.port.into(), Some(step.group));
        let first = port_vcs.start;
        let can = |queue: &Queue| queue.length < self.output_capacity && queue.busy <= now;
        let able = self.queues[port_vcs].iter().rev().fold(0, |able, queue| able << 1 | u64::from(can(queue)));
        match able.count_ones() {
            0 => None,
            1 => Some(first + able.trailing_zeros() as usize),
            count => Some(first + select(able, switch.generator.below(count))),
        }
    }

    /// Moves the accepted packets from their input queues to the output VCs.
    pub(super) fn cross(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle) {
        for block in 0..self.requested_outputs.len() {
            let mut outputs = std::mem::take(&mut self.requested_outputs[block]);
            while outputs != 0 {
                let output = (block << 6) + pop(&mut outputs);
                self.outputs[output].requests = 0;
                let input = usize::from(self.outputs[output].winner);
                self.transfer(input, output, switch, cycle);
                if self.inputs[input].length == 0 {
                    self.waiting[input >> 6] &= !(1 << (input & 63));
                }
            }
        }
    }

    /// Moves the first packet of input queue `queue` to `output`.
    #[inline]
    pub(super) fn transfer(&mut self, queue: usize, output: usize, switch: &mut Switch<P>, cycle: &mut Cycle) {
        let handle = self.inputs[queue].take_first(&switch.pool);
        let end = cycle.now + u32::from(self.packet);
        self.inputs[queue].busy = end;
        let input = queue / self.queues_per_vc;
        let port = input / self.vcs;
        switch.return_credit(cycle, port, (input - port * self.vcs) as u8);
        self.queues[output].append(&mut switch.pool, handle);
        self.queues[output].busy = end;
        let port = output / self.vcs;
        self.ports[port].filled |= 1 << (output - port * self.vcs);
        set(&mut self.sending, port);
        cycle.local.tally.traversals += u64::from(self.packet);
    }
}

#[cfg(test)]
mod tests;
