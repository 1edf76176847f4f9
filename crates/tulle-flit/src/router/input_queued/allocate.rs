//! The allocators of VCs and of the switch. Both allocators see the state at the start of a step. Round-robin pointers move only when a
//! match is made.

use crate::bits::{Bits, clear, is_empty, next_of, next_of_word, pop, pop_first, set};
use crate::flit::{ENDS, GROUP, HEAD, Handle, NONE, Pool, TAIL};
use crate::router::context::Local;
use crate::router::layout::Layout;
use crate::vc_array::VcArray;

use super::Allocator;
use super::state::{NO_VC, Scratch, State};

impl<const W: usize, const P: usize> State<W, P> {
    /// Assigns free output VCs to waiting packets. Returns the input VCs that may take part in switch allocation from the
    /// next step on.
    #[inline]
    pub(super) fn allocate_vcs(&mut self, layout: &Layout) -> Bits<W> {
        let mut granted = [0; W];
        for word in 0..W {
            let mut outputs = self.free[word] & self.waiting[word] & self.single[word];
            while outputs != 0 {
                let output = (word << 6) + pop(&mut outputs);
                let input = next_of(&self.wait[output], self.outputs[output].pointer.into());
                self.stop_waiting(output, input);
                self.grant_vc(input, output, &mut granted);
            }
        }
        for word in 0..W {
            let mut requests = self.waiting[word] & !self.single[word];
            while requests != 0 {
                self.allocate_range(layout, (word << 6) + pop(&mut requests), &mut granted);
            }
        }
        granted
    }

    /// Assigns the free VCs of a port to the packets that wait for request group `request`, which can have several VCs.
    fn allocate_range(&mut self, layout: &Layout, request: usize, granted: &mut Bits<W>) {
        let base = request >> self.shift << self.shift;
        let (first, count) = layout.range(base >> self.shift, (request - base) as u8);
        let vcs: u64 = ((1 << count) - 1) << first;
        let free = self.free[base >> 6] >> (base & 63) & vcs;
        if free == 0 {
            return;
        }
        match self.model.allocator {
            Allocator::Separable => self.range_inputs_first(request, base, free, granted),
            Allocator::Islip => self.range_outputs_first(request, base, free, granted),
        }
    }

    /// Inputs first: each input picks a free VC, then each picked VC grants one of the inputs that picked it.
    fn range_inputs_first(&mut self, request: usize, base: usize, free: u64, granted: &mut Bits<W>) {
        let mut picked = [[0u64; W]; 16];
        let mut vcs = 0u64;
        for word in 0..W {
            let mut inputs = self.wait[request][word];
            while inputs != 0 {
                let input = (word << 6) + pop(&mut inputs);
                let vc = next_of_word(free, self.first_vc(input, base));
                set(&mut picked[vc], input);
                vcs |= 1 << vc;
            }
        }
        while vcs != 0 {
            let vc = pop(&mut vcs);
            let output = base + vc;
            let input = next_of(&picked[vc], self.outputs[output].pointer.into());
            self.stop_waiting(request, input);
            self.grant_vc(input, output, granted);
        }
    }

    /// Outputs first: each free VC picks an input, then each picked input accepts one of the VCs that picked it.
    fn range_outputs_first(&mut self, request: usize, base: usize, free: u64, granted: &mut Bits<W>) {
        let mut picks = [NO_VC; 16];
        let mut vcs = free;
        while vcs != 0 {
            let vc = pop(&mut vcs);
            picks[vc] = next_of(&self.wait[request], self.outputs[base + vc].pointer.into()) as u16;
        }
        let mut vcs = free;
        while vcs != 0 {
            let input = picks[vcs.trailing_zeros() as usize];
            let same = (0..16).filter(|&vc| picks[vc] == input).fold(0u64, |same, vc| same | 1 << vc) & free;
            vcs &= !same;
            let vc = next_of_word(same, self.first_vc(input.into(), base));
            self.stop_waiting(request, input.into());
            self.grant_vc(input.into(), base + vc, granted);
        }
    }

    /// Returns where the round-robin choice of `input` starts in the port whose first VC has number `base`: the index of the VC within the
    /// port, or 0 if the pointer is at another port.
    #[inline]
    fn first_vc(&self, input: usize, base: usize) -> usize {
        let pointer = usize::from(self.inputs[input].pointer);
        if (base..base + (1 << self.shift)).contains(&pointer) { pointer - base } else { 0 }
    }

    #[inline]
    fn stop_waiting(&mut self, request: usize, input: usize) {
        let wait = &mut self.wait[request];
        clear(wait, input);
        if is_empty(wait) {
            clear(&mut self.waiting, request);
        }
    }

