//! A crossbar of limited speedup between the buffers at inputs and those at outputs. Who crosses is a maximal matching of ports
//! by random choices: rounds, in which every input port that may give another packet asks one output port for one and every
//! output port grants one of those that ask, until nobody asks; where transit goes first, endpoints ask after that (parallel
//! iterative matching: Anderson, Owicki, Saxe, Thacker: High-speed switch scheduling for local-area networks, ACM TOCS 1993).
//!
//! A packet at the front of a queue of an input virtual channel is a candidate: of the only queue, or of one queue per output
//! port (virtual output queues), so that no packet waits for one that goes elsewhere.

use crate::bits::{pop, select};
use crate::flit::NUMBER;
use crate::router::{Local, Run};
use crate::wires::Line;

use super::VirtualCutThrough;
use super::state::{Queue, State, step_of, word_of};

/// What a limited crossbar keeps.
#[derive(Debug, Clone)]
pub(super) struct Crossbar {
    /// Packets that an input port gives and an output port takes at a time.
    speedup: u8,
    /// Per input virtual channel the output ports that packets at the front of its queues go to, a bit each.
    heads: Box<[u64]>,
    /// Those of them that may still ask in this cycle.
    candidates: Box<[u64]>,
    /// Per input virtual channel the first cycle in which it can give the next packet.
    busy: Box<[u32]>,
    /// Packets in virtual output queues, by output port and request group.
    bound: Box<[u32]>,
    groups: usize,
}

impl Crossbar {
    /// That of `model`, where it is limited, in a switch of so many ports, and for so many request groups.
    pub fn new(model: &VirtualCutThrough, ports: usize, groups: usize) -> Option<Self> {
        let inputs = ports * usize::from(model.vcs);
        let masks = vec![0; inputs].into_boxed_slice();
        (model.crossbar > 0).then(|| Self {
            speedup: model.crossbar,
            heads: masks.clone(),
            candidates: masks,
            busy: vec![0; inputs].into(),
            bound: vec![0; if model.voq { ports * groups } else { 0 }].into(),
            groups,
        })
    }

    /// The packet of `word` has come into a virtual output queue.
    #[inline]
    pub fn bind(&mut self, word: u32) {
        let step = step_of(word);
        self.bound[usize::from(step.port) * self.groups + usize::from(step.group)] += 1;
    }

    fn unbind(&mut self, word: u32) {
        let step = step_of(word);
        self.bound[usize::from(step.port) * self.groups + usize::from(step.group)] -= 1;
    }

    /// Packets of request group `group`, or of all, in virtual output queues for output port `port`.
    pub fn bound(&self, port: usize, group: Option<u8>) -> u32 {
        let groups = group.map_or(0..self.groups, |group| usize::from(group)..usize::from(group) + 1);
        let start = port * self.groups;
        self.bound.get(start + groups.start..start + groups.end).map_or(0, |bound| bound.iter().sum())
    }

    /// The packet of `word` is at the front of a queue of `input`.
    #[inline]
    pub fn set_head(&mut self, input: usize, word: u32) {
        self.heads[input] |= 1 << step_of(word).port;
    }

    fn clear_head(&mut self, input: usize, word: u32) {
        self.heads[input] &= !(1 << step_of(word).port);
    }

    /// Packets that ports of these virtual channels may begin to give or take, beside those that still cross.
    fn free(&self, busy: impl Iterator<Item = u32>, now: u32) -> u8 {
        let crossing = busy.filter(|&busy| busy > now).count();
        debug_assert!(crossing <= usize::from(self.speedup), "{crossing} packets cross at a port of {}", self.speedup);
        self.speedup - crossing as u8
    }
}

/// What ports can still do in a cycle.
struct Ports {
    /// Packets that each may still give, and take.
    give: [u8; 64],
    take: [u8; 64],
    /// Ports that may still ask, and those that may still grant, a bit each.
    asking: u64,
    open: u64,
}

impl State {
    /// The place of an input queue: by input virtual channel, and by output port where there is a queue for each.
    #[inline]
    pub(super) fn queue_of(&self, input: usize, word: u32) -> usize {
        if self.fan == 1 { input } else { input * self.fan + usize::from(step_of(word).port) }
    }

