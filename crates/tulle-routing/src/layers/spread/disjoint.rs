//! Local search for layers whose pairs have disjoint paths. It changes single next hops in the trees of one destination.

mod score;

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use self::score::{AIM, HOP_PRICE, Worth, most_disjoint};
use super::changes::Changes;
use super::context::Context;
use super::forest::Forest;
use super::marks::Marks;
use super::rounds::{BATCHES_TO_BALANCE, BATCHES_TO_PLANT, Rounds, affordable};
use super::trees::plant;
use crate::Table;

/// Maximum number of layers. A set of layers is stored in 16 bits. More layers rarely give a pair more disjoint paths.
pub(super) const MAX_LAYERS: u8 = 16;

/// Balancing ends early after a round that reduces the imbalance by at most this fraction.
const LITTLE: f64 = 0.02;

/// Returns layers whose pairs have disjoint paths. First, the function builds the trees of all destinations and improves each destination's
/// trees in `effort` passes. Then it balances the loads of channels in at most `effort` rounds. The first half of these rounds also makes
/// changes that gain nothing. Each half ends early if a round improves the balance only little.
pub(super) fn layers(context: &Context, seed: u64, effort: u16) -> Vec<Table> {
    let mut rounds = Rounds::new(context, seed, Search::new);
    let mean = rounds.expected_load();
    let effort = affordable(context, effort);
    let planted = rounds.round(BATCHES_TO_PLANT, |work, _, rng| {
        plant(context, &mut work.forest, &mut work.search.marks, mean, rng);
        let planted = work.forest.counted_hops(context);
        if work.forest.counted && context.layers > 1 {
            work.search.begin(context, &work.forest, planted);
            (0..effort).for_each(|_| work.search.sweep(context, &mut work.forest, Objective::Disjoint, true, rng));
        }
        planted
    });
    for (most, drift) in [(effort / 2, true), (effort.div_ceil(2), false)] {
        let mut before = rounds.imbalance();
        for _ in 0..most {
            let mean = rounds.mean_load();
            rounds.round(BATCHES_TO_BALANCE, |work, destination, rng| {
                if work.forest.counted {
                    work.search.begin(context, &work.forest, planted[destination as usize]);
                    work.search.sweep(context, &mut work.forest, Objective::Balance { mean }, drift, rng);
                }
            });
            let after = rounds.imbalance();
            if after > (1.0 - LITTLE) * before {
                break;
            }
            before = after;
        }
    }
    rounds.tables()
}

/// The objective of a pass over all switches.
#[derive(Clone, Copy)]
enum Objective {
    /// Only the number of disjoint paths matters. Loads are ignored.
    Disjoint,
    /// The number of disjoint paths matters, and the loads of channels should be close to their mean.
    Balance {
        /// The mean load of a channel.
        mean: f64,
    },
}

/// A local search for disjoint paths, and its data about the current forest (the trees toward one destination).
struct Search {
    worth: Worth,
    marks: Marks,
    /// Per switch and layer, the set of other layers in which the path from this switch shares a cable with its path in this layer.
    shares: Vec<u16>,
    /// Per switch, the maximum number of disjoint paths among its paths in all layers.
    disjoint: Vec<u8>,
    /// The total hops of all paths that the search improves.
    hops: i64,
    /// If all paths together have more hops than this, each hop has a price.
    most_hops: i64,
    changes: Changes,
    order: Vec<(u32, u32)>,
}

/// Each hop has a price if the total number of hops exceeds the total of the initial trees multiplied by this factor.
const STRETCH: f64 = 1.03;

/// The weight of the imbalance, which is Σ (load − mean)² / mean. Because of the division by the mean, one excess unit of load on a
/// channel costs about the same in a small and in a large fabric.
const BALANCE: f64 = 0.2;

/// Increases of the objective up to this value are rounding errors.
const ROUNDING: f64 = 1e-9;

impl Search {
    pub fn new(context: &Context) -> Self {
        let switches = context.switches();
        Self {
            worth: Worth::new(context.layers),
            marks: Marks::new(context),
            shares: vec![0; switches * context.layers],
            disjoint: vec![0; switches],
            hops: 0,
            most_hops: 0,
            changes: Changes::new(context),
            order: Vec::new(),
        }
    }

