//! Tests of both allocators, step by step: which requests are granted, and which round-robin pointers move.

use super::*;
use crate::flit::Flit;
use crate::router::context::Local;
use crate::router::core::Router;
use crate::router::switch::Switch;
use crate::router::test_harness::with_router;

/// A router with at most 64 VCs, and the flits that it has sent.
struct Bench {
    switch: Switch<1>,
    state: State<1, 1>,
    local: Local<Scratch>,
}

/// Calls `test` with a router of `ports` ports.
fn bench(router: &str, ports: u32, test: impl FnOnce(&mut Bench)) {
    with_router(router, ports, 1, 0, |_, Router { switch, switching }| {
        test(&mut Bench { switch, state: switching, local: Local::default() });
    });
}

impl Bench {
    fn port_vc(&self, port: usize, vc: usize) -> usize {
        port << self.state.shift | vc
    }

    /// Puts packets for output `to` into an empty input VC. `lengths` has the number of flits of each packet.
    fn put(&mut self, port: usize, vc: usize, to: usize, packets: &[usize]) {
        let input = self.port_vc(port, vc);
        let mut handles = Vec::new();
        for &flits in packets {
            for flit in 0..flits {
                let head = if flit == 0 { HEAD } else { 0 };
                let tail = if flit + 1 == flits { TAIL } else { 0 };
                let number = self.switch.pool.take(Flit { created: input as u32, ..Flit::default() });
                handles.push(number | (to as u32) << Handle::<1>::PORT | u32::from(head | tail) << ENDS);
            }
        }
        handles.windows(2).for_each(|pair| self.switch.pool.link(pair[0], pair[1]));
        self.state.inputs[input].head = handles[0];
        self.state.inputs[input].tail = handles[handles.len() - 1];
        self.state.wait_for_vc(input, handles[0]);
    }

    /// Allocates VCs. Returns the granted pairs of input VC and output VC, ordered by input.
    fn allocate_vcs(&mut self) -> Vec<(usize, usize)> {
        let free = self.state.free;
        let granted = self.state.allocate_vcs(&self.switch.layout);
        self.state.ready[0] |= granted[0];
        let mut taken = free[0] & !self.state.free[0];
        let mut pairs = Vec::new();
        while taken != 0 {
            let output = pop(&mut taken);
            pairs.push((usize::from(self.state.outputs[output].owner), output));
        }
        pairs.sort_unstable();
        pairs
    }

    /// Runs one step of the switch allocator. Returns, for each flit that crossed, its input VC and output port,
    /// ordered by output.
    fn switch(&mut self) -> Vec<(usize, usize)> {
        self.state.allocate_switch(true, &mut self.switch.pool, &mut self.local);
        let pool = &self.switch.pool;
        let crossed = self.local.scratch.deferred.drain(..);
        let mut pairs: Vec<(usize, usize)> =
            crossed.map(|(output, handle)| (pool.get(handle).created as usize, usize::from(output))).collect();
        pairs.sort_unstable_by_key(|&(_, output)| output);
        pairs
    }

    /// Runs one step as in a cycle: packets that get an output VC in this step cross from the next step on.
    fn step(&mut self) -> Vec<(usize, usize)> {
        let granted = self.state.allocate_vcs(&self.switch.layout);
        let crossed = self.switch();
        self.state.ready[0] |= granted[0];
        crossed
    }

    fn next_inputs(&self) -> Vec<u8> {
        self.state.ports.first(self.state.num_ports).iter().map(|port| port.next_input).collect()
    }

    fn next_outputs(&self) -> Vec<u8> {
        self.state.ports.first(self.state.num_ports).iter().map(|port| port.next_output).collect()
    }
}

const ALLOCATORS: [&str; 2] = ["separable", "islip"];

