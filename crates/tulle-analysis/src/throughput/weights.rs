//! Multiplicative weights: throughput bounds for sizes at which linear programs are too slow.

use std::ops::ControlFlow;

use super::columns::Columns;
use super::descent::{Descent, within};
use super::{Bracket, Capacities, Orbits, PathFlow};
use crate::{Demands, Error};
use tulle_fabric::Fabric;

/// Minimum and maximum number of sweeps between two computations of the bounds. A sweep moves flow once for every pair of switches.
const SWEEPS: (usize, usize) = (4, 32);

/// Maximum number of times that the bounds are computed. Without this limit, the search might never end, because floating-point precision
/// can be too low to reach the gap.
const MAX_ROUNDS: u64 = 20_000;

/// The progress of a search for throughput bounds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Number of times that the bounds were computed so far.
    pub rounds: u64,
    /// The bounds so far.
    pub bracket: Bracket,
}

/// A lower and an upper bound, and how the search for them ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Weighted {
    /// The bounds.
    pub bracket: Bracket,
    /// Whether the search stopped before the bounds were within the gap, because `observe` stopped it or it reached the maximum number of
    /// rounds.
    pub stopped: bool,
    /// Number of times that the bounds were computed.
    pub rounds: u64,
}

/// Returns bounds of the throughput over the paths of `flow`, with a relative gap of at most `gap` unless the search stops early. `observe`
/// gets the bounds each time they are computed, except if they end the search, and may stop the search.
pub fn over_paths(flow: &PathFlow, gap: f64, observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>) -> Weighted {
    let mut descent = Descent::new(flow, evenly(flow));
    let mut search = Search::new();
    loop {
        let lower = flow.lower(&descent.amount);
        if search.look(lower, flow.upper(&descent.lengths), gap, observe) {
            return search.end();
        }
        descent.sharpen(flow, search.gap());
        for _ in 0..SWEEPS.0 {
            descent.sweep(flow);
        }
    }
}

/// Returns bounds of the throughput over any paths, with a relative gap of at most `gap` unless the search stops early. In every round, the
/// search adds shortest paths under the current lengths and drops unused paths. `observe` gets the bounds each time they are computed,
/// except if they end the search, and may stop the search.
///
/// # Errors
/// Fails if `demands` are for another number of switches, or if no path connects a pair.
pub fn over_fabric(
    fabric: &Fabric,
    demands: &Demands,
    capacities: Capacities,
    gap: f64,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Weighted, Error> {
    over_orbits(fabric, demands, capacities, Orbits::trivial(fabric, demands), gap, observe)
}

/// Returns throughput bounds like [`over_fabric`], but uses only the representative sources of `orbits` and sums loads
/// per orbit of channels. `orbits` must come from automorphisms that preserve demands and capacities. The average of a
/// flow over the automorphisms loads all channels of an orbit equally.
///
/// # Errors
/// Fails under the same conditions as [`over_fabric`].
pub fn over_orbits(
    fabric: &Fabric,
    demands: &Demands,
    capacities: Capacities,
    orbits: Orbits,
    gap: f64,
    observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
) -> Result<Weighted, Error> {
    let mut columns = Columns::new(fabric, demands, capacities, orbits)?;
    let mut search = Search::new();
    let mut descent = Descent::new(columns.flow(), evenly(columns.flow()));
    loop {
        let (upper, amount) = columns.extend(&descent.lengths, &descent.amount);
        let lower = columns.flow().lower(&amount);
        if search.look(lower, upper, gap, observe) {
            return Ok(search.end());
        }
        descent.replace(columns.flow(), amount);
        descent.sharpen(columns.flow(), search.gap());
        // In each round, moving flow (the sweeps) may take about as much work as computing the shortest-path trees.
        let sweeps = columns.work() / columns.flow().channels().len().max(1);
        for _ in 0..sweeps.clamp(SWEEPS.0, SWEEPS.1) {
            descent.sweep(columns.flow());
        }
    }
}

/// Returns the amount of flow on each path if every demand is split evenly over its paths.
fn evenly(flow: &PathFlow) -> Vec<f64> {
    let shares = flow.demand().iter().enumerate().flat_map(|(commodity, demand)| {
        let paths = flow.paths(commodity).len();
        std::iter::repeat_n(demand / paths as f64, paths)
    });
    shares.collect()
}

/// The best bounds that a search has found so far.
struct Search {
    bracket: Bracket,
    rounds: u64,
    stopped: bool,
}

impl Search {
    fn new() -> Self {
        Self { bracket: Bracket { lower: 0.0, upper: f64::INFINITY }, rounds: 0, stopped: false }
    }

    /// Updates the bounds. Returns whether the search has ended.
    fn look(
        &mut self,
        lower: f64,
        upper: f64,
        gap: f64,
        observe: &mut dyn FnMut(&Progress) -> ControlFlow<()>,
    ) -> bool {
        self.bracket = Bracket { lower: self.bracket.lower.max(lower), upper: self.bracket.upper.min(upper) };
        self.rounds += 1;
        if within(self.bracket, gap) {
            return true;
        }
        self.stopped =
            self.rounds >= MAX_ROUNDS || observe(&Progress { rounds: self.rounds, bracket: self.bracket }).is_break();
        self.stopped
    }

    fn gap(&self) -> f64 {
        self.bracket.upper / self.bracket.lower - 1.0
    }

    fn end(self) -> Weighted {
        Weighted { bracket: self.bracket, stopped: self.stopped, rounds: self.rounds }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_keeps_the_best_of_both_bounds() {
        let mut search = Search::new();
        let mut seen = Vec::new();
        let found = [(0.5, 2.0), (0.4, 1.5), (0.7, 1.8), (0.1, 9.0), (0.7, 1.4), (0.8, 0.81)];
        for (at, &(lower, upper)) in found.iter().enumerate() {
            let over = search.look(lower, upper, 0.02, &mut |progress| {
                seen.push((progress.bracket.lower, progress.bracket.upper));
                ControlFlow::Continue(())
            });
            assert_eq!(over, at == 5, "{lower} {upper}");
        }
        assert_eq!(seen, [(0.5, 2.0), (0.5, 1.5), (0.7, 1.5), (0.7, 1.5), (0.7, 1.4)]);
        let bracket = Bracket { lower: 0.8, upper: 0.81 };
        assert_eq!(search.end(), Weighted { bracket, stopped: false, rounds: 6 });
    }
}
