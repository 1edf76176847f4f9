//! The event queue: a calendar of short buckets, drained in one documented order.
//!
//! Events fire by (time, kind, id), ascending. No two events share all three: one packet at a time arrives over a port,
//! one transmission at a time ends at it, and every pacer and timer has at most one event pending. So the order depends
//! neither on the order of insertion nor on memory, and stays the same if ports are split over threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::packet::NONE;

/// What happens at an event; the declared order breaks ties in time.
///
/// An arrival comes before the end of a transmission at the same instant, as the packet being sent still takes its place
/// in the queue then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum EventKind {
    /// A packet (data) arrives over the link of a port (id).
    Arrival,
    /// A port (id) with packets waiting has sent one.
    Transmitted,
    /// The pacer of an endpoint (id) fires.
    Pace,
    /// The timer of a flow (id) fires.
    Timer,
    /// A flow (id) starts.
    Start,
}

/// Ids of ports, endpoints and flows are below this.
pub(crate) const MOST_IDS: u64 = 1 << ID_BITS;
const ID_BITS: u32 = 29;

/// An event in 16 bytes: time, kind and id, data, from high bits to low, so that one comparison orders it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event(u128);

impl Event {
    #[inline]
    pub(crate) fn new(time: u64, kind: EventKind, id: u32, data: u32) -> Self {
        debug_assert!(u64::from(id) < MOST_IDS);
        let key = (kind as u32) << ID_BITS | id;
        Self(u128::from(time) << 64 | u128::from(key) << 32 | u128::from(data))
    }

    #[inline]
    pub(crate) fn time(self) -> u64 {
        (self.0 >> 64) as u64
    }

    #[inline]
    pub(crate) fn kind(self) -> EventKind {
        match (self.0 >> (32 + ID_BITS)) as u8 & 7 {
            0 => EventKind::Arrival,
            1 => EventKind::Transmitted,
            2 => EventKind::Pace,
            3 => EventKind::Timer,
            _ => EventKind::Start,
        }
    }

    #[inline]
    pub(crate) fn id(self) -> u32 {
        (self.0 >> 32) as u32 & (MOST_IDS as u32 - 1)
    }

    #[inline]
    pub(crate) fn data(self) -> u32 {
        self.0 as u32
    }
}

/// Events in a chunk: with its header it fills eight cache lines.
const CHUNK: usize = 31;

/// Some events of one bucket.
#[derive(Debug, Clone)]
struct Chunk {
    events: [Event; CHUNK],
    length: u32,
    next: u32,
}

/// Pending events.
///
/// Buckets of equal width cover the near future as a ring; a bucket is a list of chunks from one pool, sorted when its
/// time comes. A heap holds the few events that lie beyond the ring or in the bucket being drained.
#[derive(Debug)]
pub(crate) struct Calendar {
    /// log₂ of the width of a bucket in picoseconds.
    shift: u32,
    /// The bucket being drained, counted from time 0.
    current: u64,
    /// Per bucket of the ring, the chunk being filled.
    buckets: Vec<u32>,
    /// Per bucket of the ring, one bit: whether it holds events.
    occupied: Vec<u64>,
    /// Events in buckets.
    near: usize,
    chunks: Vec<Chunk>,
    free: u32,
    /// The events of the current bucket, ascending, and how many of them have fired.
    active: Vec<Event>,
    fired: usize,
    other: BinaryHeap<Reverse<Event>>,
}

impl Calendar {
    /// A calendar for events that mostly lie between `shortest` and `longest` picoseconds ahead.
    ///
    /// Buckets are as wide as the shortest delay at most, so that events seldom land in the bucket being drained.
    pub(crate) fn new(shortest: u64, longest: u64) -> Self {
        const MOST_BUCKETS: u64 = 1 << 15;
        let mut shift = shortest.max(1).ilog2();
        while longest >> shift >= MOST_BUCKETS - 2 {
            shift += 1;
        }
        let buckets = ((longest >> shift) + 2).next_power_of_two().max(64) as usize;
        Self {
            shift,
            current: 0,
            buckets: vec![NONE; buckets],
            occupied: vec![0; buckets / 64],
            near: 0,
            chunks: Vec::new(),
            free: NONE,
            active: Vec::new(),
            fired: 0,
            other: BinaryHeap::new(),
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, event: Event) {
        let ahead = (event.time() >> self.shift).wrapping_sub(self.current);
        if ahead.wrapping_sub(1) >= self.buckets.len() as u64 - 1 {
            self.other.push(Reverse(event));
            return;
        }
        let bucket = (self.current + ahead) as usize & (self.buckets.len() - 1);
        let head = self.buckets[bucket];
        self.near += 1;
        if head != NONE {
            let chunk = &mut self.chunks[head as usize];
            if (chunk.length as usize) < CHUNK {
                chunk.events[chunk.length as usize] = event;
                chunk.length += 1;
                return;
            }
        }
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
        self.buckets[bucket] = self.chunk(event, head);
    }

    /// The next event, removed.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Event> {
        loop {
            if let Some(&event) = self.active.get(self.fired) {
                if self.other.peek().is_some_and(|other| other.0 < event) {
                    return self.other.pop().map(|other| other.0);
                }
                self.fired += 1;
                return Some(event);
            }
            if self.near == 0 {
                let event = self.other.pop()?.0;
                self.current = event.time() >> self.shift;
                return Some(event);
            }
            self.open();
        }
    }

