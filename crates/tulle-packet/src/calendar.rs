//! The event queue: a calendar of short buckets. Its events fire in a fixed order.
//!
//! Events fire in ascending order of (time, kind, id). No two events have the same time, kind and id: at any time, at most one packet
//! arrives over a port, a link becomes free at most once, and each pacer, timer or interrupt fires at most once. The order therefore
//! depends neither on the order of insertion nor on memory addresses. It stays the same if ports are split over threads.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tulle_base::prefetch::prefetch;

/// The kind of an event. Events at the same time fire in the order of this declaration.
///
/// Arrivals come first: if a packet arrives exactly when a link becomes free, the packets that wait for this link are still in the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(crate) enum EventKind {
    /// A packet arrives over the link of a port. Id: the port. Data: the packet's id.
    Arrival,
    /// The link of a port becomes free while packets wait at the port. Id: the port.
    Free,
    /// The far end of a port's link asks the port to pause or to resume. Id: the port. Data: the class or virtual lane, and whether to
    /// pause.
    Pause,
    /// The software of an endpoint has finished handling a received packet. Id: the endpoint. Data: the packet's id.
    Handle,
    /// A coalesced interrupt of an endpoint delivers the packets that wait for it. Id: the endpoint.
    Interrupt,
    /// The pacer of an endpoint fires. Id: the endpoint.
    Pace,
    /// The timer of a flow (id) fires.
    Timer,
    /// A flow starts, a message completes a stage at one of its endpoints, or a computation ends. Id: the flow, or the step of the
    /// computation. Data: the completed stage.
    Start,
}

impl EventKind {
    pub(crate) const ALL: [Self; 8] =
        [Self::Arrival, Self::Free, Self::Pause, Self::Handle, Self::Interrupt, Self::Pace, Self::Timer, Self::Start];

    /// Returns the name of this kind in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Arrival => "arrivals",
            Self::Free => "departures",
            Self::Pause => "pauses",
            Self::Handle => "handling",
            Self::Interrupt => "interrupts",
            Self::Pace => "pacers",
            Self::Timer => "timers",
            Self::Start => "starts",
        }
    }
}

/// Upper limit of ids of ports, endpoints and flows.
pub(crate) const MAX_IDS: u64 = 1 << ID_BITS;
const ID_BITS: u32 = 29;

/// An event in 16 bytes. From high to low bits: time, kind, id, data. One integer comparison orders two events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Event(u128);

impl Event {
    #[inline]
    pub(crate) fn new(time: u64, kind: EventKind, id: u32, data: u32) -> Self {
        debug_assert!(u64::from(id) < MAX_IDS);
        let key = (kind as u32) << ID_BITS | id;
        Self(u128::from(time) << 64 | u128::from(key) << 32 | u128::from(data))
    }

    #[inline]
    pub(crate) fn time(self) -> u64 {
        (self.0 >> 64) as u64
    }

    #[inline]
    pub(crate) fn kind(self) -> EventKind {
        EventKind::ALL[usize::from((self.0 >> (32 + ID_BITS)) as u8 & 7)]
    }

    #[inline]
    pub(crate) fn id(self) -> u32 {
        (self.0 >> 32) as u32 & (MAX_IDS as u32 - 1)
    }

    /// Returns the key that orders events within a bucket: the low 32 bits of the time, the kind and the id. See [`MAX_SHIFT`].
    #[inline]
    fn rank(self) -> u64 {
        (self.0 >> 32) as u64
    }

    #[inline]
    pub(crate) fn data(self) -> u32 {
        self.0 as u32
    }
}

/// log₂ of the maximum width of a bucket in picoseconds. [`Event::rank`] has only the low 32 bits of a time, so it orders two events only if
/// the other bits of their times are equal.
const MAX_SHIFT: u32 = 32;

/// The number of slots in a chunk. The first slot links to the previous chunk; the others hold events.
const CHUNK: u32 = 16;

/// The value that means "no chunk". The cursor of an empty bucket and the link in the first chunk of a bucket have this value.
const EMPTY: u32 = 0;

