//! One cycle of the pipeline of an input-queued router: credits and flits arrive, allocation steps run, outputs send.

use tulle_base::memory::Need;
use tulle_base::prefetch::{prefetch_all, touch};

use crate::bits::{Bits, clear, pop_first, set};
use crate::flit::{ENDS, HEAD, Handle, NONE, Pool};
use crate::router::context::{Cycle, Run};
use crate::router::handle::group_of;
use crate::router::layout::Layout;
use crate::router::switch::Switch;
use crate::router::switching::Switching;
use crate::selector::Estimate;

use super::InputQueued;
#[cfg(feature = "conservation")]
use super::state::Port;
use super::state::{Input, NO_VC, Scratch, State, stride};

impl<const W: usize, const P: usize> Switching<P> for State<W, P> {
    type Model = InputQueued;
    type Scratch = Scratch;

    fn stride(vcs: u8) -> usize {
        stride(vcs)
    }

    fn need(model: &InputQueued, ports: u64) -> Need {
        Need::default().of::<Bits<W>>(ports * stride(model.vcs) as u64)
    }

    fn new(model: &InputQueued, run: &Run, layout: &Layout) -> Self {
        Self::empty(model, run, layout)
    }

    #[inline(always)]
    fn credit(&mut self, output: usize) {
        let to = &mut self.outputs[output];
        to.credits += 1;
        if to.credits == 1 && to.owner != NO_VC && self.inputs[usize::from(to.owner)].head != NONE {
            set(&mut self.ready, to.owner.into());
        }
    }

    #[inline(always)]
    fn begin(&mut self, now: u32) {
        while let Some(vc) = self.ejected.pop(now) {
            self.credit(vc.into());
        }
        self.steps = u64::from(now) * u64::from(self.model.speedup);
    }

    #[inline(always)]
    fn enqueue(&mut self, pool: &mut Pool<P>, input: usize, handle: u32) {
        let queue = &mut self.inputs[input];
        if queue.head == NONE {
            (queue.head, queue.tail) = (handle, handle);
            if handle >> ENDS & u32::from(HEAD) != 0 {
                self.wait_for_vc(input, handle);
            } else if queue.output != NO_VC && self.outputs[usize::from(queue.output)].credits > 0 {
                set(&mut self.ready, input);
            }
        } else {
            pool.link(queue.tail, handle);
            queue.tail = handle;
        }
    }

    #[inline]
    fn step(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle<Scratch>) {
        let steps = self.model.speedup;
        for step in 1..=steps {
            self.end_routing();
            // Increment the step counter before the allocation: if a packet reaches the head of its queue in this step,
            // its routing delay starts with the next step.
            self.steps += 1;
            let granted = self.allocate_vcs(&switch.layout);
            self.allocate_switch(step == steps, &mut switch.pool, cycle.local);
            for (ready, granted) in self.ready.iter_mut().zip(granted) {
                *ready |= granted;
            }
        }
        self.send(switch, cycle);
        self.return_credits(switch, cycle);
        while let Some((port, handle)) = cycle.local.scratch.deferred.pop() {
            self.queue_output(&mut switch.pool, port.into(), handle);
        }
    }

    #[inline]
    fn credits(&self, layout: &Layout, port: usize, group: Option<u8>) -> u32 {
        let port_vcs = layout.port_vcs(port, group);
        let all = port_vcs.len() as u32 * u32::from(self.model.buffer);
        all - port_vcs.map(|port_vc| u32::from(self.outputs[port_vc].credits)).sum::<u32>()
    }

    #[inline]
    fn output(&self, _: &Layout, port: usize) -> u32 {
        self.ports[port].queued
    }

    #[inline]
    fn capacity(&self, _: Estimate) -> u32 {
        u32::from(self.model.vcs) * u32::from(self.model.buffer)
    }

    fn is_full(&self, pool: &Pool<P>, input: usize) -> bool {
        self.queue_length(pool, input) >= usize::from(self.model.buffer)
    }

    /// Returns the output VC that the first packet holds, or the output VCs that it requests. If a requested VC has credits, it will become
    /// free, because the packet that holds this VC can move.
    fn wants(&self, _: &Run, switch: &Switch<P>, input: usize) -> Vec<usize> {
        let Input { head, output, .. } = self.inputs[input];
        match output {
            NO_VC => switch.layout.port_vcs(Handle::<P>::port(head), Some(group_of(head))).collect(),
            _ => vec![output.into()],
        }
    }