#[test]
fn a_virtual_channel_serves_inputs_round_robin() {
    for allocator in ALLOCATORS {
        // Five inputs have many single-flit packets for output 5, which has one VC. One packet crosses every other
        // step.
        bench(&format!("input-queued:vcs=1,allocator={allocator}"), 6, |bench| {
            (0..5).for_each(|port| bench.put(port, 0, 5, &[1; 8]));
            let mut order = Vec::new();
            for _ in 0..12 {
                let granted = bench.allocate_vcs();
                let [(input, 5)] = granted[..] else { panic!("{granted:?}") };
                assert_eq!(
                    usize::from(bench.state.outputs[5].pointer),
                    input + 1,
                    "the pointer moves past the input that owns the VC"
                );
                assert!(bench.allocate_vcs().is_empty(), "the VC is taken");
                assert_eq!(bench.switch(), [(input, 5)], "{allocator}");
                order.push(input);
            }
            assert_eq!(order, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1], "{allocator}");
        });
        // After the last input the pointer wraps to the first input. A single request is granted regardless of the
        // pointer.
        bench(&format!("input-queued:vcs=1,allocator={allocator}"), 3, |bench| {
            for (port, pointer) in [(2, 0), (0, 1), (0, 1), (2, 0), (1, 2)] {
                bench.put(port, 0, 1, &[1]);
                assert_eq!(bench.allocate_vcs(), [(port, 1)], "{allocator}");
                assert_eq!(bench.state.outputs[1].pointer, pointer, "{allocator}");
                assert_eq!(bench.switch(), [(port, 1)], "{allocator}");
            }
        });
    }
}

#[test]
fn an_input_picks_virtual_channels_round_robin() {
    for allocator in ALLOCATORS {
        // A port has three VCs, but their numbers are assigned as if it had four.
        bench(&format!("input-queued:vcs=3,allocator={allocator}"), 4, |bench| {
            bench.put(1, 2, 3, &[1; 8]);
            let input = bench.port_vc(1, 2);
            let mut vcs = Vec::new();
            for _ in 0..7 {
                let granted = bench.allocate_vcs();
                let [(from, output)] = granted[..] else { panic!("{granted:?}") };
                assert_eq!((from, output >> 2), (input, 3));
                let pointer = usize::from(bench.state.inputs[input].pointer);
                assert_eq!(pointer, (output + 1) % 16, "behind its VC, cyclically");
                vcs.push(output & 3);
                assert_eq!(bench.switch(), [(input, 3)]);
            }
            assert_eq!(vcs, [0, 1, 2, 0, 1, 2, 0], "{allocator}");
        });
        // If an input's pointer is at a VC of another port, its choice starts at the first VC of the requested port.
        bench(&format!("input-queued:vcs=4,allocator={allocator}"), 4, |bench| {
            for (to, vc) in [(1, 0), (2, 0), (2, 1), (1, 0), (2, 0), (0, 0), (0, 1), (0, 2), (0, 3), (1, 0), (0, 0)] {
                bench.put(3, 0, to, &[1]);
                let granted = bench.allocate_vcs();
                assert_eq!(granted, [(bench.port_vc(3, 0), bench.port_vc(to, vc))], "{allocator}");
                assert_eq!(bench.switch().len(), 1);
            }
        });
    }
}

#[test]
fn separable_inputs_pick_virtual_channels_before_outputs_pick_inputs() {
    bench("input-queued:vcs=2,allocator=separable", 4, |bench| {
        // All inputs pick VC 0 of port 3. One input gets it, and the other VC of the port stays free.
        (0..3).for_each(|port| bench.put(port, 0, 3, &[2; 4]));
        assert_eq!(bench.allocate_vcs(), [(0, 6)]);
        assert_eq!([bench.state.outputs[6].pointer, bench.state.outputs[7].pointer], [1, 0]);
        let pointers = [0, 2, 4].map(|input: usize| bench.state.inputs[input].pointer);
        assert_eq!(pointers, [7, 0, 0], "inputs without a grant keep their pointers");
        assert_eq!(bench.allocate_vcs(), [(2, 7)], "the first requesting input from the VC's pointer on");
        assert_eq!([bench.state.outputs[6].pointer, bench.state.outputs[7].pointer], [1, 3]);
        assert!(bench.allocate_vcs().is_empty());
    });
    bench("input-queued:vcs=2,allocator=separable", 4, |bench| {
        bench.state.outputs[6].pointer = 3;
        (0..3).for_each(|port| bench.put(port, 0, 3, &[2]));
        assert_eq!(bench.allocate_vcs(), [(4, 6)], "the first requesting input from the VC's pointer on");
    });
    // If the pointers of two inputs differ, both get a VC in the same step.
    bench("input-queued:vcs=2,allocator=separable", 4, |bench| {
        bench.state.inputs[0].pointer = 7;
        (0..3).for_each(|port| bench.put(port, 0, 3, &[2]));
        assert_eq!(bench.allocate_vcs(), [(0, 7), (2, 6)]);
    });
}

