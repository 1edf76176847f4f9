//! The event loop, which moves packets over ports, switches and endpoints.
//!
//! All ports are output ports. They are numbered in this order: the channels, by channel id; the links from each endpoint to its switch;
//! the links from the switches to each endpoint. Every packet causes one event per link: its arrival at the far end. If a packet is sent
//! immediately, or before all packets that wait at the port, its departure time is known when it reaches the port, and no other event is
//! needed. If a packet has to wait, a second event marks the time at which the link becomes free.
//!
//! Only local events change the state of a port, of an endpoint, or of one end of a flow: events at the same switch or endpoint. A packet
//! needs at least the latency of a link to affect another switch or endpoint. Because of this delay, partitions can be simulated in
//! parallel.

mod barrier;
mod credits;
mod deadlock;
mod dependency_scheduler;
mod faults;
mod host;
mod links;
mod look_ahead;
mod lossless;
mod meter;
mod parallel;
mod partition_outbox;
mod path_failover;
mod processors;
mod sampling;
mod state;
mod virtual_lanes;

use std::ops::ControlFlow;
use std::time::Instant;

use crate::Progress;
use crate::calendar::{Event, EventKind};
use crate::forwarding::Forwarding;
use crate::lanes::Lanes;
use crate::link_table::LinkTable;
use crate::outcome::NEVER;
use crate::port::Class;
use crate::queue::Queues;
use crate::selector::Selector;
use crate::transport::{self, Action, Transport};
pub(crate) use meter::{Meter, Spent};
use processors::Stage;

pub(crate) use dependency_scheduler::DependencyScheduler;
pub(crate) use faults::Faults;
pub(crate) use parallel::run;
pub(crate) use sampling::{PortState, Sampling};
pub(crate) use state::{Setup, State};

/// A callback that receives the progress of a simulation. If the callback returns `Break`, the simulation stops.
pub(crate) type Observe<'o> = &'o mut dyn FnMut(&Progress) -> ControlFlow<()>;

/// A running simulation, or one partition of a simulation, which one thread runs.
///
/// Ports, endpoints and flows have the same numbers in all partitions. Each partition uses only its own ports, endpoints and flows.
pub(crate) struct Engine<'a> {
    pub(crate) links: LinkTable,
    /// The minimum time in picoseconds that a packet takes from this partition to another partition.
    pub(crate) horizon: u64,
    /// For each channel, the channel in the other direction of its cable.
    pub(crate) reverse: &'a [u32],
    pub(crate) forwarding: Forwarding<'a>,
    pub(crate) endpoint_switch: &'a [u32],
    /// Per flow: source endpoint, destination endpoint, and earliest start in picoseconds.
    pub(crate) source: &'a [u32],
    pub(crate) destination: &'a [u32],
    pub(crate) start: &'a [u64],
    /// The total number of packets of all flows.
    pub(crate) packets: u64,
    pub(crate) dependencies: DependencyScheduler<'a>,
    pub(crate) queues: Queues,
    pub(crate) transport: Transport,
    pub(crate) selector: Selector,
    /// The virtual lanes, if the simulation has a plan of virtual channels.
    pub(crate) lanes: Option<Box<Lanes<'a>>>,
    pub(crate) faults: Option<Box<Faults<'a>>>,
    pub(crate) sampling: Sampling,
    /// The profile of this thread, if requested.
    pub(crate) meter: Option<Box<Meter>>,
    pub(crate) state: State,
}

/// Returns the `Start` event of a step whose dependencies have ended.
fn released(step: u32, at: u64) -> Event {
    Event::new(at, EventKind::Start, step, Stage::Released as u32)
}

