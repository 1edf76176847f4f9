//! The output port of a link: the queues of waiting packets, and the time until which the link is busy.

use crate::fifo::Fifo;
use crate::packet::{Arena, Packet, flag};

/// The classes of waiting packets at a port. They are served in this order, without preemption.
///
/// Unless the queue model treats them as data, control packets have priority over both classes and do not wait in a queue. No packet
/// overtakes them, so their departure time is known on arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// Data that is served before other data.
    Urgent,
    /// Data that is not urgent.
    Bulk,
}

impl Class {
    pub(crate) const ALL: [Self; 2] = [Self::Urgent, Self::Bulk];

    #[inline]
    pub(crate) fn of(packet: &Packet) -> Self {
        if packet.flags & flag::URGENT != 0 { Self::Urgent } else { Self::Bulk }
    }
}

/// An output port. Its state fits in one cache line.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub(crate) struct Port {
    /// The time until which the link is occupied by the current packet and by the control packets that follow it.
    busy: u64,
    /// The time at which the transmission of the last packet with payload ends.
    payload: u64,
    queues: [Fifo; 2],
    /// Number of waiting packets with payload, per class.
    waiting: [u32; 2],
    /// Number of random numbers that the queue model has used for this port.
    pub(crate) draws: u32,
    /// Bits of [`blocked`].
    blocked: u8,
    /// The partition into which the link leads, or [`SAME_PARTITION`].
    pub(crate) toward: u8,
    /// The number of consecutive packets without payload that were sent while other packets waited.
    consecutive_control: u8,
    /// The kind of the port's link; see [`crate::link_table::LinkTable`].
    pub(crate) kind: u8,
    /// Bytes of the packets that were sent or whose departure time is known.
    carried: u64,
    /// The longest backlog so far.
    peak: u64,
}

/// The value of [`Port::toward`] if both ends of the link are in the same partition.
pub(crate) const SAME_PARTITION: u8 = u8::MAX;

/// Reasons, one bit each, why a port cannot send a packet immediately although its link is free. Usually no bit is set.
mod blocked {
    /// A pending event will serve the waiting packets.
    pub(super) const SCHEDULED: u8 = 1;
    /// The queue model must decide on every packet.
    pub(super) const ASK_QUEUE: u8 = 2;
    /// The far end of the link has paused urgent data. The next higher bit says the same of other data.
    pub(super) const PAUSED: u8 = 4;
}

impl Port {
    pub(crate) fn new() -> Self {
        Self {
            busy: 0,
            payload: 0,
            queues: [Fifo::EMPTY; 2],
            waiting: [0; 2],
            draws: 0,
            blocked: 0,
            toward: SAME_PARTITION,
            consecutive_control: 0,
            kind: 0,
            carried: 0,
            peak: 0,
        }
    }

    /// Returns the earliest time at which a packet with priority over all waiting packets can be sent.
    #[inline]
    pub(crate) fn free(&self, now: u64) -> u64 {
        self.busy.max(now)
    }

    /// Returns whether no packet waits, the link is free, and the next packet can be sent without calling the queue model.
    #[inline]
    pub(crate) fn is_idle(&self, now: u64) -> bool {
        self.busy <= now && self.blocked == 0
    }

    /// Makes the queue model decide on every packet, even if the packet does not have to wait.
    pub(crate) fn always_ask_queue(&mut self) {
        self.blocked |= blocked::ASK_QUEUE;
    }

    /// Records that an event will serve the queues. Returns false if such an event is already pending, or if no unpaused packet waits.
    #[inline]
    pub(crate) fn schedule(&mut self) -> bool {
        self.schedule_if(Self::is_ready)
    }

    /// Like [`Port::schedule`]; `is_ready` returns whether an unpaused packet waits.
    #[inline]
    pub(crate) fn schedule_if(&mut self, is_ready: impl FnOnce(&Self) -> bool) -> bool {
        let new = self.blocked & blocked::SCHEDULED == 0 && is_ready(self);
        self.blocked |= blocked::SCHEDULED * u8::from(new);
        new
    }

    /// Returns whether the link is free and no event is pending that will serve waiting packets.
    #[inline]
    pub(crate) fn is_unused(&self, now: u64) -> bool {
        self.busy <= now && self.blocked & blocked::SCHEDULED == 0
    }

    /// Records that the scheduled event has fired.
    #[inline]
    pub(crate) fn scheduled(&mut self) {
        self.blocked &= !blocked::SCHEDULED;
    }

