//! The packets that wait at the ports, by virtual lane. Each lane is paused separately, and the lanes of a port take turns.

use tulle_base::memory::{self, Need};

use crate::fifo::Fifo;
use crate::packet::Arena;
use crate::port::{Class, Port};

/// The state of a port's lanes: sets of lanes as bits, and whose turn it is.
#[derive(Debug, Clone, Copy, Default)]
struct Turns {
    /// Lanes on which packets wait.
    waiting: u16,
    /// Lanes that the far end of the link has paused.
    paused: u16,
    /// The lane that is served next, if packets wait on it and it is not paused.
    next: u8,
}

impl Turns {
    #[inline]
    fn ready(self) -> u16 {
        self.waiting & !self.paused
    }
}

/// The queues of all virtual lanes.
#[derive(Debug)]
pub(crate) struct LaneQueues {
    lanes: usize,
    /// Per port and lane, a queue per class. The row of a pair is port · `lanes` + lane. Urgent data precedes other data of its lane.
    queues: Vec<[Fifo; 2]>,
    turns: Vec<Turns>,
}

impl LaneQueues {
    /// Returns the memory that the queues need.
    pub(crate) fn need(ports: u64, lanes: u64) -> Need {
        Need::default().of::<[Fifo; 2]>(ports.saturating_mul(lanes)).of::<Turns>(ports)
    }

    pub(super) fn new(ports: usize, lanes: usize) -> Self {
        Self {
            lanes,
            queues: memory::array("queues of lanes", [Fifo::EMPTY; 2], ports * lanes),
            turns: memory::array("ports", Turns::default(), ports),
        }
    }

    fn at(&mut self, number: u32, lane: u8, class: Class) -> &mut Fifo {
        self.turns[number as usize].waiting |= 1 << lane;
        &mut self.queues[number as usize * self.lanes + usize::from(lane)][class as usize]
    }

    /// Appends packet `id` to a lane of `port`, whose number is `number`.
    pub(crate) fn push(&mut self, number: u32, port: &mut Port, packets: &mut Arena, id: u32, lane: u8, class: Class) {
        if packets[id].has_payload() {
            port.expect(class);
        }
        self.push_expected(number, packets, id, lane, class);
    }

    /// Appends packet `id`, which its port has already counted.
    pub(crate) fn push_expected(&mut self, number: u32, packets: &mut Arena, id: u32, lane: u8, class: Class) {
        self.at(number, lane, class).push(packets, id);
    }

    /// Inserts packet `id`, which has no payload, before all data of its lane that is not urgent.
    pub(crate) fn push_control(&mut self, number: u32, packets: &mut Arena, id: u32, lane: u8) {
        self.at(number, lane, Class::Bulk).push_before_payload(packets, id);
    }

    /// Removes and returns the packet that `port` sends next; `None` if no unpaused packet waits. Lanes take turns, one packet each.
    pub(crate) fn pop(&mut self, number: u32, port: &mut Port, packets: &Arena) -> Option<u32> {
        let turns = &mut self.turns[number as usize];
        let ready = turns.ready();
        if ready == 0 {
            return None;
        }
        let later = ready >> turns.next << turns.next;
        let lane = if later != 0 { later } else { ready }.trailing_zeros();
        turns.next = (lane + 1) as u8;
        let queues = &mut self.queues[number as usize * self.lanes + lane as usize];
        let class = Class::ALL[usize::from(queues[0].is_empty())];
        let id = queues[class as usize].pop(packets)?;
        if queues.iter().all(Fifo::is_empty) {
            turns.waiting &= !(1 << lane);
        }
        if packets[id].has_payload() {
            port.forget(class);
        }
        Some(id)
    }

    /// Pauses or resumes a lane of `port`.
    pub(crate) fn pause(&mut self, number: u32, lane: u8, paused: bool) {
        let turns = &mut self.turns[number as usize];
        let bit = 1 << lane;
        turns.paused = if paused { turns.paused | bit } else { turns.paused & !bit };
    }

    #[inline]
    pub(crate) fn is_paused(&self, number: u32, lane: u8) -> bool {
        self.turns[number as usize].paused >> lane & 1 == 1
    }

    /// Returns whether a packet on an unpaused lane waits at the port.
    #[inline]
    pub(crate) fn is_ready(&self, number: u32) -> bool {
        self.turns[number as usize].ready() != 0
    }

    /// Returns the packets that wait on a lane of the port: first urgent packets, then others, in order.
    pub(crate) fn iter(&self, number: u32, lane: u8, packets: &Arena) -> impl Iterator<Item = u32> {
        self.queues[number as usize * self.lanes + usize::from(lane)].iter().flat_map(|queue| queue.iter(packets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::packet::{data, flag};

    #[test]
    fn lanes_take_turns_and_are_paused_separately() {
        let (mut packets, mut port, mut queues) = (Arena::new(), Port::new(), LaneQueues::new(2, 3));
        for (sequence, lane) in [(0, 2), (1, 2), (2, 0), (3, 1), (4, 0), (5, 2), (6, 1)] {
            let id = packets.insert(data(sequence, 0));
            queues.push(1, &mut port, &mut packets, id, lane, Class::Bulk);
        }
        let next =
            |queues: &mut LaneQueues, port: &mut Port| queues.pop(1, port, &packets).map(|id| packets[id].sequence);
        let first = [(); 4].map(|()| next(&mut queues, &mut port));
        assert_eq!(first, [Some(2), Some(3), Some(0), Some(4)]);
        queues.pause(1, 1, true);
        assert!(queues.is_paused(1, 1) && !queues.is_paused(0, 1) && queues.is_ready(1) && !queues.is_ready(0));
        assert_eq!([(); 3].map(|()| next(&mut queues, &mut port)), [Some(1), Some(5), None]);
        assert_eq!((queues.is_ready(1), port.waiting(Class::Bulk)), (false, 1));
        queues.pause(1, 1, false);
        assert_eq!([(); 2].map(|()| next(&mut queues, &mut port)), [Some(6), None]);
        assert_eq!((queues.is_ready(1), port.waiting(Class::Bulk)), (false, 0));
    }

    #[test]
    fn urgent_data_precedes_other_data_of_its_lane_only() {
        let (mut packets, mut port, mut queues) = (Arena::new(), Port::new(), LaneQueues::new(1, 2));
        for (sequence, lane, flags) in [(0, 0, 0), (1, 1, 0), (2, 1, flag::URGENT), (3, 1, flag::TRIMMED)] {
            let id = packets.insert(data(sequence, flags));
            let class = Class::of(&packets[id]);
            if flags == flag::TRIMMED {
                queues.push_control(0, &mut packets, id, lane);
            } else {
                queues.push(0, &mut port, &mut packets, id, lane, class);
            }
        }
        assert_eq!(queues.iter(0, 1, &packets).map(|id| packets[id].sequence).collect::<Vec<_>>(), [2, 3, 1]);
        assert_eq!((port.waiting(Class::Urgent), port.waiting(Class::Bulk)), (1, 2));
        let mut order = Vec::new();
        while let Some(id) = queues.pop(0, &mut port, &packets) {
            order.push(packets[id].sequence);
        }
        assert_eq!((order, port.backlog(0, 10)), (vec![0, 2, 3, 1], 0));
    }
}
