//! The trees that the search starts from.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::classes::split;
use super::forest::Forest;
use super::ground::Ground;

/// Per channel, the layers whose path of the switch at hand goes over its cable, as bits.
pub(super) type Marks = Vec<u32>;

/// Grows all trees of the forest's destination: layer 0 of shortest paths; every further layer of paths that enter the
/// destination through one class of its cables, as short as that allows, and of shortest paths where the class is too far
/// for the hop limit. Ties go to the channels with the least load, and in further layers to paths apart from the earlier.
pub(super) fn plant(ground: &Ground, forest: &mut Forest, marks: &mut Marks, mean_load: f64, rng: &mut impl Rng) {
    let destination = forest.destination;
    let mut order: Vec<u32> = (0..ground.switches() as u32).filter(|&switch| switch != destination).collect();
    order.shuffle(rng);
    let nearest = |order: &mut Vec<u32>| {
        let distances = ground.distances.row(destination);
        order.sort_by_key(|&switch| distances[switch as usize]);
    };
    nearest(&mut order);
    for &switch in &order {
        forward_minimally(ground, forest, 0, switch, rng);
    }
    // The cables into the destination, each by its channel out of it.
    let entries: Vec<u32> = ground.channels(destination).collect();
    for (class, layer) in split(&entries, ground.layers - 1, rng).iter().zip(1..) {
        for &entry in class {
            let gate = ground.target(entry);
            if forest.hops(layer, gate).is_none() {
                forest.forward(ground, layer, gate, ground.fabric.reverse()[entry as usize]);
            }
        }
        order.shuffle(rng);
        for hops in 2..=ground.longest as u8 {
            for &switch in &order {
                if forest.hops(layer, switch).is_none() && ground.limit_to(destination, switch) >= hops {
                    join(ground, forest, layer, switch, hops, marks, mean_load, rng);
                }
            }
        }
        nearest(&mut order);
        for &switch in &order {
            if forest.hops(layer, switch).is_none() {
                forward_minimally(ground, forest, layer, switch, rng);
            }
        }
    }
}

/// Lets `switch` take its least loaded shortest path in `layer`. Switches on the way that take a longer one change to theirs.
fn forward_minimally(ground: &Ground, forest: &mut Forest, layer: usize, switch: u32, rng: &mut impl Rng) {
    let distances = ground.distances.row(forest.destination);
    let distance = distances[switch as usize];
    let mut best = Best::new();
    for channel in ground.channels(switch) {
        let next = ground.target(channel);
        if distances[next as usize] >= distance {
            continue;
        }
        // One that is minimal already costs no change to others.
        let minimal = forest.hops(layer, next) == Some(distances[next as usize]);
        let load = if minimal { f64::from(load(forest, layer, channel, next)) } else { f64::from(i32::MAX) };
        best.offer(load, channel, rng);
    }
    let channel = best.channel.expect("a connected fabric has a shortest path");
    let next = ground.target(channel);
    if forest.hops(layer, next) != Some(distances[next as usize]) {
        forward_minimally(ground, forest, layer, next, rng);
    }
    forest.forward(ground, layer, switch, channel);
}

/// Lets `switch` join `layer` by a path of exactly `hops` hops, where it has one.
#[expect(clippy::too_many_arguments)]
fn join(
    ground: &Ground,
    forest: &mut Forest,
    layer: usize,
    switch: u32,
    hops: u8,
    marks: &mut Marks,
    mean_load: f64,
    rng: &mut impl Rng,
) {
    let mut best = Best::new();
    mark(ground, forest, switch, 0..layer, marks);
    for channel in ground.channels(switch) {
        let next = ground.target(channel);
        if next == forest.destination || forest.hops(layer, next) != Some(hops - 1) {
            continue;
        }
        let shared = forest.path(layer, next).iter().fold(marks[channel as usize], |s, &c| s | marks[c as usize]);
        let cost = f64::from(load(forest, layer, channel, next)) + 0.5 * mean_load * f64::from(shared.count_ones());
        best.offer(cost, channel, rng);
    }
    unmark(ground, forest, switch, 0..layer, marks);
    if let Some(channel) = best.channel {
        forest.forward(ground, layer, switch, channel);
    }
}

/// The loads of `channel` and of the path of `next`, which it enters.
fn load(forest: &Forest, layer: usize, channel: u32, next: u32) -> i32 {
    let onward: i32 = forest.path(layer, next).iter().map(|&channel| forest.loads[channel as usize]).sum();
    forest.loads[channel as usize] + onward
}

/// Marks the cables of the paths of `switch` in `layers`.
pub(super) fn mark(
    ground: &Ground,
    forest: &Forest,
    switch: u32,
    layers: impl Iterator<Item = usize>,
    marks: &mut Marks,
) {
    for layer in layers {
        for &channel in forest.path(layer, switch) {
            marks[channel as usize] |= 1 << layer;
            marks[ground.fabric.reverse()[channel as usize] as usize] |= 1 << layer;
        }
    }
}

/// Undoes [`mark`].
pub(super) fn unmark(
    ground: &Ground,
    forest: &Forest,
    switch: u32,
    layers: impl Iterator<Item = usize>,
    marks: &mut Marks,
) {
    for layer in layers {
        for &channel in forest.path(layer, switch) {
            marks[channel as usize] = 0;
            marks[ground.fabric.reverse()[channel as usize] as usize] = 0;
        }
    }
}

/// The cheapest channel offered; ties are broken alike at random.
struct Best {
    cost: f64,
    channel: Option<u32>,
    ties: u32,
}

impl Best {
    fn new() -> Self {
        Self { cost: f64::INFINITY, channel: None, ties: 0 }
    }

    fn offer(&mut self, cost: f64, channel: u32, rng: &mut impl Rng) {
        if cost < self.cost {
            *self = Self { cost, channel: Some(channel), ties: 1 };
        } else if cost == self.cost {
            self.ties += 1;
            if rng.random_range(0..self.ties) == 0 {
                self.channel = Some(channel);
            }
        }
    }
}
