//! The event loop: packets over ports, switches and endpoints.
//!
//! Ports are output ports and numbered: channels first, by channel id; then the link from each endpoint to its switch; then
//! the link from the switch to each endpoint. A packet costs one event per link, its arrival at the far end, if it is sent
//! at once or goes before all that waits, for then its departure is known when it comes. One that waits costs a second, when
//! the link is free.
//!
//! What is kept per port, per endpoint and per end of a flow is touched only by events there, and packets take the latency
//! of a link at least to get from one to the next.

mod barrier;
mod border;
mod deadlock;
mod detour;
mod faults;
mod host;
mod look_ahead;
mod lossless;
mod meter;
mod parallel;
mod release;
mod sampling;

use std::ops::ControlFlow;
use std::time::Instant;

use tulle_fabric::Fabric;
use tulle_fabric::random::{fnv1a, mix};
use tulle_traffic::Workload;

use crate::calendar::{Calendar, Event, EventKind};
use crate::config::Link;
use crate::forwarding::Forwarding;
use crate::outcome::{Deadlock, NEVER};
use crate::packet::{Arena, Kind, NONE, Packet, flag};
use crate::partition::Partition;
use crate::port::{Class, HERE, Port};
use crate::queue::{Place, Queue, Verdict};
use crate::selector::{Back, Selector, View};
use crate::transport::{self, ALONE, Action, Actions, Outgoing, Transport};
use crate::{Counters, Progress};
use border::Border;
use host::Hosts;
pub(crate) use meter::{Meter, Spent};

pub(crate) use faults::Faults;
pub(crate) use parallel::run;
pub(crate) use release::Release;
pub(crate) use sampling::Sampling;

/// Is told how far a simulation is, and stops it by breaking.
pub(crate) type Observe<'o> = &'o mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// The data of an event `Start` of a step that had to wait for others.
const RELEASED: u32 = 1;

/// A simulation under way, or the part of one that a thread takes.
///
/// All parts have the same numbers for ports, endpoints and flows; what is not in a part stays untouched there.
pub(crate) struct Engine<'a> {
    pub(crate) link: Link,
    pub(crate) forwarding: Forwarding<'a>,
    pub(crate) endpoint_switch: &'a [u32],
    /// Per flow, the endpoint it comes from, the one it goes to, and its earliest start.
    pub(crate) source: &'a [u32],
    pub(crate) destination: &'a [u32],
    pub(crate) start: &'a [u64],
    /// Packets that all flows have.
    pub(crate) packets: u64,
    pub(crate) release: Release<'a>,
    pub(crate) queue: Queue,
    pub(crate) transport: Transport,
    pub(crate) selector: Selector,
    pub(crate) faults: Option<Box<Faults<'a>>>,
    pub(crate) sampling: Sampling,
    /// Takes the times of the thread, if that is asked for.
    pub(crate) meter: Option<Box<Meter>>,
    pub(crate) state: State,
}

/// What changes in a simulation, beside the states of transport and selector.
pub(crate) struct State {
    calendar: Calendar,
    packets: Arena,
    pub(crate) ports: Vec<Port>,
    /// Per port that leads to a switch, that switch.
    heads: Vec<u32>,
    /// Flows from here that wait for no other by start, and how many of them have started.
    order: Vec<u32>,
    started: usize,
    actions: Actions,
    coins: u64,
    pub(crate) now: u64,
    /// Per flow, when it started; empty where none waits for another.
    pub(crate) begun: Vec<u64>,
    pub(crate) delivered: Vec<u64>,
    pub(crate) finish: Vec<u64>,
    finished: usize,
    pub(crate) counters: Counters,
    hosts: Hosts,
    border: Border,
    pub(crate) spent: Spent,
    pub(crate) deadlock: Option<Deadlock>,
}

/// What the state begins with.
pub(crate) struct Setup<'s> {
    pub(crate) link: &'s Link,
    pub(crate) queue: &'s Queue,
    pub(crate) transport: &'s Transport,
    pub(crate) release: &'s Release<'s>,
    pub(crate) fabric: &'s Fabric,
    pub(crate) workload: &'s Workload,
    pub(crate) seed: u64,
    pub(crate) partition: &'s Partition,
    /// The part that this is the state of.
    pub(crate) part: usize,
}

