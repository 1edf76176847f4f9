//! One block of cycles of one router.

use crate::bits::{clear, next_of_word, pop, pop_first};
use crate::flit::{Flit, OPEN, Word};
use crate::router::{Inbox, Local, Router, Run, Waiting};
use crate::selector::Queues;
use crate::sources::Sources;
use crate::wires::Line;
use tulle_fabric::prefetch::{prefetch_all, touch};

use super::state::{Late, State, View, step_of, word_of};

/// What routing sees of a switch. Fields are borrowed one by one: the generator draws meanwhile, so no method does.
macro_rules! view {
    ($switch:expr) => {
        View {
            outputs: &$switch.outputs,
            queues: &$switch.queues,
            ranges: &$switch.ranges,
            endpoints: $switch.endpoints,
            vcs: $switch.vcs,
            room: $switch.room,
            output_room: $switch.output_room,
            crossbar: $switch.crossbar.as_ref(),
            has_voq: $switch.model.voq,
        }
    };
}

impl<const P: usize> Router for State<P> {
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
        if self.fan == 1 {
            touch(&self.inputs);
        }
        touch(&self.queues);
        touch(&self.outputs);
        touch(&self.ports);
        self.sources.touch();
        self.pool.touch();
    }

    fn prefetch(&self) {
        if self.fan == 1 {
            prefetch_all(&self.inputs);
        }
        prefetch_all(&self.queues);
        prefetch_all(&self.outputs);
        prefetch_all(&self.ports);
        self.sources.prefetch();
        self.pool.prefetch();
    }

    fn sources(&self) -> &Sources {
        &self.sources
    }

    fn sources_mut(&mut self) -> &mut Sources {
        &mut self.sources
    }

    fn sent(&self) -> Vec<u32> {
        self.ports[self.endpoints..].iter().map(|port| port.sent).collect()
    }

    #[cfg(feature = "conservation")]
    fn census(&self, run: &Run) -> crate::conservation::Census {
        self.count(run)
    }

    fn stuck(&self, run: &Run) -> Vec<Waiting> {
        self.find_stuck(run)
    }
}

impl<const P: usize> State<P> {
    /// Reads the wires: what arrives in this block goes into lists by cycle, what comes later is kept.
    fn read(&mut self, run: &Run, start: u32, wires: &[Line], inbox: &mut Inbox) {
        let block = run.block as u32;
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
        for (at, port) in self.ports.iter().enumerate().skip(self.endpoints) {
            let line = &wires[port.channel as usize];
            for &flit in line.flits() {
                let vc = (at * self.vcs + usize::from(flit.vc)) as u16;
                let slot = u32::from(flit.slot) + port.late + self.model.delay;
                if slot < block {
                    run.routes.prefetch(self.switch, &flit);
                    inbox.incoming.push((slot as u8, vc, flit));
                } else {
                    self.late_flits.push(Late { due: start + slot, vc, what: flit });
                }
            }
            let mut slots = u64::from(line.credit_slots);
            while slots != 0 {
                let sent = pop(&mut slots);
                // A buffer's room is free once the last flit has left it.
                let slot = sent as u32 + port.late + u32::from(self.packet) - 1;
                let mut lanes = u64::from(line.credits[sent]);
                while lanes != 0 {
                    let vc = (at * self.vcs + pop(&mut lanes)) as u16;
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
            if run.routes.counts_cables() {
                run.routes.cross(self.ports[usize::from(vc) / self.vcs].channel, &mut flit);
            }
            let step = run.routes.next(self.switch, &mut flit, &mut self.generator);
            inbox.flits[usize::from(slot)].push((vc, word_of::<P>(step) | self.pool.take(flit)));
        }
    }

    fn cycle(&mut self, run: &Run, now: u32, slot: usize, inbox: &Inbox, out: &mut [Line], local: &mut Local) {
        for &vc in &inbox.credits[slot] {
            self.outputs[usize::from(vc)].credits += 1;
        }
        for at in 0..inbox.flits[slot].len() {
            let (vc, word) = inbox.flits[slot][at];
            let word = if run.routes.revises() { self.revise(run, vc.into(), word) } else { word };
            self.enqueue(vc.into(), word);
        }
        self.endpoints(run, now, local);
        if self.crossbar.is_some() {
            self.match_ports(run, now, slot, out, local);
        } else {
            self.ask(run, now);
            self.cross(now, slot, out, local);
        }
        self.send(run, now, slot, out, local);
    }

    /// A packet has arrived over a cable: where it is at its second switch, its route may change. Its word then.
    fn revise(&mut self, run: &Run, input: usize, word: u32) -> u32 {
        let mut flit = *self.pool.get(word);
        if flit.flags & OPEN == 0 {
            return word;
        }
        let at = (self.switch, self.ports[input / self.vcs].channel);
        let view = view!(self);
        let step = run.routes.revise(at, step_of::<P>(word), &mut flit, &view, &mut self.turns, &mut self.generator);
        self.pool.put(word, flit);
        word & Word::<P>::NUMBER | word_of::<P>(step)
    }

    fn enqueue(&mut self, input: usize, word: u32) {
        let queue = self.queue_of(input, word);
        self.inputs[queue].append(&mut self.pool, word);
        match &mut self.crossbar {
            None => self.waiting[input >> 6] |= 1 << (input & 63),
            Some(crossbar) => {
                crossbar.set_head(input, self.inputs[queue].head);
                if self.fan > 1 {
                    crossbar.bind(word);
                }
            }
        }
    }

    /// What the switch's endpoints do: packets come in, packets are created and sent.
    fn endpoints(&mut self, run: &Run, now: u32, local: &mut Local) {
        if self.endpoints == 0 {
            return;
        }
        self.sources.step(now, &run.sending, &mut self.generator, &mut local.tally);
        while let Some((port, mut flit)) = self.sources.arriving.pop(now) {
            let view = view!(self);
            let step = run.routes.begin(self.switch, &mut flit, &view, &mut self.turns, &mut self.generator);
            let word = word_of::<P>(step) | self.pool.take(flit);
            self.enqueue(usize::from(port) * self.vcs + usize::from(flit.vc), word);
        }
    }

    fn view(&self) -> View<'_, P> {
        view!(self)
    }

    /// Every free link takes a packet, if the next buffer has room.
    fn send(&mut self, run: &Run, now: u32, slot: usize, out: &mut [Line], local: &mut Local) {
        let window = &run.sending.window;
        let mut ports = self.sending;
        while let Some(at) = pop_first(&mut ports) {
            let port = &mut self.ports[at];
            if port.busy > now {
                continue;
            }
            let is_endpoint = at < self.endpoints;
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
            let word = self.queues[vc].take_first(&self.pool);
            if self.queues[vc].length == 0 {
                port.filled &= !(1 << lane);
                if port.filled == 0 {
                    clear(&mut self.sending, at);
                }
            }
            port.token = if lane + 1 == self.vcs { 0 } else { lane as u8 + 1 };
            port.busy = now + u32::from(self.packet);
            port.sent += window.share(now, self.packet);
            let flit = self.pool.release(word & Word::<P>::NUMBER);
            if !is_endpoint {
                self.outputs[vc].credits -= 1;
                out[at - self.endpoints].send(Flit { hops: flit.hops + 1, vc: lane as u8, slot: slot as u8, ..flit });
                continue;
            }
            let first = now + run.sending.latency;
            let arrival = first + u32::from(self.packet) - 1;
            local.tally.delivered_flits += u64::from(self.packet);
            local.tally.accepted += u64::from(window.share(first, self.packet));
            local.deliver(&run.sending, &flit, arrival);
        }
    }
}
