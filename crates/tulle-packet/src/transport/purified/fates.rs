//! Fates of the packets of a flow, as its source knows.

/// Fates of 64 packets, a bit each. A packet that was sent and has no bit of the first two is outstanding.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    acknowledged: u64,
    /// To be sent again.
    again: u64,
    /// Last sent before the old ones were marked; says nothing of those that are not outstanding.
    old: u64,
}

impl Word {
    /// Those of the first `sent` of all packets that are in word `place` and outstanding.
    #[inline]
    fn outstanding(&self, place: usize, sent: u32) -> u64 {
        let rest = u64::from(sent).saturating_sub(64 * place as u64);
        let sent = if rest >= 64 { !0 } else { (1 << rest) - 1 };
        sent & !self.acknowledged & !self.again
    }
}

/// A packet is unsent, outstanding, acknowledged, or to be sent again: trimmed, or taken for lost.
#[derive(Debug, Default)]
pub(super) struct Fates {
    /// Empty before the start and after the end.
    words: Box<[Word]>,
    packets: u32,
    next: u32,
    acknowledged: u32,
    again: u32,
    /// No packet below is to be sent again.
    lowest: u32,
    /// In the words before, all packets are acknowledged.
    first: u32,
}

impl Fates {
    pub(super) fn new(packets: u32) -> Self {
        Self { packets, ..Self::default() }
    }

    pub(super) fn packets(&self) -> u32 {
        self.packets
    }

    /// The first packet that was never sent.
    #[inline]
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// Packets that were sent, are not acknowledged, and are not to be sent again.
    #[inline]
    pub(super) fn outstanding(&self) -> u32 {
        self.next - self.acknowledged - self.again
    }

    pub(super) fn begin(&mut self) {
        self.words = vec![Word::default(); (self.packets as usize).div_ceil(64)].into_boxed_slice();
    }

    pub(super) fn end(&mut self) {
        self.words = Box::default();
    }

    /// A packet has arrived; whether that is new.
    pub(super) fn acknowledge(&mut self, sequence: u32) -> bool {
        let word = &mut self.words[sequence as usize / 64];
        let bit = 1 << (sequence % 64);
        if word.acknowledged & bit != 0 {
            return false;
        }
        word.acknowledged |= bit;
        self.acknowledged += 1;
        if word.again & bit != 0 {
            // It was late, not lost.
            word.again &= !bit;
            self.again -= 1;
        }
        true
    }

    /// A packet has arrived without its payload: it is to be sent again if it is outstanding.
    pub(super) fn trimmed(&mut self, sequence: u32) {
        let word = &mut self.words[sequence as usize / 64];
        let bit = 1 << (sequence % 64);
        if (word.acknowledged | word.again) & bit == 0 {
            word.again |= bit;
            self.again += 1;
            self.lowest = self.lowest.min(sequence);
        }
    }

    /// The next packet to send, and whether it was sent before: the first to be sent again, or else the first never sent.
    #[inline]
    pub(super) fn take(&mut self) -> Option<(u32, bool)> {
        if self.again > 0 {
            return Some((self.take_again(), true));
        }
        if self.next == self.packets {
            return None;
        }
        self.next += 1;
        Some((self.next - 1, false))
    }

    /// The first packet to be sent again; there is one.
    fn take_again(&mut self) -> u32 {
        let mut place = self.lowest as usize / 64;
        while self.words[place].again == 0 {
            place += 1;
        }
        let word = &mut self.words[place];
        let bit = word.again.trailing_zeros();
        word.again &= word.again - 1;
        word.old &= !(1 << bit);
        self.again -= 1;
        self.lowest = place as u32 * 64 + bit;
        self.lowest
    }

    /// Whether a packet is outstanding and was last sent after the old ones were marked.
    pub(super) fn is_outstanding_anew(&self, sequence: u32) -> bool {
        let place = sequence as usize / 64;
        let word = &self.words[place];
        (word.outstanding(place, self.next) & !word.old) >> (sequence % 64) & 1 == 1
    }

