//! Local search for layers in which the paths of a pair share few cables. It changes single next hops in the trees of one destination.

mod shares;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use self::shares::Shares;
use super::changes::{Change, Changes};
use super::context::Context;
use super::forest::Forest;
use super::marks::Marks;
use super::rounds::{BATCHES_TO_BALANCE, BATCHES_TO_PLANT, Rounds, affordable};
use super::trees::plant;
use crate::Table;

/// How often a round goes over the trees of each destination.
const SWEEPS: usize = 2;

/// The search ends after a round that reduces the cost by at most this fraction of the first round's reduction.
const LITTLE: f64 = 0.01;

/// Returns layers in which the paths of each pair share few cables. The function first builds all trees. It then makes at most `effort`
/// rounds of local search, and stops when a round reduces the cost only little. All rounds except the last also make changes that keep the
/// cost equal.
pub(super) fn layers(context: &Context, seed: u64, effort: u16) -> Vec<Table> {
    let mut rounds = Rounds::new(context, seed, Search::new);
    let mean = rounds.expected_load();
    rounds.round(BATCHES_TO_PLANT, |work, _, rng| plant(context, &mut work.forest, &mut work.search.marks, mean, rng));
    let effort = affordable(context, effort);
    let mut first = None;
    for round in 0..if context.layers == 1 { 0 } else { effort } {
        let mean = rounds.mean_load();
        let drift = round + 1 < effort;
        let saved: f64 = rounds
            .round(BATCHES_TO_BALANCE, |work, _, rng| {
                if !work.forest.counted {
                    return 0.0;
                }
                work.search.begin(context, &work.forest);
                (0..SWEEPS).map(|_| work.search.sweep(context, &mut work.forest, mean, drift, rng)).sum()
            })
            .iter()
            .sum();
        if saved <= LITTLE * *first.get_or_insert(saved) {
            break;
        }
    }
    rounds.tables()
}

/// A local search for paths that share few cables, and its data about the current forest (the trees toward one destination).
struct Search {
    marks: Marks,
    shares: Shares,
    changes: Changes,
    kept: Vec<FixedCost>,
    order: Vec<(u32, u32)>,
}

/// The costs of one *member*: a switch that forwards through the switch whose next hop changes. The costs do not depend on the new next
/// hop.
struct FixedCost {
    member: u32,
    /// The port of the destination at which the path enters; `None` for a path of one hop.
    own_entry: Option<u16>,
    /// The number of pairs of the member's paths that share a cable, summed over all cables. Of the path in the current layer, only the
    /// part before the changed switch counts.
    shared: u32,
}

/// The weight of the quadratic term in the cost of a pair. This term makes the cost convex, so that the pairs whose paths share the most
/// cables count most.
const CONVEXITY: f64 = 0.5;

/// The cost of a hop. It is 1.5 times the cost of two paths that share one cable.
const HOP: f64 = 6.0;

/// The weight of the imbalance, which is Σ (load − mean)² / mean. Because of the division by the mean, one excess unit of load on a
/// channel costs about the same in a small and in a large fabric.
const BALANCE: f64 = 3.0;

/// Costs below this value are rounding errors.
const ROUNDING: f64 = 1e-9;

/// Returns the cost of a pair of switches. `shared` is the number of pairs of paths that share a cable, summed over all cables.
#[inline]
fn cost(shared: u32) -> f64 {
    let ordered = f64::from(2 * shared);
    ordered + CONVEXITY * ordered * ordered
}

/// The price of a new next hop: the cost of its hops, plus the scaled growth of Σ (load − mean)² over all channels.
struct Balance {
    weight: f64,
    /// The cost of a unit of load, and the cost of a hop.
    per_load: f64,
    per_hop: f64,
    now: f64,
}

impl Balance {
    /// Returns the prices that apply to the `weight` paths through `switch` in `layer`.
    fn of(forest: &Forest, layer: usize, switch: u32, weight: i32, mean: f64) -> Self {
        // The affected paths are first removed from the loads. If `weight` paths are then added to a channel, Σ (load − mean)² grows by
        // weight · (2 · (load − mean) + weight).
        let scale = BALANCE / mean;
        let per_hop = scale * (f64::from(weight) - 2.0 * mean) + HOP;
        let mut balance = Self { weight: f64::from(weight), per_load: scale * 2.0, per_hop, now: 0.0 };
        let path = forest.path(layer, switch);
        balance.now = balance.cost(forest.load_on(path) - weight * path.len() as i32, path.len());
        balance
    }

