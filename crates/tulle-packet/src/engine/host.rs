//! Receiving hosts. Between the link and the transport, software can take time per packet, and interrupts can be coalesced.

use super::{Engine, State};
use crate::calendar::{Event, EventKind};
use crate::packet::{Arena, NONE};
use crate::transport::Handling;

/// The receiving software of all endpoints.
#[derive(Debug)]
pub(super) struct Hosts {
    handling: Handling,
    /// One inbox per endpoint; empty if interrupts are not coalesced.
    inboxes: Vec<Inbox>,
}

/// The queue of packets that wait at an endpoint for the next interrupt.
#[derive(Debug, Clone, Copy)]
struct Inbox {
    /// The earliest time at which the next interrupt may fire.
    next: u64,
    first: u32,
    last: u32,
}

impl Hosts {
    pub(super) fn new(handling: Handling, endpoints: usize) -> Self {
        let inboxes = if handling.interrupt == 0 { 0 } else { endpoints };
        Self { handling, inboxes: vec![Inbox { next: 0, first: NONE, last: NONE }; inboxes] }
    }

    /// Returns whether packets reach the transport later than they reach the endpoint.
    #[inline]
    pub(super) fn takes_time(&self) -> bool {
        self.handling != Handling::AT_ONCE
    }

    /// Calls `f` with every packet that waits for an interrupt.
    pub(super) fn for_each(&self, packets: &Arena, mut f: impl FnMut(u32)) {
        for inbox in &self.inboxes {
            let mut id = inbox.first;
            while id != NONE {
                f(id);
                id = packets[id].next;
            }
        }
    }
}

impl Engine<'_> {
    /// Handles the arrival of packet `id` at `endpoint`.
    #[inline]
    pub(super) fn receive(&mut self, endpoint: u32, id: u32) {
        if !self.state.hosts.takes_time() {
            return self.deliver(id);
        }
        let State { hosts, calendar, spent, now, .. } = &mut self.state;
        spent.handling = spent.handling.wrapping_sub((*now).into());
        calendar.push(Event::new(*now + hosts.handling.software, EventKind::Handle, endpoint, id));
    }

    /// Handles packet `id` after the software of `endpoint` has processed it. The transport gets the packet with the next interrupt. If no
    /// packet waits and the minimum time since the last interrupt has passed, the interrupt fires immediately.
    pub(super) fn handle(&mut self, endpoint: u32, id: u32) {
        let State { hosts, packets, calendar, now, .. } = &mut self.state;
        let Some(inbox) = hosts.inboxes.get_mut(endpoint as usize) else { return self.deliver(id) };
        if inbox.first == NONE && *now >= inbox.next {
            inbox.next = *now + hosts.handling.interrupt;
            return self.deliver(id);
        }
        packets[id].next = NONE;
        if inbox.first == NONE {
            inbox.first = id;
            calendar.push(Event::new(inbox.next, EventKind::Interrupt, endpoint, 0));
        } else {
            packets[inbox.last].next = id;
        }
        inbox.last = id;
    }

    /// Passes all packets that wait at `endpoint` to the transport.
    pub(super) fn interrupt(&mut self, endpoint: u32) {
        let State { hosts, now, .. } = &mut self.state;
        let inbox = &mut hosts.inboxes[endpoint as usize];
        inbox.next = *now + hosts.handling.interrupt;
        let mut id = std::mem::replace(&mut inbox.first, NONE);
        while id != NONE {
            let next = self.state.packets[id].next;
            self.deliver(id);
            id = next;
        }
    }
}
