//! One block of cycles of one router.

use crate::bits::{clear, pop, pop_first, set};
use crate::flit::{ENDS, Flit, GROUP, HEAD, MINIMAL, NONE, OPEN, TAIL, Word};
use crate::router::{Inbox, Local, Router, Run, Waiting};
use crate::routes::Step;
use crate::selector::Queues;
use crate::sources::Sources;
use crate::wires::Line;
use tulle_fabric::prefetch::{prefetch_all, touch};

use super::state::{Late, NO_VC, State, View};

/// What routing sees of a switch. Fields are borrowed one by one: the generator draws meanwhile, so no method does.
macro_rules! view {
    ($switch:expr) => {
        View {
            outputs: &$switch.outputs,
            ports: &$switch.ports,
            model: &$switch.model,
            ranges: &$switch.ranges,
            shift: $switch.shift,
            endpoints: $switch.endpoints,
        }
    };
}

impl<const W: usize, const P: usize> Router for State<W, P> {
    fn gather(&mut self, run: &Run, start: u32, wires: &[Line], inbox: &mut Inbox) {
        self.read(run, start, wires, inbox);
    }

    fn block(&mut self, run: &Run, start: u32, inbox: &mut Inbox, out: &mut [Line], local: &mut Local) {
        self.route(run, inbox);
        out.iter_mut().for_each(Line::reset);
        for slot in 0..run.block {
            self.cycle(run, start + slot as u32, slot, inbox, out, local);
        }
        if run.routes.wants_queues() {
            let view = self.view();
            let first = run.fabric.channels_of(self.switch).start;
            (0..out.len()).for_each(|row| run.routes.tell_queue(first + row, view.credits(row as u16, None)));
        }
    }

    fn touch(&self) {
        touch(self.ports.first(self.num_ports));
        touch(self.inputs.first(self.num_lanes()));
        touch(self.outputs.first(self.num_lanes()));
        touch(self.wait.first(self.num_lanes()));
        self.sources.touch();
        self.ejected.touch();
        self.pool.touch();
        prefetch_all(self.wait.first(self.num_lanes()));
    }

    fn prefetch(&self) {
        prefetch_all(self.ports.first(self.num_ports));
        prefetch_all(self.inputs.first(self.num_lanes()));
        prefetch_all(self.outputs.first(self.num_lanes()));
        self.sources.prefetch();
        self.ejected.prefetch();
        self.pool.prefetch();
    }

    fn sources(&self) -> &Sources {
        &self.sources
    }

    fn sources_mut(&mut self) -> &mut Sources {
        &mut self.sources
    }

    fn sent(&self) -> Vec<u32> {
        self.ports.first(self.num_ports)[self.endpoints..].iter().map(|port| port.sent).collect()
    }

    #[cfg(feature = "conservation")]
    fn census(&self, run: &Run) -> crate::conservation::Census {
        self.count(run)
    }

    fn stuck(&self, run: &Run) -> Vec<Waiting> {
        self.find_stuck(run)
    }
}

impl<const W: usize, const P: usize> State<W, P> {
    /// Reads the wires: what arrives in this block goes into lists by cycle, what comes later is kept.
    fn read(&mut self, run: &Run, start: u32, wires: &[Line], inbox: &mut Inbox) {
        let block = run.block as u32;
        let endpoints = self.endpoints;
        inbox.clear();
        self.late_flits.retain(|late| {
            let here = late.due < start + block;
            if here {
                inbox.incoming.push(((late.due - start) as u8, late.vc, late.what));
            }
            !here
        });
        self.late_credits.retain(|late| {
            let here = late.due < start + block;
            if here {
                inbox.credits[(late.due - start) as usize].push(late.vc);
            }
            !here
        });
        for (at, port) in self.ports.first(self.num_ports).iter().enumerate().skip(endpoints) {
            let channel = port.channel as usize;
            let line = &wires[channel];
            for &flit in line.flits() {
                let vc = (at << self.shift | usize::from(flit.vc)) as u16;
                let slot = u32::from(flit.slot) + port.late + self.model.delay;
                if slot < block {
                    if flit.flags & HEAD != 0 {
                        run.routes.prefetch(self.switch, &flit);
                    }
                    inbox.incoming.push((slot as u8, vc, flit));
                } else {
                    self.late_flits.push(Late { due: start + slot, vc, what: flit });
                }
            }
            let mut slots = u64::from(line.credit_slots);
            while slots != 0 {
                let sent = pop(&mut slots);
                let slot = sent as u32 + port.late + self.model.credit;
                let mut lanes = u64::from(line.credits[sent]);
                while lanes != 0 {
                    let vc = (at << self.shift | pop(&mut lanes)) as u16;
                    if slot < block {
                        inbox.credits[slot as usize].push(vc);
                    } else {
                        self.late_credits.push(Late { due: start + slot, vc, what: () });
                    }
                }
            }
        }
    }