    /// Takes the old packets that are still outstanding for lost, and marks what is outstanding then as old; how many are lost.
    pub(super) fn turn(&mut self) -> u32 {
        self.lose(|word| word.old)
    }

    /// Takes all outstanding packets for lost; how many they are.
    pub(super) fn lose_all(&mut self) -> u32 {
        self.lose(|_| !0)
    }

    fn lose(&mut self, which: impl Fn(&Word) -> u64) -> u32 {
        let sent = (self.next as usize).div_ceil(64);
        while self.words[..sent].get(self.first as usize).is_some_and(|word| word.acknowledged == !0) {
            self.first += 1;
        }
        let mut count = 0;
        for place in self.first as usize..sent {
            let word = &mut self.words[place];
            let lost = word.outstanding(place, self.next) & which(word);
            word.again |= lost;
            word.old = word.outstanding(place, self.next);
            if lost != 0 {
                count += lost.count_ones();
                self.lowest = self.lowest.min(place as u32 * 64 + lost.trailing_zeros());
            }
        }
        self.again += count;
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(packets: u32, count: u32) -> Fates {
        let mut fates = Fates::new(packets);
        fates.begin();
        for sequence in 0..count {
            assert_eq!(fates.take(), Some((sequence, false)));
        }
        fates
    }

    #[test]
    fn what_is_to_be_sent_again_goes_first_and_in_order() {
        let mut fates = sent(200, 150);
        for sequence in [140, 3, 70, 3] {
            fates.trimmed(sequence);
        }
        assert_eq!((fates.outstanding(), fates.take()), (147, Some((3, true))));
        // One before those already sent again.
        fates.trimmed(1);
        let order: Vec<_> = std::iter::from_fn(|| fates.take()).take(5).collect();
        assert_eq!(order, [(1, true), (70, true), (140, true), (150, false), (151, false)]);
        assert_eq!(fates.outstanding(), 152);
        // And one far before the last that was sent again.
        fates.trimmed(2);
        assert_eq!((fates.take(), fates.take()), (Some((2, true)), Some((152, false))));
    }

    #[test]
    fn what_is_acknowledged_late_is_not_sent_again() {
        let mut fates = sent(10, 4);
        assert_eq!(fates.lose_all(), 4);
        assert_eq!((fates.acknowledge(0), fates.acknowledge(2), fates.acknowledge(2)), (true, true, false));
        assert_eq!((fates.take(), fates.take(), fates.take()), (Some((1, true)), Some((3, true)), Some((4, false))));
        assert_eq!(fates.outstanding(), 3);
        // A header that came after the payload changes nothing.
        fates.trimmed(2);
        assert_eq!(fates.take(), Some((5, false)));
    }

    #[test]
    fn a_turn_loses_what_was_old_before_it() {
        let mut fates = sent(300, 130);
        assert_eq!(fates.turn(), 0);
        (130..140).for_each(|_| assert!(fates.take().is_some()));
        (0..130).filter(|sequence| ![5, 64, 129].contains(sequence)).for_each(|sequence| {
            fates.acknowledge(sequence);
        });
        // Sent again since: no longer old.
        fates.trimmed(64);
        assert_eq!(fates.take(), Some((64, true)));
        assert!(fates.is_outstanding_anew(64) && fates.is_outstanding_anew(139));
        assert!(!fates.is_outstanding_anew(5) && !fates.is_outstanding_anew(7) && !fates.is_outstanding_anew(140));
        assert_eq!(fates.turn(), 2);
        assert_eq!(
            (fates.take(), fates.take(), fates.take()),
            (Some((5, true)), Some((129, true)), Some((140, false)))
        );
        // 64 and 130 to 139 are old by now; 5, 129 and 140 are not.
        assert_eq!((fates.turn(), fates.outstanding()), (11, 3));
    }
}
