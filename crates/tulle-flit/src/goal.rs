//! The condition that ends a run.

use crate::measure::Tally;
use crate::router::context::{Local, Run};
use crate::router::core::Router;
use crate::router::switching::Switching;
use crate::saturation_rule::{Ages, SATURATED};
use crate::scheduler::Scheduler;
use crate::{Config, SaturationRule};

/// The condition that ends a run.
pub(crate) enum Goal<'a> {
    /// The run ends when all packets created in the window have arrived, or when the time to wait for them is over.
    Window,
    /// The run ends when the saturation rule has decided: with the last check, or after the first check whose mean exceeds [`SATURATED`]
    /// cycles. With `whole_window`, the run does not end before the end of the window.
    Saturation { whole_window: bool },
    /// The run ends when all messages have arrived, or after this number of cycles.
    Arrival(&'a mut Scheduler, u32),
}

impl Goal<'_> {
    /// Returns the last cycle that the run can reach.
    pub fn last(&self, run: &Run, config: &Config) -> u64 {
        match self {
            Self::Saturation { .. } if run.sending.rule == SaturationRule::Arrivals => run.sending.window.end.into(),
            Self::Window | Self::Saturation { .. } => u64::from(run.sending.window.end) + u64::from(config.drain),
            Self::Arrival(_, limit) => (*limit).into(),
        }
    }

    /// Gives messages to their endpoints: all messages that can be sent in the block of cycles from `now` to before `until`.
    pub fn release<S: Switching<P>, const P: usize>(&mut self, routers: &mut [Router<S, P>], now: u32, until: u32) {
        if let Self::Arrival(scheduler, _) = self {
            let post = |switch, port, post| routers[switch as usize].switch.sources.post(port, post);
            scheduler.release(now, until, post);
        }
    }

    /// Returns whether the goal is reached after a block of cycles that ended with cycle `now`.
    pub fn is_reached<S: Switching<P>, const P: usize>(
        &mut self,
        run: &Run,
        routers: &[Router<S, P>],
        locals: &mut [Local<S::Scratch>],
        now: u32,
    ) -> bool {
        match self {
            Self::Window => has_drained(run, routers, locals, now),
            Self::Saturation { whole_window } => {
                let window = run.sending.window;
                if *whole_window && now < window.end {
                    return false;
                }
                let is_over = match run.sending.rule {
                    SaturationRule::Arrivals => now >= window.end,
                    SaturationRule::Booksim => has_drained(run, routers, locals, now),
                };
                is_over || is_saturated(run, locals, now)
            }
            Self::Arrival(scheduler, _) => {
                scheduler.end_handled(now);
                locals.iter_mut().for_each(|local| scheduler.collect(&mut local.arrived));
                scheduler.is_done()
            }
        }
    }
}

/// Returns whether all packets of the window have arrived.
fn has_drained<S: Switching<P>, const P: usize>(
    run: &Run,
    routers: &[Router<S, P>],
    locals: &[Local<S::Scratch>],
    now: u32,
) -> bool {
    let sum = |count: fn(&Tally) -> u64| locals.iter().map(|local| count(&local.tally)).sum::<u64>();
    let end = run.sending.window.end;
    // A blocked endpoint decides only later whether it created a packet in a past cycle. So every endpoint must have decided for all cycles
    // of the window.
    now >= end
        && sum(|tally| tally.created) == sum(|tally| tally.delivered)
        && routers.iter().all(|router| router.switch.sources.drawn_until() >= end)
        && (run.sending.rule == SaturationRule::Arrivals || ages(locals).have_arrived())
}

/// Returns whether the saturation rule has found a mean latency above [`SATURATED`] cycles before cycle `now`.
fn is_saturated<T>(run: &Run, locals: &[Local<T>], now: u32) -> bool {
    let window = run.sending.window;
    if run.sending.rule == SaturationRule::Booksim {
        return ages(locals).means(&window, now).iter().any(|&mean| mean > SATURATED);
    }
    let over = now.min(window.end).saturating_sub(window.start) / window.sample;
    let mean = |sample: usize| {
        let counts = locals.iter().filter_map(|local| local.tally.samples.get(sample));
        let (packets, sum) = counts.fold((0, 0), |sum, counts| (sum.0 + counts.0, sum.1 + counts.1));
        sum as f64 / packets as f64
    };
    // Without packets, the mean latency is NaN. A comparison with NaN is false.
    (0..over as usize).any(|sample| mean(sample) > SATURATED)
}

/// Returns the counts of all threads for BookSim2's saturation rule.
fn ages<T>(locals: &[Local<T>]) -> Ages {
    let mut sum = Ages::default();
    locals.iter().for_each(|local| sum.add(&local.tally.ages));
    sum
}