impl State {
    pub(crate) fn new(setup: &Setup) -> Self {
        let &Setup { link, queue, transport, release, fabric, workload, seed, partition, part } = setup;
        let (channels, endpoint_switch, start) = (fabric.targets(), fabric.endpoint_switch(), &workload.start);
        let is_here = |endpoint: u32| partition.of(endpoint_switch[endpoint as usize]) == part;
        let mut order = release.free();
        order.retain(|&flow| is_here(workload.source[flow as usize]));
        order.sort_by_key(|&flow| start[flow as usize]);
        let shortest = link.time(crate::packet::HEADER);
        let longest = link.time(link.mtu) + link.latency + queue.longest_wait();
        let heads = [channels, endpoint_switch].concat();
        let mut ports = vec![Port::new(); heads.len() + endpoint_switch.len()];
        if queue.watches() {
            let switch_ports = (0..channels.len()).chain(heads.len()..ports.len());
            switch_ports.for_each(|port| ports[port].watch());
        }
        for switch in (0..fabric.num_switches() as u32).filter(|&switch| partition.of(switch) == part) {
            for channel in fabric.channels_of(switch) {
                let toward = partition.of(channels[channel]);
                ports[channel].toward = if toward == part { HERE } else { toward as u8 };
            }
        }
        Self {
            calendar: Calendar::new(shortest, longest),
            packets: Arena::new(),
            ports,
            heads,
            order,
            started: 0,
            actions: Vec::new(),
            coins: mix(seed ^ fnv1a(b"packet/queue")),
            now: 0,
            begun: if release.is_needed() { vec![NEVER; start.len()] } else { Vec::new() },
            delivered: vec![NEVER; start.len()],
            finish: vec![NEVER; start.len()],
            finished: 0,
            counters: Counters::default(),
            hosts: Hosts::new(transport.handling(), endpoint_switch.len()),
            border: Border::new(partition.parts()),
            spent: Spent::default(),
            deadlock: None,
        }
    }
}

