//! The core that routers of all models share: it handles arrivals, endpoints and credits, and calls the model's switching.

use super::context::{Cycle, Inbox, Local, Run};
use super::feedback::Feedback;
use super::handle::{ends_of, handle_of, redirect, step_of};
use super::layout::Layout;
use super::model::Model;
use super::switch::Switch;
use super::switching::Switching;
use crate::acks::Known;
use crate::channel_buffer::ChannelBuffer;
use crate::flit::{HEAD, MAY_DIVERT, MINIMAL};
use crate::selector::{Estimate, Memory, Queues};

/// A router of at most 64·P ports.
#[derive(Debug)]
pub(crate) struct Router<S, const P: usize> {
    pub switch: Switch<P>,
    pub switching: S,
}

impl<S: Switching<P>, const P: usize> Router<S, P> {
    /// Creates the empty router of `switch`.
    pub fn new(model: &S::Model, run: &Run, switch: u32) -> Self {
        let layout = Layout::new(run, switch, model.vcs(), S::stride(model.vcs()));
        let switching = S::new(model, run, &layout);
        Self { switch: Switch::new(model, run, layout), switching }
    }

    /// Returns whether this switch might get more flits or packets in the next block of cycles than it has free numbers for. At most one flit
    /// per port and cycle arrives.
    pub fn is_nearly_full(&self, run: &Run) -> bool {
        let Switch { layout, pool, feedback, .. } = &self.switch;
        pool.is_nearly_full(layout.ports * run.block)
            || feedback.as_ref().is_some_and(|feedback| feedback.is_nearly_full(layout.endpoints * run.block))
    }

    /// Reads one entry of each array that a block of cycles uses, to pull it into the CPU cache. Call it before
    /// [`Router::prefetch`].
    pub fn touch(&self) {
        self.switching.touch(&self.switch.layout);
        self.switch.touch();
    }

    /// Prefetches the memory that a block of cycles uses, except for the channel buffers.
    pub fn prefetch(&self, run: &Run) {
        if self.switch.layout.endpoints > 0 {
            run.routes.prefetch_starts(self.switch.layout.switch);
        }
        self.switching.prefetch(&self.switch.layout);
        self.switch.prefetch();
    }

    /// Runs a block of cycles that begins with cycle `start`. `inbox` has the arrivals; `out` are the switch's outgoing
    /// channels.
    pub fn block(
        &mut self,
        run: &Run,
        start: u32,
        inbox: &mut Inbox,
        out: &mut [ChannelBuffer],
        local: &mut Local<S::Scratch>,
    ) {
        if let Some(feedback) = &mut self.switch.feedback {
            feedback.start_block(run.routes);
        }
        self.switch.route(run, inbox);
        for &(port_vc, handle) in inbox.flits[..run.block].iter().flatten() {
            self.switching.announce(port_vc.into(), handle);
        }
        out.iter_mut().for_each(ChannelBuffer::reset);
        for slot in 0..run.block {
            self.cycle(inbox, &mut Cycle::new(run, start + slot as u32, slot, out, local));
        }
        if run.routes.publishes_queues() {
            let (layout, switching) = (&self.switch.layout, &self.switching);
            for port in layout.endpoints..layout.ports {
                run.routes.publish_queue(layout.channel(port) as usize, switching.credits(layout, port, None));
            }
        }
    }

    /// Runs one cycle. The compiler must not inline this function: as a separate function, it keeps its most used values in registers.
    #[inline(never)]
    fn cycle(&mut self, inbox: &Inbox, cycle: &mut Cycle<S::Scratch>) {
        for &port_vc in &inbox.credits[cycle.slot] {
            self.switching.credit(port_vc.into());
        }
        for &(port_vc, handle) in &inbox.flits[cycle.slot] {
            self.switching.expect(&self.switch.pool, port_vc.into(), handle);
        }
        self.switching.begin(cycle.now);
        for &(port_vc, handle) in &inbox.flits[cycle.slot] {
            let port_vc = usize::from(port_vc);
            let handle = if cycle.run.routes.revises() { self.revise(cycle.run, port_vc, handle) } else { handle };
            self.switching.enqueue(&mut self.switch.pool, port_vc, handle);
        }
        self.endpoints(cycle);
        self.switching.step(&mut self.switch, cycle);
    }

