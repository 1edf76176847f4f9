//! The rules by which a run counts as saturated. Each rule compares mean latencies with 500 cycles. The rules differ in the packets that
//! they count.

use tulle_spec::words;

use crate::window::Window;

/// The mean latency in cycles above which a network counts as saturated: BookSim2's default of `latency_thres`, and the number in
/// Multi-Path Routing in the Jellyfish Network §IV-A.
pub(crate) const SATURATED: f64 = 500.0;

/// Number of cycles between two checks after the window, fixed in BookSim2.
const DRAIN_CHECK: u32 = 1000;

words! {
    /// The rule by which a run counts as saturated.
    pub enum SaturationRule {
        /// Mean over the packets of the window that arrive in one sample.
        Arrivals = "arrivals",
        /// Mean of BookSim2 with `sim_type = latency`: over all measured packets that have arrived, and over the ages of all flits in
        /// flight.
        Booksim = "booksim",
    }
}

/// The changes of the counters between two checks.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Period {
    /// Flits that were created, minus flits that arrived.
    flits: i64,
    /// The sum of the creation cycles of the created flits, minus the sum for the arrived flits.
    created: i64,
    /// Number of measured packets that arrived, and the sum of their latencies.
    packets: u64,
    latency: u64,
}

/// The counts for BookSim2's rule (commit 28f43299, `trafficmanager.cpp`).
///
/// BookSim2 averages over the latencies of measured packets that have arrived and over the ages of all flits in flight, which includes
/// packets that are not measured. It checks this mean after every sample of the window, and every 1000 cycles while measured packets are
/// outstanding. A packet is in flight from the cycle in which its source takes it out of its queue, and its age counts from its creation. A
/// packet is measured if its source takes it in the window, or later if it was created before the end of the window.
///
/// Counts are stored per period between checks, because a check can be due in the middle of a block of cycles.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ages {
    periods: Vec<Period>,
    /// Number of measured packets, and the cycle in which a measured packet last arrived.
    measured: u64,
    last_arrival: u32,
}

impl Ages {
    fn period(&mut self, cycle: u32, window: &Window) -> &mut Period {
        let at = period_of(cycle, window);
        if at >= self.periods.len() {
            self.periods.resize(at + 1, Period::default());
        }
        &mut self.periods[at]
    }

    /// Records that a source took a packet of `flits` flits in cycle `now`. Returns whether the packet is measured.
    #[inline]
    pub fn create(&mut self, created: u32, now: u32, flits: u16, window: &Window) -> bool {
        let period = self.period(now, window);
        period.flits += i64::from(flits);
        period.created += i64::from(flits) * i64::from(created);
        let is_measured = now >= window.start && created < window.end;
        self.measured += u64::from(is_measured);
        is_measured
    }

    /// Records that `flits` flits of a packet arrived: the first one in cycle `first`, each other flit one cycle after the flit before it.
    #[inline]
    pub fn arrive(&mut self, created: u32, first: u32, flits: u16, window: &Window) {
        for cycle in first..first + u32::from(flits) {
            let period = self.period(cycle, window);
            period.flits -= 1;
            period.created -= i64::from(created);
        }
    }

    /// Records that the last flit of a measured packet arrived in cycle `now`.
    #[inline]
    pub fn deliver(&mut self, created: u32, now: u32, window: &Window) {
        let period = self.period(now, window);
        period.packets += 1;
        period.latency += u64::from(now - created);
        self.last_arrival = self.last_arrival.max(now);
    }

    /// Adds the counts of another thread.
    pub fn add(&mut self, other: &Self) {
        if self.periods.len() < other.periods.len() {
            self.periods.resize(other.periods.len(), Period::default());
        }
        for (sum, more) in self.periods.iter_mut().zip(&other.periods) {
            sum.flits += more.flits;
            sum.created += more.created;
            sum.packets += more.packets;
            sum.latency += more.latency;
        }
        self.measured += other.measured;
        self.last_arrival = self.last_arrival.max(other.last_arrival);
    }

    /// Returns whether all measured packets that were created have arrived.
    pub fn have_arrived(&self) -> bool {
        self.measured == self.periods.iter().map(|period| period.packets).sum::<u64>()
    }

    /// Returns the means of all checks up to and including cycle `now`. The cycles before `now` must have been simulated. If a check counts
    /// neither packets nor flits, its mean is NaN.
    pub fn means(&self, window: &Window, now: u32) -> Vec<f64> {
        let samples = window.num_samples() as usize;
        // BookSim2 stops in the cycle after the last arrival.
        let end = if self.have_arrived() { now.min(self.last_arrival + 1) } else { now };
        let (mut means, mut sum) = (Vec::new(), Period::default());
        for at in 0.. {
            let check = check_after(at, window);
            if check > u64::from(if at < samples { now } else { end }) {
                break;
            }
            let more = self.periods.get(at).copied().unwrap_or_default();
            sum.flits += more.flits;
            sum.created += more.created;
            sum.packets += more.packets;
            sum.latency += more.latency;
            let ages = check as i64 * sum.flits - sum.created;
            means.push((sum.latency as f64 + ages as f64) / (sum.packets as f64 + sum.flits as f64));
        }
        means
    }
}

/// Returns the number of the period that contains `cycle`. The warm-up belongs to the first period.
#[inline]
fn period_of(cycle: u32, window: &Window) -> usize {
    if cycle < window.end {
        return (cycle.saturating_sub(window.start) / window.sample) as usize;
    }
    (window.num_samples() + (cycle - window.end) / DRAIN_CHECK) as usize
}

/// Returns the cycle of the check that ends period `at`.
fn check_after(at: usize, window: &Window) -> u64 {
    let (at, samples) = (at as u64, u64::from(window.num_samples()));
    let (start, end) = (u64::from(window.start), u64::from(window.end));
    match at < samples {
        true => end.min(start + (at + 1) * u64::from(window.sample)),
        false => end + (at + 1 - samples) * u64::from(DRAIN_CHECK),
    }
}

#[cfg(test)]
mod tests;