impl Engine<'_> {
    /// Runs until no events are left, the time limit is reached, a deadlock is found, or `observe` returns `Break`.
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
        self.dependencies.begin(|step, at| self.state.calendar.push(released(step, at)));
    }

    /// Simulates until `until`. Returns the time of the next event, or [`NEVER`] if no event is left. Returns `None` if the simulation must
    /// end.
    fn advance(&mut self, until: u64, observe: Observe) -> Option<u64> {
        let began = self.meter.is_some().then(Instant::now);
        let next = if self.state.ports.len() >= look_ahead::WORTHWHILE {
            self.advance_looking_ahead::<true>(until, observe)
        } else {
            self.advance_looking_ahead::<false>(until, observe)
        };
        if let (Some(meter), Some(began)) = (&mut self.meter, began) {
            meter.running += began.elapsed();
        }
        next
    }

    fn advance_looking_ahead<const LOOK_AHEAD: bool>(&mut self, until: u64, observe: Observe) -> Option<u64> {
        /// The number of events between two calls of `observe`. This number of events takes a few milliseconds of processor time.
        const EVENTS_PER_OBSERVATION: u64 = 1 << 15;
        /// The simulated time in picoseconds (1 ms) of the first deadlock check that does not depend on the number of events.
        const FIRST_CHECK: u64 = 1_000_000_000;
        let mut limit = self.sampling.next.min(until);
        // In a deadlocked network, the only events are timers. Their timeouts double, so they are rare. Therefore, the deadlock check runs
        // not only after a number of events, but also whenever the simulated time has doubled.
        let mut next_check = if self.queues.first.pauses().is_some() { FIRST_CHECK } else { NEVER };
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
                EventKind::Pace => self.dispatch(transport::Event::Pace { endpoint: event.id() }),
                // Permanently disconnected flows get no more timers, because they would retry forever.
                EventKind::Timer if self.faults.is_some() && self.is_cut_off(event.id()) => {}
                EventKind::Timer => {
                    let (flow, held) = (event.id(), self.is_held(event.id()));
                    self.dispatch(transport::Event::Timer { flow, held });
                }
                EventKind::Start if self.dependencies.is_computation(event.id()) => self.ended(event.id()),
                EventKind::Start => self.passed(event.id(), Stage::of(event.data())),
            }
            if let (Some(began), Some(meter)) = (began, &mut self.meter) {
                meter.end(event.kind(), began);
            }
            let is_due = self.state.now >= next_check;
            if is_due {
                next_check = 2 * self.state.now;
            }
            if (is_due || self.state.counters.events.is_multiple_of(EVENTS_PER_OBSERVATION))
                && (self.is_deadlocked() || observe(&self.progress()).is_break())
            {
                return None;
            }
        }
        Some(NEVER)
    }

    /// Runs this partition alone until `until`. Returns the time of its next event.
    fn simulate_window(&mut self, until: u64) -> u64 {
        let next = self.advance(until, &mut |_| ControlFlow::Continue(())).unwrap_or(NEVER);
        self.sample(until + 1, until);
        next
    }

    /// Advances the clock to `until` (unless no events are left) and takes the samples that are due. `next` is the time of the next
    /// event after `until`, or [`NEVER`].
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
            finished: self.state.finished / self.state.ends_per_flow(),
            flows: self.source.len(),
            delivered: self.state.counters.data_delivered,
            packets: self.packets,
        }
    }

    /// Schedules the start of the next flow without dependencies. Only one such start is scheduled at a time, to keep the calendar small.
    fn schedule_start(&mut self) {
        let State { calendar, order, started, .. } = &mut self.state;
        if let Some(&flow) = order.get(*started) {
            *started += 1;
            calendar.push(Event::new(self.start[flow as usize], EventKind::Start, flow, Stage::Due as u32));
        }
    }

    /// Handles the end of step `step` of the workload.
    fn ended(&mut self, step: u32) {
        let State { calendar, now, .. } = &mut self.state;
        self.dependencies.end(step, *now, |step, at| calendar.push(released(step, at)));
    }

    /// Starts the transport of `flow`.
    fn start(&mut self, flow: u32) {
        let switch = |endpoint: u32| self.endpoint_switch[endpoint as usize];
        let (from, to) = (switch(self.source[flow as usize]), switch(self.destination[flow as usize]));
        self.selector.start(flow, &self.forwarding, from, to);
        self.dispatch(transport::Event::Start { flow });
    }

    /// Dispatches an event to the transport, and carries out the actions that it returns.
    fn dispatch(&mut self, event: transport::Event) {
        let flow = event.flow();
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
                Action::Delivered { flow } => self.arrived(flow),
                Action::Finished { flow } => {
                    self.state.finish[flow as usize] = now;
                    self.state.finished += 1;
                    self.selector.finished(flow);
                }
            }
        }
        if cfg!(any(debug_assertions, feature = "conservation")) {
            // Check the credits of the event's flow. A pacer event has no flow; for such an event, check the flows whose packets the pacer
            // sends.
            let sent = |action: &Action| if let Action::Send(packet) = action { Some(packet.flow) } else { None };
            flow.into_iter().chain(actions.iter().filter_map(sent)).for_each(|flow| self.audit(flow));
        }
        actions.clear();
        self.state.actions = actions;
        if let Some(flow) = self.state.room.take() {
            self.dispatch(transport::Event::Room { flow });
        }
        if let Some(flow) = self.state.held.take() {
            self.dispatch(transport::Event::Held { flow, held: true });
        }
    }

    /// Counts the packets in the network: on links, at ports, in network interfaces, and in the receiving software of endpoints.
    fn count_in_flight(&mut self) {
        let State { calendar, ports, channel_targets, packets, counters, hosts, nic, spent, now, .. } = &mut self.state;
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
        nic.for_each(packets, |id| {
            count(id);
            spent.waiting[0] = spent.waiting[0].wrapping_add(now);
        });
        let endpoints = channel_targets.len() - self.endpoint_switch.len()..channel_targets.len();
        for (place, port) in ports.iter().enumerate() {
            let waiting = &mut spent.waiting[usize::from(!endpoints.contains(&place))];
            let on_lanes = self.lanes.iter().flat_map(|lanes| lanes.waiting_at(place as u32, packets));
            for id in Class::ALL.iter().flat_map(|&class| port.iter(packets, class)).chain(on_lanes) {
                count(id);
                *waiting = waiting.wrapping_add(now);
            }
        }
        let in_flight = counters.data_in_flight + counters.control_in_flight;
        debug_assert_eq!(in_flight, packets.live(), "packets are lost in the simulator");
    }
}
