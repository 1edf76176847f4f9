//! DCTCP: TCP whose windows shrink in proportion to the fraction of marked packets (RFC 8257).

use tulle_spec::{parameters, plugin};

use super::Flows;
use super::congestion::{Ack, Connection, Controller, Recovery, Start, Window};
use super::stream::{Common, Options, Stream};

parameters! {
    /// The weight of new marks in the congestion estimate.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Gain(arguments, flows: Flows<'a>) {
        /// weight of the last window in the estimate of marks (g; RFC 8257 §4.2: 1/16)
        pub gain: Option<f64> = fraction(), default "0.0625";
    }
}

plugin! {
    #[derive(Debug)]
    pub(crate) struct Dctcp(arguments, flows: Flows<'a>) {
        common: Common;
        /// whether a flow asks its selector for another layer when its window is reduced
        change: bool = flag(), default "yes";
        gain: Gain;
        machine: Stream<Proportional> => Stream::new(Options::new(&common, change, gain, flows), flows);
    }
    name: "dctcp",
    summary: "TCP whose windows shrink with the fraction of marked packets; for queues that mark packets",
    paper: "RFC 8257; Alizadeh et al., SIGCOMM 2010; FatPaths §VII-A6, §VIII-A1 (a reduction changes the layer)",
    limitations: "The limitations of tcp apply, except that congestion marks are used. Every packet is acknowledged, so marks are \
        echoed exactly and the receiver needs no state (RFC 8257 §3.2).",
    examples: ["dctcp", "dctcp:window=10,gain=0.1,change=no", "dctcp:handshake=no,interrupt=0,limit=64"],
    rejects: [
        ("dctcp:gain=0", "gain=0 is out of range"),
        ("dctcp:limit=0", "limit=0 is out of range; legal: 1 to 1048576"),
        ("dctcp:subflows=2", "unknown parameter 'subflows=2'"),
    ],
}

runs!(Dctcp: Stream<Proportional>, "ecn", "recycle");

/// A controller that shrinks the window by half the fraction of marked packets, once per window (RFC 8257 §3.3). Otherwise, it behaves
/// like NewReno.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Proportional {
    window: Window,
    alpha: Alpha,
}

impl Controller for Proportional {
    type Parameters = Gain;

    fn new(start: &Start, _: &Gain) -> Self {
        Self { window: Window::new(start.window), alpha: Alpha::default() }
    }

    fn on_ack(&mut self, ack: &Ack, connection: &Connection, parameters: &Gain) {
        let marked = parameters.gain.is_some_and(|gain| {
            self.alpha.observe(ack.marked, connection, gain);
            ack.marked
        });
        // An acknowledgement of a marked packet does not let the window grow (RFC 3168 §6.1.2).
        if !marked && ack.may_grow(connection) {
            self.window.grow(ack);
        }
    }

    fn on_ecn(&mut self, connection: &Connection, parameters: &Gain) -> bool {
        if parameters.gain.is_none() {
            return false;
        }
        let Some(factor) = self.alpha.reduction(connection) else { return false };
        // A loss has halved the window already.
        if connection.recovery != Recovery::None {
            return false;
        }
        self.window.shrink(factor);
        true
    }

    fn on_loss(&mut self, connection: &Connection, _: &Gain) {
        self.window.on_loss(connection);
    }

    fn on_timeout(&mut self, connection: &Connection, _: &Gain) {
        self.window.on_timeout(connection);
    }

    #[inline]
    fn cwnd(&self) -> f64 {
        self.window.size()
    }
}

impl Proportional {
    /// Returns whether the window is still below its slow-start threshold.
    pub(super) fn is_slow_start(&self) -> bool {
        self.window.is_slow_start()
    }
}

/// The estimate of the fraction of marked packets (RFC 8257 §3.3).
#[derive(Debug, Clone, Copy)]
struct Alpha {
    estimate: f64,
    acknowledged: u32,
    marked: u32,
    /// The packet at which the observation window ends.
    end: u32,
    /// The packet up to which acknowledgements do not reduce the window again.
    reduced: u32,
}

impl Default for Alpha {
    /// Returns the initial estimate, 1, so that the first marks halve the window (RFC 8257 §4.2).
    fn default() -> Self {
        Self { estimate: 1.0, acknowledged: 0, marked: 0, end: 0, reduced: 0 }
    }
}

impl Alpha {
    /// Counts an acknowledgement, and updates the estimate at the end of each window.
    fn observe(&mut self, marked: bool, connection: &Connection, gain: f64) {
        self.acknowledged += 1;
        self.marked += u32::from(marked);
        if connection.first > self.end {
            // RFC 8257 §3.3, steps 4 to 8.
            let share = f64::from(self.marked) / f64::from(self.acknowledged);
            self.estimate = self.estimate * (1.0 - gain) + gain * share;
            (self.acknowledged, self.marked, self.end) = (0, 0, connection.next);
        }
    }

    /// Returns the fraction by which a mark shrinks the window: once per window of data (RFC 8257 §3.3, step 9; RFC 3168 §6.1.2).
    fn reduction(&mut self, connection: &Connection) -> Option<f64> {
        (connection.first > self.reduced).then(|| {
            self.reduced = connection.next;
            self.estimate / 2.0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Observes an acknowledgement. Returns the reduction of the window if the acknowledgement is marked.
    fn note(alpha: &mut Alpha, marked: bool, first: u32, next: u32, gain: f64) -> Option<f64> {
        let connection = Connection { now: 0, first, next, flight: next - first, recovery: Recovery::None };
        alpha.observe(marked, &connection, gain);
        if marked { alpha.reduction(&connection) } else { None }
    }

    /// If a fraction m of the packets is marked, the estimate approaches m. The window shrinks once per round trip.
    #[test]
    fn the_estimate_follows_the_marks() {
        let mut alpha = Alpha::default();
        let mut factors = Vec::new();
        for packet in 0..4000u32 {
            factors.extend(note(&mut alpha, packet % 5 == 0, packet + 1, packet + 21, 1.0 / 16.0));
        }
        assert!((alpha.estimate - 0.2).abs() < 0.02, "{}", alpha.estimate);
        assert_eq!(factors[0], 0.5);
        // Every fifth packet is marked, and a window has 21 packets, so every 25th packet reduces the window.
        assert_eq!(factors.len(), 160);
        // Each window without marks multiplies the estimate by 15/16.
        let before = alpha.estimate;
        for packet in 4000..4000 + 16 * 21 {
            assert_eq!(note(&mut alpha, false, packet + 1, packet + 21, 1.0 / 16.0), None);
        }
        let expected = before * (15.0f64 / 16.0).powi(16);
        assert!((alpha.estimate / expected - 1.0).abs() < 0.2, "{} {expected}", alpha.estimate);
    }

    /// RFC 8257 §3.3, step 4: an acknowledgement up to the end of the observed window still belongs to this window.
    #[test]
    fn a_window_is_observed_to_its_end() {
        let mut alpha = Alpha::default();
        note(&mut alpha, true, 1, 11, 1.0 / 16.0);
        assert_eq!((alpha.estimate, alpha.end), (1.0, 11));
        note(&mut alpha, false, 11, 20, 1.0 / 16.0);
        assert_eq!((alpha.estimate, alpha.acknowledged), (1.0, 1));
        // Half of the packets in the second window were marked.
        note(&mut alpha, true, 12, 21, 1.0 / 16.0);
        assert_eq!((alpha.estimate, alpha.acknowledged, alpha.end), (15.5 / 16.0, 0, 21));
    }
}
