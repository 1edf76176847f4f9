//! An independent simulator of one special case: endpoints around one lossless switch that send at the rates of their links.
//!
//! This simulator follows the rules in `docs/explanation/packet.md` and shares no code with the engine. The times of both simulators must
//! agree to the picosecond. As in the engine, simultaneous events fire in the order of kind (arrivals, freed links, pauses, pacers) and port.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

pub const HEADER: u64 = 64;

/// The link rate and latency, the thresholds in bytes, and whether acknowledgements are treated as data.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub rate: u64,
    pub latency: u64,
    pub xoff: u64,
    pub xon: u64,
    pub control_is_data: bool,
}

/// A flow of `packets` full packets that starts at `start`. An endpoint is the source of at most one flow.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    pub source: usize,
    pub destination: usize,
    pub packets: u64,
    pub start: u64,
}

/// The results: the finish time of each flow at its source, the number of pauses, and the maximum headroom in use, in bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct Found {
    pub finish: Vec<u64>,
    pub pauses: u64,
    pub headroom: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Packet {
    flow: usize,
    /// In an acknowledgement: the number of packets that have arrived. In a data packet: `None`.
    acknowledges: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    Arrives(usize, Packet),
    Freed(usize),
    Paused(usize, bool),
    Paced(usize),
}

#[derive(Debug, Default, Clone)]
struct Port {
    busy: u64,
    queue: VecDeque<Packet>,
    is_awaited: bool,
    is_paused: bool,
}

/// The switch's buffer use and pause state for the link from an endpoint.
#[derive(Debug, Default, Clone)]
struct Ingress {
    bytes: u64,
    headroom: u64,
    asked: bool,
    /// The time from which a pause frame can be sent to the endpoint.
    free: u64,
}

struct Star<'a> {
    rules: Rules,
    mtu: u64,
    flows: &'a [Flow],
    endpoints: usize,
    events: BinaryHeap<Reverse<(u64, Event)>>,
    /// The ports from the endpoints to the switch, then the ports from the switch to the endpoints.
    ports: Vec<Port>,
    ingress: Vec<Ingress>,
    sent: Vec<u64>,
    arrived: Vec<u64>,
    /// The earliest time of the next packet of each flow.
    next: Vec<u64>,
    found: Found,
}

/// Simulates `flows` around a switch with `endpoints` endpoints.
pub fn simulate(rules: Rules, mtu: u64, endpoints: usize, flows: &[Flow]) -> Found {
    let mut star = Star {
        rules,
        mtu,
        flows,
        endpoints,
        events: flows.iter().enumerate().map(|(flow, at)| Reverse((at.start, Event::Paced(flow)))).collect(),
        ports: vec![Port::default(); 2 * endpoints],
        ingress: vec![Ingress::default(); endpoints],
        sent: vec![0; flows.len()],
        arrived: vec![0; flows.len()],
        next: flows.iter().map(|flow| flow.start).collect(),
        found: Found { finish: vec![0; flows.len()], pauses: 0, headroom: 0 },
    };
    while let Some(Reverse((now, event))) = star.events.pop() {
        match event {
            Event::Arrives(port, packet) => star.arrives(port, packet, now),
            Event::Freed(port) => star.freed(port, now),
            Event::Paused(port, paused) => star.paused(port, paused, now),
            Event::Paced(flow) => star.paced(flow, now),
        }
    }
    star.found
}

