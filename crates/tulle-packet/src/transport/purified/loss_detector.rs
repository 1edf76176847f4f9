//! The loss detector declares packets of a flow lost when later packets were answered, or when no answer arrives.
//!
//! An answer is an acknowledgement of a packet or of its trimmed header. Packets leave the source in the order in which they are sent
//! (except urgent packets), and then take paths of different lengths. So if a packet is answered, every packet sent before it has left the
//! source. Earlier packets that are not answered within the *reordering window* after this answer are lost. The reordering window is the
//! maximum difference between the delays of two packets. RACK works in the same way (RFC 8985 §6.2). In tulle, the reordering window is
//! computed like a retransmission timeout (RFC 6298), and one check covers all packets that were sent before the current round.
//!
//! The loss detector needs one scan of the outstanding packets per round trip, and no send time per packet. If no answer arrives at all,
//! outstanding packets are declared lost after some time: after one reordering window if no data waits at the source's link, otherwise
//! after one timeout.

use super::Options;
use super::scoreboard::SendScoreboard;
use crate::outcome::NEVER;
use crate::transport::rtt::{Bounds, Rtt};
use crate::units::SECOND;

/// The number of timeouts that a flow without outstanding packets waits for a pull, before it has measured the time between pulls.
///
/// A flow without outstanding packets can wait long until the receiver pulls it. After the measurement, the flow waits for `WAITS` times
/// the longest time between two pulls, but for at least one timeout and at most `TURN` timeouts.
const TURN: u64 = 16;
const WAITS: u64 = 4;

/// Decides when unanswered packets of a flow are declared lost.
///
/// It works in rounds. At the end of a round, the flow declares its *old* packets lost: those that were sent before the round began and are
/// still not answered.
#[derive(Debug)]
pub(super) struct LossDetector {
    /// The time at which the old packets that are still outstanding are declared lost; [`NEVER`] until a packet sent after them is
    /// answered.
    verdict: u64,
    /// The first new packet of the current round.
    mark: u32,
    /// The packet that measures the round-trip time: an outstanding packet or the next new packet.
    timed: u32,
    /// The time at which packet `timed` was sent.
    timed_at: u64,
    /// The time of the last answer or pull, or of the last timeout.
    last_heard: u64,
    /// The time at which the timer last found data waiting at the source's link.
    held: u64,
    /// The time of the last pull that was not part of an acknowledgement; [`NEVER`] before the first one.
    pulled: u64,
    /// The longest time between two pulls that were not part of acknowledgements, in picoseconds.
    longest: u64,
    rtt: Rtt,
    /// The number of times that the timeout has doubled.
    backoff: u8,
}

impl Default for LossDetector {
    fn default() -> Self {
        Self {
            verdict: NEVER,
            mark: 0,
            timed: 0,
            timed_at: 0,
            last_heard: 0,
            held: 0,
            pulled: NEVER,
            longest: 0,
            rtt: Rtt::default(),
            backoff: 0,
        }
    }
}

impl LossDetector {
    /// Starts the first round, after the first window was sent.
    pub(super) fn begin(&mut self, scoreboard: &mut SendScoreboard, now: u64) {
        (self.timed, self.timed_at, self.last_heard) = (0, now, now);
        self.turn(scoreboard);
    }

    /// Ends a round: declares the old packets that are still outstanding lost. The remaining outstanding packets are the old packets of
    /// the next round.
    pub(super) fn turn(&mut self, scoreboard: &mut SendScoreboard) {
        let lost = scoreboard.turn();
        self.start_round(scoreboard, lost);
    }

    fn start_round(&mut self, scoreboard: &SendScoreboard, lost: u32) {
        (self.verdict, self.mark) = (NEVER, scoreboard.next());
        if lost > 0 {
            // Packets that can be retransmitted must not measure the round-trip time (Karn's algorithm, RFC 6298 §3).
            (self.timed, self.timed_at) = (scoreboard.next(), NEVER);
        }
    }

    /// Records an answer or a pull. Returns whether the old packets are now lost.
    #[inline]
    pub(super) fn on_answer(&mut self, is_pull: bool, now: u64) -> bool {
        if is_pull {
            self.longest = self.longest.max(now.saturating_sub(self.pulled));
            self.pulled = now;
        }
        self.last_heard = now;
        now >= self.verdict
    }

