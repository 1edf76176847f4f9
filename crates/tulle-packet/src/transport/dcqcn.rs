//! DCQCN on RoCE: congestion notifications reduce the rate of a flow; a timer and a byte counter raise it again (Zhu et al., §3.1).

use tulle_spec::{parameters, plugin};

use super::Flows;
use super::congestion::{Ack, Connection, Controller, Start};
use super::go_back_n::{GoBack, GoBackN, Options};
use crate::units::{MICROSECOND, SECOND};

const KILOBIT: u64 = 1_000;
const TERABIT: u64 = 1_000_000_000_000;

plugin! {
    #[derive(Debug)]
    pub(crate) struct Dcqcn(arguments, flows: Flows<'a>) {
        /// whether congestion notifications control the rate of flows; if not, every flow sends at the rate of its link
        control: bool = flag(), default "yes";
        /// minimum time between congestion notifications of a flow (N)
        notice: u64 = duration_of(MICROSECOND, SECOND), default "50us";
        rates: Rates;
        recovery: GoBack;
        machine: GoBackN<RateControl> => {
            GoBackN::new(Options::new(recovery, notice, control.then_some(rates), flows), flows)
        };
    }
    name: "dcqcn",
    summary: "RoCE: go-back-N with rates that congestion notifications reduce; for lossless queues",
    paper: "Zhu et al., Congestion control for large-scale RDMA deployments, SIGCOMM 2015 §3, §5.2; Flattened Clos \
        (NSDI23) §5, §6.2",
    limitations: "If the rate rises while a packet waits for its turn, the new rate applies only to the following \
        packet. Every packet that arrives in order is acknowledged. Packets in flight are not limited until the flow goes \
        back to an earlier packet for the first time.",
    examples: ["dcqcn", "dcqcn:control=no", "dcqcn:timer=100us,step=10Mbps,timeout=500us,window=8"],
    rejects: [
        ("dcqcn:gain=2", "gain=2 is out of range"),
        ("dcqcn:timer=1ns", "timer=1ns is out of range; legal: 1us to 1s"),
        ("dcqcn:window=0", "window=0 is out of range; legal: 1 to 1048576"),
        ("dcqcn:least=1Tbps", "least=1Tbps is out of range; legal: 1Kbps to 10Gbps"),
    ],
}

// The default selector is `flowlet`, because receivers drop packets that arrive out of order. This selector changes paths only between
// flowlets.
runs!(Dcqcn: GoBackN<RateControl>, "pfc", "flowlet");

parameters! {
    /// The parameters of the rate control. Symbols in parentheses are from Table 2 of the DCQCN paper.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Rates(arguments, flows: Flows<'a>) {
        /// weight of a congestion notification in the estimate of congestion (g = 1/256)
        pub(super) gain: f64 = fraction(), default "0.00390625";
        /// time after which the estimate of congestion decays and the rate rises (K, T)
        pub(super) timer: u64 = duration_of(MICROSECOND, SECOND), default "55us";
        /// bytes sent after which the rate rises (B)
        pub(super) counter: u64 = bytes_of(1_000, 1_000_000_000_000), default "10MB";
        /// additive increase of the target rate (R_AI)
        pub(super) step: u64 = rate_of(KILOBIT, TERABIT), default "40Mbps";
        /// hyper increase of the target rate (R_HAI); the default is ten times that of step=, as in QCN
        pub(super) leap: u64 = rate_of(KILOBIT, TERABIT), default "400Mbps";
        /// minimum rate of a flow
        pub(super) least: u64 = rate_of(KILOBIT, 100 * TERABIT), note "at most the link's",
            or "10Mbps, or the link's rate if that is lower" { flows.slowest().rate.min(10_000_000) };
    }
    check {
        arguments.check("least", least, KILOBIT..=flows.slowest().rate)?;
    }
}

/// The number of rate increases in fast recovery (F).
const FAST: u32 = 5;

/// The rate of one flow in bits per second: the reaction point of the DCQCN paper.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RateControl {
    current: f64,
    target: f64,
    /// The rate of the link.
    line: f64,
    /// The estimate of congestion, alpha.
    alpha: f64,
    /// The time of the next decay of the estimate; `u64::MAX` before the first notification.
    decay: u64,
    /// The time of the next rate increase by the timer; `u64::MAX` if none is due, for example before the first notification.
    rise: u64,
    /// Bytes sent since the last rate increase by the byte counter, or since the last notification.
    bytes: u64,
    /// Number of rate increases since the last notification: by the timer, and by the byte counter.
    by_time: u32,
    by_bytes: u32,
}

impl RateControl {
    /// Returns the initial state of a flow, which starts at the rate of its link.
    fn at(line_rate: u64) -> Self {
        let line = line_rate as f64;
        let never = u64::MAX;
        Self {
            current: line,
            target: line,
            line,
            alpha: 1.0,
            decay: never,
            rise: never,
            bytes: 0,
            by_time: 0,
            by_bytes: 0,
        }
    }

    /// Reduces the rate because of a congestion notification.
    fn cut(&mut self, now: u64, rates: &Rates) {
        self.advance(now, rates);
        // Equation 1.
        self.target = self.current;
        self.current = (self.current * (1.0 - self.alpha / 2.0)).max((rates.least as f64).min(self.line));
        self.alpha = (1.0 - rates.gain) * self.alpha + rates.gain;
        (self.decay, self.rise) = (now + rates.timer, now + rates.timer);
        (self.bytes, self.by_time, self.by_bytes) = (0, 0, 0);
    }