/// The pending events of a simulation.
///
/// A ring of buckets of equal width covers the near future. A bucket is a list of chunks from a shared pool, and its events are sorted when
/// the bucket becomes the current one. A heap holds the few events that lie beyond the ring, or that are added to the current bucket after
/// it was sorted.
#[derive(Debug)]
pub(crate) struct Calendar {
    /// log₂ of the width of a bucket in picoseconds.
    shift: u32,
    /// The number of the current bucket, from which events fire, counted from time 0.
    current: u64,
    /// For each bucket of the ring, a cursor: the slot after the bucket's last event. If the cursor is at the start of a chunk, the bucket
    /// has no chunk, or its last chunk is full. The next event then needs a new chunk.
    buckets: Vec<u32>,
    /// For each bucket of the ring, one bit: whether the bucket holds events.
    occupied: Vec<u64>,
    /// Chunks of slots. The first slot of each chunk holds the cursor that the bucket had before this chunk was added.
    slots: Vec<Event>,
    /// The first slots of the free chunks.
    free: Vec<u32>,
    /// The events of the current bucket, in ascending order.
    active: Vec<Event>,
    /// The number of events in `active` that have fired.
    fired: usize,
    /// Memory for sorting, which is reused between buckets.
    scratch: (Vec<Event>, Vec<u32>),
    /// Events beyond the ring, and events that were pushed into the current bucket after it was sorted.
    other: BinaryHeap<Reverse<Event>>,
    /// The first event in `other`; [`NO_EVENT`] if `other` is empty.
    next_other: Event,
}

/// The value that stands for no event. It sorts after all events.
const NO_EVENT: Event = Event(u128::MAX);

impl Calendar {
    /// Returns a calendar for events that mostly lie between `shortest` and `longest` picoseconds in the future when they are scheduled.
    ///
    /// A bucket is at most as wide as the shortest delay, so that new events rarely fall into the current bucket. If this would need
    /// too many buckets, the buckets are wider, up to the width that [`Event::rank`] can sort. Events beyond the ring of buckets wait in
    /// the heap.
    pub(crate) fn new(shortest: u64, longest: u64) -> Self {
        const MAX_BUCKETS: u64 = 1 << 15;
        let mut shift = shortest.max(1).ilog2().min(MAX_SHIFT);
        while shift < MAX_SHIFT && longest >> shift >= MAX_BUCKETS - 2 {
            shift += 1;
        }
        let buckets = ((longest >> shift) + 2).min(MAX_BUCKETS).next_power_of_two().max(64) as usize;
        Self {
            shift,
            current: 0,
            buckets: vec![EMPTY; buckets],
            occupied: vec![0; buckets / 64],
            slots: Vec::new(),
            free: Vec::new(),
            active: Vec::new(),
            fired: 0,
            scratch: Default::default(),
            other: BinaryHeap::new(),
            next_other: NO_EVENT,
        }
    }

    #[inline]
    pub(crate) fn push(&mut self, event: Event) {
        let bucket = event.time() >> self.shift;
        let mask = self.buckets.len() - 1;
        if bucket.wrapping_sub(self.current + 1) >= mask as u64 {
            return self.push_other(event);
        }
        let bucket = bucket as usize & mask;
        let cursor = self.buckets[bucket];
        if cursor.is_multiple_of(CHUNK) {
            return self.push_in_new_chunk(bucket, event);
        }
        self.slots[cursor as usize] = event;
        self.buckets[bucket] = cursor + 1;
    }

    #[cold]
    #[inline(never)]
    fn push_other(&mut self, event: Event) {
        self.other.push(Reverse(event));
        self.next_other = self.next_other.min(event);
    }

