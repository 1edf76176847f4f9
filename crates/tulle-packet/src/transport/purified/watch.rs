//! When packets of a flow are taken for lost: found by later ones, or by silence.
//!
//! Packets of a flow leave its source in the order in which they are sent, but for those that are urgent, and take ways of
//! different lengths from there. So once a packet is answered that was sent, for the first time, after others, those others are
//! in the network or lost; and they are lost if they are not answered within the *patience* from then, a bound on how much
//! longer one packet may take than another. Only later packets can tell how long packets wait at their source. (As RACK does,
//! RFC 8985 §6.2, with a window of reordering as long as a timeout and for all packets of a round at once.)
//!
//! That needs one look at all that is outstanding per round trip and patience, and none of the packets need a time of their own.
//! Where nothing comes any more, silence tells: of the patience if nothing waits at the link of the source, else of the timeout.

use super::Options;
use super::fates::Fates;
use crate::outcome::NEVER;
use crate::transport::rtt::{Bounds, Rtt};
use crate::units::SECOND;

/// A flow whose packets are all answered may wait long for its turn to be pulled: so many times the timeout, before it knows
/// how long that takes, and then so many times the longest wait.
const TURN: u64 = 16;
const WAITS: u64 = 4;

/// Times that bear on what a flow has outstanding.
#[derive(Debug)]
pub(super) struct Watch {
    /// When the old packets that are still outstanding are lost; [`NEVER`] while nothing sent after them was answered.
    verdict: u64,
    /// The packets from here on were first sent after the old ones.
    mark: u32,
    /// A packet that measures the round-trip time, the next new one or one on its way; and when it was sent.
    timed: u32,
    timed_at: u64,
    /// When an answer or a pull last came, or the timer last acted.
    heard: u64,
    /// When data was last seen to wait at the source's link.
    held: u64,
    /// When a pull last came by itself, [`NEVER`] before the first; and the longest time from one to the next, 0 before the second.
    pulled: u64,
    longest: u64,
    rtt: Rtt,
    /// How often the patience with silence has doubled.
    backoff: u8,
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            verdict: NEVER,
            mark: 0,
            timed: 0,
            timed_at: 0,
            heard: 0,
            held: 0,
            pulled: NEVER,
            longest: 0,
            rtt: Rtt::default(),
            backoff: 0,
        }
    }
}

impl Watch {
    /// The first window is sent.
    pub(super) fn begin(&mut self, fates: &mut Fates, now: u64) {
        (self.timed, self.timed_at, self.heard) = (0, now, now);
        self.turn(fates);
    }

    /// Takes what is overdue for lost and watches what is outstanding then.
    pub(super) fn turn(&mut self, fates: &mut Fates) {
        let lost = fates.turn();
        self.watch(fates, lost);
    }

    fn watch(&mut self, fates: &Fates, lost: u32) {
        (self.verdict, self.mark) = (NEVER, fates.next());
        if lost > 0 {
            // What may be sent twice measures nothing (Karn's algorithm, RFC 6298 §3).
            (self.timed, self.timed_at) = (fates.next(), NEVER);
        }
    }

    /// An answer or a pull is here; whether old packets are lost by now.
    #[inline]
    pub(super) fn hear(&mut self, is_pull: bool, now: u64) -> bool {
        if is_pull {
            self.longest = self.longest.max(now.saturating_sub(self.pulled));
            self.pulled = now;
        }
        self.heard = now;
        now >= self.verdict
    }

    /// A new packet is sent.
    #[inline]
    pub(super) fn sent(&mut self, sequence: u32, now: u64) {
        if sequence == self.timed {
            self.timed_at = now;
        }
    }

    /// Packet `sequence` is answered, and its fate not yet noted.
    #[inline]
    pub(super) fn answered(&mut self, sequence: u32, fates: &Fates, now: u64, options: &Options) {
        if sequence == self.timed {
            self.rtt.measure(now - self.timed_at);
            (self.timed, self.timed_at) = (fates.next(), NEVER);
        }
        if self.verdict != NEVER {
            return;
        }
        if sequence >= self.mark {
            self.verdict = now + self.patience(options);
        } else if fates.next() == fates.packets() && fates.is_outstanding_anew(sequence) {
            // Nothing new is left to be sent. Where urgent packets overtake others at the source, one that was sent again says
            // nothing of how long these wait there.
            let least = if options.priority { options.timeout } else { 0 };
            self.verdict = now + self.patience(options).max(least);
        }
    }

    /// A packet has arrived.
    pub(super) fn relax(&mut self) {
        self.backoff = 0;
    }

    /// How much longer one packet may take than another.
    fn patience(&self, options: &Options) -> u64 {
        self.rtt.timeout(&Bounds { initial: options.timeout, least: options.patience, most: NEVER })
    }

    /// When the timer is to look first.
    pub(super) fn first_look(&self, options: &Options) -> u64 {
        self.heard + options.patience.min(options.timeout)
    }

    /// Looks for silence; `held` while data waits at the source's link.
    pub(super) fn look(&mut self, fates: &Fates, held: bool, now: u64, options: &Options) -> Look {
        let timeout = options.timeout << self.backoff;
        if fates.outstanding() == 0 {
            let turn = TURN * timeout;
            let turn = if self.longest > 0 { turn.min((WAITS * self.longest).max(timeout)) } else { turn };
            return if now < self.heard + turn { Look::Later(self.heard + turn) } else { Look::Silent };
        }
        if held {
            self.held = now;
        }
        let quick = self.patience(options).min(options.timeout) << self.backoff;
        let due = (self.heard + timeout).min(self.heard.max(self.held) + quick);
        match due.min(self.verdict) {
            // Where queues are so deep that patience is no less than the timeout, to be exact would find silences that are none.
            at if at > now && options.patience == options.timeout => Look::Later(at.max(now + options.timeout)),
            at if at > now => Look::Later(at),
            _ if now >= due => Look::Silent,
            _ => Look::Overdue,
        }
    }

    /// The flow was silent for too long: takes all that is outstanding for lost, and is more patient from now on; when to
    /// look again.
    pub(super) fn give_up(&mut self, fates: &mut Fates, now: u64, options: &Options) -> u64 {
        /// Patience doubles up to here at least: a timeout far below the time that packets wait at their source must not fill its
        /// link with what is sent again.
        const LONG: u64 = SECOND / 10;
        const MIN_DOUBLINGS: u8 = 6;
        if self.backoff < MIN_DOUBLINGS || options.timeout << self.backoff < LONG {
            self.backoff += 1;
        }
        self.heard = now;
        let lost = fates.lose_all();
        self.watch(fates, lost);
        self.first_look(options)
    }
}

/// The finding of the timer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// Nothing yet; it is to look again then.
    Later(u64),
    /// The old packets are lost.
    Overdue,
    /// The flow has been silent for too long.
    Silent,
}