    /// Pauses or resumes packets of `class`.
    pub(crate) fn pause(&mut self, class: Class, paused: bool) {
        let bit = blocked::PAUSED << class as u8;
        self.blocked = if paused { self.blocked | bit } else { self.blocked & !bit };
    }

    #[inline]
    pub(crate) fn is_paused(&self, class: Class) -> bool {
        self.blocked & (blocked::PAUSED << class as u8) != 0
    }

    /// Occupies the link until `end` with a packet of `size` bytes.
    #[inline]
    pub(crate) fn occupy(&mut self, end: u64, size: u16, has_payload: bool) {
        self.busy = end;
        self.carried += u64::from(size);
        if has_payload {
            self.payload = end;
            self.consecutive_control = 0;
        } else if self.queues.iter().any(|queue| !queue.is_empty()) {
            self.consecutive_control = self.consecutive_control.saturating_add(1);
        }
    }

    /// Returns the number of consecutive packets without payload that were sent while other packets waited, at most 255.
    #[inline]
    pub(crate) fn consecutive_control(&self) -> u8 {
        self.consecutive_control
    }

    #[inline]
    pub(crate) fn push(&mut self, packets: &mut Arena, id: u32, class: Class) {
        self.queues[class as usize].push(packets, id);
        self.waiting[class as usize] += u32::from(packets[id].has_payload());
    }

    /// Counts a packet of `class` that [`Port::push_expected`] will append later, or that waits on a virtual lane of this port.
    #[inline]
    pub(crate) fn expect(&mut self, class: Class) {
        self.waiting[class as usize] += 1;
    }

    /// Stops counting a packet of `class` that has left a virtual lane of this port.
    #[inline]
    pub(crate) fn forget(&mut self, class: Class) {
        self.waiting[class as usize] -= 1;
    }

    /// Appends a packet of `class`, which [`Port::expect`] has already counted, to its queue.
    #[inline]
    pub(crate) fn push_expected(&mut self, packets: &mut Arena, id: u32, class: Class) {
        self.queues[class as usize].push(packets, id);
    }

    /// Inserts packet `id`, which has no payload, into the queue of bulk data: before all data, behind other packets without payload.
    pub(crate) fn push_control(&mut self, packets: &mut Arena, id: u32) {
        self.queues[Class::Bulk as usize].push_before_payload(packets, id);
    }

    /// Returns the backlog at `now`: the time in picoseconds until all packets at the port have left.
    ///
    /// Every waiting packet with payload counts as a full packet with a transmission time of `full` picoseconds. Waiting packets
    /// without payload do not count.
    #[inline]
    pub(crate) fn backlog(&self, now: u64, full: u64) -> u64 {
        self.busy.saturating_sub(now) + u64::from(self.waiting[0] + self.waiting[1]) * full
    }

    /// Records the backlog if it is the longest so far.
    #[inline]
    pub(crate) fn note_backlog(&mut self, now: u64, full: u64) {
        self.peak = self.peak.max(self.backlog(now, full));
    }

    /// Returns the bytes of the packets that were sent or whose departure time is known, and the longest backlog in picoseconds.
    pub(crate) fn record(&self) -> (u64, u64) {
        (self.carried, self.peak)
    }

    /// Removes and returns the packet to send next; `None` if no unpaused packet waits.
    #[inline]
    pub(crate) fn pop(&mut self, packets: &Arena) -> Option<u32> {
        let class =
            if !self.queues[0].is_empty() && !self.is_paused(Class::Urgent) { Class::Urgent } else { Class::Bulk };
        if self.is_paused(class) { None } else { self.pop_class(packets, class) }
    }

    /// Removes and returns the first packet of `class`.
    #[inline]
    pub(crate) fn pop_class(&mut self, packets: &Arena, class: Class) -> Option<u32> {
        let id = self.queues[class as usize].pop(packets)?;
        self.waiting[class as usize] -= u32::from(packets[id].has_payload());
        Some(id)
    }

    /// Returns the number of waiting packets with payload in `class`.
    #[inline]
    pub(crate) fn waiting(&self, class: Class) -> u32 {
        self.waiting[class as usize]
    }

    /// Returns whether a packet waits in a class that is not paused.
    #[inline]
    pub(crate) fn is_ready(&self) -> bool {
        let is_ready = |class: Class| !self.queues[class as usize].is_empty() && !self.is_paused(class);
        is_ready(Class::Urgent) || is_ready(Class::Bulk)
    }

