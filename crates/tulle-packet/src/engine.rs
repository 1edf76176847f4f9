//! The event loop: packets over ports, switches and endpoints.
//!
//! Ports are output ports and numbered: channels first, by channel id; then the link from each endpoint to its switch; then
//! the link from the switch to each endpoint. A packet that comes to an idle port is sent at once and costs one event,
//! its arrival at the far end; one that has to wait costs a second, the end of the transmission before it.
//!
//! What is kept per port, per endpoint and per end of a flow is touched only by events there, and packets take the latency
//! of a link at least to get from one to the next.

use std::ops::ControlFlow;

use tulle_fabric::random::{fnv1a, mix};

use crate::calendar::{Calendar, Event, EventKind};
use crate::config::Link;
use crate::forwarding::Forwarding;
use crate::outcome::NEVER;
use crate::packet::{Arena, Kind, NONE, Packet};
use crate::port::{Class, Port};
use crate::queue::{Queue, Verdict};
use crate::selector::Selector;
use crate::transport::{self, Action, Actions, Outgoing, Transport};
use crate::{Counters, Progress};

/// A simulation under way.
pub(crate) struct Engine<'a> {
    pub(crate) link: Link,
    pub(crate) forwarding: Forwarding<'a>,
    pub(crate) endpoint_switch: &'a [u32],
    /// Per flow, the endpoint it comes from, the one it goes to, and its earliest start.
    pub(crate) source: &'a [u32],
    pub(crate) destination: &'a [u32],
    pub(crate) start: &'a [u64],
    pub(crate) queue: Queue,
    pub(crate) transport: Transport,
    pub(crate) selector: Selector,
    pub(crate) state: State,
}

/// What changes in a simulation, beside the states of transport and selector.
pub(crate) struct State {
    calendar: Calendar,
    packets: Arena,
    ports: Vec<Port>,
    /// Per port that leads to a switch, that switch.
    heads: Vec<u32>,
    /// Flows by start, and how many of them have started.
    order: Vec<u32>,
    started: usize,
    actions: Actions,
    coins: u64,
    pub(crate) now: u64,
    pub(crate) delivered: Vec<u64>,
    pub(crate) finish: Vec<u64>,
    finished: usize,
    pub(crate) counters: Counters,
}

impl State {
    pub(crate) fn new(link: &Link, channels: &[u32], endpoint_switch: &[u32], start: &[u64], seed: u64) -> Self {
        let mut order: Vec<u32> = (0..start.len() as u32).collect();
        order.sort_by_key(|&flow| start[flow as usize]);
        let shortest = link.time(crate::packet::HEADER);
        let longest = link.time(link.mtu) + link.latency;
        Self {
            calendar: Calendar::new(shortest, longest),
            packets: Arena::new(),
            ports: vec![Port::new(); channels.len() + 2 * endpoint_switch.len()],
            heads: [channels, endpoint_switch].concat(),
            order,
            started: 0,
            actions: Vec::new(),
            coins: mix(seed ^ fnv1a(b"packet/queue")),
            now: 0,
            delivered: vec![NEVER; start.len()],
            finish: vec![NEVER; start.len()],
            finished: 0,
            counters: Counters::default(),
        }
    }
}

