//! Acknowledgements, for selectors that learn from them: the first switch of a packet learns how long the packet waited after it left.
//!
//! A flit has no room for its first switch and for the cycle in which it left this switch. So its field `created` holds the number of the
//! packet. The first switch stores these data, and the cycle in which the packet was created, under this number. After every block of
//! cycles, one thread goes through the flits that reached an endpoint in this block, always in the same order. It finds the first switch of
//! each packet by the packet's number, and sends an acknowledgement to this switch. So results do not depend on the number of threads.

use tulle_base::memory;
use tulle_base::prefetch::prefetch;
use tulle_fabric::Fabric;
use tulle_routing::Table;

use super::ack_calendar::AckCalendar;
use super::model::Timing;
use crate::acks::{Ack, Known};
use crate::flit::{Flit, HEAD, TAIL};
use crate::routes::Routes;

/// A packet whose last flit has not arrived.
#[derive(Debug, Clone, Copy)]
struct Trip {
    /// The field `created` of the packet's flits ([`Flit::created`]).
    created: u32,
    /// The cycle in which the first flit left the first switch.
    departed: u32,
    /// The wait of the first flit, when it has arrived.
    wait: u32,
    to: u16,
    detour: Option<u16>,
}

/// What a switch knows from acknowledgements, and its packets that are not acknowledged.
#[derive(Debug)]
pub(crate) struct Feedback {
    switch: u32,
    /// Every packet has a number that is unique in the network. Its lowest `switch_bits` bits are the number of the packet's first switch;
    /// the other bits are the index of the packet in `trips` of this switch.
    switch_bits: u32,
    /// Per destination switch: what is known about the routes.
    pub known: Box<[Known]>,
    /// Packets by number; `free` has the unused numbers.
    trips: Vec<Trip>,
    free: Vec<u32>,
    /// Per input VC: the number of the packet that is arriving from an endpoint, as its flits carry it.
    arriving: Box<[u32]>,
    /// Acknowledgements on their way.
    pending: AckCalendar,
}

impl Feedback {
    /// Creates the feedback of switch number `switch` in a network of `switches` switches. `port_vcs` is the number of input VCs of this
    /// switch, over all its ports; a block has `block` cycles.
    pub fn new(switch: u32, switches: usize, port_vcs: usize, block: usize) -> Self {
        Self {
            switch,
            switch_bits: switches.next_power_of_two().ilog2(),
            known: vec![Known::default(); switches].into(),
            trips: Vec::new(),
            free: Vec::new(),
            arriving: vec![0; port_vcs].into(),
            pending: AckCalendar::new(block),
        }
    }

    /// Returns whether the numbers of packets may run out if `more` packets start. The numbers of all switches fit in 32 bits.
    #[inline]
    pub fn is_nearly_full(&self, more: usize) -> bool {
        (self.trips.len() - self.free.len() + more) as u64 >= self.max_packets()
    }

    /// Returns the maximum number of packets of this switch that can be under way.
    pub fn max_packets(&self) -> u64 {
        1 << (32 - self.switch_bits)
    }

    /// Starts the next block of cycles.
    pub fn start_block(&mut self, routes: &Routes) {
        // The selector reads acknowledgements only when a packet starts. So it has not read those that arrived after the last start.
        self.learn(routes, usize::MAX);
        let Self { pending, known, .. } = self;
        pending.gather(|ack| prefetch(known, ack.to.into()));
    }

    /// Prefetches what is known about the destination switch `to`.
    #[inline]
    pub fn prefetch(&self, to: u16) {
        prefetch(&self.known, to.into());
    }

    /// Prefetches the data of the packet of `flit`, which has the packet's number.
    #[inline]
    pub fn prefetch_trip(&self, flit: &Flit) {
        prefetch(&self.trips, (flit.created >> self.switch_bits) as usize);
    }

    /// Passes all acknowledgements to the selector that arrive in the first `cycles` cycles of the current block.
    #[inline]
    pub fn learn(&mut self, routes: &Routes, cycles: usize) {
        while let Some(ack) = self.pending.pop(cycles) {
            routes.on_ack(&mut self.known[usize::from(ack.to)], &ack);
        }
    }