    /// Returns the waiting packets of `class`, in order.
    pub(crate) fn iter(&self, packets: &Arena, class: Class) -> impl Iterator<Item = u32> {
        self.queues[class as usize].iter(packets)
    }

    /// Returns the packet that is sent next if nothing is paused; `None` if no packet waits.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        self.queues[usize::from(self.queues[0].is_empty())].first()
    }

    /// Returns the last packet of `class`; `None` if no packet of this class waits.
    #[inline]
    pub(crate) fn newest(&self, class: Class) -> Option<u32> {
        self.queues[class as usize].last()
    }

    /// Returns the number of packets with payload at this port, including the packet that is being sent.
    ///
    /// A packet that leaves exactly at `now` still counts. If a packet with payload is being sent and the departure time of another packet
    /// with payload is already known (behind control packets), the two packets count as one.
    #[inline]
    pub(crate) fn payloads(&self, now: u64) -> u32 {
        self.waiting[0] + self.waiting[1] + u32::from(self.payload >= now && self.payload > 0)
    }

    /// Returns the remaining transmission time of the control packets at this port, including the current one, in picoseconds.
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
        assert!(!port.is_ready());
        assert_eq!(packets.live(), 0);
    }

    #[test]
    fn only_packets_of_unpaused_classes_are_sent() {
        let mut packets = Arena::new();
        let mut port = Port::new();
        for packet in [data(0, 0), data(1, flag::URGENT)] {
            let id = packets.insert(packet);
            port.push(&mut packets, id, Class::of(&packet));
        }
        port.pause(Class::Urgent, true);
        assert_eq!((port.is_ready(), port.is_idle(9), port.pop(&packets)), (true, false, Some(0)));
        assert_eq!((port.is_ready(), port.schedule(), port.pop(&packets)), (false, false, None));
        port.pause(Class::Urgent, false);
        assert_eq!((port.schedule(), port.schedule()), (true, false));
        port.scheduled();
        assert_eq!((port.pop(&packets), port.is_idle(9)), (Some(1), true));
    }

    #[test]
    fn waiting_control_packets_precede_payload_in_order() {
        let mut packets = Arena::new();
        let mut port = Port::new();
        let mut order = Vec::new();
        for (sequence, is_control) in [(0, true), (1, false), (2, false), (3, true), (4, true), (5, false)] {
            let mut packet = data(sequence, 0);
            if is_control {
                packet.trim();
            }
            let id = packets.insert(packet);
            if is_control { port.push_control(&mut packets, id) } else { port.push(&mut packets, id, Class::Bulk) }
        }
        assert_eq!((port.waiting(Class::Bulk), port.backlog(0, 10)), (3, 30));
        while let Some(id) = port.pop(&packets) {
            order.push(packets.remove(id).sequence);
        }
        assert_eq!((order, port.is_ready(), port.waiting(Class::Bulk)), (vec![0, 3, 4, 1, 2, 5], false, 0));
        // Check that the tail of the queue stays correct if only control packets wait.
        for sequence in [6, 7] {
            let id = packets.insert(data(sequence, flag::TRIMMED));
            port.push_control(&mut packets, id);
        }
        let id = packets.insert(data(8, 0));
        port.push(&mut packets, id, Class::Bulk);
        let order: Vec<u32> = port.iter(&packets, Class::Bulk).map(|id| packets[id].sequence).collect();
        assert_eq!(order, [6, 7, 8]);
        // The number of waiting packets does not include control packets.
        let id = packets.insert(data(9, flag::TRIMMED));
        port.push(&mut packets, id, Class::Bulk);
        assert_eq!((port.waiting(Class::Bulk), port.newest(Class::Bulk)), (1, Some(id)));
    }

    #[test]
    fn occupied_links_report_payload_and_control_time() {
        let mut port = Port::new();
        assert_eq!((port.payloads(0), port.control(0), port.free(7)), (0, 0, 7));
        port.occupy(100, 1500, true);
        assert_eq!((port.payloads(100), port.payloads(101)), (1, 0));
        port.occupy(110, 64, false);
        assert_eq!((port.control(50), port.control(104), port.control(120)), (10, 6, 0));
        assert_eq!((port.free(50), port.is_idle(109), port.is_idle(110)), (110, false, true));
    }
}