    /// Starts the search on `forest`. In the initial trees, the paths that the search improves had `planted` hops in total.
    pub fn begin(&mut self, context: &Context, forest: &Forest, planted: u64) {
        self.hops = forest.counted_hops(context) as i64;
        self.most_hops = (STRETCH * planted as f64) as i64;
        self.shares.fill(0);
        self.order.clear();
        for switch in (0..context.switches() as u32).filter(|&switch| switch != forest.destination) {
            self.order.extend((0..context.layers as u32).map(|layer| (layer, switch)));
            (0..context.layers).for_each(|layer| self.compare(context, forest, layer, switch));
            self.count(context, switch);
        }
    }

    /// Visits every switch in every layer of `forest` once, in random order, and changes its next hop to the one that raises the objective
    /// most. If no change raises the objective and `drift` is set, the function makes a change that loses nothing. Such changes help to
    /// leave local optima.
    pub fn sweep(
        &mut self,
        context: &Context,
        forest: &mut Forest,
        objective: Objective,
        drift: bool,
        rng: &mut impl Rng,
    ) {
        let least = if drift { -ROUNDING } else { ROUNDING };
        let mut order = std::mem::take(&mut self.order);
        order.shuffle(rng);
        for &(layer, switch) in &order {
            if let Some(channel) = self.best(context, forest, layer as usize, switch, objective, least, rng) {
                self.change(context, forest, layer as usize, switch, channel);
            }
        }
        self.order = order;
    }

    /// Returns the best new channel for `switch` in `layer`, if it raises the objective by more than `least`. Stores the subtree of
    /// `switch` in `members`.
    #[expect(clippy::too_many_arguments)]
    fn best(
        &mut self,
        context: &Context,
        forest: &mut Forest,
        layer: usize,
        switch: u32,
        objective: Objective,
        least: f64,
        rng: &mut impl Rng,
    ) -> Option<u32> {
        forest.subtree(layer, switch, &mut self.changes.members);
        let weight = forest.weight(context, &self.changes.members);
        // The aim is a number of disjoint paths per pair. While hops have a price (see `most_hops`), an additional hop costs more than a
        // disjoint path beyond the aim gains. So the search skips changes that affect no switch with fewer disjoint paths than the aim.
        let idle =
            matches!(objective, Objective::Disjoint) && self.hops > self.most_hops && !self.any_below_aim(context);
        if weight == 0 || idle {
            return None;
        }
        self.changes.collect(context, forest, layer, switch, rng);
        if self.changes.list.is_empty() {
            return None;
        }
        self.weigh_disjointness(context, forest, layer, switch);
        if self.hops > self.most_hops {
            self.weigh_hops(forest, layer, switch, weight);
        }
        if let Objective::Balance { mean } = objective {
            self.weigh_loads(forest, layer, switch, weight, mean);
        }
        let (before, after) = self.changes.list.split_at(rng.random_range(0..self.changes.list.len()));
        let mut best = (least, None);
        for change in after.iter().chain(before) {
            if change.value > best.0 {
                best = (change.value, Some(change.channel));
            }
        }
        best.1
    }

    fn any_below_aim(&self, context: &Context) -> bool {
        let aim = AIM.min(context.layers);
        self.changes
            .members
            .iter()
            .any(|&member| context.counts(member) && usize::from(self.disjoint[member as usize]) < aim)
    }

    /// Adds to the value of each change its gain in disjoint paths, summed over all switches that forward through `switch` in `layer`.
    fn weigh_disjointness(&mut self, context: &Context, forest: &Forest, layer: usize, switch: u32) {
        let onward = forest.path(layer, switch).len();
        let others = all(context) & !(1 << layer);
        for &member in self.changes.members.iter().filter(|&&member| context.counts(member)) {
            each(others).for_each(|other| self.marks.add(context, forest, other, member));
            let up_to_switch = self.marks.on(&forest.path(layer, member)[onward..]) as u16;
            let row = member as usize * context.layers;
            let shares = &self.shares[row..row + context.layers];
            let now = self.worth.of(self.disjoint[member as usize]);
            let without = most_disjoint(others, shares);
            for change in &mut self.changes.list {
                let path = forest.path(layer, change.next);
                let shared = up_to_switch | (self.marks.on(path) | self.marks.on(&[change.channel])) as u16;
                if shared != shares[layer] {
                    let disjoint = without.max(1 + most_disjoint(others & !shared, shares));
                    change.value += self.worth.of(disjoint) - now;
                }
            }
            each(others).for_each(|other| self.marks.clear(context, forest, other, member));
        }
    }

