//! The warm-up test: the measurement window begins when consecutive samples agree.

use crate::Config;
use crate::measure::Tally;
use crate::window::Window;

/// The warm-up test of BookSim2 (`warmup_thres`, `acc_warmup_thres`). A sample measures the mean latency of arriving packets and the number
/// of arriving flits. The warm-up ends after the first sample that agrees with the previous sample, or when the maximum warm-up is over.
/// Two samples agree if both values differ by less than a given fraction of the later value. A sample ends with a block of cycles, so the
/// result does not depend on the number of threads.
pub(crate) struct Warmup {
    tolerance: f64,
    longest: u32,
    window: u32,
    sample: u32,
    /// Number of cycles until all flits that routers have sent to endpoints so far have arrived. The window begins this long after the end
    /// of the warm-up, because the arrivals of these flits were recorded before the window was known.
    lead: u32,
    /// The first cycle of the current sample, and the statistics at the start of this cycle.
    since: u32,
    at_start: Counts,
    /// Mean latency and flits per cycle of the previous sample, if any.
    before: Option<[f64; 2]>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Counts {
    packets: u64,
    latency: u64,
    flits: u64,
}

impl Warmup {
    /// Creates the warm-up test, if `config` has a warm-up tolerance.
    pub fn of(config: &Config) -> Option<Self> {
        Some(Self {
            tolerance: config.warmup_tolerance?,
            longest: config.warmup,
            window: config.window,
            sample: config.sample,
            lead: config.endpoint_latency + config.packet + 1,
            since: 0,
            at_start: Counts::default(),
            before: None,
        })
    }

    /// Updates the warm-up test after a block of cycles that ended with cycle `now`. When the warm-up is over, returns
    /// the measurement window and whether the last two samples agreed.
    pub fn update<'t>(&mut self, now: u32, tallies: impl Iterator<Item = &'t Tally>) -> Option<(Window, bool)> {
        let cycles = now - self.since;
        if cycles < self.sample && now < self.longest {
            return None;
        }
        let counts = tallies.fold(Counts::default(), |sum, tally| Counts {
            packets: sum.packets + tally.outside.0,
            latency: sum.latency + tally.outside.1,
            flits: sum.flits + tally.delivered_flits,
        });
        let packets = counts.packets - self.at_start.packets;
        let sample = [
            (counts.latency - self.at_start.latency) as f64 / packets as f64,
            (counts.flits - self.at_start.flits) as f64 / f64::from(cycles),
        ];
        // A sample that the maximum warm-up cuts short does not count. Without packets, the mean latency is NaN, and the samples disagree.
        let whole = cycles >= self.sample;
        let agrees = |before: [f64; 2]| {
            before.iter().zip(&sample).all(|(before, now)| (now - before).abs() < self.tolerance * now)
        };
        let converged = whole && self.before.is_some_and(agrees);
        (self.since, self.at_start, self.before) = (now, counts, Some(sample));
        let start = now + self.lead;
        (converged || now >= self.longest)
            .then(|| (Window { start, end: start + self.window, sample: self.sample }, converged))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs the test on samples with mean latencies `latencies` and 100 flits each. Returns the first cycle of the
    /// window and whether samples agreed.
    fn start(latencies: &[u64], longest: u32) -> Option<(u32, bool)> {
        let config = Config { warmup_tolerance: Some(0.05), warmup: longest, sample: 100, ..Config::default() };
        let mut warmup = Warmup::of(&config).unwrap();
        let mut tally = Tally::default();
        for (sample, latency) in latencies.iter().enumerate() {
            tally.outside = (tally.outside.0 + 100, tally.outside.1 + 100 * latency);
            tally.delivered_flits += 100;
            let found = warmup.update(sample as u32 * 100 + 100, std::iter::once(&tally));
            if let Some((window, converged)) = found {
                assert_eq!(window.end - window.start, config.window);
                return Some((window.start, converged));
            }
        }
        None
    }

    #[test]
    fn windows_begin_when_samples_agree_or_after_the_maximum() {
        // The window starts 3 cycles after the last sample. The 3 cycles are the latency of the endpoint's cable (1), the flits of a packet
        // (1), and 1 more cycle.
        assert_eq!(start(&[20, 30, 40, 41, 90], 1000), Some((403, true)));
        assert_eq!(start(&[20, 20], 1000), Some((203, true)));
        assert_eq!(start(&[10, 20, 40, 80, 160], 500), Some((503, false)));
        assert_eq!(start(&[10, 20, 40, 80, 160], 1000), None);
        // The tolerance is 5% of the later value: 95.2 → 100 agrees, 95 → 100 does not.
        assert_eq!(start(&[95, 100], 1000), None);
        assert_eq!(start(&[96, 100], 1000), Some((203, true)));
        assert!(Warmup::of(&Config::default()).is_none());
    }
}