    fn is_blocked(&self, output: usize) -> bool {
        self.outputs[output].credits == 0
    }

    fn touch(&self, layout: &Layout) {
        touch(self.ports.first(layout.ports));
        touch(self.inputs.first(layout.num_port_vcs()));
        touch(self.outputs.first(layout.num_port_vcs()));
        touch(&self.wait);
        self.ejected.touch();
        prefetch_all(&self.wait);
    }

    fn prefetch(&self, layout: &Layout) {
        prefetch_all(self.ports.first(layout.ports));
        prefetch_all(self.inputs.first(layout.num_port_vcs()));
        prefetch_all(self.outputs.first(layout.num_port_vcs()));
        self.ejected.prefetch();
    }

    #[cfg(feature = "conservation")]
    fn held(&self, switch: &Switch<P>, input: usize) -> usize {
        let (port, vc) = switch.layout.place(input);
        let Port { credits, num_credits, .. } = self.ports[port];
        let first = (0..num_credits.min(16)).filter(|at| (credits >> (4 * at) & 15) as u8 == vc);
        let others = self.overflow[port].iter().filter(|&&other| other == vc);
        self.queue_length(&switch.pool, input) + first.count() + others.count()
    }

    #[cfg(feature = "conservation")]
    fn left(&self, switch: &Switch<P>, output: usize) -> usize {
        let (port, vc) = switch.layout.place(output);
        let Port { head, queued, .. } = self.ports[port];
        let handles = std::iter::successors(Some(head), |&handle| Some(switch.pool.next(handle)));
        let waiting = handles.take(queued as usize).filter(|&handle| group_of(handle) == vc);
        usize::from(self.outputs[output].credits) + waiting.count()
    }

    #[cfg(feature = "conservation")]
    fn audit(&self, switch: &Switch<P>) {
        let layout = &switch.layout;
        for port_vc in (0..layout.ports).flat_map(|port| layout.port_vcs(port, None)) {
            if layout.place(port_vc).0 < layout.endpoints {
                let back = self.ejected.all().filter(|&&back| usize::from(back) == port_vc).count();
                assert_eq!(self.left(switch, port_vc) + back, usize::from(self.model.buffer), "credits of an endpoint");
            }
            // Every output VC is either free or assigned to the input VC that owns it.
            let owner = self.outputs[port_vc].owner;
            let is_free = self.free[port_vc >> 6] >> (port_vc & 63) & 1 == 1;
            assert!(if is_free {
                owner == NO_VC
            } else {
                usize::from(self.inputs[usize::from(owner)].output) == port_vc
            });
            let waits = !crate::bits::is_empty(&self.wait[port_vc]);
            assert_eq!(self.waiting[port_vc >> 6] >> (port_vc & 63) & 1 == 1, waits, "`waiting` agrees with `wait`");
        }
    }
}

impl<const W: usize, const P: usize> State<W, P> {
    /// Lets every output send one flit.
    #[inline]
    fn send(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle<Scratch>) {
        let mut ports = self.sending;
        while let Some(at) = pop_first(&mut ports) {
            let port = &mut self.ports[at];
            let handle = port.head;
            port.queued -= 1;
            if port.queued == 0 {
                clear(&mut self.sending, at);
            } else {
                port.head = switch.pool.next(handle);
            }
            let vc = group_of(handle);
            switch.send(cycle, at, vc, handle);
            if at < switch.layout.endpoints {
                let timing = &cycle.run.timing;
                let way = timing.output + cycle.run.sending.latency;
                // An endpoint accepts every flit and returns its credit immediately.
                let back = cycle.now + 2 * way + timing.credit;
                self.ejected.push(back, (at << self.shift | usize::from(vc)) as u16);
            }
        }
    }

    /// Lets every input return one credit.
    #[inline]
    fn return_credits(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle<Scratch>) {
        let mut ports = self.crediting;
        while let Some(at) = pop_first(&mut ports) {
            let port = &mut self.ports[at];
            let vc = (port.credits & 15) as u8;
            port.credits >>= 4;
            port.num_credits -= 1;
            if port.num_credits >= 16 {
                let next = self.overflow[at].pop_front().expect("`overflow` has all credits after the first 16");
                port.credits |= u64::from(next) << 60;
            } else if port.num_credits == 0 {
                clear(&mut self.crediting, at);
            }
            switch.return_credit(cycle, at, vc);
        }
    }
}
