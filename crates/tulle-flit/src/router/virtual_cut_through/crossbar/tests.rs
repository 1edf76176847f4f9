//! Tests of the crossbar's port matching, cycle by cycle: which packets may cross, and how often each is chosen.

use super::*;
use crate::channel_buffer::ChannelBuffer;
use crate::flit::{Flit, Handle};
use crate::router::context::{Local, Run};
use crate::router::core::Router;
use crate::router::handle::handle_of;
use crate::router::test_harness::{is_uniform, with_router};
use crate::routes::Step;

/// Number of ports of the router. No port belongs to an endpoint.
const PORTS: usize = 6;

struct Bench<'a> {
    run: &'a Run<'a>,
    switch: Switch<1>,
    state: State<1>,
    out: Vec<ChannelBuffer>,
    local: Local,
}

fn bench(router: &str, packet: u16, seed: u64, test: impl FnOnce(&mut Bench<'_>)) {
    with_router(router, PORTS as u32, packet, seed, |run, Router { switch, switching }| {
        let out = (0..PORTS).map(|_| ChannelBuffer::default()).collect();
        test(&mut Bench { run, switch, state: switching, out, local: Local::default() });
    });
}

impl Bench<'_> {
    /// Puts a packet for output port `to` into input VC `input`.
    fn put(&mut self, input: usize, to: usize) {
        let flit = Flit { created: (input * PORTS + to) as u32, ..Flit::default() };
        let handle = self.switch.pool.take(flit) | handle_of::<1>(Step { port: to as u8, group: 0 });
        let queue = self.state.queue_of(input, handle);
        self.state.inputs[queue].append(&mut self.switch.pool, handle);
        let head = self.state.inputs[queue].head;
        let crossbar = self.state.crossbar.as_mut().expect("it is limited");
        crossbar.set_head(queue, input, head);
        if self.state.queues_per_vc > 1 {
            crossbar.count_in(handle);
        }
    }

    /// Matches ports in cycle `now`. Removes the packets that crossed, and returns them as pairs of input VC and output
    /// port.
    fn cross(&mut self, now: u32) -> Vec<(usize, usize)> {
        self.out.iter_mut().for_each(ChannelBuffer::reset);
        let cycle = &mut Cycle::new(self.run, now, 0, &mut self.out, &mut self.local);
        self.state.match_ports(&mut self.switch, cycle);
        let mut crossed = Vec::new();
        for queue in self.state.queues.iter_mut() {
            while queue.length > 0 {
                let handle = queue.take_first(&self.switch.pool);
                let created = self.switch.pool.release(handle & Handle::<1>::NUMBER).created as usize;
                crossed.push((created / PORTS, created % PORTS));
            }
        }
        crossed.sort_unstable();
        crossed
    }
}

#[test]
fn an_output_draws_inputs_uniformly() {
    for router in ["vcs=1,crossbar=1", "vcs=2,crossbar=1", "vcs=1,crossbar=1,queues=voq"] {
        bench(&format!("virtual-cut-through:{router}"), 1, 2, |bench| {
            let vcs = bench.state.vcs;
            (0..4).for_each(|port| bench.put(port * vcs, 5));
            let mut drawn = [0; 4];
            for now in 0..4000 {
                let crossed = bench.cross(now);
                let [(input, 5)] = crossed[..] else { panic!("{router}: {crossed:?}") };
                drawn[input / vcs] += 1;
                bench.put(input, 5);
            }
            assert!(is_uniform(&drawn), "{router}: {drawn:?}");
        });
    }
}

