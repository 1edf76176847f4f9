//! The set of received packets of a sequence, as a ring of bits.

use std::collections::VecDeque;

/// The set of received packets. It stores only packets from the first missing packet on.
#[derive(Debug, Clone, Default)]
pub(super) struct Ring {
    /// The first missing packet.
    next: u32,
    /// One bit per packet, starting at the multiple of 64 at or below `next`. Trailing words without received packets are not stored.
    ahead: VecDeque<u64>,
}

impl Ring {
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// Records the arrival of a packet. Returns whether the packet is new.
    pub(super) fn note(&mut self, sequence: u32) -> bool {
        if sequence < self.next {
            return false;
        }
        let word = (sequence / 64 - self.next / 64) as usize;
        if self.ahead.len() <= word {
            self.ahead.resize(word + 1, 0);
        }
        let bit = 1 << (sequence % 64);
        if self.ahead[word] & bit != 0 {
            return false;
        }
        self.ahead[word] |= bit;
        while let Some(&front) = self.ahead.front() {
            let place = self.next % 64;
            let ones = (front >> place).trailing_ones().min(64 - place);
            self.next += ones;
            if ones == 0 || !self.next.is_multiple_of(64) {
                break;
            }
            self.ahead.pop_front();
        }
        true
    }

    /// Returns the length of the gapless run of received packets that ends with `sequence`, which has arrived. Packets before `next` do
    /// not count. The result is at most 255.
    pub(super) fn run(&self, sequence: u32) -> u8 {
        let mut run = 0;
        while run < u8::MAX
            && let Some(at) = sequence.checked_sub(run.into())
            && at >= self.next
            && self.ahead[(at / 64 - self.next / 64) as usize] & (1 << (at % 64)) != 0
        {
            run += 1;
        }
        run
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_put_in_order() {
        let mut ring = Ring::default();
        let mut note = |sequence| {
            let new = ring.note(sequence);
            (new, ring.next(), ring.run(sequence))
        };
        assert_eq!(note(0), (true, 1, 0));
        assert_eq!(note(2), (true, 1, 1));
        assert_eq!(note(3), (true, 1, 2));
        assert_eq!(note(3), (false, 1, 2));
        assert_eq!(note(130), (true, 1, 1));
        assert_eq!(note(1), (true, 4, 0));
        for sequence in 4..129 {
            assert_eq!(note(sequence), (true, sequence + 1, 0));
        }
        assert_eq!(note(129), (true, 131, 0));
        assert_eq!(note(64), (false, 131, 0));
    }

    #[test]
    fn orders_do_not_matter() {
        for step in [1, 7, 101, 299] {
            let mut ring = Ring::default();
            let new = (0..300).filter(|i| ring.note(i * step % 300)).count();
            assert_eq!((new, ring.next(), ring.ahead.len()), (300, 300, 1));
        }
    }
}
