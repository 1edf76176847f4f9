//! The send scoreboard: the state of each packet of a flow at its source.

/// The states of 64 packets: one bit of each field per packet. A sent packet that is neither `acknowledged` nor `to_retransmit` is
/// outstanding.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    acknowledged: u64,
    /// Packets that were trimmed or declared lost.
    to_retransmit: u64,
    /// Packets that were last sent before the latest call of `turn`. This field is meaningful only for outstanding packets.
    old: u64,
}

impl Word {
    /// Returns the outstanding packets of this word, which has index `place`, if the first `sent` packets of the flow were sent.
    #[inline]
    fn outstanding(&self, place: usize, sent: u32) -> u64 {
        let rest = u64::from(sent).saturating_sub(64 * place as u64);
        let sent = if rest >= 64 { !0 } else { (1 << rest) - 1 };
        sent & !self.acknowledged & !self.to_retransmit
    }
}

/// The packets of a flow. Each packet is unsent, outstanding, acknowledged, or to be retransmitted (trimmed or declared lost).
#[derive(Debug, Default)]
pub(super) struct SendScoreboard {
    /// The states of all packets; empty before the flow starts and after it ends.
    words: Box<[Word]>,
    packets: u32,
    next: u32,
    acknowledged: u32,
    to_retransmit: u32,
    /// A lower bound: no packet with a lower number needs a retransmission.
    lowest: u32,
    /// A lower bound: no word of `words` with a lower index has an unacknowledged packet.
    first: u32,
}

impl SendScoreboard {
    pub(super) fn new(packets: u32) -> Self {
        Self { packets, ..Self::default() }
    }

    pub(super) fn packets(&self) -> u32 {
        self.packets
    }

    /// Returns the first packet that was never sent.
    #[inline]
    pub(super) fn next(&self) -> u32 {
        self.next
    }

    /// Returns the number of outstanding packets: sent, not acknowledged, and not to be retransmitted.
    #[inline]
    pub(super) fn outstanding(&self) -> u32 {
        self.next - self.acknowledged - self.to_retransmit
    }

    pub(super) fn begin(&mut self) {
        self.words = vec![Word::default(); (self.packets as usize).div_ceil(64)].into_boxed_slice();
    }

    pub(super) fn end(&mut self) {
        self.words = Box::default();
    }

    /// Records that a packet has arrived. Returns whether this was not known before.
    pub(super) fn acknowledge(&mut self, sequence: u32) -> bool {
        let word = &mut self.words[sequence as usize / 64];
        let bit = 1 << (sequence % 64);
        if word.acknowledged & bit != 0 {
            return false;
        }
        word.acknowledged |= bit;
        self.acknowledged += 1;
        if word.to_retransmit & bit != 0 {
            // The packet was late, not lost.
            word.to_retransmit &= !bit;
            self.to_retransmit -= 1;
        }
        true
    }

    /// Records that a packet arrived without its payload. If the packet is outstanding, it must now be retransmitted.
    pub(super) fn trimmed(&mut self, sequence: u32) {
        let word = &mut self.words[sequence as usize / 64];
        let bit = 1 << (sequence % 64);
        if (word.acknowledged | word.to_retransmit) & bit == 0 {
            word.to_retransmit |= bit;
            self.to_retransmit += 1;
            self.lowest = self.lowest.min(sequence);
        }
    }

    /// Takes the next packet to send. Returns the packet and whether it is a retransmission. Retransmissions are sent first.
    #[inline]
    pub(super) fn take(&mut self) -> Option<(u32, bool)> {
        if self.to_retransmit > 0 {
            return Some((self.take_retransmission(), true));
        }
        if self.next == self.packets {
            return None;
        }
        self.next += 1;
        Some((self.next - 1, false))
    }

    /// Takes the first packet to be retransmitted. At least one packet must need a retransmission.
    fn take_retransmission(&mut self) -> u32 {
        let mut place = self.lowest as usize / 64;
        while self.words[place].to_retransmit == 0 {
            place += 1;
        }
        let word = &mut self.words[place];
        let bit = word.to_retransmit.trailing_zeros();
        word.to_retransmit &= word.to_retransmit - 1;
        word.old &= !(1 << bit);
        self.to_retransmit -= 1;
        self.lowest = place as u32 * 64 + bit;
        self.lowest
    }

