//! Output ports: what waits at a link and until when the link is busy.

use crate::packet::{Arena, Kind, NONE, Packet, flag};

/// The classes of an output port, served in this order, without preemption.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Acknowledgements, pulls, headers of trimmed packets.
    Control,
    /// Data that goes before other data.
    Urgent,
    /// All other data.
    Bulk,
}

impl Class {
    #[inline]
    pub(crate) fn of(packet: &Packet) -> Self {
        match packet.kind {
            Kind::Data if packet.flags & flag::TRIMMED != 0 => Self::Control,
            Kind::Data if packet.flags & flag::URGENT != 0 => Self::Urgent,
            Kind::Data => Self::Bulk,
            Kind::Ack | Kind::Nack | Kind::Pull => Self::Control,
        }
    }
}

/// A queue threaded through the packets it holds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fifo {
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

    /// The packet that came last; `None` where the queue is empty.
    #[inline]
    pub(crate) fn newest(&self) -> Option<u32> {
        (self.head != NONE).then_some(self.tail)
    }
}

/// An output port in one cache line.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(crate) struct Port {
    /// When the packet being sent, or the last one sent, has left.
    pub(crate) busy: u64,
    queues: [Fifo; 3],
    /// Packets that wait per class.
    waiting: [u32; 3],
    /// Overflows so far: counts the coins of the queue model.
    pub(crate) overflows: u32,
    /// Whether the packet being sent, or the last one sent, is data with payload.
    payload: bool,
    /// Whether the end of the transmission is an event: packets wait for it.
    pub(crate) scheduled: bool,
}

impl Port {
    pub(crate) fn new() -> Self {
        Self { busy: 0, queues: [Fifo::EMPTY; 3], waiting: [0; 3], overflows: 0, payload: false, scheduled: false }
    }

    /// Whether a packet that comes now is sent at once.
    #[inline]
    pub(crate) fn is_idle(&self, now: u64) -> bool {
        self.busy <= now && !self.scheduled
    }

    #[inline]
    pub(crate) fn push(&mut self, packets: &mut Arena, id: u32, class: Class) {
        self.queues[class as usize].push(packets, id);
        self.waiting[class as usize] += 1;
    }

    /// The packet to send next, taken from its queue, and whether another waits behind it.
    #[inline]
    pub(crate) fn pop(&mut self, packets: &Arena) -> Option<(u32, bool)> {
        let id = [Class::Control, Class::Urgent, Class::Bulk]
            .into_iter()
            .find_map(|class| self.pop_class(packets, class))?;
        Some((id, self.waiting != [0; 3]))
    }

    /// The packet that came first in `class`, taken from its queue.
    #[inline]
    pub(crate) fn pop_class(&mut self, packets: &Arena, class: Class) -> Option<u32> {
        let id = self.queues[class as usize].pop(packets)?;
        self.waiting[class as usize] -= 1;
        Some(id)
    }

    /// Notes that `packet` leaves until `busy`.
    #[inline]
    pub(crate) fn send(&mut self, packet: &Packet, busy: u64) {
        self.busy = busy;
        self.payload = packet.has_payload();
    }

    /// Data packets with payload at this port, the one being sent included.
    #[inline]
    pub(crate) fn payloads(&self, now: u64) -> u32 {
        let sending = self.payload && self.busy >= now;
        self.waiting[Class::Urgent as usize] + self.waiting[Class::Bulk as usize] + u32::from(sending)
    }

    /// Packets that wait in `class`.
    #[inline]
    pub(crate) fn waiting(&self, class: Class) -> u32 {
        self.waiting[class as usize]
    }

    /// The packet that came last in `class`; `None` where none waits.
    #[inline]
    pub(crate) fn newest(&self, class: Class) -> Option<u32> {
        self.queues[class as usize].newest()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::HEADER;

    pub(crate) fn data(sequence: u32) -> Packet {
        Packet {
            flow: 0,
            sequence,
            number: 0,
            entropy: 0,
            destination: 0,
            next: NONE,
            switch: 0,
            size: 1500,
            kind: Kind::Data,
            flags: 0,
            layer: 0,
            echo: 0,
        }
    }

    #[test]
    fn classes_are_served_in_order_and_first_come_first_served() {
        assert_eq!(size_of::<Port>(), 64);
        assert_eq!(size_of::<Packet>(), 32);
        let mut packets = Arena::new();
        let mut port = Port::new();
        let plain = |sequence| data(sequence);
        let urgent = |sequence| Packet { flags: flag::URGENT, ..data(sequence) };
        let header = |sequence| {
            let mut packet = data(sequence);
            packet.trim();
            packet
        };
        for packet in [plain(0), urgent(1), header(2), plain(3), urgent(4), header(5)] {
            let id = packets.insert(packet);
            port.push(&mut packets, id, Class::of(&packet));
        }
        assert_eq!(port.payloads(0), 4);
        let mut order = Vec::new();
        while let Some((id, more)) = port.pop(&packets) {
            let packet = packets.remove(id);
            order.push(packet.sequence);
            assert_eq!(more, order.len() < 6);
            assert_eq!(packet.size == HEADER, packet.sequence % 3 == 2);
        }
        assert_eq!(order, [2, 5, 1, 4, 0, 3]);
        assert_eq!(packets.live(), 0);
    }

    #[test]
    fn the_packet_being_sent_takes_its_place_until_it_has_left() {
        let mut port = Port::new();
        port.send(&data(0), 100);
        assert_eq!((port.payloads(100), port.payloads(101)), (1, 0));
        let mut header = data(1);
        header.trim();
        port.send(&header, 200);
        assert_eq!(port.payloads(150), 0);
    }
}
