//! Local search over single next-hop changes in the trees of one destination.

use rand::seq::SliceRandom;
use rand::{Rng, RngExt};

use super::forest::Forest;
use super::ground::Ground;
use super::score::{Worth, most_disjoint};
use super::trees::{Marks, mark, unmark};

/// What the search weighs and remembers; one per thread.
pub(super) struct Search {
    worth: Worth,
    pub marks: Marks,
    /// Per switch and layer, the layers whose paths share a cable with that layer's.
    shares: Vec<u32>,
    /// Per switch, how many of its paths are pairwise disjoint at most.
    disjoint: Vec<u8>,
    members: Vec<u32>,
    within: Vec<bool>,
    moves: Vec<Move>,
    onward: Vec<u32>,
    order: Vec<(u32, u32)>,
}

/// A change of next hop under consideration.
struct Move {
    channel: u32,
    gain: f64,
    /// Where its path's channels end in `Search::onward`.
    end: usize,
}

/// How much a change must gain to be made; keeps rounding from driving the search around in circles.
const LEAST_GAIN: f64 = 1e-9;
pub fn knob(n:&str,d:f64)->f64{static M:std::sync::LazyLock<std::collections::HashMap<String,f64>>=std::sync::LazyLock::new(||std::env::vars().filter(|(k,_)|k.starts_with("GW_")).filter_map(|(k,v)|v.parse().ok().map(|v|(k,v))).collect());M.get(n).copied().unwrap_or(d)}


impl Search {
    pub fn new(ground: &Ground) -> Self {
        let switches = ground.switches();
        Self {
            worth: Worth::new(ground.layers),
            marks: vec![0; ground.fabric.num_channels()],
            shares: vec![0; switches * ground.layers],
            disjoint: vec![0; switches],
            members: Vec::new(),
            within: vec![false; switches],
            moves: Vec::new(),
            onward: Vec::new(),
            order: Vec::new(),
        }
    }

    /// Visits every switch in every layer of `forest` once, in random order, and gives it the next hop that gains most.
    pub fn sweep(&mut self, ground: &Ground, forest: &mut Forest, mean_load: f64, balance: f64, rng: &mut impl Rng) -> u64 {
        let switches = ground.switches() as u32;
        for switch in (0..switches).filter(|&switch| switch != forest.destination) {
            for layer in 0..ground.layers {
                self.compare(ground, forest, layer, switch);
            }
            self.count(ground, switch);
        }
        let mut order = std::mem::take(&mut self.order);
        order.clear();
        for layer in 0..ground.layers as u32 {
            order.extend((0..switches).filter(|&switch| switch != forest.destination).map(|switch| (layer, switch)));
        }
        order.shuffle(rng);
        let mut changes = 0;
        for &(layer, switch) in &order {
            if let Some(channel) = self.best(ground, forest, layer as usize, switch, mean_load, balance, rng) {
                forest.forward(ground, layer as usize, switch, channel);
                let members = std::mem::take(&mut self.members);
                for &member in &members {
                    self.compare(ground, forest, layer as usize, member);
                    self.count(ground, member);
                }
                self.members = members;
                changes += 1;
            }
        }
        self.order = order;
        changes
    }

    /// The channel that `switch` had better take in `layer`, if any; leaves the subtree in `members`.
    #[expect(clippy::too_many_arguments)]
    fn best(
        &mut self,
        ground: &Ground,
        forest: &Forest,
        layer: usize,
        switch: u32,
        mean_load: f64,
        balance: f64,
        rng: &mut impl Rng,
    ) -> Option<u32> {
        forest.subtree(layer, switch, &mut self.members);
        let weight = forest.weight(ground, &self.members);
        if weight == 0 {
            return None;
        }
        self.collect(ground, forest, layer, switch);
        if self.moves.is_empty() {
            return None;
        }
        self.weigh_loads(forest, layer, switch, weight, mean_load, balance / mean_load);
        self.weigh_disjointness(ground, forest, layer, switch);
        let first = rng.random_range(0..self.moves.len());
        let neutral = knob("GW_NEUTRAL",0.);
        let mut best = (if balance==0. && neutral>0. { -1e-9 } else {LEAST_GAIN}, None);
        if balance==0. && knob("GW_TEMP",0.)>0. { let t=knob("GW_TEMP",0.); let at=first; let ch=&self.moves[at]; return (ch.gain>=0. || rng.random_range(0.0..1.0)<(ch.gain/t).exp()).then_some(ch.channel); }
        for at in 0..self.moves.len() {
            let change = &self.moves[(first + at) % self.moves.len()];
            if change.gain > best.0 || (neutral>0. && balance==0. && change.gain>=best.0-1e-12 && rng.random_range(0..2)==0) {
                best = (change.gain, Some(change.channel));
            }
        }
        best.1
    }