impl Engine<'_> {
    /// Runs until nothing is left to happen, time is up, or `observe` breaks.
    fn run(&mut self, until: u64, observe: Observe) {
        self.begin();
        if let Some(next) = self.advance(until, observe) {
            self.idle_until(next, until);
        }
        self.is_deadlocked();
        self.count_in_flight();
    }

    /// Puts the first events into the calendar.
    fn begin(&mut self) {
        self.attach_lossless();
        self.schedule_start();
        self.release.begin(|step, at| self.state.calendar.push(Event::new(at, EventKind::Start, step, RELEASED)));
    }

    /// Simulates what happens until `until`; the time of the next event then, [`NEVER`] where nothing is left to happen,
    /// or `None` if the simulation is to end now.
    fn advance(&mut self, until: u64, observe: Observe) -> Option<u64> {
        let began = Instant::now();
        let next = if self.state.ports.len() >= look_ahead::WORTHWHILE {
            self.advance_looking_ahead::<true>(until, observe)
        } else {
            self.advance_looking_ahead::<false>(until, observe)
        };
        if let Some(meter) = &mut self.meter {
            meter.running += began.elapsed();
        }
        next
    }

    fn advance_looking_ahead<const LOOK_AHEAD: bool>(&mut self, until: u64, observe: Observe) -> Option<u64> {
        /// Some milliseconds of a processor's time.
        const OBSERVED: u64 = 1 << 15;
        /// A millisecond.
        const LOOKED: u64 = 1_000_000_000;
        let mut limit = self.sampling.next.min(until);
        // A network at a standstill has few events, far between: timers that double. It is looked at whenever the time has.
        let mut look = if matches!(self.queue, Queue::Pfc(_)) { LOOKED } else { NEVER };
        while let Some(event) = self.state.calendar.pop() {
            if event.time() > limit {
                limit = self.sample(event.time(), until);
                if event.time() > until {
                    self.state.calendar.push(event);
                    return Some(event.time());
                }
            }
            self.state.now = event.time();
            if LOOK_AHEAD {
                self.look_ahead();
            }
            self.state.counters.events += 1;
            let began = self.meter.as_mut().and_then(|meter| meter.begin(event.kind()));
            match event.kind() {
                EventKind::Arrival => self.arrive(event.id(), event.data()),
                EventKind::Free => self.serve(event.id()),
                EventKind::Pause => self.pause(event.id(), event.data()),
                EventKind::Handle => self.handle(event.id(), event.data()),
                EventKind::Interrupt => self.interrupt(event.id()),
                EventKind::Pace => self.tell(transport::Event::Pace { endpoint: event.id() }),
                // The flows that nothing will ever reach are left alone, or they would try for ever.
                EventKind::Timer if self.faults.is_some() && self.is_cut_off(event.id()) => {}
                EventKind::Timer => self.tell(transport::Event::Timer { flow: event.id() }),
                EventKind::Start if self.release.is_computation(event.id()) => self.ended(event.id()),
                EventKind::Start => {
                    if event.data() != RELEASED {
                        self.schedule_start();
                    }
                    self.start(event.id());
                }
            }
            if let (Some(began), Some(meter)) = (began, &mut self.meter) {
                meter.end(event.kind(), began);
            }
            let is_due = self.state.now >= look;
            if is_due {
                look = 2 * self.state.now;
            }
            if (is_due || self.state.counters.events.is_multiple_of(OBSERVED))
                && (self.is_deadlocked() || observe(&self.progress()).is_break())
            {
                return None;
            }
        }
        Some(NEVER)
    }

    /// Simulates the part until `until`, without what others may send it; the time of the next event then.
    fn simulate_window(&mut self, until: u64) -> u64 {
        let next = self.advance(until, &mut |_| ControlFlow::Continue(())).unwrap_or(NEVER);
        self.sample(until + 1, until);
        next
    }

    /// Nothing happens before `next`, which is after `until`, or [`NEVER`].
    fn idle_until(&mut self, next: u64, until: u64) {
        if next != NEVER {
            self.state.now = until;
        }
        self.sample(self.state.now + 1, until);
    }

    fn progress(&self) -> Progress {
        Progress {
            now: self.state.now,
            events: self.state.counters.events,
            link_hops: self.state.counters.link_hops,
            finished: self.state.finished,
            flows: self.source.len(),
            delivered: self.state.counters.data_delivered,
            packets: self.packets,
        }
    }

    /// Puts the start of the next flow that waits for no other into the calendar: one at a time, however many there are.
    fn schedule_start(&mut self) {
        let State { calendar, order, started, .. } = &mut self.state;
        if let Some(&flow) = order.get(*started) {
            *started += 1;
            calendar.push(Event::new(self.start[flow as usize], EventKind::Start, flow, 0));
        }
    }

    /// Step `step` of the workload has ended.
    fn ended(&mut self, step: u32) {
        let State { calendar, now, .. } = &mut self.state;
        self.release.end(step, *now, |step, at| calendar.push(Event::new(at, EventKind::Start, step, RELEASED)));
    }

    fn start(&mut self, flow: u32) {
        if let Some(begun) = self.state.begun.get_mut(flow as usize) {
            *begun = self.state.now;
        }
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
    #[inline(always)]
    fn arrive(&mut self, port: u32, id: u32) {
        if self.faults.is_some() && self.is_lost(port, id) {
            return;
        }
        self.state.counters.link_hops += 1;
        let first_down = self.first_down();
        let packet = &mut self.state.packets[id];
        // Without a branch: which kind comes next cannot be predicted.
        packet.echo = packet.echo.saturating_add(u8::from(packet.kind == Kind::Data));
        if port >= first_down {
            return self.receive(port - first_down, id);
        }
        let out = match packet.next {
            NONE => {
                let switch = self.state.heads[port as usize];
                if self.selector.is_in_switch() {
                    let State { ports, packets, now, .. } = &mut self.state;
                    let is_first = port >= first_down - self.endpoint_switch.len() as u32;
                    let view = View::new(*now, switch, is_first, &self.forwarding, &self.link, ports);
                    self.selector.at_switch(&mut packets[id], &view);
                    if self.faults.is_some() {
                        self.avoid_in_switch(switch, id);
                    }
                }
                Self::route(&self.forwarding, first_down, switch, &mut self.state.packets[id])
            }
            out => out,
        };
        self.admit(Place { from: port, out }, id);
    }

    /// The port that `packet` leaves `switch` by; takes its choice from the packet's entropy.
    #[inline]
    fn route(forwarding: &Forwarding, first_down: u32, switch: u32, packet: &mut Packet) -> u32 {
        if u32::from(packet.switch) == switch {
            first_down + packet.destination
        } else {
            forwarding.next(packet.layer, switch, packet.switch.into(), &mut packet.entropy)
        }
    }

    /// Hands packet `id` to its destination.
    fn deliver(&mut self, id: u32) {
        let State { packets, hosts, spent, counters, now, .. } = &mut self.state;
        let packet = packets.remove(id);
        if hosts.takes_time() {
            spent.handling = spent.handling.wrapping_add((*now).into());
        }
        *if packet.has_payload() { &mut counters.data_delivered } else { &mut counters.control_delivered } += 1;
        counters.marked += u64::from(packet.kind == Kind::Data && packet.flags & flag::MARKED != 0);
        if let Some(faults) = &mut self.faults {
            faults.arrived(&packet, self.state.now);
        }
        self.tell(transport::Event::Packet(&packet));
    }

    /// Packet `id` is at the switch port `place.out`.
    #[inline]
    fn admit(&mut self, place: Place, id: u32) {
        let out = place.out;
        let State { ports, packets, counters, now, coins, .. } = &mut self.state;
        let port = &mut ports[out as usize];
        if port.is_idle(*now) {
            return self.transmit(out, id);
        }
        let coin = |count: u32| mix(*coins ^ (u64::from(out) << 32 | u64::from(count)));
        match self.queue.admit(place, port, packets, id, *now, coin) {
            Verdict::Express => self.express(out, id),
            Verdict::Stored => {
                self.waits(out);
                self.schedule(out);
                self.send_signals();
            }
            Verdict::Trimmed(header) => {
                counters.data_trimmed += 1;
                self.express(out, header);
                self.schedule(out);
            }
            Verdict::TrimmedAndDropped(header) => {
                counters.data_trimmed += 1;
                counters.control_dropped += 1;
                packets.remove(header);
                self.schedule(out);
            }
            Verdict::Dropped => {
                let packet = packets.remove(id);
                *if packet.has_payload() { &mut counters.data_dropped } else { &mut counters.control_dropped } += 1;
            }
        }
    }

    /// Sends packet `id` before all that waits at `port`; but so many in a row let one that waits go first.
    #[inline]
    fn express(&mut self, port: u32, id: u32) {
        let State { ports, packets, .. } = &mut self.state;
        let at = &mut ports[port as usize];
        if at.overtakers() >= self.queue.most_overtakers()
            && let Some(waiting) = at.pop(packets)
        {
            self.waited(port);
            self.transmit(port, waiting);
        }
        self.transmit(port, id);
    }

    /// Makes sure that `port` is served once its link is free, if a packet waits there that may go.
    #[inline]
    fn schedule(&mut self, port: u32) {
        let State { ports, calendar, now, .. } = &mut self.state;
        let at = &mut ports[port as usize];
        at.note_backlog(*now, self.link.time(self.link.mtu));
        if at.schedule() {
            calendar.push(Event::new(at.free(*now), EventKind::Free, port, 0));
        }
    }

    /// Sends packet `id` over `port` as soon as its link is free; nothing that waits there goes before it.
    #[inline]
    fn transmit(&mut self, port: u32, id: u32) {
        let State { ports, calendar, packets, border, now, .. } = &mut self.state;
        let packet = &mut packets[id];
        packet.next = NONE;
        let at = &mut ports[port as usize];
        let start = at.free(*now);
        let (wait, sending) = (start - *now, self.link.time(packet.size));
        let end = start + sending;
        at.occupy(end, packet.size, packet.has_payload());
        at.note_backlog(*now, self.link.time(self.link.mtu));
        let arrival = Event::new(end + self.link.latency, EventKind::Arrival, port, id);
        match at.toward {
            HERE => calendar.push(arrival),
            part => border.leave(part, arrival, packets.remove(id)),
        }
        self.sends(port, wait, sending);
    }

    /// The link of `port` was to be free now; what waits there is served unless control packets have come between.
    #[inline(always)]
    fn serve(&mut self, port: u32) {
        let State { ports, packets, now, .. } = &mut self.state;
        let at = &mut ports[port as usize];
        at.scheduled();
        if at.free(*now) == *now
            && let Some(id) = at.pop(packets)
        {
            self.waited(port);
            self.release(port, id);
            self.transmit(port, id);
        }
        self.schedule(port);
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
                Action::Delivered { flow } => {
                    self.state.delivered[flow as usize] = now;
                    if let Some(faults) = &mut self.faults {
                        faults.delivered(flow, now);
                    }
                    if self.release.is_needed() {
                        self.ended(flow);
                    }
                }
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
        let &Outgoing { flow, sequence, number, size, kind, flags, echo, subflow } = outgoing;
        let (source, destination) = (self.source[flow as usize], self.destination[flow as usize]);
        let counters = &mut self.state.counters;
        *if kind == Kind::Data { &mut counters.data_sent } else { &mut counters.control_sent } += 1;
        counters.pulls += u64::from(kind == Kind::Pull);
        let (from, to) = if kind.is_forward() { (source, destination) } else { (destination, source) };
        let [at, toward] = [from, to].map(|endpoint| self.endpoint_switch[endpoint as usize]);
        let mut path = match kind {
            Kind::Data if subflow != ALONE => self.selector.subflow(flow, subflow),
            Kind::Data => self.selector.data(flow, self.state.now),
            Kind::Syn => self.selector.opening(flow),
            _ => self.selector.control(flow, &Back { forwarding: &self.forwarding, from: at, to: toward }),
        };
        if self.faults.is_some() {
            path = self.avoid(outgoing, path, at, toward);
        }
        let (layer, entropy) = self.forwarding.enter(path, at, toward);
        let packet = Packet {
            flow,
            sequence,
            number,
            entropy,
            destination: to,
            next: NONE,
            switch: toward as u16,
            size,
            kind,
            flags,
            layer,
            echo,
        };
        let id = self.state.packets.insert(packet);
        let port = self.first_up() + from;
        let at = &mut self.state.ports[port as usize];
        if kind != Kind::Data || at.is_idle(self.state.now) {
            self.transmit(port, id);
        } else {
            at.push(&mut self.state.packets, id, Class::of(&packet));
            self.waits(port);
            self.schedule(port);
        }
    }

    /// Counts what is left in the network: the packets that wait at ports, and those whose arrival is pending.
    fn count_in_flight(&mut self) {
        let State { calendar, ports, heads, packets, counters, hosts, spent, now, .. } = &mut self.state;
        let now = u128::from(*now);
        let mut count = |id: u32| {
            let payload = packets[id].has_payload();
            *if payload { &mut counters.data_in_flight } else { &mut counters.control_in_flight } += 1;
        };
        while let Some(event) = calendar.pop() {
            match event.kind() {
                EventKind::Arrival => count(event.data()),
                EventKind::Handle => {
                    count(event.data());
                    spent.handling = spent.handling.wrapping_add(now);
                }
                _ => {}
            }
        }
        hosts.for_each(packets, |id| {
            count(id);
            spent.handling = spent.handling.wrapping_add(now);
        });
        let endpoints = heads.len() - self.endpoint_switch.len()..heads.len();
        for (place, port) in ports.iter().enumerate() {
            let waiting = &mut spent.waiting[usize::from(!endpoints.contains(&place))];
            for id in Class::ALL.iter().flat_map(|&class| port.iter(packets, class)) {
                count(id);
                *waiting = waiting.wrapping_add(now);
            }
        }
        let in_flight = counters.data_in_flight + counters.control_in_flight;
        debug_assert_eq!(in_flight, packets.live(), "packets are lost in the simulator");
    }
}