    /// Removes and returns the next event.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Event> {
        match self.active.get(self.fired) {
            Some(&event) if event < self.next_other => {
                self.fired += 1;
                Some(event)
            }
            _ => self.pop_slowly(),
        }
    }

    /// Removes and returns the next event. This is the slow path of [`Self::pop`]: it can open a new bucket or take an event from the heap.
    #[cold]
    #[inline(never)]
    fn pop_slowly(&mut self) -> Option<Event> {
        loop {
            if let Some(&event) = self.active.get(self.fired)
                && event < self.next_other
            {
                self.fired += 1;
                return Some(event);
            }
            if self.fired == self.active.len() && self.open() {
                continue;
            }
            let event = self.other.pop()?.0;
            self.next_other = self.other.peek().map_or(NO_EVENT, |other| other.0);
            if self.fired == self.active.len() {
                self.current = event.time() >> self.shift;
            }
            return Some(event);
        }
    }

    /// Returns the events in the current bucket that have not fired yet, to prefetch their data.
    #[inline]
    pub(crate) fn upcoming(&self) -> &[Event] {
        &self.active[self.fired..]
    }

    /// Makes the next bucket with events the current bucket. Returns false if no bucket holds events.
    #[inline]
    fn open(&mut self) -> bool {
        let Some(bucket) = self.next_occupied() else { return false };
        let ahead = bucket.wrapping_sub(self.current as usize) & (self.buckets.len() - 1);
        self.current += ahead as u64;
        self.occupied[bucket / 64] &= !(1 << (bucket % 64));
        self.active.clear();
        self.fired = 0;
        let mut cursor = std::mem::replace(&mut self.buckets[bucket], EMPTY);
        while cursor != EMPTY {
            let first = (cursor - 1) / CHUNK * CHUNK;
            let next = self.slots[first as usize].0 as u32;
            // The chunks of a bucket are scattered in memory, so the previous chunk is prefetched while this one is copied.
            if next != EMPTY {
                self.fetch_chunk(next);
            }
            self.active.extend_from_slice(&self.slots[first as usize + 1..cursor as usize]);
            self.free.push(first);
            cursor = next;
        }
        let (scratch, ends) = &mut self.scratch;
        sort(&mut self.active, scratch, ends);
        if let Some(after) = self.next_occupied() {
            self.fetch_chunk(self.buckets[after]);
        }
        debug_assert!(self.active.is_sorted_by(|a, b| a < b), "two events share time, kind and id");
        true
    }

    /// Prefetches the chunk that contains slot `cursor - 1`.
    #[inline]
    fn fetch_chunk(&self, cursor: u32) {
        /// The number of slots in a cache line.
        const LINE: usize = 4;
        let first = ((cursor - 1) / CHUNK * CHUNK) as usize;
        (0..CHUNK as usize).step_by(LINE).for_each(|slot| prefetch(&self.slots, first + slot));
    }

    /// Returns the first bucket with events after the current one, around the ring.
    fn next_occupied(&self) -> Option<usize> {
        let start = (self.current as usize + 1) & (self.buckets.len() - 1);
        let mut word = start / 64;
        let mut bits = self.occupied[word] & (!0 << (start % 64));
        for _ in 0..self.occupied.len() {
            if bits != 0 {
                break;
            }
            word = (word + 1) & (self.occupied.len() - 1);
            bits = self.occupied[word];
        }
        (bits != 0).then(|| word * 64 + bits.trailing_zeros() as usize)
    }

    /// Adds a chunk with `event` to `bucket`.
    #[cold]
    #[inline(never)]
    fn push_in_new_chunk(&mut self, bucket: usize, event: Event) {
        let first = self.free.pop().unwrap_or_else(|| {
            let first = self.slots.len();
            self.slots.resize(first + CHUNK as usize, NO_EVENT);
            first as u32
        });
        self.slots[first as usize] = Event(self.buckets[bucket].into());
        self.slots[first as usize + 1] = event;
        self.buckets[bucket] = first + 2;
        self.occupied[bucket / 64] |= 1 << (bucket % 64);
    }
}

/// The maximum number of events that [`sort_few`] sorts.
const FEW: usize = 32;

