//! Builds the initial trees, from which the local search starts.

use rand::Rng;
use rand::seq::SliceRandom;

use super::classes::split;
use super::context::Context;
use super::forest::Forest;
use super::marks::Marks;
use crate::loads::Least;

/// If more than 1/`MANY` of the switches have a path of the required length, the code assumes, without a check, that every switch has a
/// neighbour with such a path.
const MANY: usize = 8;

/// Builds all trees toward the forest's destination. Layer 0 has shortest paths. In every other layer, paths enter the destination through
/// one class of its cables, and are as short as this allows. A switch without such a path within the hop limit gets a shortest path.
///
/// If several next hops lead to paths of equal length, the function chooses the one whose path has the least load. In the layers after
/// layer 0, the choice also depends on the cables shared with paths in earlier layers. `mean` is the expected final load of a channel.
///
/// If the search ignores pairs with this destination, all its trees have shortest paths.
pub(super) fn plant(context: &Context, forest: &mut Forest, marks: &mut Marks, mean: f64, rng: &mut impl Rng) {
    let destination = forest.destination;
    let mut order: Vec<u32> = (0..context.switches() as u32).filter(|&switch| switch != destination).collect();
    order.shuffle(rng);
    plant_minimal(context, forest, 0, &mut order, rng);
    for (class, layer) in split(context.channels(destination), context.layers - 1, rng).iter().zip(1..) {
        order.shuffle(rng);
        if forest.counted {
            enter_through(context, forest, layer, class);
            for hops in 2..=context.longest as u8 {
                let reached = reached(context, forest, layer, hops - 1);
                for &switch in &order {
                    let is_open = reached[switch as usize] && forest.hops(layer, switch).is_none();
                    if is_open && context.limit(destination, switch) >= hops {
                        join(context, forest, layer, switch, hops, marks, mean, rng);
                    }
                }
            }
        }
        plant_minimal(context, forest, layer, &mut order, rng);
    }
}

/// Adds all switches that are not yet in `layer` with shortest paths, the nearest switches first.
fn plant_minimal(context: &Context, forest: &mut Forest, layer: usize, order: &mut [u32], rng: &mut impl Rng) {
    order.sort_by_key(|&switch| context.distance(forest.destination, switch));
    for &switch in &*order {
        if forest.hops(layer, switch).is_none() {
            join_minimal(context, forest, layer, switch, rng);
        }
    }
}

/// In `layer`, connects the destination directly to its neighbours over the cables in `class`. `class` lists channels out of the
/// destination.
fn enter_through(context: &Context, forest: &mut Forest, layer: usize, class: &[u32]) {
    for &channel in class {
        let gateway = context.target(channel);
        // If a switch has several parallel cables to the destination, it uses one of them.
        if forest.hops(layer, gateway).is_none() {
            forest.forward(context, layer, gateway, context.reverse(channel));
        }
    }
}

/// Returns, per switch, whether one of its neighbours has a path of `hops` hops in `layer`. If many switches have such a path, the result
/// is true for all switches without a check.
fn reached(context: &Context, forest: &Forest, layer: usize, hops: u8) -> Vec<bool> {
    let switches = context.switches();
    let near: Vec<u32> = (0..switches as u32).filter(|&switch| forest.length(layer, switch) == hops).collect();
    let mut reached = vec![MANY * near.len() > switches; switches];
    if !reached[0] {
        for &next in near.iter().flat_map(|&switch| context.fabric.neighbours(switch)) {
            reached[next as usize] = true;
        }
    }
    reached
}

/// Adds `switch` to `layer` with a path of exactly `hops` hops, if a neighbour has a path of `hops` − 1 hops.
#[expect(clippy::too_many_arguments)]
fn join(
    context: &Context,
    forest: &mut Forest,
    layer: usize,
    switch: u32,
    hops: u8,
    marks: &mut Marks,
    mean: f64,
    rng: &mut impl Rng,
) {
    let near = |&channel: &u32| {
        let next = context.target(channel);
        forest.length(layer, next) == hops - 1 && next != forest.destination
    };
    let mut channels = context.channels_from_any(switch, rng).filter(near).take(context.looks).peekable();
    if channels.peek().is_none() {
        return;
    }
    (0..layer).for_each(|earlier| marks.add(context, forest, earlier, switch));
    let (mut least, mut chosen) = (Least::new(), None);
    for channel in channels {
        let next = context.target(channel);
        let shared = marks.on(forest.path(layer, next)) | marks.on(&[channel]);
        let load = load(forest, layer, channel, next) + (0.5 * mean * f64::from(shared.count_ones())) as u64;
        if least.takes(load, rng) {
            chosen = Some(channel);
        }
    }
    (0..layer).for_each(|earlier| marks.clear(context, forest, earlier, switch));
    if let Some(channel) = chosen {
        forest.forward(context, layer, switch, channel);
    }
}

/// Adds `switch` to `layer` with a shortest path. If a later switch on this path currently uses a longer path, that switch changes to the
/// shortest path as well. Paths without such switches are preferred.
fn join_minimal(context: &Context, forest: &mut Forest, layer: usize, switch: u32, rng: &mut impl Rng) {
    let distance = |switch| context.distance(forest.destination, switch);
    let (mut least, mut chosen) = (Least::new(), None);
    for channel in context.nearer(forest.destination, switch) {
        let next = context.target(channel);
        let ready = forest.hops(layer, next) == Some(distance(next));
        let load = if ready { load(forest, layer, channel, next) } else { u64::MAX - 1 };
        if least.takes(load, rng) {
            chosen = Some((channel, next, ready));
        }
    }
    let (channel, next, ready) = chosen.expect("a connected fabric has a shortest path");
    if !ready {
        join_minimal(context, forest, layer, next, rng);
    }
    forest.forward(context, layer, switch, channel);
}

/// Returns the sum of the loads of `channel` and of the path of `next`, which is the target of `channel`.
fn load(forest: &Forest, layer: usize, channel: u32, next: u32) -> u64 {
    let load = |&channel: &u32| forest.loads[channel as usize] as u64;
    load(&channel) + forest.path(layer, next).iter().map(load).sum::<u64>()
}
