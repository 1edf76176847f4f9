//! Round-trip times and the retransmission timeout (RFC 6298).

/// Bounds of the timeout in picoseconds.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Before the first measurement (RFC 6298 §2.1: 1 s).
    pub(super) initial: u64,
    /// RFC 6298 §2.4: 1 s in the Internet; FatPaths, appendix D-C: 200 us.
    pub(super) least: u64,
    /// RFC 6298 §2.5: at least 60 s.
    pub(super) most: u64,
}

/// The estimator of one connection.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rtt {
    /// Smoothed round-trip time, 0 before the first measurement, and its variation.
    smoothed: u64,
    variation: u64,
    doublings: u8,
}

impl Rtt {
    /// Takes a measurement; never one of a packet that was sent twice (Karn's algorithm, RFC 6298 §3).
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

    /// The smoothed round-trip time; `None` before the first measurement.
    pub(super) fn smoothed(&self) -> Option<u64> {
        (self.smoothed > 0).then_some(self.smoothed)
    }

    /// The timeout now.
    pub(super) fn timeout(&self, bounds: &Bounds) -> u64 {
        // RFC 6298 §2.2, §2.3: K = 4. The clock is exact, so its granularity G is nothing.
        let usual = if self.smoothed == 0 { bounds.initial } else { self.smoothed + 4 * self.variation };
        let doubled = u128::from(usual.max(bounds.least)) << self.doublings;
        doubled.min(bounds.most.into()) as u64
    }

    /// New data is acknowledged, so the retransmitted packet has arrived, and the timer returns to its normal length.
    pub(super) fn advance(&mut self) {
        self.doublings = 0;
    }

    /// How often the timer has expired since news came last.
    pub(super) fn expiries(&self) -> u32 {
        self.doublings.into()
    }

    /// The timer has expired: backs off (RFC 6298 §5.5).
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
