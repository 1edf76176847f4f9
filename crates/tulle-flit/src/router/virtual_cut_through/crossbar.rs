//! A crossbar of limited speedup between input and output buffers. A maximal random matching of input and output ports
//! decides which packets cross (parallel iterative matching: Anderson, Owicki, Saxe, Thacker: High-speed switch
//! scheduling for local-area networks, ACM TOCS 1993). The matching runs in rounds. In a round, every input port that
//! can send another packet requests one output port, and every output port grants one of its requests. The rounds end
//! when there are no more requests. If transit packets have priority, packets of endpoints take part only when no
//! transit packet can cross any more.
//!
//! Only packets at the heads of input queues can cross. An input VC has one queue, or one queue per output port
//! (virtual output queues). With virtual output queues, a packet does not wait behind a packet for another port.

use tulle_base::prefetch::{prefetch, prefetch_all, touch};

use crate::bits::{Bits, clear, count_common, is_empty, pop_first, select_common, set};
use crate::router::context::Cycle;
use crate::router::handle::step_of;
use crate::router::switch::Switch;
use crate::routes::Step;
use crate::vc_array::VcArray;

use super::VirtualCutThrough;
use super::state::State;

/// The state of a crossbar of limited speedup.
#[derive(Debug, Clone)]
pub(super) struct Crossbar<const P: usize> {
    /// Maximum number of packets that an input port sends, and an output port accepts, at the same time.
    speedup: u8,
    /// Per input VC: the output ports of the packets at the heads of its queues.
    heads: Box<[Bits<P>]>,
    /// Per virtual output queue: the request group of its first packet. So a packet can be chosen without reading every queue.
    groups_of_heads: Box<[u8]>,
    /// Per input VC: the output ports of the head packets that may still cross in this cycle.
    candidates: Box<[Bits<P>]>,
    /// Per input VC: the first cycle in which it can send the next packet.
    busy: Box<[u32]>,
    /// Number of packets in virtual output queues, by output port and request group.
    bound: Box<[u32]>,
    groups: usize,
}

impl<const P: usize> Crossbar<P> {
    /// Creates the crossbar of `model` for a switch of `ports` ports and `groups` request groups. Returns `None` if its
    /// speedup is unlimited.
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

    /// Counts a packet that has entered a virtual output queue.
    #[inline]
    pub fn count_in(&mut self, handle: u32) {
        let step = step_of::<P>(handle);
        self.bound[usize::from(step.port) * self.groups + usize::from(step.group)] += 1;
    }

    fn count_out(&mut self, handle: u32) {
        let step = step_of::<P>(handle);
        self.bound[usize::from(step.port) * self.groups + usize::from(step.group)] -= 1;
    }

    /// Returns the number of packets of request group `group`, or of all groups, in virtual output queues for output
    /// port `port`.
    pub fn queued_for(&self, port: usize, group: Option<u8>) -> u32 {
        let groups = group.map_or(0..self.groups, |group| usize::from(group)..usize::from(group) + 1);
        let start = port * self.groups;
        self.bound.get(start + groups.start..start + groups.end).map_or(0, |bound| bound.iter().sum())
    }

    /// Records that the packet of `handle` is at the head of `queue`, which belongs to input VC `input`.
    #[inline]
    pub fn set_head(&mut self, queue: usize, input: usize, handle: u32) {
        let step = step_of::<P>(handle);
        set(&mut self.heads[input], step.port.into());
        if let Some(group) = self.groups_of_heads.get_mut(queue) {
            *group = step.group;
        }
    }

    /// Reads one entry of each array that a block of cycles uses, to pull it into the CPU cache.
    pub fn touch(&self) {
        touch(&self.heads);
        touch(&self.groups_of_heads);
        touch(&self.candidates);
        touch(&self.busy);
        touch(&self.bound);
    }

    /// Prefetches the arrays that a block of cycles uses.
    pub fn prefetch(&self) {
        prefetch_all(&self.heads);
        prefetch_all(&self.groups_of_heads);
        prefetch_all(&self.candidates);
        prefetch_all(&self.busy);
        prefetch_all(&self.bound);
    }

    fn clear_head(&mut self, input: usize, handle: u32) {
        clear(&mut self.heads[input], step_of::<P>(handle).port.into());
    }

    /// Returns how many more packets a port can send or accept from cycle `now` on. `busy` has, for each VC of the
    /// port, the first cycle in which the VC is free.
    fn free(&self, busy: impl Iterator<Item = u32>, now: u32) -> u8 {
        let crossing = busy.filter(|&busy| busy > now).count();
        debug_assert!(
            crossing <= usize::from(self.speedup),
            "{crossing} packets cross at a port of speedup {}",
            self.speedup
        );
        self.speedup - crossing as u8
    }
}

/// The remaining capacity of all ports in one cycle.
struct Ports<const P: usize> {
    /// Number of packets that each input port may still send (`give`), and each output port may still accept (`take`).
    give: VcArray<u8, P>,
    take: VcArray<u8, P>,
    /// Input ports that may still request (`asking`), and output ports that may still grant (`open`).
    asking: Bits<P>,
    open: Bits<P>,
}