#[test]
fn unaccepted_islip_grants_do_not_move_pointers_of_virtual_channels() {
    bench("input-queued:vcs=4,allocator=islip", 4, |bench| {
        (0..3).for_each(|port| bench.put(port, 0, 3, &[2; 4]));
        // All four VCs pick input 0, which accepts the first VC. The other three grants are wasted.
        assert_eq!(bench.allocate_vcs(), [(0, 12)]);
        let pointers = |bench: &Bench| [12, 13, 14, 15].map(|output: usize| bench.state.outputs[output].pointer);
        assert_eq!(pointers(bench), [1, 0, 0, 0]);
        assert_eq!(bench.allocate_vcs(), [(4, 13)]);
        assert_eq!(pointers(bench), [1, 5, 0, 0]);
        assert_eq!(bench.allocate_vcs(), [(8, 14)]);
        assert_eq!(pointers(bench), [1, 5, 9, 0]);
    });
    // With different pointers every VC picks another input, and all inputs get a VC in the same step.
    bench("input-queued:vcs=4,allocator=islip", 4, |bench| {
        (0..3).for_each(|port| bench.put(port, 0, 3, &[2]));
        (bench.state.outputs[13].pointer, bench.state.outputs[14].pointer) = (2, 7);
        bench.state.inputs[8].pointer = 15;
        assert_eq!(bench.allocate_vcs(), [(0, 12), (4, 13), (8, 14)]);
    });
    // Two VCs pick the same input. The input accepts the VC at its own pointer, not the first one.
    bench("input-queued:vcs=4,allocator=islip", 4, |bench| {
        (0..2).for_each(|port| bench.put(port, 0, 3, &[2]));
        (bench.state.outputs[13].pointer, bench.state.outputs[15].pointer) = (3, 4);
        bench.state.inputs[4].pointer = 14;
        bench.state.inputs[0].pointer = 13;
        assert_eq!(bench.allocate_vcs(), [(0, 14), (4, 15)]);
    });
}

#[test]
fn a_switch_output_serves_inputs_round_robin() {
    for allocator in ALLOCATORS {
        // Each long packet has its own VC of output 5. The switch allocator then decides flit by flit.
        bench(&format!("input-queued:vcs=8,buffer=64,allocator={allocator}"), 6, |bench| {
            (0..4).for_each(|port| bench.put(port, 3, 5, &[20]));
            bench.put(5, 3, 5, &[20]);
            while !bench.allocate_vcs().is_empty() {}
            let order: Vec<usize> = (0..12)
                .map(|_| {
                    let crossed = bench.switch();
                    let [(input, 5)] = crossed[..] else { panic!("{crossed:?}") };
                    assert_eq!(usize::from(bench.state.ports[5].next_input), ((input >> 3) + 1) % 6, "{allocator}");
                    input >> 3
                })
                .collect();
            assert_eq!(order, [0, 1, 2, 3, 5, 0, 1, 2, 3, 5, 0, 1], "{allocator}");
        });
    }
}

#[test]
fn a_switch_input_serves_outputs_and_virtual_channels_round_robin() {
    for allocator in ALLOCATORS {
        // Input 1 has one packet each for outputs 0, 2 and 3, and two more packets for output 2. Each packet is on its
        // own VC.
        bench(&format!("input-queued:vcs=5,buffer=64,allocator={allocator}"), 4, |bench| {
            for (vc, to) in [(0, 2), (1, 3), (2, 2), (3, 0), (4, 2)] {
                bench.put(1, vc, to, &[20]);
            }
            while !bench.allocate_vcs().is_empty() {}
            let mut order = Vec::new();
            for _ in 0..9 {
                let crossed = bench.switch();
                let [(input, output)] = crossed[..] else { panic!("one flit per step: {crossed:?}") };
                let port = bench.state.ports[1];
                assert_eq!(usize::from(port.next_output), (output + 1) % 4, "{allocator}");
                assert_eq!(usize::from(port.next_vc), ((input & 7) + 1) % 5, "{allocator}");
                order.push((input & 7, output));
            }
            // After VC 1, the next VC for output 2 is VC 2 or VC 4; after VC 3, it is VC 4.
            let once = [(3, 0), (4, 2), (1, 3)];
            assert_eq!(order, [once, once, once].concat(), "{allocator}");
        });
        // If all VCs request a single output, they take turns.
        bench(&format!("input-queued:vcs=3,buffer=64,allocator={allocator}"), 4, |bench| {
            (0..3).for_each(|vc| bench.put(3, vc, 2, &[20]));
            while !bench.allocate_vcs().is_empty() {}
            let order: Vec<usize> = (0..7).map(|_| bench.switch()[0].0 & 3).collect();
            assert_eq!(order, [0, 1, 2, 0, 1, 2, 0], "{allocator}");
        });
    }
}