    #[inline]
    fn grant_vc(&mut self, input: usize, output: usize, granted: &mut Bits<W>) {
        clear(&mut self.free, output);
        let all = self.num_port_vcs();
        let (to, from) = (&mut self.outputs[output], &mut self.inputs[input]);
        to.owner = input as u16;
        to.pointer = if input + 1 == all { 0 } else { input as u16 + 1 };
        from.output = output as u16;
        from.pointer = if output + 1 == all { 0 } else { output as u16 + 1 };
        if to.credits > 0 {
            set(granted, input);
        }
    }

    /// Matches inputs with outputs, and sends one flit for every match. In a cycle's last step, flits enter the output
    /// queue only after the cycle.
    #[inline]
    pub(super) fn allocate_switch(&mut self, is_last: bool, pool: &mut Pool<P>, local: &mut Local<Scratch>) {
        match self.model.allocator {
            Allocator::Separable => self.switch_inputs_first(is_last, pool, local),
            Allocator::Islip => self.switch_outputs_first(is_last, pool, local),
        }
    }

    /// Inputs first: each input picks an output, then each picked output grants one of the inputs that picked it.
    #[inline]
    fn switch_inputs_first(&mut self, is_last: bool, pool: &mut Pool<P>, local: &mut Local<Scratch>) {
        let mut outputs = [0; P];
        let stride_mask = (1u64 << (1 << self.shift)) - 1;
        for word in 0..W {
            let mut ready = self.ready[word];
            while ready != 0 {
                let at = ready.trailing_zeros() >> self.shift << self.shift;
                let vcs = ready >> at & stride_mask;
                ready &= !(stride_mask << at);
                let base = (word << 6) + at as usize;
                let port = base >> self.shift;
                let (input, output) = if vcs & (vcs - 1) == 0 {
                    let input = base + vcs.trailing_zeros() as usize;
                    (input, self.output_port(input))
                } else {
                    let output = next_of(&self.wanted(base, vcs), self.ports[port].next_output.into());
                    (self.vc_to(base, vcs, port, output), output)
                };
                local.scratch.chosen[port] = input as u16;
                local.scratch.requests[output * P + (port >> 6)] |= 1 << (port & 63);
                set(&mut outputs, output);
            }
        }
        while let Some(output) = pop_first(&mut outputs) {
            let requests: Bits<P> =
                std::array::from_fn(|word| std::mem::take(&mut local.scratch.requests[output * P + word]));
            let port = next_of(&requests, self.ports[output].next_input.into());
            self.traverse(local.scratch.chosen[port].into(), port, output, is_last, pool, local);
        }
    }

    /// Outputs first: each output picks an input, then each picked input accepts one of the outputs that picked it.
    fn switch_outputs_first(&mut self, is_last: bool, pool: &mut Pool<P>, local: &mut Local<Scratch>) {
        let (mut requests, mut offers) = (VcArray::<Bits<P>, P>::new([0; P]), VcArray::<Bits<P>, P>::new([0; P]));
        let (mut inputs, mut outputs) = ([0; P], [0; P]);
        let stride_mask = (1u64 << (1 << self.shift)) - 1;
        let vcs_of = |ready: &Bits<W>, port: usize, shift: u32| {
            let base = port << shift;
            ready[base >> 6] >> (base & 63) & stride_mask
        };
        for port in 0..self.num_ports {
            let vcs = vcs_of(&self.ready, port, self.shift);
            let mut wanted = self.wanted(port << self.shift, vcs);
            while let Some(output) = pop_first(&mut wanted) {
                set(&mut outputs, output);
                set(&mut requests[output], port);
            }
        }
        while let Some(output) = pop_first(&mut outputs) {
            let port = next_of(&requests[output], self.ports[output].next_input.into());
            set(&mut offers[port], output);
            set(&mut inputs, port);
        }
        while let Some(port) = pop_first(&mut inputs) {
            let output = next_of(&offers[port], self.ports[port].next_output.into());
            let vcs = vcs_of(&self.ready, port, self.shift);
            let input = self.vc_to(port << self.shift, vcs, port, output);
            self.traverse(input, port, output, is_last, pool, local);
        }
    }

    #[inline(always)]
    fn output_port(&self, input: usize) -> usize {
        usize::from(self.inputs[input].output) >> self.shift
    }

    /// Returns the output ports requested by the VCs `vcs` of an input port; `base` is the number of the port's first
    /// VC.
    #[inline]
    fn wanted(&self, base: usize, mut vcs: u64) -> Bits<P> {
        let mut wanted = [0; P];
        while vcs != 0 {
            set(&mut wanted, self.output_port(base + pop(&mut vcs)));
        }
        wanted
    }

