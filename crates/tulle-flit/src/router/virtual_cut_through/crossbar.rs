//! A crossbar of limited speedup between the buffers at inputs and those at outputs. Who crosses is a maximal matching of ports
//! by random choices: rounds, in which every input port that may give another packet asks one output port for one and every
//! output port grants one of those that ask, until nobody asks; where transit goes first, endpoints ask after that (parallel
//! iterative matching: Anderson, Owicki, Saxe, Thacker: High-speed switch scheduling for local-area networks, ACM TOCS 1993).
//!
//! A packet at the front of a queue of an input virtual channel is a candidate: of the only queue, or of one queue per output
//! port (virtual output queues), so that no packet waits for one that goes elsewhere.

use tulle_base::prefetch::{prefetch, prefetch_all, touch};

use crate::bits::{Bits, clear, count_common, is_empty, pop_first, select_common, set};
use crate::lanes::Lanes;
use crate::router::context::Cycle;
use crate::router::switch::Switch;
use crate::router::word::step_of;
use crate::routes::Step;

use super::VirtualCutThrough;
use super::state::State;

/// The state of a limited crossbar.
#[derive(Debug, Clone)]
pub(super) struct Crossbar<const P: usize> {
    /// Packets that an input port gives and an output port takes at a time.
    speedup: u8,
    /// Per input virtual channel the output ports that packets at the front of its queues go to, a bit each.
    heads: Box<[Bits<P>]>,
    /// Per virtual output queue the request group of the packet at its front: all that choosing reads of so many queues.
    groups_of_heads: Box<[u8]>,
    /// Those of them that may still ask in this cycle.
    candidates: Box<[Bits<P>]>,
    /// Per input virtual channel the first cycle in which it can give the next packet.
    busy: Box<[u32]>,
    /// Packets in virtual output queues, by output port and request group.
    bound: Box<[u32]>,
    groups: usize,
}

impl<const P: usize> Crossbar<P> {
    /// The crossbar of `model`, where it is limited, in a switch of so many ports, and for so many request groups.
    pub fn new(model: &VirtualCutThrough, ports: usize, groups: usize) -> Option<Self> {
        let inputs = ports * usize::from(model.vcs);
        let masks = vec![[0; P]; inputs].into_boxed_slice();
        (model.crossbar > 0).then(|| Self {
            speedup: model.crossbar,
            heads: masks.clone(),
            candidates: masks,
            busy: vec![0; inputs].into(),
            groups_of_heads: vec![0; if model.voq { inputs * ports } else { 0 }].into(),
            bound: vec![0; if model.voq { ports * groups } else { 0 }].into(),
            groups,
        })
    }

    /// The packet of `word` has come into a virtual output queue.
    #[inline]
    pub fn bind(&mut self, word: u32) {
        let step = step_of::<P>(word);
        self.bound[usize::from(step.port) * self.groups + usize::from(step.group)] += 1;
    }

    fn unbind(&mut self, word: u32) {
        let step = step_of::<P>(word);
        self.bound[usize::from(step.port) * self.groups + usize::from(step.group)] -= 1;
    }

    /// Packets of request group `group`, or of all, in virtual output queues for output port `port`.
    pub fn bound(&self, port: usize, group: Option<u8>) -> u32 {
        let groups = group.map_or(0..self.groups, |group| usize::from(group)..usize::from(group) + 1);
        let start = port * self.groups;
        self.bound.get(start + groups.start..start + groups.end).map_or(0, |bound| bound.iter().sum())
    }

    /// The packet of `word` is at the front of `queue`, one of `input`.
    #[inline]
    pub fn set_head(&mut self, queue: usize, input: usize, word: u32) {
        let step = step_of::<P>(word);
        set(&mut self.heads[input], step.port.into());
        if let Some(group) = self.groups_of_heads.get_mut(queue) {
            *group = step.group;
        }
    }

