//! A first-in, first-out queue of packets.

use crate::packet::{Arena, NONE};

/// A queue of packets, as a linked list.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fifo {
    head: u32,
    tail: u32,
}

impl Fifo {
    pub(crate) const EMPTY: Self = Self { head: NONE, tail: NONE };

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.head == NONE
    }

    #[inline]
    pub(crate) fn push(&mut self, packets: &mut Arena, id: u32) {
        packets[id].next = NONE;
        if self.head == NONE {
            self.head = id;
        } else {
            packets[self.tail].next = id;
        }
        self.tail = id;
    }

    #[inline]
    pub(crate) fn pop(&mut self, packets: &Arena) -> Option<u32> {
        let id = self.head;
        if id == NONE {
            return None;
        }
        self.head = packets[id].next;
        Some(id)
    }

    /// Inserts packet `id` behind the packets without payload at the head of the queue.
    pub(crate) fn push_before_payload(&mut self, packets: &mut Arena, id: u32) {
        let (mut before, mut next) = (NONE, self.head);
        while next != NONE && !packets[next].has_payload() {
            (before, next) = (next, packets[next].next);
        }
        packets[id].next = next;
        *(if before == NONE { &mut self.head } else { &mut packets[before].next }) = id;
        if next == NONE {
            self.tail = id;
        }
    }

    /// Returns the first packet; `None` if the queue is empty.
    #[inline]
    pub(crate) fn first(&self) -> Option<u32> {
        (self.head != NONE).then_some(self.head)
    }

    /// Returns the last packet; `None` if the queue is empty.
    #[inline]
    pub(crate) fn last(&self) -> Option<u32> {
        (self.head != NONE).then_some(self.tail)
    }

    /// Returns the packets in order.
    pub(crate) fn iter(&self, packets: &Arena) -> impl Iterator<Item = u32> {
        let mut next = self.head;
        std::iter::from_fn(move || {
            let id = next;
            (id != NONE).then(|| {
                next = packets[id].next;
                id
            })
        })
    }
}
