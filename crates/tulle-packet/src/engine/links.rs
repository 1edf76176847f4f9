//! Moves packets from port to port: over links, into and out of queues, and to their destination.

use tulle_base::random::mix;

use super::{Engine, State};
use crate::calendar::{Event, EventKind};
use crate::forwarding::Forwarding;
use crate::packet::{Kind, NONE, Packet, flag};
use crate::port::{Class, Port, SAME_PARTITION};
use crate::queue::{Hop, Verdict};
use crate::selector::{ReversePath, View};
use crate::transport::{self, NO_SUBFLOW, Outgoing};

impl Engine<'_> {
    /// Returns the number of the first port from an endpoint to its switch.
    #[inline]
    pub(super) fn first_up(&self) -> u32 {
        (self.state.channel_targets.len() - self.endpoint_switch.len()) as u32
    }

    /// Returns the number of the first port from a switch to an endpoint.
    #[inline]
    pub(super) fn first_down(&self) -> u32 {
        self.state.channel_targets.len() as u32
    }

    /// Handles the arrival of packet `id` at the far end of the link of `port`.
    #[inline(always)]
    pub(super) fn arrive(&mut self, port: u32, id: u32) {
        if self.faults.is_some() && self.is_lost(port, id) {
            return;
        }
        self.state.counters.link_hops += 1;
        if !self.links.is_uniform() {
            let latency = self.links.of(&self.state.ports[port as usize]).latency;
            self.state.spent.travelling += u128::from(latency);
        }
        let first_down = self.first_down();
        let packet = &mut self.state.packets[id];
        // The next line avoids a branch, because the processor cannot predict whether the next packet is data.
        packet.echo = packet.echo.saturating_add(u8::from(packet.kind == Kind::Data));
        if port >= first_down {
            return self.receive(port - first_down, id);
        }
        let out = match packet.next {
            NONE => {
                let switch = self.state.channel_targets[port as usize];
                if self.selector.is_in_switch() {
                    let State { ports, packets, now, .. } = &mut self.state;
                    let is_first = port >= first_down - self.endpoint_switch.len() as u32;
                    let view =
                        View::new(*now, switch, is_first, &self.forwarding, &self.links, ports, &self.queues.drains);
                    self.selector.at_switch(&mut packets[id], &view);
                    // A plan of virtual lanes covers whole paths, so packets cannot change to another path on their way.
                    if self.faults.is_some() && (is_first || self.lanes.is_none()) {
                        self.avoid_in_switch(switch, id);
                    }
                    if is_first {
                        self.selector.chosen(&self.state.packets[id], self.state.now);
                        self.restart_on_lane(id, switch);
                    }
                }
                Self::route(&self.forwarding, first_down, switch, &mut self.state.packets[id])
            }
            out => out,
        };
        self.admit(Hop { from: port, out }, id);
    }

    /// Returns whether data waits at the link of `flow`'s source endpoint.
    pub(super) fn is_held(&self, flow: u32) -> bool {
        let port = &self.state.ports[(self.first_up() + self.source[flow as usize]) as usize];
        Class::ALL.iter().any(|&class| port.waiting(class) > 0)
    }

    /// Returns the port over which `packet` leaves `switch`. Sets the packet's entropy to the value that the next switch must use.
    #[inline]
    pub(super) fn route(forwarding: &Forwarding, first_down: u32, switch: u32, packet: &mut Packet) -> u32 {
        if u32::from(packet.switch) == switch {
            first_down + packet.destination
        } else {
            forwarding.next(packet.layer, switch, packet.switch.into(), &mut packet.entropy)
        }
    }

    /// Passes packet `id` to the transport at its destination.
    pub(super) fn deliver(&mut self, id: u32) {
        let State { packets, hosts, spent, counters, ledger, now, .. } = &mut self.state;
        let packet = packets.remove(id);
        ledger.arrived(&packet);
        if hosts.takes_time() {
            spent.handling = spent.handling.wrapping_add((*now).into());
        }
        *if packet.has_payload() { &mut counters.data_delivered } else { &mut counters.control_delivered } += 1;
        counters.marked += u64::from(packet.kind == Kind::Data && packet.flags & flag::MARKED != 0);
        if let Some(faults) = &mut self.faults {
            faults.arrived(&packet, self.state.now);
        }
        self.selector.arrived(&packet, self.state.now);
        self.dispatch(transport::Event::Packet(&packet));
    }

    /// Sends, queues, trims or drops packet `id` at the output port `hop.out` of a switch.
    #[inline]
    pub(super) fn admit(&mut self, hop: Hop, id: u32) {
        if self.lanes.is_some() {
            return self.admit_on_lane(hop, id);
        }
        let out = hop.out;
        let State { ports, packets, counters, ledger, now, draw_key, .. } = &mut self.state;
        let port = &mut ports[out as usize];
        if port.is_idle(*now) {
            return self.transmit(out, id);
        }
        let draw = |count: u32| mix(*draw_key ^ (u64::from(out) << 32 | u64::from(count)));
        match self.queues.at(port.kind).admit(hop, port, packets, id, *now, draw) {
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
                ledger.lost(&packets.remove(header));
                self.schedule(out);
            }
            Verdict::Dropped => {
                let packet = packets.remove(id);
                ledger.lost(&packet);
                *if packet.has_payload() { &mut counters.data_dropped } else { &mut counters.control_dropped } += 1;
            }
        }
    }

    /// Sends control packet `id` before the packets that wait at `port`. If the limit of consecutive control packets is reached, one
    /// waiting packet is sent first.
    #[inline]
    pub(super) fn express(&mut self, port: u32, id: u32) {
        let State { ports, packets, .. } = &mut self.state;
        let at = &mut ports[port as usize];
        let most = self.queues.first.max_consecutive_control();
        if most < u8::MAX
            && at.consecutive_control() >= most
            && let Some(waiting) = at.pop(packets)
        {
            self.waited(port);
            self.transmit(port, waiting);
        }
        self.transmit(port, id);
    }

    /// Schedules the service of `port` at the time when its link becomes free, if an unpaused packet waits.
    #[inline]
    pub(super) fn schedule(&mut self, port: u32) {
        let State { ports, calendar, now, .. } = &mut self.state;
        let at = &mut ports[port as usize];
        at.note_backlog(*now, self.links.of(at).full());
        let is_scheduled = match &self.lanes {
            None => at.schedule(),
            Some(lanes) => at.schedule_if(|_| lanes.queues.is_ready(port)),
        };
        if is_scheduled {
            calendar.push(Event::new(at.free(*now), EventKind::Free, port, 0));
        }
    }

    /// Sends packet `id` over `port` as soon as its link is free, before all waiting packets.
    #[inline]
    pub(super) fn transmit(&mut self, port: u32, id: u32) {
        self.transmit_after(port, id, 0);
    }

    /// Sends packet `id` over `port` as soon as its link has been free for `delay` picoseconds.
    #[inline(always)]
    fn transmit_after(&mut self, port: u32, id: u32, delay: u64) {
        let State { ports, calendar, packets, outbox, now, .. } = &mut self.state;
        let packet = &mut packets[id];
        packet.next = NONE;
        let at = &mut ports[port as usize];
        let link = self.links.of(at);
        let start = at.free(*now) + delay;
        let (wait, sending) = (start - *now, link.time(packet.size));
        let end = start + sending;
        at.occupy(end, packet.size, packet.has_payload());
        at.note_backlog(*now, link.full());
        let arrival = Event::new(end + link.latency, EventKind::Arrival, port, id);
        match at.toward {
            SAME_PARTITION => calendar.push(arrival),
            part => outbox.leave(part, arrival, packets.remove(id)),
        }
        self.sends(port, wait, sending);
    }

    /// Serves the packets that wait at `port`. When this call was scheduled, the link was expected to be free now. Control packets that
    /// were sent in the meantime can still occupy the link.
    #[inline(always)]
    pub(super) fn serve(&mut self, port: u32) {
        let State { ports, packets, now, .. } = &mut self.state;
        let at = &mut ports[port as usize];
        at.scheduled();
        let mut pop = |at: &mut Port| match &mut self.lanes {
            None => at.pop(packets),
            Some(lanes) => lanes.queues.pop(port, at, packets),
        };
        if at.free(*now) == *now
            && let Some(id) = pop(at)
        {
            self.waited(port);
            if self.is_of_endpoint(port) {
                self.leave(port, id);
            } else {
                self.release(port, id);
                self.transmit(port, id);
            }
        }
        self.schedule(port);
    }

    /// Sends packet `id`, which has waited at an endpoint's `port`.
    #[inline]
    fn leave(&mut self, port: u32, id: u32) {
        let State { nic, ports, packets, .. } = &mut self.state;
        let packet = packets[id];
        if packet.kind != Kind::Data {
            return self.transmit(port, id);
        }
        let Packet { flow, size, .. } = packet;
        let class = Class::of(&packet);
        if let Some(next) = nic.take_turn(packets, flow, class) {
            match &mut self.lanes {
                None => ports[port as usize].push_expected(packets, next, class),
                Some(lanes) => lanes.queues.push_expected(port, packets, next, lanes.of(next), class),
            }
        }
        let gap = nic.gap(&packet);
        self.transmit_after(port, id, gap);
        if self.state.nic.sending.bounded && self.transport.left(flow, size) {
            self.dispatch(transport::Event::Room { flow });
        }
        if self.lanes.is_some() && self.state.nic.sending.stops {
            self.dispatch(transport::Event::Held { flow, held: false });
        }
    }

    /// Sends a packet from an endpoint. If the link of the endpoint is busy, data waits at the endpoint, in an unlimited queue.
    pub(super) fn send(&mut self, outgoing: &Outgoing) {
        let &Outgoing { flow, sequence, number, size, kind, flags, echo, subflow } = outgoing;
        let (source, destination) = (self.source[flow as usize], self.destination[flow as usize]);
        let counters = &mut self.state.counters;
        *if kind == Kind::Data { &mut counters.data_sent } else { &mut counters.control_sent } += 1;
        counters.pulls += u64::from(kind == Kind::Pull);
        self.state.ledger.sent(flow, kind);
        let (from, to) = if kind.is_forward() { (source, destination) } else { (destination, source) };
        let [at, toward] = [from, to].map(|endpoint| self.endpoint_switch[endpoint as usize]);
        let mut path = match kind {
            Kind::Data if subflow != NO_SUBFLOW => self.selector.subflow(flow, subflow),
            Kind::Data => self.selector.data(flow, sequence, self.state.now),
            Kind::Syn => self.selector.opening(flow),
            _ => self.selector.control(flow, &ReversePath { forwarding: &self.forwarding, from: at, to: toward }),
        };
        if self.faults.is_some() {
            path = self.avoid(outgoing, path, at, toward);
        }
        if kind == Kind::Data && subflow == NO_SUBFLOW {
            self.selector.sent(flow, sequence, path, self.state.now);
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
        let lane = self.start_on_lane(id, at);
        if kind != Kind::Data && !self.queues.first.holds_control() {
            return self.transmit(port, id);
        }
        let is_idle = match lane {
            None => self.state.ports[port as usize].is_idle(self.state.now),
            Some(lane) => self.is_open(port, lane),
        };
        if is_idle {
            let delay = if kind == Kind::Data { self.state.nic.delay(&packet) } else { 0 };
            self.transmit_after(port, id, delay);
            // The transport is still handling an event. It gets the `Room` event after the current event.
            if kind == Kind::Data && self.state.nic.sending.bounded && self.transport.left(flow, size) {
                self.state.room = Some(flow);
            }
            return;
        }
        let at = &mut self.state.ports[port as usize];
        if let Some(lane) = lane {
            self.wait_on_lane(port, id, lane);
        } else if kind != Kind::Data {
            at.push_control(&mut self.state.packets, id);
        } else {
            let (packets, class) = (&mut self.state.packets, Class::of(&packet));
            match self.state.nic.push(packets, id, flow, class) {
                true => at.push(packets, id, class),
                false => at.expect(class),
            }
        }
        self.waits(port);
        self.schedule(port);
    }
}
