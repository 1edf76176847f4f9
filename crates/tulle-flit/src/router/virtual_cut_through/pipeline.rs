//! A cycle: packets and credits come in, packets cross, links send.

use tulle_base::memory::Need;
use tulle_base::prefetch::{prefetch, prefetch_all, touch};

use crate::bits::{clear, next_of_word, pop, pop_first};
use crate::flit::Pool;
use crate::router::context::{Cycle, Run};
use crate::router::layout::Layout;
use crate::router::switch::Switch;
use crate::router::switching::Switching;
use crate::router::word::step_of;
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
    fn announce(&self, input: usize, word: u32) {
        if self.fan > 1 {
            prefetch(&self.inputs, self.queue_of(input, word));
        }
    }

    #[inline(always)]
    fn expect(&self, pool: &Pool<P>, input: usize, word: u32) {
        let queue = &self.inputs[self.queue_of(input, word)];
        if queue.length > 0 {
            pool.prefetch_next(queue.tail);
        }
    }

    fn enqueue(&mut self, pool: &mut Pool<P>, input: usize, word: u32) {
        let queue = self.queue_of(input, word);
        self.inputs[queue].append(pool, word);
        match &mut self.crossbar {
            None => self.waiting[input >> 6] |= 1 << (input & 63),
            Some(crossbar) => {
                crossbar.set_head(queue, input, self.inputs[queue].head);
                if self.fan > 1 {
                    crossbar.bind(word);
                }
            }
        }
    }

    fn step(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle) {
        self.prefetch_heads(&switch.pool, cycle.now);
        if self.crossbar.is_some() {
            self.match_ports(switch, cycle);
        } else {
            self.ask(switch, cycle.run, cycle.now);
            self.cross(switch, cycle);
        }
        self.send(switch, cycle);
    }

    /// The queues at the outputs and the virtual output queues for them count, too.
    fn credits(&self, layout: &Layout, port: usize, group: Option<u8>) -> u32 {
        let lanes = layout.lanes(port, group);
        let used: u32 = self.outputs[lanes.clone()].iter().map(|output| u32::from(self.room - output.credits)).sum();
        used + self.queues[lanes].iter().map(|queue| u32::from(queue.length)).sum::<u32>() + self.bound(port, group)
    }

    fn output(&self, layout: &Layout, port: usize) -> u32 {
        let queues = &self.queues[layout.lanes(port, None)];
        queues.iter().map(|queue| u32::from(queue.length)).sum::<u32>() + self.bound(port, None)
    }

    fn capacity(&self, estimate: Estimate) -> u32 {
        let next = if estimate == Estimate::Output { 0 } else { u32::from(self.room) };
        // What is bound for a port has its share of every input buffer, which makes one of them.
        let bound = if self.model.voq { u32::from(self.room) } else { 0 };
        self.vcs as u32 * (next + bound + u32::from(self.output_room))
    }

    fn is_full(&self, _: &Pool<P>, input: usize) -> bool {
        self.queues_of(input).iter().map(|queue| queue.length).sum::<u16>() >= self.room
    }

    /// The output virtual channels that the first packet of any queue may go to.
    fn wants(&self, run: &Run, switch: &Switch<P>, input: usize) -> Vec<usize> {
        let steps_of = |head: u32| match self.fan {
            1 => run.routes.options(switch.layout.switch, switch.pool.get(head), step_of::<P>(head)),
            _ => vec![step_of::<P>(head)],
        };
        let heads = self.queues_of(input).iter().filter(|queue| queue.length > 0).map(|queue| queue.head);
        heads.flat_map(steps_of).flat_map(|step| switch.layout.lanes(step.port.into(), Some(step.group))).collect()
    }

    fn is_blocked(&self, output: usize) -> bool {
        self.queues[output].length >= self.output_room && self.outputs[output].credits == 0
    }

    fn touch(&self, _: &Layout) {
        if self.fan == 1 {
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
        if self.fan == 1 {
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
        assert!(held <= usize::from(self.room));
        held
    }

    #[cfg(feature = "conservation")]
    fn left(&self, _: &Switch<P>, output: usize) -> usize {
        self.outputs[output].credits.into()
    }

    #[cfg(feature = "conservation")]
    fn audit(&self, _: &Switch<P>) {
        assert!(self.queues.iter().all(|queue| queue.length <= self.output_room));
    }
}

impl<const P: usize> State<P> {
    /// Asks for the packets that links may send in cycle `now`.
    #[inline]
    fn prefetch_heads(&self, pool: &Pool<P>, now: u32) {
        let mut ports = self.sending;
        while let Some(at) = pop_first(&mut ports) {
            if self.ports[at].busy > now {
                continue;
            }
            let mut lanes = u64::from(self.ports[at].filled);
            while lanes != 0 {
                let head = self.queues[at * self.vcs + pop(&mut lanes)].head;
                pool.prefetch_flit(head);
                pool.prefetch_next(head);
            }
        }
    }

    /// Every free link takes a packet, if the next buffer has room.
    fn send(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle) {
        let mut ports = self.sending;
        while let Some(at) = pop_first(&mut ports) {
            let port = &mut self.ports[at];
            if port.busy > cycle.now {
                continue;
            }
            let is_endpoint = at < switch.layout.endpoints;
            let mut can = u64::from(port.filled);
            let mut lanes = if is_endpoint { 0 } else { can };
            while lanes != 0 {
                let lane = pop(&mut lanes);
                can &= !(u64::from(self.outputs[at * self.vcs + lane].credits == 0) << lane);
            }
            if can == 0 {
                continue;
            }
            let lane = next_of_word(can, port.token.into());
            let vc = at * self.vcs + lane;
            let word = self.queues[vc].take_first(&switch.pool);
            if self.queues[vc].length == 0 {
                port.filled &= !(1 << lane);
                if port.filled == 0 {
                    clear(&mut self.sending, at);
                }
            }
            port.token = if lane + 1 == self.vcs { 0 } else { lane as u8 + 1 };
            port.busy = cycle.now + u32::from(self.packet);
            if !is_endpoint {
                self.outputs[vc].credits -= 1;
            }
            switch.send(cycle, at, lane as u8, word);
        }
    }
}