    /// Returns the next VC, in round-robin order, among the VCs `vcs` of `port` that request `output`.
    #[inline]
    fn vc_to(&self, base: usize, mut vcs: u64, port: usize, output: usize) -> usize {
        let mut asking = 0u64;
        while vcs != 0 {
            let vc = pop(&mut vcs);
            asking |= u64::from(self.output_port(base + vc) == output) << vc;
        }
        base + next_of_word(asking, self.ports[port].next_vc.into())
    }

    /// Moves the first flit of `input` through the crossbar.
    #[inline(always)]
    fn traverse(
        &mut self,
        input: usize,
        port: usize,
        output_port: usize,
        is_last: bool,
        pool: &mut Pool<P>,
        local: &mut Local<Scratch>,
    ) {
        let ports = self.num_ports;
        let vc = (input & ((1 << self.shift) - 1)) as u8;
        self.ports[output_port].next_input = if port + 1 == ports { 0 } else { port as u8 + 1 };
        let from = &mut self.ports[port];
        from.next_output = if output_port + 1 == ports { 0 } else { output_port as u8 + 1 };
        from.next_vc = if vc + 1 == self.model.vcs { 0 } else { vc + 1 };
        if from.num_credits < 16 {
            from.credits |= u64::from(vc) << (4 * from.num_credits);
        } else {
            self.overflow[port].push_back(vc);
        }
        from.num_credits += 1;
        set(&mut self.crediting, port);

        let queue = &mut self.inputs[input];
        let handle = queue.head;
        let output = usize::from(queue.output);
        let next = if (handle ^ queue.tail) & Handle::<P>::NUMBER == 0 { NONE } else { pool.next(handle) };
        queue.head = next;
        let to = &mut self.outputs[output];
        to.credits -= 1;
        if handle >> ENDS & u32::from(TAIL) != 0 {
            to.owner = NO_VC;
            queue.output = NO_VC;
            set(&mut self.free, output);
            clear(&mut self.ready, input);
            if next != NONE {
                self.wait_for_vc(input, next);
            }
        } else if next == NONE || to.credits == 0 {
            clear(&mut self.ready, input);
        }
        let handle = handle & Handle::<P>::NUMBER | ((output & ((1 << self.shift) - 1)) as u32) << GROUP;
        local.tally.traversals += 1;
        if is_last {
            local.scratch.deferred.push((output_port as u8, handle));
        } else {
            self.queue_output(pool, output_port, handle);
        }
    }

    /// Starts the wait of a packet that has reached the head of its queue; `handle` is its first flit. The packet first waits for its
    /// route, if routing takes time, and then for an output VC.
    #[inline(always)]
    pub(super) fn wait_for_vc(&mut self, input: usize, handle: u32) {
        debug_assert!(handle >> ENDS & u32::from(HEAD) != 0, "a packet's flits stay in order");
        if self.model.route == 0 {
            self.ask_for_vc(input, handle);
        } else {
            self.wait_for_route(input);
        }
    }

    /// As in BookSim2, a routing delay of one cycle ends with the next step. A routing delay of N > 1 cycles ends in the cycle N − 1 cycles
    /// later, with the first step of that cycle.
    fn wait_for_route(&mut self, input: usize) {
        let speedup = u64::from(self.model.speedup);
        let end = match u64::from(self.model.route) {
            1 => self.steps,
            route => (self.steps / speedup + route - 1) * speedup,
        };
        self.routing.push_back((end + 1, input as u16));
    }

    /// Makes packets request output VCs if their routes are ready.
    #[inline]
    pub(super) fn end_routing(&mut self) {
        while let Some(&(step, input)) = self.routing.front()
            && step <= self.steps
        {
            self.routing.pop_front();
            let input = usize::from(input);
            self.ask_for_vc(input, self.inputs[input].head);
        }
    }

    #[inline(always)]
    fn ask_for_vc(&mut self, input: usize, handle: u32) {
        let request = self.request(handle);
        set(&mut self.wait[request], input);
        set(&mut self.waiting, request);
    }

    #[inline(always)]
    pub(super) fn queue_output(&mut self, pool: &mut Pool<P>, port: usize, handle: u32) {
        let to = &mut self.ports[port];
        if to.queued == 0 {
            to.head = handle;
            set(&mut self.sending, port);
        } else {
            pool.link(to.tail, handle);
        }
        to.tail = handle;
        to.queued += 1;
    }
}

#[cfg(test)]
mod tests;
