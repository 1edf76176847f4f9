//! Tests of the arbitration without a crossbar limit, cycle by cycle: which packets may request an output VC, and how
//! often each is chosen.

use super::*;
use crate::channel_buffer::ChannelBuffer;
use crate::flit::Flit;
use crate::router::context::Local;
use crate::router::core::Router;
use crate::router::handle::handle_of;
use crate::router::test_harness::{is_uniform, with_router};

/// A router of six ports without endpoints, together with the data that it uses.
struct Bench<'a> {
    run: &'a Run<'a>,
    switch: Switch<1>,
    state: State<1>,
    out: Vec<ChannelBuffer>,
    local: Local,
}

fn bench(router: &str, packet: u16, test: impl FnOnce(&mut Bench<'_>)) {
    with_router(router, 6, packet, 5, |run, Router { switch, switching }| {
        let out = (0..6).map(|_| ChannelBuffer::default()).collect();
        test(&mut Bench { run, switch, state: switching, out, local: Local::default() });
    });
}

impl Bench<'_> {
    /// Puts a packet for output port `to` into input VC `input`.
    fn put(&mut self, input: usize, to: usize) {
        let handle = self.switch.pool.take(Flit::default()) | handle_of::<1>(Step { port: to as u8, group: 0 });
        self.state.inputs[input].append(&mut self.switch.pool, handle);
        self.state.waiting[input >> 6] |= 1 << (input & 63);
    }

    /// Discards the requests for all output VCs.
    fn discard_requests(&mut self) {
        self.state.requested_outputs.fill(0);
        self.state.outputs.iter_mut().for_each(|output| output.requests = 0);
    }

    fn cross(&mut self, now: u32) {
        self.out.iter_mut().for_each(ChannelBuffer::reset);
        let cycle = &mut Cycle::new(self.run, now, 0, &mut self.out, &mut self.local);
        self.state.cross(&mut self.switch, cycle);
    }
}

#[test]
fn all_requests_are_equally_likely() {
    for askers in [1, 2, 3, 5] {
        bench("virtual-cut-through:vcs=1", 1, |bench| {
            (0..askers).for_each(|input| bench.put(input, 5));
            let mut drawn = vec![0; askers];
            for _ in 0..4000 {
                bench.state.request(&mut bench.switch, bench.run, 0);
                assert_eq!(
                    (usize::from(bench.state.outputs[5].requests), bench.state.requested_outputs[0]),
                    (askers, 1 << 5)
                );
                drawn[usize::from(bench.state.outputs[5].winner)] += 1;
                bench.discard_requests();
            }
            assert!(is_uniform(&drawn), "{drawn:?}");
        });
    }
}

#[test]
fn all_virtual_channels_with_room_are_equally_likely() {
    bench("virtual-cut-through:vcs=4,output=6,buffer=6", 3, |bench| {
        // An output VC holds at most two packets. VC 0 of port 2 is full, and VC 1 is busy with a packet until cycle 9.
        let step = Step { port: 2, group: 0 };
        assert_eq!(bench.state.output_capacity, 2);
        bench.state.queues[8].length = 2;
        bench.state.queues[9].busy = 10;
        bench.state.queues[10].length = 1;
        let mut draw = |now: u32| {
            let mut drawn = [0; 4];
            for _ in 0..4000 {
                drawn[bench.state.draw_output(&mut bench.switch, step, now).expect("some have room") - 8] += 1;
            }
            drawn
        };
        let early = draw(9);
        assert!(early[..2] == [0, 0] && is_uniform(&early[2..]), "{early:?}");
        let late = draw(10);
        assert!(late[0] == 0 && is_uniform(&late[1..]), "{late:?}");
        bench.state.queues[10].length = 2;
        assert_eq!(bench.state.draw_output(&mut bench.switch, step, 9), Some(11));
        bench.state.queues[11].busy = 12;
        assert_eq!(
            (bench.state.draw_output(&mut bench.switch, step, 9), bench.state.draw_output(&mut bench.switch, step, 10)),
            (None, Some(9))
        );
    });
}

#[test]
fn a_virtual_channel_sends_and_accepts_one_packet_at_a_time() {
    bench("virtual-cut-through:vcs=2,output=30,buffer=30", 5, |bench| {
        // Input VC 3 is VC 1 of port 1; it has packets for ports 4 and 5. Input VCs 8 and 9 have one packet each for
        // port 4.
        [4, 5].into_iter().for_each(|to| bench.put(3, to));
        bench.state.request(&mut bench.switch, bench.run, 100);
        bench.cross(100);
        let taker =
            (8..10).find(|&output| bench.state.queues[output].length == 1).expect("an output VC accepted the packet");
        assert_eq!((bench.state.queues[taker].busy, bench.state.inputs[3].busy), (105, 105));
        assert_eq!((bench.state.inputs[3].length, bench.state.outputs[taker].requests), (1, 0));
        assert_eq!((bench.state.ports[4].filled, bench.state.sending), (1 << (taker - 8), [1 << 4]));
        assert_eq!((bench.out[1].credit_slots, bench.out[1].credits[0]), (1, 1 << 1), "a credit returns");
        assert_eq!(bench.local.tally.traversals, 5);
        // Until the packet has crossed, its input VC makes no requests, and its output VC accepts no other packet.
        [8, 9].into_iter().for_each(|input| bench.put(input, 4));
        bench.state.queues[17 - taker].busy = 1000;
        for now in 101..105 {
            bench.state.request(&mut bench.switch, bench.run, now);
            assert_eq!(bench.state.requested_outputs[0], 0, "{now}");
        }
        bench.state.request(&mut bench.switch, bench.run, 105);
        assert_eq!(bench.state.outputs[taker].requests, 2);
        assert_eq!(bench.state.outputs[10].requests + bench.state.outputs[11].requests, 1);
        let winner = usize::from(bench.state.outputs[taker].winner);
        bench.cross(105);
        assert_eq!((bench.state.inputs[winner].length, bench.state.inputs[17 - winner].length), (0, 1));
        assert_eq!(bench.state.queues[taker].length, 2);
        assert_eq!(bench.state.waiting[0], 1 << (17 - winner), "an empty input requests nothing");
    });
}