    /// Lets the selector change the route of a flit that has arrived over a cable, if its packet is at its second
    /// switch. Returns the handle of the flit, with the new next hop if the route changed.
    fn revise(&mut self, run: &Run, port_vc: usize, handle: u32) -> u32 {
        let switch = &mut self.switch;
        let mut flit = *switch.pool.get(handle);
        if flit.flags & HEAD == 0 {
            flit.flags = flit.flags & !MINIMAL | switch.packet_flags[port_vc];
            switch.pool.put(handle, flit);
            return handle;
        }
        let mut handle = handle;
        if flit.flags & MAY_DIVERT != 0 {
            let at = (switch.layout.switch, switch.incoming(switch.layout.place(port_vc).0));
            let view = View { layout: &switch.layout, switching: &self.switching };
            let memory = Memory { turns: &mut switch.turns, known: known(&mut switch.feedback) };
            let step = run.routes.revise(at, step_of::<P>(handle), &mut flit, &view, memory, &mut switch.generator);
            handle = redirect::<P>(handle, step);
            switch.pool.put(handle, flit);
        }
        switch.packet_flags[port_vc] = flit.flags & MINIMAL;
        handle
    }

    /// Runs one cycle of the switch's endpoints: flits from endpoints arrive, endpoints create packets, and endpoints send flits.
    #[inline]
    fn endpoints(&mut self, cycle: &mut Cycle<S::Scratch>) {
        if self.switch.layout.endpoints == 0 {
            return;
        }
        // If the output delay is 0, a flit may arrive in the cycle in which it was sent. So endpoints send before the switch accepts
        // arrivals.
        if cycle.run.timing.output == 0 {
            self.switch.create(cycle);
            self.enter(cycle);
            return;
        }
        self.enter(cycle);
        self.switch.create(cycle);
        let Switch { layout, sources, feedback, .. } = &self.switch;
        for (_, flit) in sources.arriving.due(cycle.now + 1) {
            cycle.run.routes.prefetch_start(layout.switch, flit);
            if let Some(feedback) = feedback {
                feedback.prefetch(flit.switch);
            }
        }
    }

    /// Accepts flits from endpoints. The first flit of a packet chooses its route.
    #[inline(always)]
    fn enter(&mut self, cycle: &Cycle<S::Scratch>) {
        let switch = &mut self.switch;
        while let Some((port, mut flit)) = switch.sources.arriving.pop(cycle.now) {
            let port_vc = switch.layout.port_vc(port.into(), flit.vc);
            let mut handle = ends_of(&flit);
            if flit.flags & HEAD != 0 {
                if let Some(feedback) = &mut switch.feedback {
                    feedback.learn(cycle.run.routes, cycle.slot + 1);
                }
                let view = View { layout: &switch.layout, switching: &self.switching };
                let memory = Memory { turns: &mut switch.turns, known: known(&mut switch.feedback) };
                let generator = &mut switch.generator;
                let step = cycle.run.routes.begin(switch.layout.switch, &mut flit, &view, memory, generator);
                handle |= handle_of::<P>(step);
                switch.packet_flags[port_vc] = flit.flags & MINIMAL;
                if let Some(feedback) = &mut switch.feedback {
                    feedback.start(port_vc, &flit);
                }
            }
            if let Some(feedback) = &switch.feedback {
                flit.created = feedback.number(port_vc);
            }
            flit.flags |= switch.packet_flags[port_vc];
            let handle = handle | switch.pool.take(flit);
            self.switching.enqueue(&mut switch.pool, port_vc, handle);
        }
    }
}

/// Returns what a switch knows about every destination switch; nothing if the selector does not learn.
#[inline]
fn known(feedback: &mut Option<Box<Feedback>>) -> &mut [Known] {
    feedback.as_mut().map_or(&mut [], |feedback| &mut feedback.known)
}

/// The queues of a router as selectors see them.
struct View<'a, S, const P: usize> {
    layout: &'a Layout,
    switching: &'a S,
}

impl<S: Switching<P>, const P: usize> Queues for View<'_, S, P> {
    #[inline]
    fn credits(&self, port: u16, group: Option<u8>) -> u32 {
        self.switching.credits(self.layout, self.layout.endpoints + usize::from(port), group)
    }

    #[inline]
    fn output(&self, port: u16) -> u32 {
        self.switching.output(self.layout, self.layout.endpoints + usize::from(port))
    }

    #[inline]
    fn capacity(&self, estimate: Estimate) -> u32 {
        self.switching.capacity(estimate)
    }

    #[inline]
    fn unit(&self) -> u32 {
        self.layout.record.into()
    }
}