    /// Matches ports; packets of those matched cross.
    pub(super) fn match_ports(&mut self, run: &Run, now: u32, slot: usize, out: &mut [Line], local: &mut Local) {
        let Some(mut crossbar) = self.crossbar.take() else { return };
        let mut ports = self.begin(&mut crossbar, now);
        let transit = (!0u64).checked_shl(self.endpoints as u32).unwrap_or(0);
        let mut among = if self.model.transit_first { transit } else { !0 };
        loop {
            let mut requests = [0u64; 64];
            let mut asked = [(0u16, 0u16); 64];
            let mut requested = 0u64;
            let mut asking = ports.asking & among;
            while asking != 0 {
                let port = pop(&mut asking);
                match self.choose(run, &mut crossbar, port, ports.open, now) {
                    Some((queue, output)) => {
                        asked[port] = (queue as u16, output as u16);
                        requests[output / self.vcs] |= 1 << port;
                        requested |= 1 << (output / self.vcs);
                    }
                    None => ports.asking &= !(1 << port),
                }
            }
            if requested == 0 {
                if among == !0 {
                    break;
                }
                among = !0;
                continue;
            }
            while requested != 0 {
                let to = pop(&mut requested);
                let from = select(requests[to], self.draw_below(requests[to].count_ones()));
                let (queue, output) = (usize::from(asked[from].0), usize::from(asked[from].1));
                let input = queue / self.fan;
                crossbar.clear_head(input, self.inputs[queue].head);
                if self.fan > 1 {
                    crossbar.unbind(self.inputs[queue].head);
                }
                self.transfer(queue, output, now, slot, out, local);
                if self.inputs[queue].length > 0 {
                    crossbar.set_head(input, self.inputs[queue].head);
                }
                crossbar.busy[input] = now + u32::from(self.packet);
                crossbar.candidates[input] = 0;
                ports.give[from] -= 1;
                ports.take[to] -= 1;
                if ports.give[from] == 0 {
                    ports.asking &= !(1 << from);
                }
                if ports.take[to] == 0 {
                    ports.open &= !(1 << to);
                }
            }
        }
        self.crossbar = Some(crossbar);
    }

    /// The state of ports and the candidates at the start of cycle `now`.
    fn begin(&self, crossbar: &mut Crossbar, now: u32) -> Ports {
        let mut ports = Ports { give: [crossbar.speedup; 64], take: [crossbar.speedup; 64], asking: 0, open: 0 };
        for port in 0..self.ports.len() {
            let lanes = port * self.vcs..(port + 1) * self.vcs;
            if self.packet > 1 {
                ports.give[port] = crossbar.free(crossbar.busy[lanes.clone()].iter().copied(), now);
                ports.take[port] = crossbar.free(self.queues[lanes.clone()].iter().map(|queue| queue.busy), now);
            }
            ports.open |= u64::from(ports.take[port] > 0) << port;
            for input in lanes {
                let can = crossbar.busy[input] <= now && ports.give[port] > 0;
                crossbar.candidates[input] = if can { crossbar.heads[input] } else { 0 };
                ports.asking |= u64::from(crossbar.candidates[input] != 0) << port;
            }
        }
        ports
    }

    /// One of the packets that input port `port` can give to open output ports, at random: its queue, and the output virtual
    /// channel that it would go to.
    fn choose(
        &mut self,
        run: &Run,
        crossbar: &mut Crossbar,
        port: usize,
        open: u64,
        now: u32,
    ) -> Option<(usize, usize)> {
        let lanes = port * self.vcs..(port + 1) * self.vcs;
        loop {
            let count = lanes.clone().map(|input| (crossbar.candidates[input] & open).count_ones()).sum();
            if count == 0 {
                return None;
            }
            let mut drawn = self.draw_below(count);
            let mut input = lanes.start;
            while drawn >= (crossbar.candidates[input] & open).count_ones() {
                drawn -= (crossbar.candidates[input] & open).count_ones();
                input += 1;
            }
            let to = select(crossbar.candidates[input] & open, drawn);
            let queue = if self.fan == 1 { input } else { input * self.fan + to };
            let word = self.inputs[queue].head;
            if let Some(output) = self.draw_output(step_of(word), now) {
                return Some((queue, output));
            }
            crossbar.candidates[input] &= !(1 << to);
            if self.fan == 1 {
                // Another port, perhaps, in the next cycle. In a virtual output queue a packet stays where it is.
                let other = run.ways.again(self.switch, self.pool.get(word), step_of(word), &mut self.generator);
                crossbar.clear_head(input, word);
                self.replace_head(input, word & NUMBER | word_of(other));
                crossbar.set_head(input, self.inputs[input].head);
            }
        }
    }

    /// A number below `count`, which is at least 1; nothing is drawn where there is no choice.
    #[inline]
    fn draw_below(&mut self, count: u32) -> u32 {
        if count == 1 { 0 } else { self.generator.below(count) }
    }

    /// The input queues of the virtual channel `input`.
    pub(super) fn queues_of(&self, input: usize) -> &[Queue] {
        &self.inputs[input * self.fan..(input + 1) * self.fan]
    }
}