    /// Subtracts from the value of each change the price of its additional hops on `weight` paths.
    fn weigh_hops(&mut self, forest: &Forest, layer: usize, switch: u32, weight: i32) {
        let now = forest.path(layer, switch).len() as f64;
        for change in &mut self.changes.list {
            let hops = forest.path(layer, change.next).len() as f64 + 1.0;
            change.value -= HOP_PRICE * f64::from(weight) * (hops - now);
        }
    }

    /// Adds to the value of each change its gain in balance: the scaled decrease of Σ (load − mean)² over all channels.
    fn weigh_loads(&mut self, forest: &mut Forest, layer: usize, switch: u32, weight: i32, mean: f64) {
        // The affected paths are first removed from the loads. If `weight` paths are then added to a channel, Σ (load − mean)² grows by
        // weight · (2 · (load − mean) + weight).
        forest.load(layer, switch, -weight);
        let per_hop = f64::from(weight) - 2.0 * mean;
        let load = |channels: &[u32]| channels.iter().map(|&channel| forest.loads[channel as usize]).sum::<i32>();
        let growth = |load: i32, hops: usize| 2.0 * f64::from(load) + per_hop * hops as f64;
        let path = forest.path(layer, switch);
        let now = growth(load(path), path.len());
        let scale = BALANCE / mean * f64::from(weight);
        for change in &mut self.changes.list {
            let path = forest.path(layer, change.next);
            let then = growth(load(path) + load(&[change.channel]), path.len() + 1);
            change.value += scale * (now - then);
        }
        forest.load(layer, switch, weight);
    }

    /// Changes the next hop of `switch` to `channel`, and updates the data about the affected paths. `members` must contain the subtree of
    /// `switch`.
    fn change(&mut self, context: &Context, forest: &mut Forest, layer: usize, switch: u32, channel: u32) {
        let before = forest.path(layer, switch).len() as i64;
        forest.forward(context, layer, switch, channel);
        let longer = forest.path(layer, switch).len() as i64 - before;
        self.hops += longer * i64::from(forest.weight(context, &self.changes.members));
        let members = std::mem::take(&mut self.changes.members);
        for &member in &members {
            self.compare(context, forest, layer, member);
            self.count(context, member);
        }
        self.changes.members = members;
    }

    /// Finds the layers in which the path from `switch` shares a cable with its path in `layer`.
    fn compare(&mut self, context: &Context, forest: &Forest, layer: usize, switch: u32) {
        let row = switch as usize * context.layers;
        self.marks.add(context, forest, layer, switch);
        self.shares[row + layer] = 0;
        for other in each(all(context) & !(1 << layer)) {
            let shared = u16::from(self.marks.on(forest.path(other, switch)) != 0);
            self.shares[row + layer] |= shared << other;
            self.shares[row + other] = self.shares[row + other] & !(1 << layer) | shared << layer;
        }
        self.marks.clear(context, forest, layer, switch);
    }

    /// Counts the disjoint paths from `switch` to the destination again.
    fn count(&mut self, context: &Context, switch: u32) {
        let row = switch as usize * context.layers;
        self.disjoint[switch as usize] = most_disjoint(all(context), &self.shares[row..row + context.layers]);
    }
}

/// Returns the set of all layers.
fn all(context: &Context) -> u16 {
    u16::MAX >> (16 - context.layers)
}

/// Iterates over the layers of a set.
fn each(mut layers: u16) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let layer = (layers != 0).then(|| layers.trailing_zeros() as usize);
        layers &= layers.wrapping_sub(1);
        layer
    })
}

#[cfg(test)]
mod tests {
    use tulle_base::random::stream;
    use tulle_fabric::distances::Distances;

    use super::*;
    use crate::layers::spread::aim::Aim;