impl Engine<'_> {
    /// Runs until nothing is left to happen, time is up, or `observe` breaks.
    pub(crate) fn run(&mut self, until: u64, observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>) {
        /// Some milliseconds of a processor's time.
        const OBSERVED: u64 = 1 << 15;
        self.schedule_start();
        while let Some(event) = self.state.calendar.pop() {
            if event.time() > until {
                self.state.calendar.push(event);
                self.state.now = until;
                break;
            }
            self.state.now = event.time();
            self.state.counters.events += 1;
            match event.kind() {
                EventKind::Arrival => self.arrive(event.id(), event.data()),
                EventKind::Transmitted => self.transmit_next(event.id()),
                EventKind::Pace => self.tell(transport::Event::Pace { endpoint: event.id() }),
                EventKind::Timer => self.tell(transport::Event::Timer { flow: event.id() }),
                EventKind::Start => self.start(event.id()),
            }
            if self.state.counters.events % OBSERVED == 0 && observe(&self.progress()).is_break() {
                break;
            }
        }
        self.count_in_flight();
    }

    fn progress(&self) -> Progress {
        Progress {
            now: self.state.now,
            events: self.state.counters.events,
            link_hops: self.state.counters.link_hops,
            finished: self.state.finished,
            flows: self.source.len(),
        }
    }

    /// Puts the start of the next flow into the calendar: one at a time, however many there are.
    fn schedule_start(&mut self) {
        let State { calendar, order, started, .. } = &mut self.state;
        if let Some(&flow) = order.get(*started) {
            *started += 1;
            calendar.push(Event::new(self.start[flow as usize], EventKind::Start, flow, 0));
        }
    }

    fn start(&mut self, flow: u32) {
        self.schedule_start();
        let switch = |endpoint: u32| self.endpoint_switch[endpoint as usize];
        let (from, to) = (switch(self.source[flow as usize]), switch(self.destination[flow as usize]));
        self.selector.start(flow, &self.forwarding, from, to);
        self.tell(transport::Event::Start { flow });
    }

    /// The first port from an endpoint to its switch.
    #[inline]
    fn first_up(&self) -> u32 {
        (self.state.heads.len() - self.endpoint_switch.len()) as u32
    }

    /// The first port from a switch to its endpoint.
    #[inline]
    fn first_down(&self) -> u32 {
        self.state.heads.len() as u32
    }

    /// Packet `id` is at the far end of the link of `port`.
    #[inline]
    fn arrive(&mut self, port: u32, id: u32) {
        self.state.counters.link_hops += 1;
        let first_down = self.first_down();
        let packet = &mut self.state.packets[id];
        if packet.kind == Kind::Data {
            packet.echo = packet.echo.saturating_add(1);
        }
        if port >= first_down {
            self.deliver(id);
            return;
        }
        let switch = self.state.heads[port as usize];
        let out = if u32::from(packet.switch) == switch {
            first_down + packet.destination
        } else {
            self.forwarding.next(packet.layer, switch, packet.switch.into(), &mut packet.entropy)
        };
        if self.state.ports[out as usize].is_idle(self.state.now) {
            self.transmit(out, id, false);
        } else {
            self.admit(out, id);
        }
    }

    /// Hands packet `id` to its destination.
    fn deliver(&mut self, id: u32) {
        let packet = self.state.packets.remove(id);
        let counters = &mut self.state.counters;
        *if packet.has_payload() { &mut counters.data_delivered } else { &mut counters.control_delivered } += 1;
        self.tell(transport::Event::Packet(&packet));
    }

    /// Packet `id` has to wait at the switch port `out`, or to go.
    #[inline]
    fn admit(&mut self, out: u32, id: u32) {
        let State { ports, packets, counters, now, coins, .. } = &mut self.state;
        let coin = |count: u32| mix(*coins ^ (u64::from(out) << 32 | u64::from(count)));
        let verdict = self.queue.admit(&mut ports[out as usize], packets, id, *now, coin);
        match verdict {
            Verdict::Stored => {}
            Verdict::Trimmed => counters.data_trimmed += 1,
            Verdict::TrimmedAndDropped(header) => {
                counters.data_trimmed += 1;
                counters.control_dropped += 1;
                packets.remove(header);
            }
            Verdict::Dropped => {
                let packet = packets.remove(id);
                *if packet.has_payload() { &mut counters.data_dropped } else { &mut counters.control_dropped } += 1;
            }
        }
        self.schedule(out);
    }

    /// Makes sure that the end of the transmission at `port`, where packets wait, is an event.
    #[inline]
    fn schedule(&mut self, port: u32) {
        let State { ports, calendar, .. } = &mut self.state;
        let at = &mut ports[port as usize];
        if !at.scheduled {
            at.scheduled = true;
            calendar.push(Event::new(at.busy, EventKind::Transmitted, port, 0));
        }
    }

    /// Sends packet `id` over the idle `port`; `more` wait there.
    #[inline]
    fn transmit(&mut self, port: u32, id: u32, more: bool) {
        let State { ports, calendar, packets, now, .. } = &mut self.state;
        let packet = &packets[id];
        let busy = *now + self.link.time(packet.size);
        let at = &mut ports[port as usize];
        at.send(packet, busy);
        at.scheduled = more;
        if more {
            calendar.push(Event::new(busy, EventKind::Transmitted, port, 0));
        }
        calendar.push(Event::new(busy + self.link.latency, EventKind::Arrival, port, id));
    }

    /// `port` has sent a packet and others wait.
    #[inline]
    fn transmit_next(&mut self, port: u32) {
        let State { ports, packets, .. } = &mut self.state;
        match ports[port as usize].pop(packets) {
            Some((id, more)) => self.transmit(port, id, more),
            None => ports[port as usize].scheduled = false,
        }
    }

    /// Tells the transport what happened, and does what it asks for.
    fn tell(&mut self, event: transport::Event) {
        let mut actions = std::mem::take(&mut self.state.actions);
        let now = self.state.now;
        self.transport.on(event, now, &mut actions);
        for &action in &actions {
            match action {
                Action::Send(outgoing) => self.send(&outgoing),
                Action::Timer { flow, at } => self.state.calendar.push(Event::new(at, EventKind::Timer, flow, 0)),
                Action::Pace { endpoint, at } => {
                    self.state.calendar.push(Event::new(at, EventKind::Pace, endpoint, 0));
                }
                Action::Leave { flow, layer } => self.selector.leave(flow, layer),
                Action::Delivered { flow } => self.state.delivered[flow as usize] = now,
                Action::Finished { flow } => {
                    self.state.finish[flow as usize] = now;
                    self.state.finished += 1;
                }
            }
        }
        actions.clear();
        self.state.actions = actions;
    }

    /// Puts a packet on the link of its endpoint, whose queue has no limit.
    fn send(&mut self, outgoing: &Outgoing) {
        let &Outgoing { flow, sequence, number, size, kind, flags, echo } = outgoing;
        let (source, destination) = (self.source[flow as usize], self.destination[flow as usize]);
        let counters = &mut self.state.counters;
        let (from, to, path) = if kind == Kind::Data {
            counters.data_sent += 1;
            (source, destination, self.selector.data(flow, self.state.now))
        } else {
            counters.control_sent += 1;
            counters.pulls += u64::from(kind == Kind::Pull);
            (destination, source, self.selector.control(flow))
        };
        let packet = Packet {
            flow,
            sequence,
            number,
            entropy: path.entropy,
            destination: to,
            next: NONE,
            switch: self.endpoint_switch[to as usize] as u16,
            size,
            kind,
            flags,
            layer: path.layer,
            echo,
        };
        let id = self.state.packets.insert(packet);
        let port = self.first_up() + from;
        let at = &mut self.state.ports[port as usize];
        if at.is_idle(self.state.now) {
            self.transmit(port, id, false);
        } else {
            at.push(&mut self.state.packets, id, Class::of(&packet));
            self.schedule(port);
        }
    }

    /// Counts what is left in the network: the packets that wait at ports, and those whose arrival is pending.
    fn count_in_flight(&mut self) {
        let State { calendar, ports, packets, counters, .. } = &mut self.state;
        let mut count = |id: u32| {
            let payload = packets[id].has_payload();
            *if payload { &mut counters.data_in_flight } else { &mut counters.control_in_flight } += 1;
        };
        while let Some(event) = calendar.pop() {
            if event.kind() == EventKind::Arrival {
                count(event.data());
            }
        }
        for port in ports {
            while let Some((id, _)) = port.pop(packets) {
                count(id);
            }
        }
        debug_assert!(counters.balance(), "packets are not conserved: {counters:?}");
    }
}
