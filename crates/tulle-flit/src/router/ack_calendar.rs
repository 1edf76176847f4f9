//! The acknowledgements that are on their way to a switch, by the cycle in which they arrive.

use crate::acks::Ack;

/// The end of a list.
const NONE: u32 = u32::MAX;

/// Acknowledgements by cycle. Those of later blocks of cycles have a list per block. At the start of a block, [`AckCalendar::gather`] sorts
/// its list by cycle. So adding and removing an acknowledgement takes constant time, and both read memory in order.
#[derive(Debug)]
pub(crate) struct AckCalendar {
    /// Number of cycles in a block.
    block: u32,
    /// The number of the block after the current one. The first block has number 0.
    next: u32,
    /// Per block from `next` on, modulo the length, which is a power of two: the acknowledgements, in the order in which they were added.
    later: Vec<Vec<Ack>>,
    /// The acknowledgements of the current block, each with the next older one of its cycle.
    current: Vec<(Ack, u32)>,
    /// For each cycle of the current block: the place in `current` of the acknowledgement that was added last; [`NONE`] if there is none.
    newest: Box<[u32]>,
    /// The first cycle of the current block whose acknowledgements were not all removed.
    cycle: usize,
}

impl AckCalendar {
    /// Creates a calendar for blocks of `block` cycles.
    pub fn new(block: usize) -> Self {
        Self {
            block: block as u32,
            next: 0,
            later: vec![Vec::new()],
            current: Vec::new(),
            newest: vec![NONE; block].into(),
            cycle: block,
        }
    }

    /// Adds an acknowledgement. The cycle in which it arrives must be after the current block.
    #[inline]
    pub fn push(&mut self, ack: Ack) {
        let number = ack.due / self.block;
        debug_assert!(number >= self.next, "an acknowledgement takes at least a block of cycles");
        let ahead = number.wrapping_sub(self.next) as usize;
        if ahead >= self.later.len() {
            self.grow(ahead);
        }
        let place = self.place(number);
        self.later[place].push(ack);
    }

    /// Starts the next block, whose acknowledgements [`AckCalendar::pop`] then removes. Calls `visit` for each of them. All acknowledgements of
    /// the current block must have been removed.
    #[inline]
    pub fn gather(&mut self, mut visit: impl FnMut(&Ack)) {
        let (start, place) = (self.next * self.block, self.place(self.next));
        self.current.clear();
        for ack in self.later[place].drain(..) {
            visit(&ack);
            let newest = &mut self.newest[(ack.due - start) as usize];
            let number = self.current.len() as u32;
            self.current.push((ack, std::mem::replace(newest, number)));
        }
        (self.next, self.cycle) = (self.next + 1, 0);
    }

    /// Removes an acknowledgement of the first `cycles` cycles of the current block. The cycles are in order; within a cycle, the newest comes
    /// first.
    #[inline]
    pub fn pop(&mut self, cycles: usize) -> Option<Ack> {
        while self.cycle < cycles
            && let Some(newest) = self.newest.get_mut(self.cycle)
        {
            if *newest != NONE {
                let (ack, older) = self.current[*newest as usize];
                *newest = older;
                return Some(ack);
            }
            self.cycle += 1;
        }
        None
    }

    #[inline]
    fn place(&self, number: u32) -> usize {
        number as usize & (self.later.len() - 1)
    }

    /// Makes space for a list that is `ahead` blocks after the next block.
    #[cold]
    fn grow(&mut self, ahead: usize) {
        let old = std::mem::replace(&mut self.later, vec![Vec::new(); (ahead + 1).next_power_of_two()]);
        let blocks = old.len();
        for (place, list) in old.into_iter().enumerate() {
            // The first block from the next one on with this place.
            let number = self.next as usize + (place.wrapping_sub(self.next as usize) & (blocks - 1));
            let place = self.place(number as u32);
            self.later[place] = list;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(due: u32, to: u16) -> Ack {
        Ack { due, to, detour: None, wait: 0 }
    }

    /// Removes all acknowledgements of the first `cycles` cycles of the block. Returns their cycles and destinations.
    fn popped(calendar: &mut AckCalendar, cycles: usize) -> Vec<(u32, u16)> {
        std::iter::from_fn(|| calendar.pop(cycles)).map(|ack| (ack.due, ack.to)).collect()
    }

    #[test]
    fn acknowledgements_arrive_in_the_order_of_their_cycles() {
        let mut calendar = AckCalendar::new(10);
        for (due, to) in [(3, 0), (1, 1), (3, 2), (80, 3), (2, 4), (3, 5), (10, 6)] {
            calendar.push(ack(due, to));
        }
        let mut seen = 0;
        calendar.gather(|_| seen += 1);
        assert_eq!(seen, 5);
        assert_eq!(popped(&mut calendar, 1), []);
        assert_eq!(popped(&mut calendar, 3), [(1, 1), (2, 4)]);
        assert_eq!(popped(&mut calendar, 10), [(3, 5), (3, 2), (3, 0)]);
        assert_eq!(popped(&mut calendar, 10), []);
        calendar.gather(|_| ());
        assert_eq!(popped(&mut calendar, 10), [(10, 6)]);
    }

    #[test]
    fn a_calendar_equals_a_sorted_list() {
        const BLOCK: u32 = 7;
        let mut calendar = AckCalendar::new(BLOCK as usize);
        let mut list: Vec<(u32, u16)> = Vec::new();
        let mut state = 1u32;
        let mut draw = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for block in 0..2000 {
            calendar.gather(|_| ());
            let start = block * BLOCK;
            list.sort_by_key(|&(due, _)| due);
            let left = list.split_off(list.partition_point(|&(due, _)| due < start + BLOCK));
            let mut found = Vec::new();
            for cycles in [draw(BLOCK), draw(BLOCK), BLOCK] {
                found.extend(popped(&mut calendar, cycles as usize));
                assert!(found.iter().all(|&(due, _)| due < start + BLOCK));
            }
            assert_eq!(found, list, "{block}");
            list = left;
            for _ in 0..draw(20) {
                // Few acknowledgements take very long, so the calendar grows while it is in use.
                let due = start + BLOCK + draw(if block % 100 == 99 { 10 * block } else { 40 });
                let to = draw(100) as u16;
                calendar.push(ack(due, to));
                list.insert(0, (due, to));
            }
        }
    }
}