impl<const P: usize> State<P> {
    /// Returns the input queue of the packet of `handle`: the queue of its input VC, or the input VC's queue for its
    /// output port.
    #[inline]
    pub(super) fn queue_of(&self, input: usize, handle: u32) -> usize {
        if self.queues_per_vc == 1 {
            input
        } else {
            input * self.queues_per_vc + usize::from(step_of::<P>(handle).port)
        }
    }

    /// Matches input and output ports, and moves the packets of matched ports.
    pub(super) fn match_ports(&mut self, switch: &mut Switch<P>, cycle: &mut Cycle) {
        let Some(mut crossbar) = self.crossbar.take() else { return };
        let mut ports = self.open_ports(&mut crossbar, cycle.now);
        // If transit packets have priority, only ports of cables may request at first; endpoint ports join when no
        // transit packet requests any more.
        let transit = std::array::from_fn(|word| {
            let endpoints = switch.layout.endpoints.saturating_sub(word << 6);
            (!0u64).checked_shl(endpoints as u32).unwrap_or(0)
        });
        let mut endpoints_wait = self.model.transit_first;
        let mut among: Bits<P> = if endpoints_wait { transit } else { [!0; P] };
        // Per requesting input port: the queue and the output VC of its request.
        let (mut queues, mut outputs) = (VcArray::<u32, P>::new(0), VcArray::<u16, P>::new(0));
        loop {
            let mut requests = VcArray::<Bits<P>, P>::new([0; P]);
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
            let mut granted = VcArray::<u8, P>::new(0);
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
                    // The output VC is empty, so the link may send this packet in the same cycle.
                    switch.pool.prefetch_flit(first);
                }
            }
            while let Some(to) = pop_first(&mut requested) {
                let from = usize::from(granted[to]);
                let (queue, output) = (queues[from] as usize, usize::from(outputs[from]));
                let input = queue / self.queues_per_vc;
                crossbar.clear_head(input, self.inputs[queue].head);
                if self.queues_per_vc > 1 {
                    crossbar.count_out(self.inputs[queue].head);
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

    /// Computes the capacity of all ports and the candidate packets at the start of cycle `now`.
    fn open_ports(&self, crossbar: &mut Crossbar<P>, now: u32) -> Ports<P> {
        let all = VcArray::new(crossbar.speedup);
        let mut ports = Ports { give: all.clone(), take: all, asking: [0; P], open: [0; P] };
        for port in 0..self.ports.len() {
            let port_vcs = port * self.vcs..(port + 1) * self.vcs;
            if self.packet > 1 {
                ports.give[port] = crossbar.free(crossbar.busy[port_vcs.clone()].iter().copied(), now);
                ports.take[port] = crossbar.free(self.queues[port_vcs.clone()].iter().map(|queue| queue.busy), now);
            }
            // This code has no branches, because the CPU would often mispredict them.
            ports.open[port >> 6] |= u64::from(ports.take[port] > 0) << (port & 63);
            for input in port_vcs {
                let can = crossbar.busy[input] <= now && ports.give[port] > 0;
                crossbar.candidates[input] = if can { crossbar.heads[input] } else { [0; P] };
                ports.asking[port >> 6] |= u64::from(!is_empty(&crossbar.candidates[input])) << (port & 63);
            }
        }
        ports
    }

    /// Chooses a random packet that input port `port` can send to an open output port. Returns the packet's queue and
    /// output VC.
    fn choose(
        &mut self,
        switch: &mut Switch<P>,
        cycle: &Cycle,
        crossbar: &mut Crossbar<P>,
        port: usize,
        open: &Bits<P>,
    ) -> Option<(usize, usize)> {
        let port_vcs = port * self.vcs..(port + 1) * self.vcs;
        loop {
            let count = port_vcs.clone().map(|input| count_common(&crossbar.candidates[input], open)).sum();
            if count == 0 {
                return None;
            }
            let mut drawn = switch.generator.choose(count);
            let mut input = port_vcs.start;
            while drawn >= count_common(&crossbar.candidates[input], open) {
                drawn -= count_common(&crossbar.candidates[input], open);
                input += 1;
            }
            let to = select_common(&crossbar.candidates[input], open, drawn);
            let queue = if self.queues_per_vc == 1 { input } else { input * self.queues_per_vc + to };
            let step = match crossbar.groups_of_heads.get(queue) {
                Some(&group) => Step { port: to as u8, group },
                None => step_of::<P>(self.inputs[queue].head),
            };
            if let Some(output) = self.draw_output(switch, step, cycle.now) {
                prefetch(&self.inputs, queue);
                return Some((queue, output));
            }
            clear(&mut crossbar.candidates[input], to);
            if self.queues_per_vc == 1 {
                // No VC of the port has room. So the port is chosen again: the new port may have room in the next cycle. A packet in a
                // virtual output queue keeps its port.
                crossbar.clear_head(input, self.inputs[input].head);
                self.draw_again(input, switch, cycle.run);
                crossbar.set_head(queue, input, self.inputs[input].head);
            }
        }
    }
}

#[cfg(test)]
mod tests;