#[test]
fn an_input_draws_its_candidates_uniformly() {
    // Five packets are at the heads of virtual output queues of two VCs of one port. One packet crosses per cycle.
    bench("virtual-cut-through:vcs=2,crossbar=1,queues=voq", 1, 2, |bench| {
        let all = [(4, 0), (4, 1), (4, 5), (5, 0), (5, 3)];
        all.iter().for_each(|&(input, to)| bench.put(input, to));
        let mut drawn = [0; 5];
        for now in 0..5000 {
            let crossed = bench.cross(now);
            let at = all.iter().position(|&one| [one] == crossed[..]).expect("one of them crosses");
            drawn[at] += 1;
            bench.put(all[at].0, all[at].1);
        }
        assert!(is_uniform(&drawn), "{drawn:?}");
        // The packets that wait are still in their queues, and the counts by output port include them.
        let lengths = |input| bench.state.queues_of(input).iter().map(|queue| queue.length).collect::<Vec<u16>>();
        assert_eq!([lengths(3), lengths(4), lengths(5)], [[0; PORTS], [1, 1, 0, 0, 0, 1], [1, 0, 0, 1, 0, 0]]);
        let crossbar = bench.state.crossbar.as_ref().expect("it is limited");
        assert_eq!([0, 1, 2, 3, 5].map(|port| crossbar.queued_for(port, None)), [2, 1, 0, 1, 1]);
        assert_eq!([0, 1, 2, 3, 5].map(|port| crossbar.queued_for(port, Some(0))), [2, 1, 0, 1, 1]);
    });
}

#[test]
fn matchings_are_maximal_and_respect_the_speedup() {
    const PACKET: u32 = 3;
    for (router, vcs, speedup) in [
        ("vcs=1,crossbar=1", 1, 1),
        ("vcs=1,crossbar=1,queues=voq", 1, 1),
        ("vcs=3,crossbar=1,queues=voq", 3, 1),
        ("vcs=3,crossbar=2", 3, 2),
        ("vcs=3,crossbar=2,queues=voq", 3, 2),
        ("vcs=2,crossbar=3,queues=voq", 2, 2),
    ] {
        let spec = format!("virtual-cut-through:{router},buffer=3000,output=3000");
        bench(&spec, PACKET as u16, 7, |bench| {
            let inputs = PORTS * vcs;
            // Per input VC: the output ports of its packets, in order.
            let mut waiting = vec![Vec::new(); inputs];
            let mut crossing: Vec<(u32, usize, usize)> = Vec::new();
            for now in 0..300 {
                for _ in 0..3 {
                    let drawn = bench.switch.generator.below((inputs * PORTS) as u32) as usize;
                    let (input, to) = (drawn / PORTS, drawn % PORTS);
                    waiting[input].push(to);
                    bench.put(input, to);
                }
                let crossed = bench.cross(now);
                for &(input, to) in &crossed {
                    let at = waiting[input].iter().position(|&other| other == to).expect("it was waiting");
                    assert!(bench.state.queues_per_vc > 1 || at == 0, "{router}: a queue stays in order");
                    waiting[input].remove(at);
                    crossing.push((now + PACKET, input, to));
                }
                crossing.retain(|&(end, ..)| end > now);
                let by = |which: &dyn Fn(usize, usize) -> bool| {
                    crossing.iter().filter(|&&(_, input, to)| which(input, to)).count()
                };
                for port in 0..PORTS {
                    assert!(by(&|input, _| input / vcs == port) <= speedup, "{router}: {now} {port} sends");
                    assert!(by(&|_, to| to == port) <= speedup, "{router}: {now} {port} accepts");
                }
                for (input, waiting) in waiting.iter().enumerate() {
                    assert!(by(&|other, _| other == input) <= 1, "{router}: {now} {input}");
                    let fronts = if bench.state.queues_per_vc > 1 { waiting.len() } else { waiting.len().min(1) };
                    for &to in &waiting[..fronts] {
                        // The matching is maximal: no packet that still waits could have crossed.
                        let blocked = by(&|other, _| other == input) == 1
                            || by(&|other, _| other / vcs == input / vcs) == speedup
                            || by(&|_, other| other == to) == speedup;
                        assert!(blocked, "{router}: {now} {input} {to}");
                    }
                }
            }
        });
    }
}