    /// Returns whether a packet is outstanding and was last sent after the latest call of `turn`.
    pub(super) fn is_outstanding_again(&self, sequence: u32) -> bool {
        let place = sequence as usize / 64;
        let word = &self.words[place];
        (word.outstanding(place, self.next) & !word.old) >> (sequence % 64) & 1 == 1
    }

    /// Declares the old packets that are still outstanding lost, and marks the remaining outstanding packets as old. Returns the number
    /// of lost packets.
    pub(super) fn turn(&mut self) -> u32 {
        self.lose(|word| word.old)
    }

    /// Declares all outstanding packets lost. Returns their number.
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
            word.to_retransmit |= lost;
            word.old = word.outstanding(place, self.next);
            if lost != 0 {
                count += lost.count_ones();
                self.lowest = self.lowest.min(place as u32 * 64 + lost.trailing_zeros());
            }
        }
        self.to_retransmit += count;
        count
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(packets: u32, count: u32) -> SendScoreboard {
        let mut scoreboard = SendScoreboard::new(packets);
        scoreboard.begin();
        for sequence in 0..count {
            assert_eq!(scoreboard.take(), Some((sequence, false)));
        }
        scoreboard
    }

    #[test]
    fn retransmissions_are_sent_first_and_in_order() {
        let mut scoreboard = sent(200, 150);
        for sequence in [140, 3, 70, 3] {
            scoreboard.trimmed(sequence);
        }
        assert_eq!((scoreboard.outstanding(), scoreboard.take()), (147, Some((3, true))));
        // Packet 1 precedes packet 3, which was already retransmitted.
        scoreboard.trimmed(1);
        let order: Vec<_> = std::iter::from_fn(|| scoreboard.take()).take(5).collect();
        assert_eq!(order, [(1, true), (70, true), (140, true), (150, false), (151, false)]);
        assert_eq!(scoreboard.outstanding(), 152);
        // Packet 2 is far before the last retransmitted packet.
        scoreboard.trimmed(2);
        assert_eq!((scoreboard.take(), scoreboard.take()), (Some((2, true)), Some((152, false))));
    }

    #[test]
    fn late_acknowledgements_prevent_retransmissions() {
        let mut scoreboard = sent(10, 4);
        assert_eq!(scoreboard.lose_all(), 4);
        assert_eq!(
            (scoreboard.acknowledge(0), scoreboard.acknowledge(2), scoreboard.acknowledge(2)),
            (true, true, false)
        );
        assert_eq!(
            (scoreboard.take(), scoreboard.take(), scoreboard.take()),
            (Some((1, true)), Some((3, true)), Some((4, false)))
        );
        assert_eq!(scoreboard.outstanding(), 3);
        // A trimmed header that arrives after the payload changes nothing.
        scoreboard.trimmed(2);
        assert_eq!(scoreboard.take(), Some((5, false)));
    }

    #[test]
    fn the_end_of_a_round_loses_old_packets() {
        let mut scoreboard = sent(300, 130);
        assert_eq!(scoreboard.turn(), 0);
        (130..140).for_each(|_| assert!(scoreboard.take().is_some()));
        (0..130).filter(|sequence| ![5, 64, 129].contains(sequence)).for_each(|sequence| {
            scoreboard.acknowledge(sequence);
        });
        // Packet 64 is retransmitted, so it does not count as old any more.
        scoreboard.trimmed(64);
        assert_eq!(scoreboard.take(), Some((64, true)));
        assert!(scoreboard.is_outstanding_again(64) && scoreboard.is_outstanding_again(139));
        assert!(
            !scoreboard.is_outstanding_again(5)
                && !scoreboard.is_outstanding_again(7)
                && !scoreboard.is_outstanding_again(140)
        );
        assert_eq!(scoreboard.turn(), 2);
        assert_eq!(
            (scoreboard.take(), scoreboard.take(), scoreboard.take()),
            (Some((5, true)), Some((129, true)), Some((140, false)))
        );
        // Packets 64 and 130 to 139 are now old; packets 5, 129 and 140 are not.
        assert_eq!((scoreboard.turn(), scoreboard.outstanding()), (11, 3));
    }
}
