//! One cycle of a virtual cut-through router: packets and credits arrive, packets cross, links send.

use tulle_base::memory::Need;
use tulle_base::prefetch::{prefetch, prefetch_all, touch};

use crate::bits::{clear, next_of_word, pop, pop_first};
use crate::flit::Pool;
use crate::router::context::{Cycle, Run};
use crate::router::handle::step_of;
use crate::router::layout::Layout;
use crate::router::switch::Switch;
use crate::router::switching::Switching;
use crate::selector::Estimate;

use super::VirtualCutThrough;
use super::state::State;

impl<const P: usize> Switching<P> for State<P> {
    type Model = VirtualCutThrough;
    type Scratch = ();

    fn need(model: &VirtualCutThrough, ports: u64) -> Need {
        Self::queues(model, ports)
    }

    fn new(model: &VirtualCutThrough, run: &Run, layout: &Layout) -> Self {
        Self::empty(model, run, layout)
    }

    #[inline]
    fn credit(&mut self, output: usize) {
        self.outputs[output].credits += 1;
    }

    #[inline(always)]
    fn announce(&self, input: usize, handle: u32) {
        if self.queues_per_vc > 1 {
            prefetch(&self.inputs, self.queue_of(input, handle));
        }
    }

    #[inline(always)]
    fn expect(&self, pool: &Pool<P>, input: usize, handle: u32) {
        let queue = &self.inputs[self.queue_of(input, handle)];
        if queue.length > 0 {
            pool.prefetch_next(queue.tail);
        }
    }

    fn enqueue(&mut self, pool: &mut Pool<P>, input: usize, handle: u32) {
        let queue = self.queue_of(input, handle);
        self.inputs[queue].append(pool, handle);
        match &mut self.crossbar {
            None => self.waiting[input >> 6] |= 1 << (input & 63),
            Some(crossbar) => {
                crossbar.set_head(queue, input, self.inputs[queue].head);
                if self.queues_per_vc > 1 {
                    crossbar.count_in(handle);
                }
            }
        }
    }

    fn step(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle) {
        self.prefetch_heads(&switch.pool, cycle.now);
        if self.crossbar.is_some() {
            self.match_ports(switch, cycle);
        } else {
            self.request(switch, cycle.run, cycle.now);
            self.cross(switch, cycle);
        }
        self.send(switch, cycle);
    }

    /// Returns the credits in use. Packets in output queues and in virtual output queues for the port count as used
    /// credits.
    fn credits(&self, layout: &Layout, port: usize, group: Option<u8>) -> u32 {
        let port_vcs = layout.port_vcs(port, group);
        let used: u32 =
            self.outputs[port_vcs.clone()].iter().map(|output| u32::from(self.capacity - output.credits)).sum();
        used + self.queues[port_vcs].iter().map(|queue| u32::from(queue.length)).sum::<u32>()
            + self.queued_for(port, group)
    }

    fn output(&self, layout: &Layout, port: usize) -> u32 {
        let queues = &self.queues[layout.port_vcs(port, None)];
        queues.iter().map(|queue| u32::from(queue.length)).sum::<u32>() + self.queued_for(port, None)
    }

    fn capacity(&self, estimate: Estimate) -> u32 {
        let next = if estimate == Estimate::Output { 0 } else { u32::from(self.capacity) };
        // With virtual output queues, the packets for one output port use a part of every input buffer. On average, these parts add up to
        // one buffer.
        let bound = if self.model.voq { u32::from(self.capacity) } else { 0 };
        self.vcs as u32 * (next + bound + u32::from(self.output_capacity))
    }

    fn is_full(&self, _: &Pool<P>, input: usize) -> bool {
        self.queues_of(input).iter().map(|queue| queue.length).sum::<u16>() >= self.capacity
    }

    /// Returns the output VCs that the first packets of the queues may use.
    fn wants(&self, run: &Run, switch: &Switch<P>, input: usize) -> Vec<usize> {
        let steps_of = |head: u32| match self.queues_per_vc {
            1 => run.routes.options(switch.layout.switch, switch.pool.get(head), step_of::<P>(head)),
            _ => vec![step_of::<P>(head)],
        };
        let heads = self.queues_of(input).iter().filter(|queue| queue.length > 0).map(|queue| queue.head);
        heads.flat_map(steps_of).flat_map(|step| switch.layout.port_vcs(step.port.into(), Some(step.group))).collect()
    }

    fn is_blocked(&self, output: usize) -> bool {
        self.queues[output].length >= self.output_capacity && self.outputs[output].credits == 0
    }

    fn touch(&self, _: &Layout) {
        if self.queues_per_vc == 1 {
            touch(&self.inputs);
        }
        touch(&self.queues);
        touch(&self.outputs);
        touch(&self.ports);
        if let Some(crossbar) = &self.crossbar {
            crossbar.touch();
        }
    }

    fn prefetch(&self, _: &Layout) {
        if self.queues_per_vc == 1 {
            prefetch_all(&self.inputs);
        }
        prefetch_all(&self.queues);
        prefetch_all(&self.outputs);
        prefetch_all(&self.ports);
        if let Some(crossbar) = &self.crossbar {
            crossbar.prefetch();
        }
    }

    #[cfg(feature = "conservation")]
    fn held(&self, _: &Switch<P>, input: usize) -> usize {
        let held = self.queues_of(input).iter().map(|queue| usize::from(queue.length)).sum();
        assert!(held <= usize::from(self.capacity));
        held
    }

    #[cfg(feature = "conservation")]
    fn left(&self, _: &Switch<P>, output: usize) -> usize {
        self.outputs[output].credits.into()
    }

    #[cfg(feature = "conservation")]
    fn audit(&self, _: &Switch<P>) {
        assert!(self.queues.iter().all(|queue| queue.length <= self.output_capacity));
    }
}

impl<const P: usize> State<P> {
    /// Prefetches the packets that links may send in cycle `now`.
    #[inline]
    fn prefetch_heads(&self, pool: &Pool<P>, now: u32) {
        let mut ports = self.sending;
        while let Some(at) = pop_first(&mut ports) {
            if self.ports[at].busy > now {
                continue;
            }
            let mut vcs = u64::from(self.ports[at].filled);
            while vcs != 0 {
                let head = self.queues[at * self.vcs + pop(&mut vcs)].head;
                pool.prefetch_flit(head);
                pool.prefetch_next(head);
            }
        }
    }

    /// Lets every free link send one packet, if the next buffer has room for a packet.
    fn send(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle) {
        let mut ports = self.sending;
        while let Some(at) = pop_first(&mut ports) {
            let port = &mut self.ports[at];
            if port.busy > cycle.now {
                continue;
            }
            let is_endpoint = at < switch.layout.endpoints;
            let mut can = u64::from(port.filled);
            let mut vcs = if is_endpoint { 0 } else { can };
            while vcs != 0 {
                let vc = pop(&mut vcs);
                can &= !(u64::from(self.outputs[at * self.vcs + vc].credits == 0) << vc);
            }
            if can == 0 {
                continue;
            }
            let vc = next_of_word(can, port.token.into());
            let output = at * self.vcs + vc;
            let handle = self.queues[output].take_first(&switch.pool);
            if self.queues[output].length == 0 {
                port.filled &= !(1 << vc);
                if port.filled == 0 {
                    clear(&mut self.sending, at);
                }
            }
            port.token = if vc + 1 == self.vcs { 0 } else { vc as u8 + 1 };
            port.busy = cycle.now + u32::from(self.packet);
            if !is_endpoint {
                self.outputs[output].credits -= 1;
            }
            switch.send(cycle, at, vc as u8, handle);
        }
    }
}