    /// Returns the data of a search on `forest`, computed from scratch.
    fn knowledge(context: &Context, forest: &Forest) -> (Vec<u16>, Vec<u8>, i64) {
        let mut search = Search::new(context);
        search.begin(context, forest, 0);
        (search.shares, search.disjoint, search.hops)
    }

    #[test]
    fn sweeps_keep_to_the_limit_and_their_knowledge_up_to_date() {
        for (spec, destination) in [("slimfly:q=5", 11), ("dragonfly:p=2", 3), ("fattree:levels=3,radix=6", 2)] {
            let fabric = tulle_topologies::build(spec, 0).unwrap();
            let context = Context::new(&fabric, Distances::of(&fabric), None, 4, Aim::Disjoint);
            let (mut forest, mut search) = (Forest::new(&context), Search::new(&context));
            let mut rng = stream(1, "test", 0);
            let loads: Vec<i32> = (0..fabric.num_channels()).map(|_| rng.random_range(0..50)).collect();
            forest.take_loads(&loads);
            forest.clear(&context, destination);
            plant(&context, &mut forest, &mut search.marks, 25.0, &mut rng);
            search.begin(&context, &forest, forest.counted_hops(&context));
            let sweeps = [
                (Objective::Disjoint, true),
                (Objective::Balance { mean: 25.0 }, true),
                (Objective::Balance { mean: 25.0 }, false),
            ];
            for (objective, drift) in sweeps {
                search.sweep(&context, &mut forest, objective, drift, &mut rng);
                let (shares, disjoint, hops) = knowledge(&context, &forest);
                assert_eq!((&search.shares, &search.disjoint, search.hops), (&shares, &disjoint, hops), "{spec}");
                for switch in (0..context.switches() as u32).filter(|&switch| switch != destination) {
                    assert_eq!(forest.hops(0, switch), Some(context.distance(destination, switch)), "{spec}");
                    for layer in 1..4 {
                        assert!(forest.hops(layer, switch).unwrap() <= context.limit(destination, switch), "{spec}");
                    }
                }
            }
        }
    }

    /// Returns the total score of all pairs for their disjoint paths, and Σ (load − mean)² over the channels.
    fn measures(context: &Context, forest: &Forest, mean: f64) -> (f64, f64) {
        let (_, disjoint, _) = knowledge(context, forest);
        let worth = Worth::new(context.layers);
        let counted = (0..context.switches() as u32).filter(|&s| s != forest.destination && context.counts(s));
        let worth = counted.map(|switch| worth.of(disjoint[switch as usize])).sum();
        (worth, forest.loads.iter().map(|&load| (f64::from(load) - mean).powi(2)).sum())
    }

    #[test]
    fn every_change_has_its_announced_gain() {
        let fabric = tulle_topologies::build("dragonfly:p=2", 0).unwrap();
        let context = Context::new(&fabric, Distances::of(&fabric), None, 3, Aim::Disjoint);
        let (mut forest, mut search) = (Forest::new(&context), Search::new(&context));
        let mut rng = stream(2, "test", 0);
        forest.take_loads(&vec![10; fabric.num_channels()]);
        forest.clear(&context, 5);
        plant(&context, &mut forest, &mut search.marks, 10.0, &mut rng);
        search.begin(&context, &forest, u64::MAX / 2);
        let mean = 12.0;
        let mut judged = 0;
        for (layer, switch) in (0..3).flat_map(|layer| (0..36).map(move |switch| (layer, switch))) {
            if switch == 5 {
                continue;
            }
            search.best(&context, &mut forest, layer, switch, Objective::Balance { mean }, ROUNDING, &mut rng);
            let announced: Vec<(u32, f64)> =
                search.changes.list.iter().map(|change| (change.channel, change.value)).collect();
            let back = forest.next(layer, switch);
            let before = measures(&context, &forest, mean);
            for (channel, gain) in announced {
                forest.forward(&context, layer, switch, channel);
                let after = measures(&context, &forest, mean);
                let gained = after.0 - before.0 - BALANCE / mean * (after.1 - before.1);
                assert!(
                    (gain - gained).abs() < 1e-6,
                    "layer {layer}, switch {switch}: predicted gain {gain}, actual gain {gained}"
                );
                forest.forward(&context, layer, switch, back);
                judged += 1;
            }
        }
        assert!(judged > 100, "{judged} changes judged");
    }
}
