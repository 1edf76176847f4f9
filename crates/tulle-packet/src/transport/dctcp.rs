//! DCTCP: windows shrink by the share of marked packets (RFC 8257).

use tulle_spec::{Arguments, Info, Parameter};

use super::Flows;
use super::stream::{COMMON, Options, Response, Stream};
use super::tcp::change;
use crate::{Error, units};

/// The gain of the estimate (RFC 8257 §4.2: 1/16).
pub(super) const GAIN: Parameter = Parameter::prose(
    "gain",
    "above 0 and at most 1",
    "0.0625",
    "weight of the last window in the estimate of marks (g)",
);

const PARAMETERS: &[Parameter] = &{
    let [a, b, c, d, e, f, g, h, i, j] = COMMON;
    [a, b, c, d, e, f, g, h, i, j, change("yes"), GAIN]
};

pub(super) const INFO: Info = Info {
    name: "dctcp",
    summary: "TCP whose windows shrink by the share of marked packets; for queues that mark",
    parameters: PARAMETERS,
    nested: false,
    paper: "RFC 8257; Alizadeh et al., SIGCOMM 2010; FatPaths §VII-A6, §VIII-A1 (a reduction changes the layer)",
    limitations: "As tcp. Every packet is acknowledged, so marks are echoed exactly and need no state (RFC 8257 §3.2).",
    examples: &["dctcp", "dctcp:window=10,gain=0.1,change=no", "dctcp:handshake=no,interrupt=0,limit=64"],
    rejects: &[
        ("dctcp:gain=0", "gain=0 is out of range"),
        ("dctcp:limit=0", "limit=0 is out of range; legal: 1 to 1048576"),
        ("dctcp:subflows=2", "unknown parameter 'subflows=2'"),
    ],
};

pub(super) fn read(arguments: &Arguments, flows: &Flows) -> Result<Stream, Error> {
    let gain = arguments.fraction("gain", false)?.unwrap_or(DEFAULT_GAIN);
    let change = units::read_choice(arguments, "change", true)?;
    Ok(Stream::new(Options::read(arguments, flows, Response::Marks { gain }, change)?, flows))
}

pub(super) const DEFAULT_GAIN: f64 = 1.0 / 16.0;

/// The estimate of the share of marked packets (RFC 8257 §3.3).
#[derive(Debug, Clone, Copy)]
pub(super) struct Alpha {
    estimate: f64,
    acknowledged: u32,
    marked: u32,
    /// The packet that ends the window observed, and the one that ends the window in which no second reduction may be.
    end: u32,
    reduced: u32,
}

impl Default for Alpha {
    /// RFC 8257 §4.2: the estimate starts at 1, so that the first marks halve the window.
    fn default() -> Self {
        Self { estimate: 1.0, acknowledged: 0, marked: 0, end: 0, reduced: 0 }
    }
}

impl Alpha {
    /// Takes an acknowledgement, with `first` the first packet not acknowledged and `next` the next to be sent; by which
    /// factor the window is to shrink, if it is.
    pub(super) fn note(&mut self, marked: bool, first: u32, next: u32, gain: f64) -> Option<f64> {
        self.acknowledged += 1;
        self.marked += u32::from(marked);
        if first > self.end {
            // RFC 8257 §3.3, steps 4 to 8.
            let share = f64::from(self.marked) / f64::from(self.acknowledged);
            self.estimate = self.estimate * (1.0 - gain) + gain * share;
            (self.acknowledged, self.marked, self.end) = (0, 0, next);
        }
        // Step 9, once per window of data (RFC 3168 §6.1.2).
        (marked && first > self.reduced).then(|| {
            self.reduced = next;
            self.estimate / 2.0
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// With a share m of packets marked the estimate tends to m; a window shrinks once per round trip.
    #[test]
    fn the_estimate_follows_the_marks() {
        let mut alpha = Alpha::default();
        let mut factors = Vec::new();
        for packet in 0..4000u32 {
            factors.extend(alpha.note(packet % 5 == 0, packet + 1, packet + 21, 1.0 / 16.0));
        }
        assert!((alpha.estimate - 0.2).abs() < 0.02, "{}", alpha.estimate);
        assert_eq!(factors[0], 0.5);
        // Every fifth packet is marked, and one window is 21 packets: the 25th is the next to count.
        assert_eq!(factors.len(), 160);
        // Windows without marks: it decays by 15/16 each.
        let before = alpha.estimate;
        for packet in 4000..4000 + 16 * 21 {
            assert_eq!(alpha.note(false, packet + 1, packet + 21, 1.0 / 16.0), None);
        }
        let expected = before * (15.0f64 / 16.0).powi(16);
        assert!((alpha.estimate / expected - 1.0).abs() < 0.2, "{} {expected}", alpha.estimate);
    }

    /// RFC 8257 §3.3, step 4: an acknowledgement up to the end of the window observed is one more of that window.
    #[test]
    fn a_window_is_observed_to_its_end() {
        let mut alpha = Alpha::default();
        alpha.note(true, 1, 11, 1.0 / 16.0);
        assert_eq!((alpha.estimate, alpha.end), (1.0, 11));
        alpha.note(false, 11, 20, 1.0 / 16.0);
        assert_eq!((alpha.estimate, alpha.acknowledged), (1.0, 1));
        // Half of them were marked.
        alpha.note(true, 12, 21, 1.0 / 16.0);
        assert_eq!((alpha.estimate, alpha.acknowledged, alpha.end), (15.5 / 16.0, 0, 21));
    }
}
