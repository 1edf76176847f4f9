//! The scoreboard of a TCP sender: the states of its outstanding packets (RFC 6675).

use std::collections::VecDeque;

const SACKED: u8 = 1;
const LOST: u8 = 2;
const RETRANSMITTED: u8 = 4;

/// The number of selectively acknowledged later packets after which a packet counts as lost (RFC 6675 §2: DupThresh).
const DUP_THRESH: u32 = 3;

/// The states of the outstanding packets, starting with the first unacknowledged packet.
#[derive(Debug, Clone, Default)]
pub(super) struct Scoreboard {
    /// Per outstanding packet, a combination of [`SACKED`], [`LOST`] and [`RETRANSMITTED`].
    states: VecDeque<u8>,
    /// The first outstanding packet.
    first: u32,
    /// The number of packets that have left the network: selectively acknowledged, or lost and not yet retransmitted.
    gone: u32,
    /// All outstanding packets before this one are selectively acknowledged or lost. DupThresh declares no packet from this one on lost.
    edge: u32,
    /// The number of selectively acknowledged packets from `edge` on.
    above: u32,
    /// The packet after the highest selectively acknowledged packet.
    top: u32,
    /// The packet from which the search for retransmissions continues.
    scan: u32,
    /// The packet after the last lost packet.
    lost_end: u32,
}

impl Scoreboard {
    /// Returns the number of packets that were sent and not cumulatively acknowledged (FlightSize of RFC 5681, in packets).
    pub(super) fn outstanding(&self) -> u32 {
        self.states.len() as u32
    }

    /// Returns the estimated number of packets in the network (RFC 6675 §4: SetPipe).
    pub(super) fn pipe(&self) -> u32 {
        self.outstanding() - self.gone
    }

    /// Returns whether the first outstanding packet is lost (RFC 6675 §4: IsLost).
    pub(super) fn is_first_lost(&self) -> bool {
        self.edge > self.first
    }

    /// Adds a new packet, which is sent now.
    pub(super) fn push(&mut self) {
        self.states.push_back(0);
    }

    /// Removes all packets before `number`, which have arrived. Returns how many of them were outstanding.
    pub(super) fn acknowledge(&mut self, number: u32) -> u32 {
        let mut news = 0;
        while self.first < number
            && let Some(state) = self.states.pop_front()
        {
            self.gone -= u32::from(is_gone(state));
            self.above -= u32::from(self.first >= self.edge && state & SACKED != 0);
            self.first += 1;
            news += 1;
        }
        self.edge = self.edge.max(self.first);
        self.scan = self.scan.max(self.first);
        self.settle();
        news
    }

    /// Marks the `run` consecutive packets that end with `last` as selectively acknowledged.
    pub(super) fn sack(&mut self, last: u32, run: u32) {
        for sequence in (last.saturating_sub(run.saturating_sub(1))..=last).rev() {
            if sequence < self.first || self.state(sequence).is_none_or(|state| state & SACKED != 0) {
                break;
            }
            self.set(sequence, SACKED);
            self.above += u32::from(sequence >= self.edge);
            self.top = self.top.max(sequence + 1);
        }
        self.settle();
    }

    /// Declares packets lost when enough later packets were acknowledged.
    fn settle(&mut self) {
        while self.above >= DUP_THRESH {
            if self.state(self.edge).is_some_and(|state| state & SACKED != 0) {
                if self.above == DUP_THRESH {
                    break;
                }
                self.above -= 1;
            } else {
                self.set(self.edge, LOST);
            }
            self.edge += 1;
        }
        self.lost_end = self.lost_end.max(self.edge);
    }

    /// Declares all outstanding packets lost that are not selectively acknowledged, including retransmitted packets (RFC 6675 §5.1).
    pub(super) fn expire(&mut self) {
        for state in &mut self.states {
            *state &= SACKED;
            *state |= if *state == 0 { LOST } else { 0 };
        }
        self.gone = self.outstanding();
        self.scan = self.first;
        self.lost_end = self.first + self.outstanding();
    }

    /// Returns the first lost packet that was not retransmitted, and marks it as retransmitted (RFC 6675 §4: NextSeg, rule 1).
    pub(super) fn take_lost(&mut self) -> Option<u32> {
        self.take(self.lost_end, |state| state & LOST != 0)
    }