/// Sorts the events of one bucket. The contents of `scratch` and `ends` are overwritten.
///
/// If there are more than [`FEW`] events, the range of their sort keys is divided into equal parts, and the events are distributed over the
/// parts. Parts that are still too large are divided again. A bucket of a large network holds thousands of events, too many for a
/// comparison sort to be fast.
fn sort(events: &mut [Event], scratch: &mut Vec<Event>, ends: &mut Vec<u32>) {
    /// The approximate number of events per part is 2 to the power of `PER_PART`; the maximum number of parts is 2 to the power of
    /// `MAX_PARTS`.
    const PER_PART: u32 = 3;
    const MAX_PARTS: u32 = 12;
    if events.len() <= FEW {
        return sort_few(events);
    }
    let ranks = || events.iter().map(|event| event.rank());
    let (least, most) = ranks().fold((u64::MAX, 0), |(least, most), rank| (least.min(rank), most.max(rank)));
    let bits = (events.len().ilog2() - PER_PART).min(MAX_PARTS);
    let below = (u64::BITS - (most - least).leading_zeros()).saturating_sub(bits);
    let part = |event: &Event| ((event.rank() - least) >> below) as usize;
    ends.clear();
    ends.resize(1 << bits, 0);
    events.iter().for_each(|event| ends[part(event)] += 1);
    let mut sum = 0;
    for end in &mut *ends {
        sum += std::mem::replace(end, sum);
    }
    scratch.clear();
    scratch.resize(events.len(), NO_EVENT);
    for event in &*events {
        let end = &mut ends[part(event)];
        scratch[*end as usize] = *event;
        *end += 1;
    }
    events.copy_from_slice(scratch);
    let mut start = 0;
    for &end in &*ends {
        let part = &mut events[start as usize..end as usize];
        start = end;
        match part.len() {
            0 | 1 => {}
            2..=FEW => sort_few(part),
            _ => sort(part, scratch, &mut Vec::new()),
        }
    }
}

/// Sorts at most [`FEW`] events by counting, for each event, how many other events precede it.
///
/// This method makes more comparisons than necessary, but the processor need not predict any branch. Buckets of small networks hold few
/// events, and the mispredicted branches of insertion sort would take a tenth of the total time.
fn sort_few(events: &mut [Event]) {
    let n = events.len();
    let mut unsorted = [NO_EVENT; FEW];
    unsorted[..n].copy_from_slice(events);
    let mut ranks = [0; FEW];
    for (rank, event) in ranks.iter_mut().zip(&*events) {
        *rank = event.rank();
    }
    for (event, &rank) in unsorted.iter().zip(&ranks[..n]) {
        let earlier: usize = ranks[..n].iter().map(|&other| usize::from(other < rank)).sum();
        events[earlier] = *event;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_event_keeps_its_parts() {
        for (place, kind) in EventKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
            let event = Event::new(u64::MAX - 1, kind, MAX_IDS as u32 - 1, 7);
            assert_eq!((event.time(), event.kind(), event.id(), event.data()), (u64::MAX - 1, kind, (1 << 29) - 1, 7));
        }
        assert!(Event::new(5, EventKind::Start, 9, 9) < Event::new(6, EventKind::Arrival, 0, 0));
        assert!(Event::new(5, EventKind::Arrival, 9, 0) < Event::new(5, EventKind::Pace, 0, 0));
    }

    proptest! {
        /// The calendar and a heap return the same events. Pushed events lie at random distances: at the same time, in the same bucket, in
        /// the ring, or beyond the ring. With a large `scale_up`, delays are longer than the widest bucket, as on links of 1 Mb/s.
        #[test]
        fn events_come_out_in_order(
            shortest in 1u64..3_000,
            longest in 1u64..200_000,
            scale_up in 0u32..28,
            steps in prop::collection::vec((0u64..6, any::<u16>(), 0usize..4), 1..400),
        ) {
            let (shortest, longest) = (shortest << scale_up, longest << scale_up);
            let mut calendar = Calendar::new(shortest, longest);
            let mut oracle = BinaryHeap::new();
            let mut now = 0;
            for (id, &(scale, delay, pops)) in steps.iter().enumerate() {
                let time = now + (u64::from(delay) << (4 * scale) << scale_up) % (longest * 3);
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