    #[inline]
    fn cost(&self, load: i32, hops: usize) -> f64 {
        self.per_load * f64::from(load) + self.per_hop * hops as f64
    }

    /// Returns the cost of `change` in hops and balance. The loads must not include the affected paths.
    #[inline]
    fn growth(&self, forest: &Forest, layer: usize, change: &Change) -> f64 {
        let path = forest.path(layer, change.next);
        let load = forest.load_on(path) + forest.load_on(&[change.channel]);
        self.weight * (self.cost(load, path.len() + 1) - self.now)
    }
}

impl Search {
    pub fn new(context: &Context) -> Self {
        Self {
            marks: Marks::new(context),
            shares: Shares::new(context),
            changes: Changes::new(context),
            kept: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Starts the search on `forest`.
    pub fn begin(&mut self, context: &Context, forest: &Forest) {
        self.shares.begin(context, forest);
        self.order.clear();
        for switch in (0..context.switches() as u32).filter(|&switch| switch != forest.destination) {
            self.order.extend((0..context.layers as u32).map(|layer| (layer, switch)));
        }
    }

    /// Visits every switch in every layer of `forest` once, in random order, and changes its next hop to the one that reduces the cost
    /// most. Returns the total reduction. If no change reduces the cost and `drift` is set, the function makes a change that keeps the cost
    /// equal. Such changes help to leave local optima.
    pub fn sweep(&mut self, context: &Context, forest: &mut Forest, mean: f64, drift: bool, rng: &mut impl Rng) -> f64 {
        let most = if drift { ROUNDING } else { -ROUNDING };
        let mut order = std::mem::take(&mut self.order);
        order.shuffle(rng);
        let mut saved = 0.0;
        for &(layer, switch) in &order {
            if let Some((channel, cost)) = self.best(context, forest, layer as usize, switch, mean, most, rng) {
                self.change(context, forest, layer as usize, switch, channel);
                saved -= cost;
            }
        }
        self.order = order;
        saved
    }

    /// Returns the best new channel for `switch` in `layer` with its cost, if the cost is less than `most`. Stores the subtree of `switch`
    /// in `members`.
    #[expect(clippy::too_many_arguments)]
    fn best(
        &mut self,
        context: &Context,
        forest: &mut Forest,
        layer: usize,
        switch: u32,
        mean: f64,
        most: f64,
        rng: &mut impl Rng,
    ) -> Option<(u32, f64)> {
        forest.subtree(layer, switch, &mut self.changes.members);
        let weight = forest.weight(context, &self.changes.members);
        if weight == 0 {
            return None;
        }
        self.changes.collect(context, forest, layer, switch, rng);
        if self.changes.list.is_empty() {
            return None;
        }
        let least = self.keep(context, forest, layer, switch);
        let balance = Balance::of(forest, layer, switch, weight, mean);
        forest.load(layer, switch, -weight);
        let (before, after) = self.changes.list.split_at(rng.random_range(0..self.changes.list.len()));
        let mut best = (most, None);
        for change in after.iter().chain(before) {
            // The cost in hops and balance is compared first, because counting shared cables is slow. Most changes cost too much even
            // without shared cables.
            let longer = balance.growth(forest, layer, change);
            if least + longer < best.0
                && let Some(cost) = self.cost(context, forest, layer, switch, change, least, best.0, longer)
            {
                best = (cost, Some((change.channel, cost)));
            }
        }
        forest.load(layer, switch, weight);
        best.1
    }

    /// Stores, for every switch that forwards through `switch` in `layer`, the part of its cost that does not depend on the next hop of
    /// `switch`. Returns a lower bound for the part of the cost of any change that comes from shared cables.
    fn keep(&mut self, context: &Context, forest: &Forest, layer: usize, switch: u32) -> f64 {
        let Self { shares, changes, kept, .. } = self;
        let onward = forest.path(layer, switch).len();
        kept.clear();
        for &member in changes.members.iter().filter(|&&member| context.counts(member)) {
            // The counters of first and last hops include the member's path in this layer, which must be subtracted.
            let own_entry = (forest.path(layer, member).len() > 1).then(|| forest.entry(layer, member));
            let mut shared = shares.of(member) - shares.with_others(context, forest, layer, member);
            if member != switch {
                let on = |&channel: &u32| shares.on_between(context, forest, layer, member, channel);
                let (&first, between) =
                    forest.path(layer, member)[onward..].split_last().expect("the path has at least one hop");
                shared += shares.on_first(context, member, first) - 1 + between.iter().map(on).sum::<u32>();
            }
            kept.push(FixedCost { member, own_entry, shared });
        }
        kept.iter().map(|kept| cost(kept.shared) - cost(shares.of(kept.member))).sum()
    }

    /// Returns the total cost of `change`; `None` if it is not below `most`. `longer` is the part of the cost that comes from
    /// hops and balance. `least` is a lower bound for the part that comes from shared cables.
    #[expect(clippy::too_many_arguments)]
    fn cost(
        &self,
        context: &Context,
        forest: &Forest,
        layer: usize,
        switch: u32,
        change: &Change,
        least: f64,
        most: f64,
        longer: f64,
    ) -> Option<f64> {
        let shares = &self.shares;
        let is_last = change.next == forest.destination;
        let entry = if is_last { forest.entry_of(context, change.channel) } else { forest.entry(layer, change.next) };
        let onward = if is_last { &[] } else { &forest.path(layer, change.next)[1..] };
        // The costs of pairs are whole numbers, so their sum does not depend on the order of the terms.
        let mut total = least;
        for &FixedCost { member, own_entry, shared: kept } in &self.kept {
            let on = |&channel: &u32| shares.on_between(context, forest, layer, member, channel);
            let mut shared = kept + onward.iter().map(on).sum::<u32>();
            if member == switch {
                shared += shares.on_first(context, member, change.channel);
            } else if !is_last {
                shared += on(&change.channel);
            }
            // On a path of one hop, the first hop is also the last hop, and is counted only as the first.
            if member != switch || !is_last {
                shared += shares.on_last(member, entry) - u32::from(own_entry == Some(entry));
            }
            total += cost(shared) - cost(kept);
            if total + longer >= most {
                return None;
            }
        }
        Some(total + longer)
    }

    /// Changes the next hop of `switch` to `channel`, and updates the counters. `members` must contain the subtree of `switch`.
    fn change(&mut self, context: &Context, forest: &mut Forest, layer: usize, switch: u32, channel: u32) {
        let Self { shares, changes: Changes { members, .. }, .. } = self;
        for &member in members.iter().filter(|&&member| context.counts(member)) {
            shares.remove(context, forest, layer, member);
        }
        forest.forward(context, layer, switch, channel);
        for &member in members.iter().filter(|&&member| context.counts(member)) {
            shares.add(context, forest, layer, member);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use tulle_base::random::stream;
    use tulle_fabric::distances::Distances;

    use super::super::aim::Aim;
    use super::*;

    /// Returns the cost of all trees of `forest`, computed from scratch.
    fn whole_cost(context: &Context, forest: &Forest, mean: f64) -> f64 {
        let mut total = forest.loads.iter().map(|&load| BALANCE / mean * (f64::from(load) - mean).powi(2)).sum::<f64>();
        for switch in (0..context.switches() as u32).filter(|&s| s != forest.destination && context.counts(s)) {
            let mut paths = HashMap::new();
            for layer in 0..context.layers {
                total += HOP * forest.path(layer, switch).len() as f64;
                for &channel in forest.path(layer, switch) {
                    *paths.entry(channel.min(context.reverse(channel))).or_insert(0u32) += 1;
                }
            }
            total += cost(paths.values().map(|paths| paths * (paths - 1) / 2).sum());
        }
        total
    }

    /// Returns the predicted cost of every legal change of the next hop of `switch` in `layer`.
    fn announced_costs(
        search: &mut Search,
        context: &Context,
        forest: &mut Forest,
        layer: usize,
        switch: u32,
        mean: f64,
    ) -> Vec<(u32, f64)> {
        forest.subtree(layer, switch, &mut search.changes.members);
        search.changes.collect(context, forest, layer, switch, &mut stream(3, "test", 0));
        let weight = forest.weight(context, &search.changes.members);
        let least = search.keep(context, forest, layer, switch);
        let balance = Balance::of(forest, layer, switch, weight, mean);
        forest.load(layer, switch, -weight);
        let cost = |change: &Change| {
            let longer = balance.growth(forest, layer, change);
            let cost = search.cost(context, forest, layer, switch, change, least, f64::INFINITY, longer);
            (change.channel, cost.expect("the cost is below infinity"))
        };
        let announced = search.changes.list.iter().map(cost).collect();
        forest.load(layer, switch, weight);
        announced
    }

    #[test]
    fn every_change_has_its_announced_cost() {
        for spec in ["dragonfly:p=2", "slimfly:q=5", "mlfm:h=3"] {
            let fabric = tulle_topologies::build(spec, 0).unwrap();
            let context = Context::new(&fabric, Distances::of(&fabric), None, 6, Aim::Throughput);
            let (mut forest, mut search) = (Forest::new(&context), Search::new(&context));
            let mut rng = stream(2, "test", 0);
            forest.take_loads(&vec![10; fabric.num_channels()]);
            forest.clear(&context, 5);
            plant(&context, &mut forest, &mut search.marks, 10.0, &mut rng);
            search.begin(&context, &forest);
            let mean = 12.0;
            let mut judged = 0;
            let switches = context.switches() as u32;
            for (layer, switch) in (0..6).flat_map(|layer| (0..switches).map(move |switch| (layer, switch))) {
                if switch == 5 {
                    continue;
                }
                let announced = announced_costs(&mut search, &context, &mut forest, layer, switch, mean);
                let back = forest.next(layer, switch);
                let before = whole_cost(&context, &forest, mean);
                for (channel, cost) in announced {
                    forest.forward(&context, layer, switch, channel);
                    let grown = whole_cost(&context, &forest, mean) - before;
                    assert!(
                        (cost - grown).abs() < 1e-6,
                        "{spec}, layer {layer}, switch {switch}: predicted cost {cost}, actual cost {grown}"
                    );
                    forest.forward(&context, layer, switch, back);
                    judged += 1;
                }
            }
            assert!(judged > 50, "{spec}: only {judged} changes were tested");
        }
    }

    #[test]
    fn sweeps_save_the_announced_cost_and_keep_to_the_limit() {
        for (spec, destination) in [("slimfly:q=5", 11), ("dragonfly:p=2", 3), ("fattree:levels=3,radix=6", 2)] {
            let fabric = tulle_topologies::build(spec, 0).unwrap();
            let context = Context::new(&fabric, Distances::of(&fabric), None, 9, Aim::Throughput);
            let (mut forest, mut search) = (Forest::new(&context), Search::new(&context));
            let mut rng = stream(1, "test", 0);
            let loads: Vec<i32> = (0..fabric.num_channels()).map(|_| rng.random_range(0..50)).collect();
            forest.take_loads(&loads);
            forest.clear(&context, destination);
            plant(&context, &mut forest, &mut search.marks, 25.0, &mut rng);
            search.begin(&context, &forest);
            for drift in [true, false] {
                let before = whole_cost(&context, &forest, 25.0);
                let saved = search.sweep(&context, &mut forest, 25.0, drift, &mut rng);
                let found = before - whole_cost(&context, &forest, 25.0);
                assert!(
                    (saved - found).abs() < 1e-6 * before,
                    "{spec}: reported saving {saved}, actual saving {found}"
                );
                assert!(saved >= -1e-6, "{spec}: {saved}");
                for switch in (0..context.switches() as u32).filter(|&switch| switch != destination) {
                    assert_eq!(forest.hops(0, switch), Some(context.distance(destination, switch)), "{spec}");
                    for layer in 1..9 {
                        assert!(forest.hops(layer, switch).unwrap() <= context.limit(destination, switch), "{spec}");
                    }
                }
            }
        }
    }
}