    /// The events that follow the one fired last in its bucket, for looking ahead.
    #[inline]
    pub(crate) fn upcoming(&self) -> &[Event] {
        &self.active[self.fired..]
    }

    /// Makes the next bucket that holds events the current one.
    fn open(&mut self) {
        let bucket = self.next_occupied();
        let ahead = bucket.wrapping_sub(self.current as usize) & (self.buckets.len() - 1);
        self.current += ahead as u64;
        self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        self.active.clear();
        self.fired = 0;
        let mut at = std::mem::replace(&mut self.buckets[bucket], NONE);
        while at != NONE {
            let chunk = &mut self.chunks[at as usize];
            self.active.extend_from_slice(&chunk.events[..chunk.length as usize]);
            let next = std::mem::replace(&mut chunk.next, self.free);
            self.free = at;
            at = next;
        }
        self.near -= self.active.len();
        self.active.sort_unstable();
    }

    /// The first bucket after the current one, around the ring, that holds events; there is one.
    fn next_occupied(&self) -> usize {
        let start = (self.current as usize + 1) & (self.buckets.len() - 1);
        let mut word = start / 64;
        let mut bits = self.occupied[word] & (!0 << (start % 64));
        while bits == 0 {
            word = (word + 1) % self.occupied.len();
            bits = self.occupied[word];
        }
        word * 64 + bits.trailing_zeros() as usize
    }

    fn chunk(&mut self, event: Event, next: u32) -> u32 {
        if self.free == NONE {
            self.chunks.push(Chunk { events: [event; CHUNK], length: 1, next });
            return self.chunks.len() as u32 - 1;
        }
        let id = self.free;
        let chunk = &mut self.chunks[id as usize];
        self.free = chunk.next;
        chunk.events[0] = event;
        chunk.length = 1;
        chunk.next = next;
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_event_keeps_its_parts() {
        let kinds = [EventKind::Arrival, EventKind::Transmitted, EventKind::Pace, EventKind::Timer, EventKind::Start];
        for kind in kinds {
            let event = Event::new(u64::MAX - 1, kind, MOST_IDS as u32 - 1, 7);
            assert_eq!((event.time(), event.kind(), event.id(), event.data()), (u64::MAX - 1, kind, (1 << 29) - 1, 7));
        }
        assert!(kinds.is_sorted());
        assert!(Event::new(5, EventKind::Start, 9, 9) < Event::new(6, EventKind::Arrival, 0, 0));
        assert!(Event::new(5, EventKind::Arrival, 9, 0) < Event::new(5, EventKind::Pace, 0, 0));
    }

    proptest! {
        /// Against a heap: pushes at random distances (same instant, same bucket, ring, beyond) between pops.
        #[test]
        fn events_come_out_in_order(
            shortest in 1u64..3_000,
            longest in 1u64..200_000,
            steps in prop::collection::vec((0u64..6, any::<u16>(), 0usize..4), 1..400),
        ) {
            let mut calendar = Calendar::new(shortest, longest);
            let mut oracle = BinaryHeap::new();
            let mut now = 0;
            for (id, &(scale, delay, pops)) in steps.iter().enumerate() {
                let time = now + (u64::from(delay) << (4 * scale)) % (longest * 3);
                let event = Event::new(time, EventKind::Arrival, id as u32, 0);
                calendar.push(event);
                oracle.push(Reverse(event));
                for _ in 0..pops {
                    let expected = oracle.pop().map(|event| event.0);
                    prop_assert_eq!(calendar.pop(), expected);
                    now = expected.map_or(now, Event::time);
                }
            }
            while let Some(Reverse(expected)) = oracle.pop() {
                prop_assert_eq!(calendar.pop(), Some(expected));
            }
            prop_assert_eq!(calendar.pop(), None);
        }
    }
}