    /// Records that a new packet is sent.
    #[inline]
    pub(super) fn sent(&mut self, sequence: u32, now: u64) {
        if sequence == self.timed {
            self.timed_at = now;
        }
    }

    /// Records the answer to packet `sequence`. The caller updates the scoreboard after this call.
    #[inline]
    pub(super) fn answered(&mut self, sequence: u32, scoreboard: &SendScoreboard, now: u64, options: &Options) {
        if sequence == self.timed {
            self.rtt.measure(now - self.timed_at);
            (self.timed, self.timed_at) = (scoreboard.next(), NEVER);
        }
        if self.verdict != NEVER {
            return;
        }
        if sequence >= self.mark {
            self.verdict = now + self.reordering_window(options);
        } else if scoreboard.next() == scoreboard.packets() && scoreboard.is_outstanding_again(sequence) {
            // If no new packet is left, the answer to a retransmission starts the reordering window. If retransmissions are sent with
            // priority, they overtake earlier packets in the source's queue. The answer then does not prove that these packets have left
            // the source, so the window is at least a timeout.
            let least = if options.priority { options.timeout } else { 0 };
            self.verdict = now + self.reordering_window(options).max(least);
        }
    }

    /// Ends the back-off, because a packet has arrived.
    pub(super) fn relax(&mut self) {
        self.backoff = 0;
    }

    /// Returns the reordering window in picoseconds: the maximum difference between the delays of two packets.
    fn reordering_window(&self, options: &Options) -> u64 {
        self.rtt.timeout(&Bounds { initial: options.timeout, least: options.reordering_window, most: NEVER })
    }

    /// Returns the time of the timer's first check.
    pub(super) fn first_check(&self, options: &Options) -> u64 {
        self.last_heard + options.reordering_window.min(options.timeout)
    }

    /// Checks whether the flow has been without answers for too long. `held` is true if data waits at the source's link.
    pub(super) fn check(&mut self, scoreboard: &SendScoreboard, held: bool, now: u64, options: &Options) -> Check {
        let timeout = options.timeout << self.backoff;
        if scoreboard.outstanding() == 0 {
            let turn = TURN * timeout;
            let turn = if self.longest > 0 { turn.min((WAITS * self.longest).max(timeout)) } else { turn };
            return if now < self.last_heard + turn { Check::Later(self.last_heard + turn) } else { Check::Silent };
        }
        if held {
            self.held = now;
        }
        let quick = self.reordering_window(options).min(options.timeout) << self.backoff;
        let due = (self.last_heard + timeout).min(self.last_heard.max(self.held) + quick);
        match due.min(self.verdict) {
            // If queues are deep, the reordering window is as long as the timeout. Then the next check is at least one timeout from now. A
            // check exactly at the due time would mistake queueing delays for losses.
            at if at > now && options.reordering_window == options.timeout => {
                Check::Later(at.max(now + options.timeout))
            }
            at if at > now => Check::Later(at),
            _ if now >= due => Check::Silent,
            _ => Check::Overdue,
        }
    }

    /// Declares all outstanding packets lost after a time without answers, and backs off. Returns the time of the next check.
    pub(super) fn give_up(&mut self, scoreboard: &mut SendScoreboard, now: u64, options: &Options) -> u64 {
        /// The duration in picoseconds up to which the timeout always doubles. Without this rule, a timeout far below the queueing time at
        /// the source would fill the source's link with retransmissions.
        const LONG: u64 = SECOND / 10;
        const MIN_DOUBLINGS: u8 = 6;
        if self.backoff < MIN_DOUBLINGS || options.timeout << self.backoff < LONG {
            self.backoff += 1;
        }
        self.last_heard = now;
        let lost = scoreboard.lose_all();
        self.start_round(scoreboard, lost);
        self.first_check(options)
    }
}

/// The result of a check by the timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Check {
    /// No packet is lost yet. The timer must check again at this time.
    Later(u64),
    /// The old packets that are still outstanding are lost.
    Overdue,
    /// The flow has been without answers or pulls for too long.
    Silent,
}