impl Star<'_> {
    fn size(&self, packet: Packet) -> u64 {
        if packet.acknowledges.is_some() { HEADER } else { self.mtu }
    }

    fn time(&self, size: u64) -> u64 {
        (size * 8_000_000_000_000).div_ceil(self.rules.rate)
    }

    fn is_first(&self, packet: Packet) -> bool {
        packet.acknowledges.is_some() && !self.rules.control_is_data
    }

    /// Sends `packet` over the link of `port` as soon as the link is free.
    fn put(&mut self, port: usize, packet: Packet, now: u64) {
        let end = self.ports[port].busy.max(now) + self.time(self.size(packet));
        self.ports[port].busy = end;
        self.events.push(Reverse((end + self.rules.latency, Event::Arrives(port, packet))));
    }

    fn is_idle(&self, port: usize, now: u64) -> bool {
        let Port { busy, is_awaited, is_paused, .. } = self.ports[port];
        busy <= now && !is_awaited && !is_paused
    }

    fn await_link(&mut self, port: usize, now: u64) {
        let Port { busy, queue, is_awaited, is_paused } = &mut self.ports[port];
        if !*is_awaited && !*is_paused && !queue.is_empty() {
            *is_awaited = true;
            self.events.push(Reverse((now.max(*busy), Event::Freed(port))));
        }
    }

    fn freed(&mut self, port: usize, now: u64) {
        let at = &mut self.ports[port];
        at.is_awaited = false;
        if at.busy <= now
            && !at.is_paused
            && let Some(packet) = at.queue.pop_front()
        {
            if port >= self.endpoints {
                self.leaves(packet, now);
            }
            self.put(port, packet, now);
        }
        self.await_link(port, now);
    }

    fn paused(&mut self, port: usize, paused: bool, now: u64) {
        self.ports[port].is_paused = paused;
        self.await_link(port, now);
        if let Some(flow) = self.flows.iter().position(|flow| flow.source == port) {
            self.paced(flow, now);
        }
    }

    fn paced(&mut self, flow: usize, now: u64) {
        let Flow { source, packets, start, .. } = self.flows[flow];
        if now < start || self.ports[source].is_paused || self.sent[flow] == packets {
            return;
        }
        if now >= self.next[flow] {
            self.sent[flow] += 1;
            self.next[flow] = now + self.time(self.mtu);
            self.emit(source, Packet { flow, acknowledges: None }, now);
        }
        self.events.push(Reverse((self.next[flow], Event::Paced(flow))));
    }

    /// Passes `packet` from an endpoint to its link. Acknowledgements go before data, and the queue is unlimited.
    fn emit(&mut self, endpoint: usize, packet: Packet, now: u64) {
        if self.is_first(packet) || self.is_idle(endpoint, now) {
            return self.put(endpoint, packet, now);
        }
        let queue = &mut self.ports[endpoint].queue;
        let before = if packet.acknowledges.is_some() {
            queue.iter().take_while(|waiting| waiting.acknowledges.is_some()).count()
        } else {
            queue.len()
        };
        queue.insert(before, packet);
        self.await_link(endpoint, now);
    }

    fn arrives(&mut self, port: usize, packet: Packet, now: u64) {
        let Flow { source, destination, packets, .. } = self.flows[packet.flow];
        match (port < self.endpoints, packet.acknowledges) {
            (true, acknowledges) => {
                let to = if acknowledges.is_some() { source } else { destination };
                self.at_switch(port, self.endpoints + to, packet, now);
            }
            (false, None) => {
                self.arrived[packet.flow] += 1;
                let answer = Packet { acknowledges: Some(self.arrived[packet.flow]), ..packet };
                self.emit(destination, answer, now);
            }
            (false, Some(arrived)) if arrived == packets => self.found.finish[packet.flow] = now,
            (false, Some(_)) => {}
        }
    }

    fn at_switch(&mut self, from: usize, to: usize, packet: Packet, now: u64) {
        if self.is_first(packet) || self.is_idle(to, now) {
            return self.put(to, packet, now);
        }
        let size = self.size(packet);
        let ingress = &mut self.ingress[from];
        let is_beyond = ingress.asked || ingress.bytes + size > self.rules.xoff;
        ingress.bytes += size;
        if is_beyond {
            ingress.headroom += size;
            self.found.headroom = self.found.headroom.max(ingress.headroom);
            if !ingress.asked {
                self.ask(from, true, now);
            }
        }
        self.ports[to].queue.push_back(packet);
        self.await_link(to, now);
    }

    /// Frees the buffer space of `packet`, which leaves the switch. Headroom is freed first.
    fn leaves(&mut self, packet: Packet, now: u64) {
        let Flow { source, destination, .. } = self.flows[packet.flow];
        let from = if packet.acknowledges.is_some() { destination } else { source };
        let size = self.size(packet);
        let ingress = &mut self.ingress[from];
        ingress.bytes -= size;
        ingress.headroom -= size.min(ingress.headroom);
        if ingress.asked && ingress.headroom == 0 && ingress.bytes <= self.rules.xon {
            self.ask(from, false, now);
        }
    }

    /// Sends a pause or resume frame to `endpoint`. The frame arrives after its transmission time and the latency.
    fn ask(&mut self, endpoint: usize, pause: bool, now: u64) {
        let frame = self.time(HEADER);
        let ingress = &mut self.ingress[endpoint];
        ingress.asked = pause;
        ingress.free = ingress.free.max(now) + frame;
        self.found.pauses += u64::from(pause);
        self.events.push(Reverse((ingress.free + self.rules.latency, Event::Paused(endpoint, pause))));
    }
}