    /// Reads a little of everything that a block reads.
    pub fn touch(&self) {
        touch(&self.heads);
        touch(&self.groups_of_heads);
        touch(&self.candidates);
        touch(&self.busy);
        touch(&self.bound);
    }

    /// Asks for what a block reads.
    pub fn prefetch(&self) {
        prefetch_all(&self.heads);
        prefetch_all(&self.groups_of_heads);
        prefetch_all(&self.candidates);
        prefetch_all(&self.busy);
        prefetch_all(&self.bound);
    }

    fn clear_head(&mut self, input: usize, word: u32) {
        clear(&mut self.heads[input], step_of::<P>(word).port.into());
    }

    /// Packets that ports of these virtual channels may begin to give or take, beside those that still cross.
    fn free(&self, busy: impl Iterator<Item = u32>, now: u32) -> u8 {
        let crossing = busy.filter(|&busy| busy > now).count();
        debug_assert!(crossing <= usize::from(self.speedup), "{crossing} packets cross at a port of {}", self.speedup);
        self.speedup - crossing as u8
    }
}

/// The packets that ports can still give and take in a cycle.
struct Ports<const P: usize> {
    /// Packets that each may still give, and take.
    give: Lanes<u8, P>,
    take: Lanes<u8, P>,
    /// Ports that may still ask, and those that may still grant, a bit each.
    asking: Bits<P>,
    open: Bits<P>,
}

impl<const P: usize> State<P> {
    /// The place of an input queue: by input virtual channel, and by output port where there is a queue for each.
    #[inline]
    pub(super) fn queue_of(&self, input: usize, word: u32) -> usize {
        if self.fan == 1 { input } else { input * self.fan + usize::from(step_of::<P>(word).port) }
    }

    /// Matches ports; packets of those matched cross.
    pub(super) fn match_ports(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle) {
        let Some(mut crossbar) = self.crossbar.take() else { return };
        let mut ports = self.open_ports(&mut crossbar, cycle.now);
        // Where endpoints wait, those that may ask are the other ports.
        let transit = std::array::from_fn(|word| {
            let endpoints = switch.layout.endpoints.saturating_sub(word << 6);
            (!0u64).checked_shl(endpoints as u32).unwrap_or(0)
        });
        let mut endpoints_wait = self.model.transit_first;
        let mut among: Bits<P> = if endpoints_wait { transit } else { [!0; P] };
        // Per input port the queue and the output virtual channel that it asks for, where it asks.
        let (mut queues, mut outputs) = (Lanes::<u32, P>::new(0), Lanes::<u16, P>::new(0));
        loop {
            let mut requests = Lanes::<Bits<P>, P>::new([0; P]);
            let mut requested = [0; P];
            let mut asking: Bits<P> = std::array::from_fn(|word| ports.asking[word] & among[word]);
            while let Some(port) = pop_first(&mut asking) {
                match self.choose(switch, cycle, &mut crossbar, port, &ports.open) {
                    Some((queue, output)) => {
                        (queues[port], outputs[port]) = (queue as u32, output as u16);
                        set(&mut requests[output / self.vcs], port);
                        set(&mut requested, output / self.vcs);
                    }
                    None => clear(&mut ports.asking, port),
                }
            }
            if is_empty(&requested) {
                if !endpoints_wait {
                    break;
                }
                (endpoints_wait, among) = (false, [!0; P]);
                continue;
            }
            let mut granted = Lanes::<u8, P>::new(0);
            let mut drawn = requested;
            while let Some(to) = pop_first(&mut drawn) {
                let all = requests[to];
                let from = select_common(&all, &all, switch.generator.choose(count_common(&all, &all)));
                granted[to] = from as u8;
                let first = self.inputs[queues[from] as usize].head;
                let output = &self.queues[usize::from(outputs[from])];
                switch.pool.prefetch_next(first);
                if output.length > 0 {
                    switch.pool.prefetch_next(output.tail);
                } else {
                    // Its link may send it at once.
                    switch.pool.prefetch_flit(first);
                }
            }
            while let Some(to) = pop_first(&mut requested) {
                let from = usize::from(granted[to]);
                let (queue, output) = (queues[from] as usize, usize::from(outputs[from]));
                let input = queue / self.fan;
                crossbar.clear_head(input, self.inputs[queue].head);
                if self.fan > 1 {
                    crossbar.unbind(self.inputs[queue].head);
                }
                self.transfer(queue, output, switch, cycle);
                if self.inputs[queue].length > 0 {
                    crossbar.set_head(queue, input, self.inputs[queue].head);
                }
                crossbar.busy[input] = cycle.now + u32::from(self.packet);
                crossbar.candidates[input] = [0; P];
                ports.give[from] -= 1;
                ports.take[to] -= 1;
                if ports.give[from] == 0 {
                    clear(&mut ports.asking, from);
                }
                if ports.take[to] == 0 {
                    clear(&mut ports.open, to);
                }
            }
        }
        self.crossbar = Some(crossbar);
    }

