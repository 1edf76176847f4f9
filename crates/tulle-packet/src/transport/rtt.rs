//! Round-trip times and the retransmission timeout (RFC 6298).

/// The limits of the retransmission timeout, in picoseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// The timeout before the first measurement (RFC 6298 §2.1: 1 s).
    pub(super) initial: u64,
    /// The minimum timeout (RFC 6298 §2.4: 1 s in the Internet; FatPaths, appendix D-C: 200 us).
    pub(super) least: u64,
    /// The maximum timeout (RFC 6298 §2.5: at least 60 s).
    pub(super) most: u64,
}

/// The round-trip time estimator of one connection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rtt {
    /// The smoothed round-trip time in picoseconds; 0 before the first measurement.
    smoothed: u64,
    /// The variation of the round-trip time in picoseconds.
    variation: u64,
    /// The number of times that the timeout is doubled.
    doublings: u8,
}

impl Rtt {
    /// Adds a measurement in picoseconds. It must not come from a retransmitted packet (Karn's algorithm, RFC 6298 §3).
    pub(super) fn measure(&mut self, sample: u64) {
        let sample = sample.max(1);
        if self.smoothed == 0 {
            // RFC 6298 §2.2.
            self.smoothed = sample;
            self.variation = sample / 2;
        } else {
            // RFC 6298 §2.3: beta = 1/4, alpha = 1/8.
            self.variation = (3 * self.variation + self.smoothed.abs_diff(sample)) / 4;
            self.smoothed = (7 * self.smoothed + sample) / 8;
        }
        self.doublings = 0;
    }

    /// Returns the smoothed round-trip time in picoseconds; `None` before the first measurement.
    pub(super) fn smoothed(&self) -> Option<u64> {
        (self.smoothed > 0).then_some(self.smoothed)
    }

    /// Returns the current timeout in picoseconds.
    pub(super) fn timeout(&self, bounds: &Bounds) -> u64 {
        // RFC 6298 §2.2, §2.3: K = 4. The clock is exact, so its granularity G is 0.
        let usual = if self.smoothed == 0 { bounds.initial } else { self.smoothed + 4 * self.variation };
        let doubled = u128::from(usual.max(bounds.least)) << self.doublings;
        doubled.min(bounds.most.into()) as u64
    }

    /// Ends the exponential back-off, because new data was acknowledged.
    pub(super) fn advance(&mut self) {
        self.doublings = 0;
    }

    /// Returns how often the timer has expired since new data was last acknowledged.
    pub(super) fn expiries(&self) -> u32 {
        self.doublings.into()
    }

    /// Doubles the timeout after the timer has expired (RFC 6298 §5.5).
    pub(super) fn back_off(&mut self) {
        self.doublings = (self.doublings + 1).min(40);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_timeout_follows_rfc_6298() {
        let bounds = Bounds { initial: 1000, least: 30, most: 5000 };
        let mut rtt = Rtt::default();
        assert_eq!((rtt.timeout(&bounds), rtt.smoothed()), (1000, None));
        rtt.measure(80);
        assert_eq!((rtt.timeout(&bounds), rtt.smoothed()), (80 + 4 * 40, Some(80)));
        rtt.measure(160);
        // Variation (3·40 + 80) / 4 = 50, smoothed (7·80 + 160) / 8 = 90.
        assert_eq!(rtt.timeout(&bounds), 90 + 4 * 50);
        for expected in [580, 1160, 2320, 4640, 5000, 5000] {
            rtt.back_off();
            assert_eq!(rtt.timeout(&bounds), expected);
        }
        (0..200).for_each(|_| rtt.measure(8));
        assert_eq!(rtt.timeout(&bounds), 30);
    }
}
