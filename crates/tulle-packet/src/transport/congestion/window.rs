//! The congestion window of RFC 5681: slow start, congestion avoidance, and reductions after losses.

use super::{Ack, Connection, Recovery};

/// A congestion window, and the threshold at which slow start ends, both in packets.
#[derive(Debug, Clone, Copy)]
pub(in crate::transport) struct Window {
    size: f64,
    threshold: f64,
}

/// The minimum threshold in packets (RFC 5681 §3.1, equation 4).
const MIN_THRESHOLD: f64 = 2.0;

impl Window {
    /// Returns a window with `initial` packets and an unlimited slow-start threshold (RFC 5681 §3.1: arbitrarily high).
    pub(in crate::transport) fn new(initial: u32) -> Self {
        Self { size: initial.into(), threshold: f64::INFINITY }
    }

    /// Returns the window in packets.
    #[inline]
    pub(in crate::transport) fn size(&self) -> f64 {
        self.size
    }

    #[inline]
    pub(in crate::transport) fn is_slow_start(&self) -> bool {
        self.size < self.threshold
    }

    /// Grows the window after an acknowledgement of new packets, regardless of their number (RFC 5681 §3.1: at most one SMSS).
    ///
    /// The window grows by one packet in slow start (equation 2). Otherwise it grows by 1 / size (equation 3), but at most by the limit
    /// of coupled subflows (RFC 6356 §3).
    pub(in crate::transport) fn grow(&mut self, ack: &Ack) {
        self.size += if self.is_slow_start() { 1.0 } else { ack.increase_limit.min(1.0 / self.size) };
    }

    /// Reduces the window to half of the packets in flight after a loss (RFC 5681 equation 4; RFC 6675 §5 step 4.2).
    pub(in crate::transport) fn on_loss(&mut self, connection: &Connection) {
        self.threshold = (f64::from(connection.flight) / 2.0).max(MIN_THRESHOLD);
        self.size = self.threshold;
    }

    /// Reduces the window to one packet after a timeout, with slow start up to half of the packets in flight. After further timeouts
    /// of the same packet, the threshold stays unchanged (RFC 5681 §3.1).
    pub(in crate::transport) fn on_timeout(&mut self, connection: &Connection) {
        if connection.recovery != Recovery::Timeout {
            self.threshold = (f64::from(connection.flight) / 2.0).max(MIN_THRESHOLD);
        }
        self.size = 1.0;
    }

    /// Shrinks the window by the fraction `factor` because of congestion marks (RFC 8257 §3.3 step 9).
    pub(in crate::transport) fn shrink(&mut self, factor: f64) {
        self.threshold = (self.size * (1.0 - factor)).max(MIN_THRESHOLD);
        self.size = self.threshold;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ACK: Ack =
        Ack { news: 1, rtt: None, marked: false, application_limited: false, increase_limit: f64::INFINITY };

    fn connection(flight: u32, recovery: Recovery) -> Connection {
        Connection { now: 0, first: 0, next: flight, flight, recovery }
    }

    #[test]
    fn windows_grow_and_shrink_as_rfc_5681_says() {
        let mut window = Window::new(2);
        (0..6).for_each(|_| window.grow(&ACK));
        assert_eq!((window.size() as u32, window.is_slow_start()), (8, true));
        window.on_loss(&connection(8, Recovery::None));
        assert_eq!((window.size() as u32, window.is_slow_start()), (4, false));
        (0..4).for_each(|_| window.grow(&ACK));
        assert_eq!(window.size() as u32, 4);
        (0..2).for_each(|_| window.grow(&ACK));
        assert_eq!(window.size() as u32, 5);
        window.on_timeout(&connection(9, Recovery::None));
        assert_eq!((window.size() as u32, window.threshold, window.is_slow_start()), (1, 4.5, true));
        window.on_timeout(&connection(1, Recovery::Timeout));
        assert_eq!((window.size() as u32, window.threshold), (1, 4.5));
        window.on_loss(&connection(2, Recovery::None));
        assert_eq!(window.size() as u32, 2);
        window.shrink(0.5);
        assert_eq!(window.size() as u32, 2);
    }

    /// RFC 6356 §3: the limit of coupled subflows applies only in congestion avoidance, and only if it is below 1 / window.
    #[test]
    fn coupled_windows_grow_by_at_most_their_limit() {
        let mut window = Window::new(8);
        let coupled = |increase_limit| Ack { increase_limit, ..ACK };
        window.grow(&coupled(0.0));
        assert_eq!(window.size(), 9.0);
        window.on_loss(&connection(8, Recovery::None));
        window.grow(&coupled(0.125));
        assert_eq!(window.size(), 4.125);
        window.grow(&coupled(1.0));
        assert_eq!(window.size(), 4.125 + 1.0 / 4.125);
    }
}