    /// Where everything goes that arrives.
    fn route(&mut self, run: &Run, inbox: &mut Inbox) {
        for at in 0..inbox.incoming.len() {
            let (slot, vc, mut flit) = inbox.incoming[at];
            let mut word = u32::from(flit.flags & (HEAD | TAIL)) << ENDS;
            if flit.flags & HEAD != 0 {
                if run.routes.counts_cables() {
                    run.routes.cross(self.ports[usize::from(vc) >> self.shift].channel, &mut flit);
                }
                let step = run.routes.next(self.switch, &mut flit, &mut self.generator);
                word |= u32::from(step.port) << Word::<P>::PORT | u32::from(step.group) << GROUP;
            }
            inbox.flits[usize::from(slot)].push((vc, word | self.pool.take(flit)));
        }
    }

    #[inline]
    fn cycle(&mut self, run: &Run, now: u32, slot: usize, inbox: &Inbox, out: &mut [Line], local: &mut Local) {
        for at in 0..inbox.credits[slot].len() {
            self.credit(inbox.credits[slot][at].into());
        }
        while let Some(vc) = self.ejected.pop(now) {
            self.credit(vc.into());
        }
        let steps = self.model.speedup;
        self.steps = u64::from(now) * u64::from(steps);
        for at in 0..inbox.flits[slot].len() {
            let (vc, word) = inbox.flits[slot][at];
            let word = if run.routes.revises() { self.revise(run, vc.into(), word) } else { word };
            self.enqueue(vc.into(), word);
        }
        self.endpoints(run, now, local);
        for step in 1..=steps {
            self.end_routing();
            // What begins to wait in this step is seen by the next.
            self.steps += 1;
            let granted = self.allocate_vcs();
            self.allocate_switch(step == steps, local);
            for (ready, granted) in self.ready.iter_mut().zip(granted) {
                *ready |= granted;
            }
        }
        self.send(run, now, slot, out, local);
        self.return_credits(now, slot, out);
        while let Some((port, word)) = local.deferred.pop() {
            self.queue_output(port.into(), word);
        }
    }

    /// A flit has arrived over a cable: where its packet is at its second switch, its route may change. Its word then.
    fn revise(&mut self, run: &Run, input: usize, word: u32) -> u32 {
        let mut flit = *self.pool.get(word);
        if flit.flags & HEAD == 0 {
            flit.flags = flit.flags & !MINIMAL | self.inputs[input].flags;
            self.pool.put(word, flit);
            return word;
        }
        let mut word = word;
        if flit.flags & OPEN != 0 {
            let at = (self.switch, self.ports[input >> self.shift].channel);
            let step = Step { port: Word::<P>::port(word) as u8, group: (word >> GROUP & 15) as u8 };
            let view = view!(self);
            let step = run.routes.revise(at, step, &mut flit, &view, &mut self.turns, &mut self.generator);
            word &= !(Word::<P>::PORTS | 15 << GROUP);
            word |= u32::from(step.port) << Word::<P>::PORT | u32::from(step.group) << GROUP;
            self.pool.put(word, flit);
        }
        self.inputs[input].flags = flit.flags & MINIMAL;
        word
    }

    /// A credit for an output virtual channel.
    #[inline(always)]
    fn credit(&mut self, output: usize) {
        let to = &mut self.outputs[output];
        to.credits += 1;
        if to.credits == 1 && to.owner != NO_VC && self.inputs[usize::from(to.owner)].head != NONE {
            set(&mut self.ready, to.owner.into());
        }
    }