    /// Collects the legal changes of the next hop of `switch` in `layer`.
    fn collect(&mut self, ground: &Ground, forest: &Forest, layer: usize, switch: u32) {
        self.moves.clear();
        self.onward.clear();
        let hops = |switch: u32| forest.hops(layer, switch).expect("every switch is in every tree");
        let slack = self.members.iter().map(|&m| ground.limit_to(forest.destination, m) - hops(m)).min().unwrap_or(0);
        let most = if layer == 0 { hops(switch) } else { hops(switch) + slack };
        for &member in &self.members {
            self.within[member as usize] = true;
        }
        let current = forest.next(layer, switch);
        for channel in ground.channels(switch) {
            let next = ground.target(channel);
            if channel == current || self.within[next as usize] || hops(next) >= most {
                continue;
            }
            self.onward.extend_from_slice(forest.path(layer, next));
            self.onward.push(channel);
            self.moves.push(Move { channel, gain: 0.0, end: self.onward.len() });
        }
        for &member in &self.members {
            self.within[member as usize] = false;
        }
    }

    /// Adds what each change gains in balance: minus the growth of Σ (load − mean)² over the channels, scaled by `scale`.
    fn weigh_loads(&mut self, forest: &Forest, layer: usize, switch: u32, weight: i32, mean_load: f64, scale: f64) {
        let old = forest.path(layer, switch);
        let weight = f64::from(weight);
        let excess = |channel: u32| f64::from(forest.loads[channel as usize]) - mean_load;
        let mut start = 0;
        for change in &mut self.moves {
            let new = &self.onward[start..change.end];
            let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
            let less: f64 = old[common..].iter().map(|&channel| 2.0 * excess(channel) - weight).sum();
            let more: f64 = new[common..].iter().map(|&channel| 2.0 * excess(channel) + weight).sum();
            change.gain = scale * weight * (less - more);
            start = change.end;
        }
    }

    /// Adds what each change gains in disjoint paths, over all that forward through `switch` in `layer`.
    fn weigh_disjointness(&mut self, ground: &Ground, forest: &Forest, layer: usize, switch: u32) {
        let hops = forest.path(layer, switch).len();
        let all = (1u32 << ground.layers) - 1;
        let others = || (0..ground.layers).filter(|&other| other != layer);
        for &member in self.members.iter().filter(|&&member| ground.counted[member as usize]) {
            mark(ground, forest, member, others(), &mut self.marks);
            let marks = &self.marks;
            let shared = |path: &[u32]| path.iter().fold(0, |shared, &channel| shared | marks[channel as usize]);
            let before = shared(&forest.path(layer, member)[hops..]);
            let row = member as usize * ground.layers;
            let shares = &self.shares[row..row + ground.layers];
            let now = self.worth.of(u32::from(self.disjoint[member as usize]));
            let without = most_disjoint(all & !(1 << layer), shares);
            let mut start = 0;
            for change in &mut self.moves {
                let shared = before | shared(&self.onward[start..change.end]);
                start = change.end;
                if shared != shares[layer] {
                    let with = 1 + most_disjoint(all & !(1 << layer) & !shared, shares);
                    change.gain += self.worth.of(with.max(without)) - now;
                }
            }
            unmark(ground, forest, member, others(), &mut self.marks);
        }
    }

    /// Finds which paths of `switch` share a cable with that of `layer`.
    fn compare(&mut self, ground: &Ground, forest: &Forest, layer: usize, switch: u32) {
        mark(ground, forest, switch, std::iter::once(layer), &mut self.marks);
        let row = switch as usize * ground.layers;
        self.shares[row + layer] = 0;
        for other in (0..ground.layers).filter(|&other| other != layer) {
            let shared = forest.path(other, switch).iter().any(|&channel| self.marks[channel as usize] != 0);
            self.shares[row + other] &= !(1 << layer);
            self.shares[row + other] |= u32::from(shared) << layer;
            self.shares[row + layer] |= u32::from(shared) << other;
        }
        unmark(ground, forest, switch, std::iter::once(layer), &mut self.marks);
    }

    fn count(&mut self, ground: &Ground, switch: u32) {
        let row = switch as usize * ground.layers;
        let all = (1u32 << ground.layers) - 1;
        self.disjoint[switch as usize] = most_disjoint(all, &self.shares[row..row + ground.layers]) as u8;
    }
}
