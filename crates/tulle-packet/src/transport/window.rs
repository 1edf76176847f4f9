//! The congestion window in packets (RFC 5681).

/// Slow start and congestion avoidance.
#[derive(Debug, Clone, Copy)]
pub(super) struct Window {
    size: f64,
    threshold: f64,
}

/// The least threshold (RFC 5681 §3.1, equation 4).
const MIN_THRESHOLD: f64 = 2.0;

impl Window {
    /// The initial window; slow start has no bound yet (RFC 5681 §3.1: arbitrarily high).
    pub(super) fn new(initial: u32) -> Self {
        Self { size: initial.into(), threshold: f64::INFINITY }
    }

    /// Whole packets: only full ones are sent (FatPaths §VIII-A3).
    #[inline]
    pub(super) fn packets(&self) -> u32 {
        self.size as u32
    }

    pub(super) fn size(&self) -> f64 {
        self.size
    }

    #[inline]
    pub(super) fn is_slow_start(&self) -> bool {
        self.size < self.threshold
    }

    /// An acknowledgement of new packets in slow start: one packet more (RFC 5681 §3.1, equation 2).
    pub(super) fn grow_exponentially(&mut self) {
        self.size += 1.0;
    }

    /// One in congestion avoidance: `share` of a packet more; 1 / size without coupling (equation 3).
    pub(super) fn grow(&mut self, share: f64) {
        self.size += share;
    }

    /// A loss seen by duplicates: half of what is in flight (equation 4; RFC 6675 §5 step 4.2).
    pub(super) fn halve(&mut self, flight: u32) {
        self.threshold = (f64::from(flight) / 2.0).max(MIN_THRESHOLD);
        self.size = self.threshold;
    }

    /// A timeout: one packet, and slow start up to half of what was in flight (RFC 5681 §3.1).
    pub(super) fn collapse(&mut self, flight: u32) {
        self.threshold = (f64::from(flight) / 2.0).max(MIN_THRESHOLD);
        self.size = 1.0;
    }

    /// A timeout of a packet that was sent again by timeout before: the threshold stays (RFC 5681 §3.1).
    pub(super) fn collapse_again(&mut self) {
        self.size = 1.0;
    }

    /// Marks: less by `factor` (RFC 8257 §3.3 step 9).
    pub(super) fn shrink(&mut self, factor: f64) {
        self.threshold = (self.size * (1.0 - factor)).max(MIN_THRESHOLD);
        self.size = self.threshold;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_grow_and_shrink_as_rfc_5681_says() {
        let mut window = Window::new(2);
        (0..6).for_each(|_| window.grow_exponentially());
        assert_eq!((window.packets(), window.is_slow_start()), (8, true));
        window.halve(8);
        assert_eq!((window.packets(), window.is_slow_start()), (4, false));
        (0..4).for_each(|_| window.grow(1.0 / window.size()));
        assert_eq!(window.packets(), 4);
        (0..2).for_each(|_| window.grow(1.0 / window.size()));
        assert_eq!(window.packets(), 5);
        window.collapse(9);
        assert_eq!((window.packets(), window.threshold, window.is_slow_start()), (1, 4.5, true));
        window.halve(2);
        assert_eq!(window.packets(), 2);
        window.shrink(0.5);
        assert_eq!(window.packets(), 2);
    }
}
