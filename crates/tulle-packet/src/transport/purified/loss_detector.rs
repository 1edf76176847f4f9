//! The loss detector: declares packets of a flow lost because later packets were answered, or because no answer comes.
//!
//! Packets leave the source in the order in which they are sent, except urgent ones, and then take paths of different lengths. So
//! if a packet is answered, every packet sent before it has left the source. Those that are not answered within the *reordering
//! window* from then are lost. The window bounds how much longer than another one packet may take. (RACK does the same, RFC 8985
//! §6.2; here the reordering window is as long as a timeout, and one test covers all packets of a round.)
//!
//! This needs one scan of the outstanding packets per round trip, and no send time per packet. If no answer comes at all, packets
//! are lost after a silence: of one reordering window if nothing waits at the source's link, otherwise of one timeout.

use super::Options;
use super::scoreboard::SendScoreboard;
use crate::outcome::NEVER;
use crate::transport::rtt::{Bounds, Rtt};
use crate::units::SECOND;

/// A flow whose packets are all answered may wait long for its turn to be pulled. The detector allows `TURN` timeouts until it has measured
/// that time, and then `WAITS` times the longest measured wait.
const TURN: u64 = 16;
const WAITS: u64 = 4;

/// The times that decide about a flow's outstanding packets.
#[derive(Debug)]
pub(super) struct LossDetector {
    /// When the old packets that are still outstanding are lost; [`NEVER`] until a packet sent after them is answered.
    verdict: u64,
    /// The first packet that was sent after the old ones.
    mark: u32,
    /// The packet that measures the round-trip time, outstanding or the next new one, and when it was sent.
    timed: u32,
    timed_at: u64,
    /// When the last answer or pull came, or when the timer last acted.
    last_heard: u64,
    /// When the timer last found data waiting at the source's link.
    held: u64,
    /// Time of the last pull that was not part of an acknowledgement, [`NEVER`] before the first, and the longest time between two such
    /// pulls.
    pulled: u64,
    longest: u64,
    rtt: Rtt,
    /// How often the timeout has doubled.
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
    /// The first window is sent.
    pub(super) fn begin(&mut self, scoreboard: &mut SendScoreboard, now: u64) {
        (self.timed, self.timed_at, self.last_heard) = (0, now, now);
        self.turn(scoreboard);
    }

    /// Declares overdue packets lost. The currently outstanding packets become the old ones.
    pub(super) fn turn(&mut self, scoreboard: &mut SendScoreboard) {
        let lost = scoreboard.turn();
        self.watch(scoreboard, lost);
    }

    fn watch(&mut self, scoreboard: &SendScoreboard, lost: u32) {
        (self.verdict, self.mark) = (NEVER, scoreboard.next());
        if lost > 0 {
            // Packets that may be sent twice measure nothing (Karn's algorithm, RFC 6298 §3).
            (self.timed, self.timed_at) = (scoreboard.next(), NEVER);
        }
    }

    /// Records an answer or a pull. Returns whether the old packets are lost by now.
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

    /// Records the answer to packet `sequence`; must precede the update of the scoreboard.
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
        } else if scoreboard.next() == scoreboard.packets() && scoreboard.is_outstanding_anew(sequence) {
            // No new packet is left. If urgent packets overtake others at the source, the answer to a retransmission does not show
            // that earlier packets have left the source.
            let least = if options.priority { options.timeout } else { 0 };
            self.verdict = now + self.reordering_window(options).max(least);
        }
    }

    /// Ends the back-off, because a packet has arrived.
    pub(super) fn relax(&mut self) {
        self.backoff = 0;
    }

    /// Returns how much longer than another one packet may take.
    fn reordering_window(&self, options: &Options) -> u64 {
        self.rtt.timeout(&Bounds { initial: options.timeout, least: options.reordering_window, most: NEVER })
    }

    /// Returns when the timer must check first.
    pub(super) fn first_look(&self, options: &Options) -> u64 {
        self.last_heard + options.reordering_window.min(options.timeout)
    }

    /// Checks for silence. `held` tells whether data waits at the source's link.
    pub(super) fn look(&mut self, scoreboard: &SendScoreboard, held: bool, now: u64, options: &Options) -> Look {
        let timeout = options.timeout << self.backoff;
        if scoreboard.outstanding() == 0 {
            let turn = TURN * timeout;
            let turn = if self.longest > 0 { turn.min((WAITS * self.longest).max(timeout)) } else { turn };
            return if now < self.last_heard + turn { Look::Later(self.last_heard + turn) } else { Look::Silent };
        }
        if held {
            self.held = now;
        }
        let quick = self.reordering_window(options).min(options.timeout) << self.backoff;
        let due = (self.last_heard + timeout).min(self.last_heard.max(self.held) + quick);
        match due.min(self.verdict) {
            // If queues are so deep that the reordering window is as long as the timeout, an exact check would find silences that
            // are only queueing.
            at if at > now && options.reordering_window == options.timeout => {
                Look::Later(at.max(now + options.timeout))
            }
            at if at > now => Look::Later(at),
            _ if now >= due => Look::Silent,
            _ => Look::Overdue,
        }
    }

    /// Takes all outstanding packets for lost after a silence, and backs off. Returns when to check next.
    pub(super) fn give_up(&mut self, scoreboard: &mut SendScoreboard, now: u64, options: &Options) -> u64 {
        /// The timeout doubles at least up to here. A timeout far below the queueing time at the source must not fill its link with
        /// retransmissions.
        const LONG: u64 = SECOND / 10;
        const MIN_DOUBLINGS: u8 = 6;
        if self.backoff < MIN_DOUBLINGS || options.timeout << self.backoff < LONG {
            self.backoff += 1;
        }
        self.last_heard = now;
        let lost = scoreboard.lose_all();
        self.watch(scoreboard, lost);
        self.first_look(options)
    }
}

/// What the timer finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// No decision yet; check again at this time.
    Later(u64),
    /// The old packets are lost.
    Overdue,
    /// The flow has been silent for too long.
    Silent,
}
