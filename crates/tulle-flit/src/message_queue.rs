//! The messages of a workload that one endpoint must send, and the order in which their packets are sent.

use std::collections::VecDeque;

use tulle_base::prefetch::prefetch_item;

use crate::flit::Generator;

tulle_spec::words! {
    /// The order in which an endpoint sends the packets of its messages.
    pub enum Order {
        /// All packets of one message before the next message; messages in order of their start times, and at equal times in the order of
        /// the workload's rows.
        InOrder = "in-order",
        /// One packet of each message in turn.
        RoundRobin = "round-robin",
        /// For each packet, a message chosen at random.
        Random = "random",
    }
}

/// A posted message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Post {
    /// The first cycle in which the message may be sent.
    pub start: u32,
    pub message: u32,
    /// The destination: its switch in the lower 16 bits, and the endpoint's port on that switch in the upper bits.
    pub place: u32,
    /// Number of packets not yet sent; at least one.
    pub packets: u32,
}

/// The messages that one endpoint must send.
#[derive(Debug, Default)]
pub(crate) struct MessageQueue {
    /// Messages that start later, ordered by start.
    later: VecDeque<Post>,
    /// Messages that are being sent now.
    now: VecDeque<Post>,
}

impl MessageQueue {
    /// Adds a message. It must not start earlier than the messages added before.
    pub fn post(&mut self, post: Post) {
        debug_assert!(
            self.later.back().is_none_or(|last| last.start <= post.start),
            "messages are posted in order of their starts"
        );
        self.later.push_back(post);
    }

    /// Prefetches the message that [`MessageQueue::take`] will choose, if the order is random. `generator` must be a copy of the random
    /// generator that `take` will use. Returns whether a packet waits.
    #[inline]
    pub fn prefetch_drawn(&self, generator: &mut Generator) -> bool {
        if self.now.len() > 1 {
            self.now.get(generator.below(self.now.len() as u32) as usize).into_iter().for_each(prefetch_item);
        }
        !self.now.is_empty()
    }

    /// Takes the next packet to send in `cycle`; returns its message and destination.
    #[inline]
    pub fn take(&mut self, cycle: u32, order: Order, generator: &mut Generator) -> Option<(u32, u32)> {
        while self.later.front().is_some_and(|post| post.start <= cycle) {
            self.now.extend(self.later.pop_front());
        }
        let at = match order {
            Order::Random if self.now.len() > 1 => generator.below(self.now.len() as u32) as usize,
            _ => 0,
        };
        let post = self.now.get_mut(at)?;
        let packet = (post.message, post.place);
        post.packets -= 1;
        let is_sent = post.packets == 0;
        match order {
            Order::Random if is_sent => _ = self.now.swap_remove_back(at),
            Order::InOrder if is_sent => _ = self.now.pop_front(),
            Order::RoundRobin if is_sent => _ = self.now.pop_front(),
            Order::RoundRobin => self.now.rotate_left(1),
            Order::InOrder | Order::Random => {}
        }
        Some(packet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(order: Order) -> Vec<u32> {
        let mut queue = MessageQueue::default();
        for (start, message, packets) in [(0, 7, 3), (0, 8, 1), (2, 9, 2)] {
            queue.post(Post { start, message, place: 0, packets });
        }
        let mut generator = Generator::new(1, 0);
        let packets: Vec<u32> = (0..6).filter_map(|cycle| Some(queue.take(cycle, order, &mut generator)?.0)).collect();
        assert_eq!(queue.take(9, order, &mut generator), None);
        packets
    }

    #[test]
    fn orders_send_every_packet_once() {
        assert_eq!(sent(Order::InOrder), [7, 7, 7, 8, 9, 9]);
        assert_eq!(sent(Order::RoundRobin), [7, 8, 7, 9, 7, 9]);
        let mut random = sent(Order::Random);
        random.sort_unstable();
        assert_eq!(random, [7, 7, 7, 8, 9, 9]);
    }
}
