//! Descent on a smooth approximation of the maximum channel load.
//!
//! All demands are delivered. The search minimises the function (1/β)·ln Σ exp(β·load/c), where c is the capacity of a
//! channel. The function tends to the largest load/c as β grows. Its gradient is proportional to exp(β·load/c)/c per
//! channel. This is the length of the channel in the method of multiplicative weights (Garg, Könemann: Faster and
//! simpler algorithms for multicommodity flow, FOCS 1998), and the lengths give the dual bound. For one pair after
//! another, a Newton step moves flow from the longest path with flow to the shortest path.

use super::{Bracket, PathFlow};

/// A flow that delivers all demands of a [`PathFlow`], and the channel lengths that follow from its loads.
#[derive(Debug)]
pub(crate) struct Descent {
    /// The amount of flow on each path. The amounts of a commodity (a pair of switches) sum to its demand.
    pub amount: Vec<f64>,
    load: Vec<f64>,
    /// The length of each channel: exp(β·(load/c − top))/c, where c is its capacity, β the sharpness of the
    /// approximation, and top the largest ratio of load to capacity.
    pub lengths: Vec<f64>,
    /// The largest ratio of load to capacity when the lengths were last computed from scratch.
    top: f64,
    /// The sharpness β·top. It controls how closely the minimised function follows the maximum load.
    sharpness: f64,
    /// Reused memory for the lengths of the paths of one commodity (a pair of switches).
    scratch: Vec<f64>,
}

impl Descent {
    /// Starts from a flow that delivers all demands; `amount` is the flow on each path.
    pub fn new(flow: &PathFlow, amount: Vec<f64>) -> Self {
        let channels = flow.capacities().as_slice().len();
        let mut descent = Self {
            amount,
            load: vec![0.0; channels],
            lengths: vec![0.0; channels],
            top: 0.0,
            sharpness: MIN_SHARPNESS,
            scratch: Vec::new(),
        };
        descent.refresh(flow);
        descent
    }

    /// Continues with a new set of paths; `amount` is the flow on each path.
    pub fn replace(&mut self, flow: &PathFlow, amount: Vec<f64>) {
        self.amount = amount;
        self.refresh(flow);
    }

    /// Sets the sharpness from the relative gap between the bounds. The sharpness never decreases.
    pub fn sharpen(&mut self, flow: &PathFlow, gap: f64) {
        let wanted = SHARPENING * (self.load.len() as f64).ln() / gap.max(1e-6);
        self.sharpness = wanted.clamp(self.sharpness, GROWTH * self.sharpness);
        self.refresh(flow);
    }

    /// Moves flow to a shorter path once for every pair of switches.
    pub fn sweep(&mut self, flow: &PathFlow) {
        for commodity in 0..flow.demand().len() {
            self.step(flow, commodity);
        }
        self.refresh(flow);
    }

    fn step(&mut self, flow: &PathFlow, commodity: usize) {
        let paths = flow.paths(commodity);
        if paths.len() < 2 {
            return;
        }
        let (mut best, mut worst) = (paths.start, usize::MAX);
        self.scratch.clear();
        for path in paths.clone() {
            let length: f64 = flow.path(path).iter().map(|&channel| self.lengths[channel as usize]).sum();
            self.scratch.push(length);
            if length < self.scratch[best - paths.start] {
                best = path;
            }
            if self.amount[path] > 0.0 && (worst == usize::MAX || length > self.scratch[worst - paths.start]) {
                worst = path;
            }
        }
        let slope = if worst == usize::MAX {
            0.0
        } else {
            self.scratch[worst - paths.start] - self.scratch[best - paths.start]
        };
        if slope <= 0.0 {
            return;
        }
        let (taken, left) = (flow.path(best), flow.path(worst));
        let capacity = flow.capacities().as_slice();
        let beta = self.sharpness / self.top;
        let (mut curvature, mut least) = (0.0, f64::INFINITY);
        for (path, other) in [(taken, left), (left, taken)] {
            for (at, before) in beyond(path, other) {
                // If one path crosses a channel m times more often than the other path, the sum has m² times the curvature of this
                // channel.
                let times = f64::from(before + 1);
                curvature += (2.0 * times - 1.0) * beta * self.lengths[at] / capacity[at];
                least = least.min(capacity[at] / times);
            }
        }
        // Limit the step so that exponents change by at most 1. For larger steps, the quadratic model is too
        // inaccurate.
        let move_by = self.amount[worst].min(slope / curvature).min(least / beta);
        self.amount[worst] -= move_by;
        self.amount[best] += move_by;
        for (path, other, by) in [(taken, left, move_by), (left, taken, -move_by)] {
            for (at, _) in beyond(path, other) {
                self.load[at] += by;
                self.lengths[at] = (beta * (self.load[at] / capacity[at] - self.top)).exp() / capacity[at];
            }
        }
    }

    /// Computes loads and lengths from the amounts alone, so that rounding errors do not accumulate.
    fn refresh(&mut self, flow: &PathFlow) {
        self.load.fill(0.0);
        for (path, &amount) in self.amount.iter().enumerate().filter(|&(_, &amount)| amount > 0.0) {
            for &channel in flow.path(path) {
                self.load[channel as usize] += amount;
            }
        }
        let capacity = flow.capacities().as_slice();
        let full = |(load, capacity): (&f64, &f64)| if *load > 0.0 { load / capacity } else { 0.0 };
        self.top = self.load.iter().zip(capacity).map(full).fold(0.0, f64::max);
        let beta = self.sharpness / self.top;
        for ((length, load), capacity) in self.lengths.iter_mut().zip(&self.load).zip(capacity) {
            *length = if *capacity > 0.0 { (beta * (load / capacity - self.top)).exp() / capacity } else { 0.0 };
        }
    }
}

/// Returns the channels that `path` crosses more often than `other`. A channel occurs once per extra crossing, with the number of its
/// earlier occurrences.
///
/// If the path consists of orbits of channels, it may cross an orbit several times.
fn beyond<'a>(path: &'a [u32], other: &'a [u32]) -> impl Iterator<Item = (usize, u32)> + 'a {
    path.iter().enumerate().filter_map(move |(hop, channel)| {
        let count = |hops: &[u32]| hops.iter().filter(|&other| other == channel).count() as u32;
        let before = count(&path[..hop]).checked_sub(count(other))?;
        Some((*channel as usize, before))
    })
}

/// Initial value of the sharpness: how closely the minimised function follows the maximum load.
const MIN_SHARPNESS: f64 = 8.0;
/// The product of the sharpness and the relative gap between the bounds, divided by the logarithm of the number of channels.
const SHARPENING: f64 = 2.0;
/// Maximum factor by which the sharpness grows in one update.
const GROWTH: f64 = 1.5;

/// Returns whether the bounds differ by at most the relative gap `gap`.
pub(crate) fn within(bracket: Bracket, gap: f64) -> bool {
    bracket.upper <= bracket.lower * (1.0 + gap)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_taken_more_often_count_by_how_often() {
        let of = |path: &[u32], other: &[u32]| beyond(path, other).collect::<Vec<_>>();
        assert_eq!(of(&[1, 2, 3], &[2, 4]), [(1, 0), (3, 0)]);
        assert_eq!(of(&[5, 5, 6], &[6]), [(5, 0), (5, 1)]);
        assert_eq!(of(&[5, 5, 5], &[5]), [(5, 0), (5, 1)]);
        assert_eq!(of(&[5], &[5, 5]), []);
    }
}