    /// Counts the bytes of a sent packet, and raises the rate if the byte counter is full.
    fn sent(&mut self, bytes: u64, now: u64, rates: &Rates) {
        self.advance(now, rates);
        if self.rise == u64::MAX {
            return;
        }
        self.bytes += bytes;
        if self.bytes >= rates.counter {
            self.bytes -= rates.counter;
            self.by_bytes += 1;
            self.raise(rates);
        }
    }

    /// Applies all timers that have expired by `now`. They need no events, because the rate matters only when a packet is sent.
    fn advance(&mut self, now: u64, rates: &Rates) {
        while self.decay <= now {
            // Equation 2.
            self.alpha *= 1.0 - rates.gain;
            self.decay += rates.timer;
        }
        while self.rise <= now {
            self.by_time += 1;
            self.raise(rates);
            self.rise += rates.timer;
            if self.current >= self.line {
                // The rate cannot rise further. The next congestion notification restarts the timer.
                self.rise = u64::MAX;
            }
        }
    }

    fn raise(&mut self, rates: &Rates) {
        // The rate rises as in equations 3 and 4 of the DCQCN paper, with hyper increase as in QCN.
        if self.by_time.min(self.by_bytes) > FAST {
            let beyond = self.by_time.min(self.by_bytes) - FAST;
            self.target += (u64::from(beyond) * rates.leap) as f64;
        } else if self.by_time.max(self.by_bytes) > FAST {
            self.target += rates.step as f64;
        }
        self.target = self.target.min(self.line);
        self.current = f64::midpoint(self.target, self.current);
        if self.line - self.current < 1.0 {
            self.current = self.line;
        }
    }
}

impl Controller for RateControl {
    /// The parameters of the rate; `None` lets every flow send at the rate of its link.
    type Parameters = Option<Rates>;

    fn new(start: &Start, _: &Option<Rates>) -> Self {
        Self::at(start.line_rate)
    }

    #[inline]
    fn on_send(&mut self, bytes: u64, now: u64, rates: &Option<Rates>) {
        if let Some(rates) = rates {
            self.sent(bytes, now, rates);
        }
    }

    fn on_ack(&mut self, _: &Ack, _: &Connection, _: &Option<Rates>) {
        // DCQCN uses only notifications as congestion signals (§3.1).
    }

    fn on_ecn(&mut self, connection: &Connection, rates: &Option<Rates>) -> bool {
        if let Some(rates) = rates {
            self.cut(connection.now, rates);
        }
        rates.is_some()
    }

    fn on_loss(&mut self, _: &Connection, _: &Option<Rates>) {
        // DCQCN assumes a lossless network, so a loss does not reduce the rate. The transport goes back, which limits the packets in
        // flight.
    }

    fn on_timeout(&mut self, _: &Connection, _: &Option<Rates>) {}

    #[inline]
    fn cwnd(&self) -> f64 {
        f64::INFINITY
    }

    #[inline]
    fn pacing_rate(&self) -> Option<f64> {
        Some(self.current)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATES: Rates = Rates { gain: 1.0 / 256.0, timer: 55, counter: 1_000_000, step: 100, leap: 1000, least: 10 };

    #[test]
    fn a_notification_halves_the_rate_and_five_increases_recover_it() {
        let mut rate = RateControl::at(10_000);
        rate.cut(1000, &RATES);
        assert_eq!((rate.current, rate.target, rate.alpha), (5_000.0, 10_000.0, 1.0));
        let mut expected = 5_000.0;
        for rise in 1..=5 {
            expected = (expected + 10_000.0) / 2.0;
            rate.sent(1, 1000 + 55 * rise, &RATES);
            assert_eq!(rate.current, expected);
        }
        // Without notifications, every timer period reduces the estimate by 1/256.
        assert!((rate.alpha - (255.0f64 / 256.0).powi(5)).abs() < 1e-12);
        // The next notification reduces the rate by half of the estimate.
        let before = rate.current;
        rate.cut(1000 + 55 * 5, &RATES);
        assert!((rate.current / before - (1.0 - (255.0f64 / 256.0).powi(5) / 2.0)).abs() < 1e-12);
    }

    #[test]
    fn targets_rise_by_steps_and_then_leaps() {
        let mut rate = RateControl::at(1_000_000);
        for now in 0..20 {
            rate.cut(now, &RATES);
        }
        let start = rate.target;
        rate.sent(0, 19 + 55 * 5, &RATES);
        assert_eq!(rate.target, start);
        rate.sent(0, 19 + 55 * 8, &RATES);
        assert_eq!(rate.target, start + 300.0);
        for _ in 0..5 {
            rate.sent(1_000_000, 19 + 55 * 8, &RATES);
        }
        assert_eq!(rate.target, start + 800.0);
        rate.sent(1_000_000, 19 + 55 * 8, &RATES);
        assert_eq!(rate.target, start + 1800.0);
        // The rate never exceeds the link's rate and never falls below the minimum.
        rate.sent(1, 1_000_000, &RATES);
        assert_eq!(rate.current, 1_000_000.0);
        for now in 0..200 {
            rate.cut(1_000_000 + now, &RATES);
        }
        assert_eq!(rate.current, 10.0);
    }
}