    /// Stores the data of the packet that starts with `flit` at input VC `port_vc`. Its route has been chosen.
    #[inline]
    pub fn start(&mut self, port_vc: usize, flit: &Flit) {
        let trip = Trip { created: flit.created, departed: 0, wait: 0, to: flit.switch, detour: Routes::detour(flit) };
        let number = match self.free.pop() {
            Some(number) => {
                self.trips[number as usize] = trip;
                number
            }
            None => {
                self.trips.push(trip);
                self.trips.len() as u32 - 1
            }
        };
        self.arriving[port_vc] = number << self.switch_bits | self.switch;
    }

    /// Returns the number of the packet that is arriving at input VC `port_vc`, as its flits carry it.
    #[inline]
    pub fn number(&self, port_vc: usize) -> u32 {
        self.arriving[port_vc]
    }

    /// Records that the packet of `flit` leaves this switch, its first one, in cycle `now`.
    #[inline]
    pub fn depart(&mut self, flit: &Flit, now: u32) {
        self.trips[(flit.created >> self.switch_bits) as usize].departed = now;
    }

    /// Records that `flit` left its last switch in cycle `now`. If it is the last flit of its packet, this sends the acknowledgement. Returns
    /// the cycle in which the packet was created.
    pub fn arrive(&mut self, idle: &IdleTimes, flit: &Flit, now: u32) -> u32 {
        let number = flit.created >> self.switch_bits;
        let trip = &mut self.trips[number as usize];
        let time = if flit.hops == 0 { 0 } else { idle.of(self.switch, trip.detour, trip.to, flit.hops) };
        if flit.flags & HEAD != 0 {
            debug_assert!(now - trip.departed >= time, "no packet is faster than through empty queues");
            trip.wait = now - trip.departed - time;
        }
        if flit.flags & TAIL != 0 {
            self.free.push(number);
            if flit.hops > 0 {
                self.pending.push(Ack { due: now + time, to: trip.to, detour: trip.detour, wait: trip.wait });
            }
        }
        trip.created
    }
}

/// The times that packets need from their first to their last switch if all queues are empty.
#[derive(Debug)]
pub(crate) struct IdleTimes {
    /// Cycles per hop. If links have different latencies, these are excluded.
    hop: u32,
    /// Per layer, first and last switch: the least sum of latencies over the paths of the layer. Empty if all links have the same latency.
    latencies: Vec<u32>,
    /// Whether detours are layers instead of intermediate switches.
    by_layer: bool,
    switches: usize,
}

impl IdleTimes {
    /// Returns the times of routes in `tables`. If there are several, each is a layer, and detours are layers. `latency` has the latency of
    /// every channel.
    pub fn new(fabric: &Fabric, tables: &[Table], latency: &[u32], timing: &Timing) -> Self {
        let hop = timing.delay + timing.inside;
        let (hop, latencies) = match latency {
            [first, rest @ ..] if rest.iter().any(|other| other != first) => {
                (hop, least_latencies(fabric, tables, latency))
            }
            _ => (hop + latency.first().copied().unwrap_or(0), Vec::new()),
        };
        Self { hop, latencies, by_layer: tables.len() > 1, switches: fabric.num_switches() }
    }

    /// Returns the time in cycles of a route of `hops` hops. If a pair of switches has paths of different latencies, the least latency
    /// counts.
    #[inline]
    fn of(&self, from: u32, detour: Option<u16>, to: u16, hops: u8) -> u32 {
        let inside = self.hop * u32::from(hops);
        if self.latencies.is_empty() {
            return inside;
        }
        let between =
            |layer: usize, from: usize, to: usize| self.latencies[(layer * self.switches + from) * self.switches + to];
        let (from, to) = (from as usize, usize::from(to));
        inside
            + match detour.map(usize::from) {
                None => between(0, from, to),
                Some(layer) if self.by_layer => between(layer, from, to),
                Some(via) => between(0, from, via) + between(0, via, to),
            }
    }
}

