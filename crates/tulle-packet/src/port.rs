//! Output ports: what waits at a link and until when the link is busy.

use crate::packet::{Arena, NONE, Packet, flag};

/// The classes of packets that wait at a port, served in this order, without preemption.
///
/// What goes before both, control, does not wait in a queue: nothing overtakes it, so its departure is known when it comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Data that goes before other data.
    Urgent,
    /// All other data.
    Bulk,
}

impl Class {
    #[inline]
    pub(crate) fn of(packet: &Packet) -> Self {
        if packet.flags & flag::URGENT != 0 { Self::Urgent } else { Self::Bulk }
    }
}

/// A queue threaded through the packets it holds.
#[derive(Debug, Clone, Copy)]
struct Fifo {
    head: u32,
    tail: u32,
}

impl Fifo {
    const EMPTY: Self = Self { head: NONE, tail: NONE };

    #[inline]
    fn push(&mut self, packets: &mut Arena, id: u32) {
        packets[id].next = NONE;
        if self.head == NONE {
            self.head = id;
        } else {
            packets[self.tail].next = id;
        }
        self.tail = id;
    }

    #[inline]
    fn pop(&mut self, packets: &Arena) -> Option<u32> {
        let id = self.head;
        if id == NONE {
            return None;
        }
        self.head = packets[id].next;
        Some(id)
    }
}

/// An output port in one cache line.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(crate) struct Port {
    /// When the link is free of the packet being sent and of the control packets that follow it.
    busy: u64,
    /// When the last packet with payload has left or will have.
    payload: u64,
    queues: [Fifo; 2],
    /// Packets that wait per class.
    waiting: [u32; 2],
    /// Overflows so far: numbers the coins of the queue model.
    pub(crate) overflows: u32,
    /// Whether an event is pending that serves the queues.
    pub(crate) scheduled: bool,
}

impl Port {
    pub(crate) fn new() -> Self {
        Self { busy: 0, payload: 0, queues: [Fifo::EMPTY; 2], waiting: [0; 2], overflows: 0, scheduled: false }
    }

    /// When a packet that goes before all that wait can be sent.
    #[inline]
    pub(crate) fn free(&self, now: u64) -> u64 {
        self.busy.max(now)
    }

    /// Whether nothing waits at the port and the link is free.
    #[inline]
    pub(crate) fn is_idle(&self, now: u64) -> bool {
        self.busy <= now && !self.scheduled
    }

    /// Takes the link until `end` for the packet sent next.
    #[inline]
    pub(crate) fn occupy(&mut self, end: u64, has_payload: bool) {
        self.busy = end;
        if has_payload {
            self.payload = end;
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, packets: &mut Arena, id: u32, class: Class) {
        self.queues[class as usize].push(packets, id);
        self.waiting[class as usize] += 1;
    }

    /// The packet to send next, taken from its queue.
    #[inline]
    pub(crate) fn pop(&mut self, packets: &Arena) -> Option<u32> {
        let class = if self.waiting[0] > 0 { Class::Urgent } else { Class::Bulk };
        self.pop_class(packets, class)
    }

    /// The packet that came first in `class`, taken from its queue.
    #[inline]
    pub(crate) fn pop_class(&mut self, packets: &Arena, class: Class) -> Option<u32> {
        let id = self.queues[class as usize].pop(packets)?;
        self.waiting[class as usize] -= 1;
        Some(id)
    }

    /// Packets that wait in `class`.
    #[inline]
    pub(crate) fn waiting(&self, class: Class) -> u32 {
        self.waiting[class as usize]
    }

    /// Whether any packet waits.
    #[inline]
    pub(crate) fn is_waiting(&self) -> bool {
        self.waiting != [0; 2]
    }

    /// The packet that came last in `class`; `None` where none waits.
    #[inline]
    pub(crate) fn newest(&self, class: Class) -> Option<u32> {
        let queue = self.queues[class as usize];
        (queue.head != NONE).then_some(queue.tail)
    }

    /// Packets with payload at this port, the one being sent included; one that leaves at this instant is still there.
    #[inline]
    pub(crate) fn payloads(&self, now: u64) -> u32 {
        self.waiting[0] + self.waiting[1] + u32::from(self.payload >= now && self.payload > 0)
    }

    /// Picoseconds of control packets at this port, the one being sent included.
    #[inline]
    pub(crate) fn control(&self, now: u64) -> u64 {
        self.busy.saturating_sub(self.payload.max(now))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::data;

    #[test]
    fn urgent_data_goes_first_and_each_class_first_come_first_served() {
        assert_eq!((size_of::<Port>(), size_of::<Packet>()), (64, 32));
        let mut packets = Arena::new();
        let mut port = Port::new();
        for packet in [data(0, 0), data(1, flag::URGENT), data(2, 0), data(3, flag::URGENT)] {
            let id = packets.insert(packet);
            port.push(&mut packets, id, Class::of(&packet));
        }
        assert_eq!((port.payloads(0), port.newest(Class::Bulk), port.newest(Class::Urgent)), (4, Some(2), Some(3)));
        let mut order = Vec::new();
        while let Some(id) = port.pop(&packets) {
            order.push(packets.remove(id).sequence);
        }
        assert_eq!(order, [1, 3, 0, 2]);
        assert!(!port.is_waiting());
        assert_eq!(packets.live(), 0);
    }

    #[test]
    fn a_port_knows_what_its_link_is_taken_by() {
        let mut port = Port::new();
        assert_eq!((port.payloads(0), port.control(0), port.free(7)), (0, 0, 7));
        port.occupy(100, true);
        assert_eq!((port.payloads(100), port.payloads(101)), (1, 0));
        port.occupy(110, false);
        assert_eq!((port.control(50), port.control(104), port.control(120)), (10, 6, 0));
        assert_eq!((port.free(50), port.is_idle(109), port.is_idle(110)), (110, false, true));
    }
}