    /// Returns the first packet before the highest selectively acknowledged packet that was neither acknowledged nor retransmitted, and
    /// marks it as retransmitted (RFC 6675 §4: NextSeg, rule 3).
    pub(super) fn take_hole(&mut self) -> Option<u32> {
        self.take(self.top, |_| true)
    }

    /// Returns the highest outstanding packet that is not selectively acknowledged (RFC 6675 §4: NextSeg, rule 4).
    pub(super) fn highest(&self) -> Option<u32> {
        let at = self.states.iter().rposition(|state| state & SACKED == 0)?;
        Some(self.first + at as u32)
    }

    /// Returns whether the outstanding packet at index `at` is selectively acknowledged.
    pub(super) fn is_sacked(&self, at: usize) -> bool {
        self.states.get(at).is_some_and(|state| state & SACKED != 0)
    }

    fn take(&mut self, end: u32, wanted: impl Fn(u8) -> bool) -> Option<u32> {
        while self.scan < end {
            let sequence = self.scan;
            let state = self.state(sequence)?;
            self.scan += 1;
            if state & (SACKED | RETRANSMITTED) == 0 && wanted(state) {
                self.set(sequence, RETRANSMITTED);
                return Some(sequence);
            }
        }
        None
    }

    fn state(&self, sequence: u32) -> Option<u8> {
        self.states.get((sequence - self.first) as usize).copied()
    }

    fn set(&mut self, sequence: u32, bit: u8) {
        let state = &mut self.states[(sequence - self.first) as usize];
        let before = is_gone(*state);
        *state |= bit;
        self.gone = self.gone + u32::from(is_gone(*state)) - u32::from(before);
    }
}

fn is_gone(state: u8) -> bool {
    state & SACKED != 0 || state & (LOST | RETRANSMITTED) == LOST
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(packets: u32) -> Scoreboard {
        let mut board = Scoreboard::default();
        (0..packets).for_each(|_| board.push());
        board
    }

    #[test]
    fn three_packets_above_make_one_lost() {
        let mut board = board(10);
        board.sack(2, 1);
        board.sack(4, 1);
        assert_eq!((board.is_first_lost(), board.pipe(), board.take_lost()), (false, 8, None));
        board.sack(6, 1);
        // Three selectively acknowledged packets follow packets 0 and 1, but only two follow packet 3.
        assert_eq!((board.is_first_lost(), board.pipe()), (true, 5));
        assert_eq!((board.take_lost(), board.take_lost(), board.take_lost()), (Some(0), Some(1), None));
        assert_eq!(board.pipe(), 7);
        // Rule 3 also returns holes below the highest acknowledged packet that are not lost.
        assert_eq!((board.take_hole(), board.take_hole(), board.take_hole()), (Some(3), Some(5), None));
        assert_eq!(board.acknowledge(3), 3);
        assert_eq!((board.outstanding(), board.pipe()), (7, 5));
        assert_eq!(board.acknowledge(10), 7);
        assert_eq!((board.outstanding(), board.pipe()), (0, 0));
    }

    #[test]
    fn runs_replace_lost_acknowledgements() {
        let mut board = board(8);
        board.sack(5, 4);
        assert_eq!((board.is_first_lost(), board.pipe()), (true, 2));
        assert_eq!((board.take_lost(), board.take_lost(), board.take_lost()), (Some(0), Some(1), None));
    }

    #[test]
    fn a_timeout_retransmits_all_packets_that_have_not_arrived() {
        let mut board = board(6);
        board.sack(3, 1);
        board.expire();
        assert_eq!(board.pipe(), 0);
        let again: Vec<u32> = std::iter::from_fn(|| board.take_lost()).collect();
        assert_eq!((again, board.pipe()), (vec![0, 1, 2, 4, 5], 5));
        board.expire();
        assert_eq!((board.take_lost(), board.pipe()), (Some(0), 1));
    }

    /// A packet that a timeout has declared lost stays lost when enough later packets are acknowledged.
    #[test]
    fn packets_are_lost_once() {
        let mut board = board(8);
        board.expire();
        board.sack(6, 3);
        assert_eq!((board.is_first_lost(), board.pipe()), (true, 0));
        let again: Vec<u32> = std::iter::from_fn(|| board.take_lost()).collect();
        assert_eq!((again, board.pipe()), (vec![0, 1, 2, 3, 7], 5));
    }
}