    /// A flit comes into an input buffer.
    #[inline(always)]
    fn enqueue(&mut self, input: usize, word: u32) {
        let queue = &mut self.inputs[input];
        if queue.head == NONE {
            (queue.head, queue.tail) = (word, word);
            if word >> ENDS & u32::from(HEAD) != 0 {
                self.wait_for_vc(input, word);
            } else if queue.output != NO_VC && self.outputs[usize::from(queue.output)].credits > 0 {
                set(&mut self.ready, input);
            }
        } else {
            self.pool.link(queue.tail, word);
            queue.tail = word;
        }
    }

    /// What the switch's endpoints do: flits come in, packets are created and sent.
    #[inline]
    fn endpoints(&mut self, run: &Run, now: u32, local: &mut Local) {
        if self.endpoints == 0 {
            return;
        }
        while let Some((port, mut flit)) = self.sources.arriving.pop(now) {
            let input = usize::from(port) << self.shift | usize::from(flit.vc);
            let mut word = u32::from(flit.flags & (HEAD | TAIL)) << ENDS;
            if flit.flags & HEAD != 0 {
                let view = view!(self);
                let step = run.routes.begin(self.switch, &mut flit, &view, &mut self.turns, &mut self.generator);
                word |= u32::from(step.port) << Word::<P>::PORT | u32::from(step.group) << GROUP;
                self.inputs[input].flags = flit.flags & MINIMAL;
            }
            flit.flags |= self.inputs[input].flags;
            let word = word | self.pool.take(flit);
            self.enqueue(input, word);
        }
        self.sources.step(now, &run.sending, &mut self.generator, &mut local.tally);
        for (_, flit) in self.sources.arriving.due(now + 1) {
            run.routes.prefetch_start(self.switch, flit);
        }
    }

    fn view(&self) -> View<'_, W, P> {
        view!(self)
    }

    /// Every output sends one flit.
    #[inline]
    fn send(&mut self, run: &Run, now: u32, slot: usize, out: &mut [Line], local: &mut Local) {
        let window = &run.sending.window;
        let in_window = u32::from(window.holds(now));
        let mut ports = self.sending;
        while let Some(at) = pop_first(&mut ports) {
            let port = &mut self.ports[at];
            let word = port.head;
            port.queued -= 1;
            if port.queued == 0 {
                clear(&mut self.sending, at);
            } else {
                port.head = self.pool.next(word);
            }
            port.sent += in_window;
            let flit = self.pool.release(word & Word::<P>::NUMBER);
            let vc = (word >> GROUP & 15) as u8;
            if at >= self.endpoints {
                out[at - self.endpoints].send(Flit { hops: flit.hops + 1, vc, slot: slot as u8, ..flit });
                continue;
            }
            let arrival = now + 1 + run.sending.latency;
            let back = arrival + 1 + run.sending.latency + self.model.credit;
            self.ejected.push(back, (at << self.shift | usize::from(vc)) as u16);
            local.tally.delivered_flits += 1;
            local.tally.accepted += u64::from(window.holds(arrival));
            if flit.flags & TAIL != 0 {
                local.deliver(&run.sending, &flit, arrival);
            }
        }
    }

    /// Every input returns one credit.
    #[inline]
    fn return_credits(&mut self, now: u32, slot: usize, out: &mut [Line]) {
        let mut ports = self.crediting;
        while let Some(at) = pop_first(&mut ports) {
            let port = &mut self.ports[at];
            let lane = (port.credits & 15) as u8;
            port.credits >>= 4;
            port.num_credits -= 1;
            if port.num_credits >= 16 {
                let next = self.overflow[at].pop_front().expect("as many as counted");
                port.credits |= u64::from(next) << 60;
            } else if port.num_credits == 0 {
                clear(&mut self.crediting, at);
            }
            if at >= self.endpoints {
                out[at - self.endpoints].credit(slot, lane);
            } else {
                self.sources.credit(now, at, lane);
            }
        }
    }
}