/// Returns, per table, first and last switch, the least sum of `latency` over the paths; 0 if there is no path. Paths must have no loops.
fn least_latencies(fabric: &Fabric, tables: &[Table], latency: &[u32]) -> Vec<u32> {
    let switches = fabric.num_switches();
    let what = || format!("path latencies of {switches} switches in {} layers", tables.len());
    let mut least = memory::must(memory::filled(what, 0, tables.len() * switches * switches));
    let mut known = vec![u32::MAX; switches];
    for (table, least) in tables.iter().zip(least.chunks_exact_mut(switches * switches)) {
        for to in fabric.endpoint_switches() {
            known.fill(u32::MAX);
            known[to as usize] = 0;
            while improve(fabric, table, latency, to, &mut known) {}
            for (from, &known) in known.iter().enumerate().filter(|&(_, &known)| known < u32::MAX) {
                least[from * switches + to as usize] = known;
            }
        }
    }
    least
}

/// Computes the least latency from every switch to switch `to`, from those of the next hops that are `known`. So each call adds at least
/// one hop to the known paths, from the destination backwards. Returns whether anything changed.
fn improve(fabric: &Fabric, table: &Table, latency: &[u32], to: u32, known: &mut [u32]) -> bool {
    let mut has_changed = false;
    for from in (0..fabric.num_switches() as u32).filter(|&from| from != to) {
        let start = fabric.offsets()[from as usize] as usize;
        let over = |&port: &u16| {
            let channel = start + usize::from(port);
            latency[channel].saturating_add(known[fabric.targets()[channel] as usize])
        };
        let found = table.next(from, to).iter().map(over).min().unwrap_or(u32::MAX);
        has_changed |= found != known[from as usize];
        known[from as usize] = found;
    }
    has_changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ops::ControlFlow;

    use tulle_routing::TableBuilder;

    use crate::{Config, Traffic, simulate};

    #[test]
    fn packets_get_their_waits() {
        // Switch 2 of five sends packets of two flits to switch 4, through switch 1.
        let idle = IdleTimes { hop: 10, latencies: Vec::new(), by_layer: false, switches: 5 };
        let mut feedback = Feedback::new(2, 5, 8, 10);
        let flit = |created| Flit { created, switch: 4, route: 1, hops: 0, flags: HEAD, ..Flit::default() };
        for (port_vc, created) in [(3, 70), (5, 71)] {
            feedback.start(port_vc, &flit(created));
        }
        let numbers = [3, 5].map(|port_vc| feedback.number(port_vc));
        assert_eq!(numbers, [2, 8 + 2]);
        numbers.iter().zip([100, 104]).for_each(|(&number, now)| feedback.depart(&flit(number), now));
        let over = |number, flags| Flit { hops: 3, flags, ..flit(number) };
        assert_eq!(feedback.arrive(&idle, &over(10, HEAD), 141), 71);
        assert_eq!(feedback.arrive(&idle, &over(2, HEAD), 130), 70);
        assert_eq!(feedback.arrive(&idle, &over(2, TAIL), 150), 70);
        assert_eq!(feedback.arrive(&idle, &over(10, TAIL), 142), 71);
        let ack = |due, wait| Ack { due, to: 4, detour: Some(1), wait };
        let mut arrived = Vec::new();
        for block in 0..20 {
            feedback.pending.gather(|_| ());
            arrived.extend(std::iter::from_fn(|| feedback.pending.pop(10)).map(|ack| (block, ack)));
        }
        assert_eq!(arrived, [(17, ack(172, 7)), (18, ack(180, 0))]);
        // The number that was freed last is used first.
        feedback.start(0, &flit(9));
        assert_eq!(feedback.number(0), 10);
        // A packet to the same switch is not acknowledged.
        feedback.depart(&flit(10), 200);
        assert_eq!(feedback.arrive(&idle, &Flit { flags: HEAD | TAIL, ..flit(10) }, 200), 9);
        for _ in 20..100 {
            feedback.pending.gather(|_| ());
            assert_eq!(feedback.pending.pop(10), None);
        }
        assert_eq!(feedback.max_packets(), 1 << 29);
        assert!(!feedback.is_nearly_full((1 << 29) - 10) && feedback.is_nearly_full(1 << 29));
    }

    #[test]
    fn the_least_latency_counts() {
        // From switch 0 to switch 3 of a ring of six, two paths have three hops. The cables 0-1, 1-2, …, 5-0 have the latencies 1 to 6.
        let ring = tulle_topologies::build("torus:shape=6", 0).unwrap();
        let routing = tulle_routing::build(&ring, "minimal", 0).unwrap();
        let of = |channel: usize| {
            let ends = [ring.sources()[channel], ring.targets()[channel]];
            let [low, high] = [ends[0].min(ends[1]), ends[0].max(ends[1])];
            if high - low == 1 { low + 1 } else { 6 }
        };
        let latency: Vec<u32> = (0..ring.num_channels()).map(of).collect();
        let timing = Timing { delay: 2, inside: 3, ..crate::router::read("input-queued").unwrap().timing(1) };
        let times = IdleTimes::new(&ring, routing.layers(), &latency, &timing);
        assert_eq!(times.of(0, None, 3, 3), 3 * 5 + 1 + 2 + 3);
        assert_eq!(times.of(3, None, 0, 3), 3 * 5 + 3 + 2 + 1);
        assert_eq!(times.of(0, None, 4, 2), 2 * 5 + 6 + 5);
        assert_eq!(times.of(0, Some(4), 3, 3), 3 * 5 + 6 + 5 + 4);
        // In layer 1, all packets go around the ring in the same direction.
        let mut around = TableBuilder::new(&ring);
        for (from, to) in (0..6u32).flat_map(|from| (0..6).map(move |to| (from, to))).filter(|(from, to)| from != to) {
            let next = ring.neighbours(from).iter().position(|&next| next == (from + 1) % 6).unwrap();
            around.set(from, to, &[next as u16]);
        }
        let layers = [routing.layers()[0].clone(), around.finish()];
        let layered = IdleTimes::new(&ring, &layers, &latency, &timing);
        assert_eq!(layered.of(0, None, 4, 2), 2 * 5 + 6 + 5);
        assert_eq!(layered.of(0, Some(1), 4, 4), 4 * 5 + 1 + 2 + 3 + 4);
        let same = IdleTimes::new(&ring, routing.layers(), &vec![7; latency.len()], &timing);
        assert_eq!((same.of(0, Some(4), 3, 3), same.latencies.len()), (3 * 12, 0));
    }

    #[test]
    fn an_idle_network_has_no_waits() {
        // With a bias of 0 and without the queue of the first switch, every wait of a minimal route causes a detour.
        for (fabric, class_latency) in [("slimfly:q=5", vec![]), ("dragonfly:p=2", vec![("global".to_owned(), 33)])] {
            let fabric = tulle_topologies::build(fabric, 0).unwrap();
            let traffic = Traffic::new(&fabric, "uniform", 1).unwrap();
            for (routing, via) in [("minimal", "switch"), ("spread:layers=4", "layer")] {
                let routing = tulle_routing::build(&fabric, routing, 0).unwrap();
                for (router, packet) in [
                    ("input-queued:vcs=6", 1),
                    ("input-queued:vcs=6,speedup=1,delay=3", 1),
                    ("input-queued:vcs=6,route=2,buffer=16", 5),
                    ("virtual-cut-through:vcs=6,delay=4", 1),
                    ("virtual-cut-through:vcs=6,crossbar=1,queues=voq", 5),
                ] {
                    let run = |load: f64| {
                        let config = Config {
                            router: router.to_owned(),
                            selector: format!("recycle:bias=0,weight=0,c=0.5,via={via}"),
                            class_latency: class_latency.clone(),
                            packet,
                            load,
                            window: if load > 0.1 { 300 } else { 10_000 },
                            ..Config::default()
                        };
                        simulate(&fabric, &routing, &traffic, &config, &mut |_| ControlFlow::Continue(()))
                            .unwrap()
                            .minimal
                    };
                    assert!(run(0.6) < 0.9, "{router}");
                    // So few packets do not meet.
                    assert_eq!(run(1e-5 * f64::from(packet)), 1.0, "{router}");
                }
            }
        }
    }
}