    /// The state of ports and the candidates at the start of cycle `now`.
    fn open_ports(&self, crossbar: &mut Crossbar<P>, now: u32) -> Ports<P> {
        let all = Lanes::new(crossbar.speedup);
        let mut ports = Ports { give: all.clone(), take: all, asking: [0; P], open: [0; P] };
        for port in 0..self.ports.len() {
            let lanes = port * self.vcs..(port + 1) * self.vcs;
            if self.packet > 1 {
                ports.give[port] = crossbar.free(crossbar.busy[lanes.clone()].iter().copied(), now);
                ports.take[port] = crossbar.free(self.queues[lanes.clone()].iter().map(|queue| queue.busy), now);
            }
            // Without branches, which could not be foretold.
            ports.open[port >> 6] |= u64::from(ports.take[port] > 0) << (port & 63);
            for input in lanes {
                let can = crossbar.busy[input] <= now && ports.give[port] > 0;
                crossbar.candidates[input] = if can { crossbar.heads[input] } else { [0; P] };
                ports.asking[port >> 6] |= u64::from(!is_empty(&crossbar.candidates[input])) << (port & 63);
            }
        }
        ports
    }

    /// One of the packets that input port `port` can give to open output ports, at random: its queue, and the output virtual
    /// channel that it would go to.
    fn choose(
        &mut self,
        switch: &mut Switch<P>,
        cycle: &Cycle,
        crossbar: &mut Crossbar<P>,
        port: usize,
        open: &Bits<P>,
    ) -> Option<(usize, usize)> {
        let lanes = port * self.vcs..(port + 1) * self.vcs;
        loop {
            let count = lanes.clone().map(|input| count_common(&crossbar.candidates[input], open)).sum();
            if count == 0 {
                return None;
            }
            let mut drawn = switch.generator.choose(count);
            let mut input = lanes.start;
            while drawn >= count_common(&crossbar.candidates[input], open) {
                drawn -= count_common(&crossbar.candidates[input], open);
                input += 1;
            }
            let to = select_common(&crossbar.candidates[input], open, drawn);
            let queue = if self.fan == 1 { input } else { input * self.fan + to };
            let step = match crossbar.groups_of_heads.get(queue) {
                Some(&group) => Step { port: to as u8, group },
                None => step_of::<P>(self.inputs[queue].head),
            };
            if let Some(output) = self.draw_output(switch, step, cycle.now) {
                prefetch(&self.inputs, queue);
                return Some((queue, output));
            }
            clear(&mut crossbar.candidates[input], to);
            if self.fan == 1 {
                // Another port, perhaps, in the next cycle. In a virtual output queue a packet stays where it is.
                crossbar.clear_head(input, self.inputs[input].head);
                self.draw_again(input, switch, cycle.run);
                crossbar.set_head(queue, input, self.inputs[input].head);
            }
        }
    }
}

#[cfg(test)]
mod tests;
