//! The messages posted to one endpoint, and in which order their packets are sent.

use std::collections::VecDeque;

use tulle_base::prefetch::prefetch_item;

use crate::flit::Generator;

/// In which order an endpoint sends the packets of the messages posted to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// One message after the other, as they were posted: by their starts, then by their rows.
    InOrder,
    /// A packet of each in turn.
    #[default]
    RoundRobin,
    /// A packet of one drawn at random, each time anew.
    Random,
}

/// The orders by name.
pub const ORDERS: [(&str, Order); 3] =
    [("in-order", Order::InOrder), ("round-robin", Order::RoundRobin), ("random", Order::Random)];

/// A message to be sent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Post {
    /// The first cycle in which it may be sent.
    pub start: u32,
    pub message: u32,
    /// Where it goes: the switch, and its port from bit 16 on.
    pub place: u32,
    /// Packets not sent yet, at least one.
    pub packets: u32,
}

/// The messages posted to one endpoint.
#[derive(Debug, Default)]
pub(crate) struct MessageQueue {
    /// Those that start later, by their starts.
    later: VecDeque<Post>,
    /// Those being sent.
    now: VecDeque<Post>,
}

impl MessageQueue {
    /// Adds a message, which starts no earlier than those added before.
    pub fn post(&mut self, post: Post) {
        debug_assert!(self.later.back().is_none_or(|last| last.start <= post.start), "posts come by their starts");
        self.later.push_back(post);
    }

    /// Draws as [`MessageQueue::take`] will where packets are sent in random order, and asks for what is drawn; whether there is
    /// something to take.
    #[inline]
    pub fn prefetch_drawn(&self, generator: &mut Generator) -> bool {
        if self.now.len() > 1 {
            self.now.get(generator.below(self.now.len() as u32) as usize).into_iter().for_each(prefetch_item);
        }
        !self.now.is_empty()
    }

    /// Takes the packet to be sent next in `cycle`: its message and where it goes.
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
