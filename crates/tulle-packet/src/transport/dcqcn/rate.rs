//! The rate of a flow: cut at notices, raised by time and by bytes (DCQCN §3.1: reaction point).

use tulle_spec::parameters;

use crate::transport::Flows;
use crate::units::{MICROSECOND, SECOND};

const KILOBIT: u64 = 1_000;
const TERABIT: u64 = 1_000_000_000_000;

parameters! {
    /// Parameters of the rate, named as in the paper's Table 2.
    #[derive(Debug, Clone, Copy)]
    pub(crate) struct Control(arguments, flows: Flows<'a>) {
        /// weight of a notice in the estimate of congestion (g = 1/256)
        pub(super) gain: f64 = fraction(), default "0.00390625";
        /// time after which the estimate decays and the rate rises (K, T)
        pub(super) timer: u64 = duration_of(MICROSECOND, SECOND), default "55us";
        /// bytes sent after which the rate rises (B)
        pub(super) counter: u64 = bytes_of(1_000, 1_000_000_000_000), default "10MB";
        /// additive increase of the target rate (R_AI)
        pub(super) step: u64 = rate_of(KILOBIT, TERABIT), default "40Mbps";
        /// hyper increase of the target rate (R_HAI), ten steps as in QCN
        pub(super) leap: u64 = rate_of(KILOBIT, TERABIT), default "400Mbps";
        /// least rate of a flow
        pub(super) least: u64 = rate_of(KILOBIT, 100 * TERABIT), note "at most the link's",
            or "10Mbps, or the link's where that is less" { flows.slowest().rate.min(10_000_000) };
    }
    check {
        arguments.check("least", least, KILOBIT..=flows.slowest().rate)?;
    }
}

/// Rises of fast recovery (F).
const FAST: u32 = 5;

/// The rate of one flow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    current: f64,
    target: f64,
    line: f64,
    /// The estimate of congestion.
    alpha: f64,
    /// When the estimate decays next, and when the rate rises next by time; nothing happens before the first notice.
    decay: u64,
    rise: u64,
    bytes: u64,
    /// Rises since the last notice, by time and by bytes.
    by_time: u32,
    by_bytes: u32,
}

impl Rate {
    /// Flows start at the rate of the link.
    pub(super) fn new(line: u64) -> Self {
        let line = line as f64;
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

    /// Bits per second.
    pub(super) fn current(&self) -> f64 {
        self.current
    }

    /// The rate of the line.
    pub(super) fn line(&self) -> f64 {
        self.line
    }

    /// A notice is here.
    pub(super) fn cut(&mut self, now: u64, control: &Control) {
        self.advance(now, control);
        // Equation 1.
        self.target = self.current;
        self.current = (self.current * (1.0 - self.alpha / 2.0)).max((control.least as f64).min(self.line));
        self.alpha = (1.0 - control.gain) * self.alpha + control.gain;
        (self.decay, self.rise) = (now + control.timer, now + control.timer);
        (self.bytes, self.by_time, self.by_bytes) = (0, 0, 0);
    }

    /// A packet of so many bytes is sent.
    pub(super) fn sent(&mut self, bytes: u64, now: u64, control: &Control) {
        self.advance(now, control);
        if self.rise == u64::MAX {
            return;
        }
        self.bytes += bytes;
        if self.bytes >= control.counter {
            self.bytes -= control.counter;
            self.by_bytes += 1;
            self.raise(control);
        }
    }

    /// Does what timers have done until now: nobody looks at a rate between packets.
    fn advance(&mut self, now: u64, control: &Control) {
        while self.decay <= now {
            // Equation 2.
            self.alpha *= 1.0 - control.gain;
            self.decay += control.timer;
        }
        while self.rise <= now {
            self.by_time += 1;
            self.raise(control);
            self.rise += control.timer;
            if self.current >= self.line {
                // Nothing is left to rise to: the clock of the next notice starts anew anyway.
                self.rise = u64::MAX;
            }
        }
    }

    fn raise(&mut self, control: &Control) {
        // Equations 3 and 4, and hyper increase as in QCN.
        if self.by_time.min(self.by_bytes) > FAST {
            let beyond = self.by_time.min(self.by_bytes) - FAST;
            self.target += (u64::from(beyond) * control.leap) as f64;
        } else if self.by_time.max(self.by_bytes) > FAST {
            self.target += control.step as f64;
        }
        self.target = self.target.min(self.line);
        self.current = f64::midpoint(self.target, self.current);
        if self.line - self.current < 1.0 {
            self.current = self.line;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTROL: Control =
        Control { gain: 1.0 / 256.0, timer: 55, counter: 1_000_000, step: 100, leap: 1000, least: 10 };

    #[test]
    fn a_notice_halves_and_five_rises_recover() {
        let mut rate = Rate::new(10_000);
        rate.cut(1000, &CONTROL);
        assert_eq!((rate.current(), rate.target, rate.alpha), (5_000.0, 10_000.0, 1.0));
        let mut expected = 5_000.0;
        for rise in 1..=5 {
            expected = (expected + 10_000.0) / 2.0;
            rate.sent(1, 1000 + 55 * rise, &CONTROL);
            assert_eq!(rate.current(), expected);
        }
        // Without notices the estimate decays by 1/256 each time.
        assert!((rate.alpha - (255.0f64 / 256.0).powi(5)).abs() < 1e-12);
        // The next cut is by half of that.
        let before = rate.current();
        rate.cut(1000 + 55 * 5, &CONTROL);
        assert!((rate.current() / before - (1.0 - (255.0f64 / 256.0).powi(5) / 2.0)).abs() < 1e-12);
    }

    #[test]
    fn targets_rise_by_steps_and_then_leaps() {
        let mut rate = Rate::new(1_000_000);
        for now in 0..20 {
            rate.cut(now, &CONTROL);
        }
        let start = rate.target;
        rate.sent(0, 19 + 55 * 5, &CONTROL);
        assert_eq!(rate.target, start);
        rate.sent(0, 19 + 55 * 8, &CONTROL);
        assert_eq!(rate.target, start + 300.0);
        for _ in 0..5 {
            rate.sent(1_000_000, 19 + 55 * 8, &CONTROL);
        }
        assert_eq!(rate.target, start + 800.0);
        rate.sent(1_000_000, 19 + 55 * 8, &CONTROL);
        assert_eq!(rate.target, start + 1800.0);
        // Never above the link's rate, never below the least.
        rate.sent(1, 1_000_000, &CONTROL);
        assert_eq!(rate.current(), 1_000_000.0);
        for now in 0..200 {
            rate.cut(1_000_000 + now, &CONTROL);
        }
        assert_eq!(rate.current(), 10.0);
    }
}
