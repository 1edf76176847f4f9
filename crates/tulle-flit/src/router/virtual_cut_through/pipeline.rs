//! One block of cycles of one router.

use crate::bits::{next_of_word, pop, select};
use crate::flit::{Flit, GROUP, NONE, NUMBER, PORT};
use crate::posted::Post;
use crate::prefetch::{prefetch_all, touch};
use crate::router::{Inbox, Local, Router, Run, Waiting};
use crate::selector::Queues;
use crate::ways::Step;
use crate::wires::Line;

use super::state::{Late, Queue, State, View};

impl Router for State {
    fn gather(&mut self, run: &Run, start: u32, wires: &[Line], inbox: &mut Inbox) {
        self.read(run, start, wires, inbox);
    }

    fn block(&mut self, run: &Run, start: u32, inbox: &mut Inbox, out: &mut [Line], local: &mut Local) {
        self.route(run, inbox);
        out.iter_mut().for_each(Line::reset);
        for slot in 0..run.block {
            self.cycle(run, start + slot as u32, slot, inbox, out, local);
        }
        if run.ways.wants_queues() {
            let view = self.view();
            let first = run.fabric.channels_of(self.switch).start;
            (0..out.len()).for_each(|row| run.ways.tell_queue(first + row, view.credits(row as u16, None)));
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

    fn drawn_until(&self) -> u32 {
        self.sources.drawn_until()
    }

    fn post(&mut self, port: usize, post: Post) {
        self.sources.post(port, post);
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

impl State {
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
                    run.ways.prefetch(self.switch, &flit);
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
            let step = run.ways.next(self.switch, &mut flit, &mut self.generator);
            inbox.flits[usize::from(slot)].push((vc, word_of(step) | self.pool.take(flit)));
        }
    }

    fn cycle(&mut self, run: &Run, now: u32, slot: usize, inbox: &Inbox, out: &mut [Line], local: &mut Local) {
        for &vc in &inbox.credits[slot] {
            self.outputs[usize::from(vc)].credits += 1;
        }
        for at in 0..inbox.flits[slot].len() {
            let (vc, word) = inbox.flits[slot][at];
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

    fn enqueue(&mut self, input: usize, word: u32) {
        let queue = self.queue_of(input, word);
        append(&mut self.pool, &mut self.inputs[queue], word);
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
            let view = View {
                outputs: &self.outputs,
                queues: &self.queues,
                ranges: &self.ranges,
                endpoints: self.endpoints,
                vcs: self.vcs,
                room: self.room,
                output_room: self.output_room,
                crossbar: self.crossbar.as_ref(),
                has_voq: self.model.voq,
            };
            let step = run.ways.begin(self.switch, &mut flit, &view, &mut self.turns, &mut self.generator);
            let word = word_of(step) | self.pool.take(flit);
            self.enqueue(usize::from(port) * self.vcs + usize::from(flit.vc), word);
        }
    }

    /// Every packet at the front of an input asks for one output virtual channel that has room, drawn at random; every
    /// output virtual channel draws one of those that ask.
    fn ask(&mut self, run: &Run, now: u32) {
        for block in 0..self.waiting.len() {
            let mut inputs = self.waiting[block];
            while inputs != 0 {
                let input = (block << 6) + pop(&mut inputs);
                if self.inputs[input].busy > now {
                    continue;
                }
                let word = self.inputs[input].head;
                let step = step_of(word);
                let Some(output) = self.draw_output(step, now) else {
                    // Another port, perhaps, in the next cycle.
                    let other = run.ways.again(self.switch, self.pool.get(word), step, &mut self.generator);
                    self.replace_head(input, word & NUMBER | word_of(other));
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
    fn cross(&mut self, now: u32, slot: usize, out: &mut [Line], local: &mut Local) {
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
        let word = take_first(&self.pool, &mut self.inputs[queue]);
        let end = now + u32::from(self.packet);
        self.inputs[queue].busy = end;
        let input = queue / self.fan;
        let port = input / self.vcs;
        let lane = (input - port * self.vcs) as u8;
        match port.checked_sub(self.endpoints) {
            Some(row) => out[row].credit(slot, lane),
            None => self.sources.credit(now, port, lane),
        }
        append(&mut self.pool, &mut self.queues[output], word);
        self.queues[output].busy = end;
        let port = output / self.vcs;
        self.ports[port].filled |= 1 << (output - port * self.vcs);
        self.sending |= 1 << port;
        local.tally.traversals += u64::from(self.packet);
    }

    fn view(&self) -> View<'_> {
        View {
            outputs: &self.outputs,
            queues: &self.queues,
            ranges: &self.ranges,
            endpoints: self.endpoints,
            vcs: self.vcs,
            room: self.room,
            output_room: self.output_room,
            crossbar: self.crossbar.as_ref(),
            has_voq: self.model.voq,
        }
    }

    /// Every free link takes a packet, if the next buffer has room.
    fn send(&mut self, run: &Run, now: u32, slot: usize, out: &mut [Line], local: &mut Local) {
        let window = &run.sending.window;
        let mut ports = self.sending;
        while ports != 0 {
            let at = pop(&mut ports);
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
            let word = take_first(&self.pool, &mut self.queues[vc]);
            if self.queues[vc].length == 0 {
                port.filled &= !(1 << lane);
                self.sending &= !(u64::from(port.filled == 0) << at);
            }
            port.token = if lane + 1 == self.vcs { 0 } else { lane as u8 + 1 };
            port.busy = now + u32::from(self.packet);
            port.sent += window.share(now, self.packet);
            let flit = self.pool.release(word & NUMBER);
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

pub(super) fn word_of(step: Step) -> u32 {
    u32::from(step.port) << PORT | u32::from(step.group) << GROUP
}

pub(super) fn step_of(word: u32) -> Step {
    Step { port: (word >> PORT & 63) as u8, group: (word >> GROUP & 15) as u8 }
}

fn append(pool: &mut crate::flit::Pool, queue: &mut Queue, word: u32) {
    if queue.length == 0 {
        queue.head = word;
    } else {
        pool.link(queue.tail, word);
    }
    queue.tail = word;
    queue.length += 1;
}

fn take_first(pool: &crate::flit::Pool, queue: &mut Queue) -> u32 {
    let word = queue.head;
    queue.length -= 1;
    queue.head = if queue.length == 0 { NONE } else { pool.next(word) };
    word
}