#[test]
fn unaccepted_islip_grants_do_not_move_pointers_of_ports() {
    bench("input-queued:vcs=2,buffer=64,allocator=islip", 4, |bench| {
        // Input 0 requests outputs 2 and 3, input 1 requests only output 3. Both outputs grant input 0.
        bench.put(0, 0, 2, &[20]);
        bench.put(0, 1, 3, &[20]);
        bench.put(1, 0, 3, &[20]);
        while !bench.allocate_vcs().is_empty() {}
        let (mut crossed, mut pointers) = (Vec::new(), Vec::new());
        for _ in 0..5 {
            crossed.push(bench.switch().iter().map(|&(input, output)| (input >> 1, output)).collect::<Vec<_>>());
            pointers.push((bench.next_inputs()[2..].to_vec(), bench.next_outputs()[..2].to_vec()));
        }
        // Input 0 accepts output 2, so the grant of output 3 is wasted and its pointer stays at input 0. Then input 0
        // accepts output 3, where the input's pointer is, and the pointer of output 3 moves to input 1. From then on
        // both outputs send a flit in every step, except in steps in which both grant the same input.
        assert_eq!(crossed[0], [(0, 2)]);
        assert_eq!(pointers[0], (vec![1, 0], vec![3, 0]));
        assert_eq!(crossed[1], [(0, 3)]);
        assert_eq!(pointers[1], (vec![1, 1], vec![0, 0]));
        assert_eq!(crossed[2], [(0, 2), (1, 3)]);
        assert_eq!(pointers[2], (vec![1, 2], vec![3, 0]));
        assert_eq!(crossed[3], [(0, 3)]);
        assert_eq!(pointers[3], (vec![1, 1], vec![0, 0]));
        assert_eq!(crossed[4], crossed[2]);
    });
}

#[test]
fn ungranted_separable_picks_do_not_move_pointers_of_ports() {
    bench("input-queued:vcs=4,buffer=64,allocator=separable", 4, |bench| {
        // Inputs 0, 1 and 2 request output 3. Input 1 also requests output 0.
        bench.put(0, 0, 3, &[20]);
        bench.put(1, 0, 3, &[20]);
        bench.put(1, 1, 0, &[20]);
        bench.put(2, 1, 3, &[20]);
        while !bench.allocate_vcs().is_empty() {}
        bench.state.ports[1].next_output = 1;
        // Input 1 picks output 3, which grants input 0.
        assert_eq!(bench.switch(), [(0, 3)]);
        assert_eq!((bench.next_inputs(), bench.next_outputs()), (vec![0, 0, 0, 1], vec![0, 1, 0, 0]));
        assert_eq!(bench.switch(), [(4, 3)], "input 1 picks output 3 again, and now output 3 grants it");
        assert_eq!((bench.next_inputs(), bench.next_outputs()), (vec![0, 0, 0, 2], vec![0, 0, 0, 0]));
        assert_eq!(bench.switch(), [(5, 0), (9, 3)]);
        assert_eq!((bench.next_inputs(), bench.next_outputs()), (vec![2, 0, 0, 3], vec![0, 1, 0, 0]));
    });
}

#[test]
fn inputs_without_credit_or_flit_do_not_request() {
    for allocator in ALLOCATORS {
        bench(&format!("input-queued:vcs=1,buffer=2,allocator={allocator}"), 3, |bench| {
            bench.put(0, 0, 2, &[3]);
            bench.put(1, 0, 2, &[1]);
            assert!(bench.step().is_empty(), "a granted packet crosses from the next step on");
            assert_eq!([bench.step(), bench.step(), bench.step()], [vec![(0, 2)], vec![(0, 2)], vec![]]);
            assert_eq!((bench.state.outputs[2].credits, bench.state.outputs[2].owner), (0, 0));
            assert!(bench.state.free[0] & 4 == 0, "the packet keeps its VC");
            // A credit returns and the last flit leaves. Then the next packet gets the VC although the VC has no credit.
            bench.state.outputs[2].credits = 1;
            bench.state.ready[0] |= 1;
            assert_eq!(bench.step(), [(0, 2)]);
            assert_eq!(bench.state.outputs[2].owner, NO_VC);
            assert!(bench.step().is_empty() && bench.step().is_empty());
            assert_eq!(bench.state.outputs[2].owner, 1);
            assert_eq!(bench.state.ready, [0], "granted, but without a credit");
        });
    }
}
