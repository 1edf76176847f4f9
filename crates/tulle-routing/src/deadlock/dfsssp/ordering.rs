//! An order of channels that as many paths as can be found follow.

use tulle_fabric::Fabric;

use crate::deadlock::members::Members;
use crate::deadlock::turns::Turns;

pub(super) struct Ordering<'a> {
    fabric: &'a Fabric,
    turns: &'a Turns,
    into: Vec<usize>,
    pub place: Vec<f64>,
    onward_weight: Vec<u32>,
    into_weight: Vec<u32>,
}

impl<'a> Ordering<'a> {
    pub fn new(fabric: &'a Fabric, turns: &'a Turns, start: &[u32]) -> Self {
        let mut into = Vec::with_capacity(turns.num_channels() + 1);
        let mut count = 0;
        for &switch in fabric.sources() {
            into.push(count);
            count += fabric.degree(switch);
        }
        into.push(count);
        let mut place = vec![0.0; turns.num_channels()];
        start.iter().enumerate().for_each(|(at, &channel)| place[channel as usize] = at as f64);
        Self { fabric, turns, into, place, onward_weight: vec![0; turns.len()], into_weight: vec![0; count] }
    }

    pub fn weigh(&mut self, members: &Members, before: &[u32], marginal: bool) -> usize {
        let Self { fabric, turns, place, onward_weight: weight, .. } = self;
        weight.fill(0);
        let w: Vec<u32> = std::env::var("W").unwrap_or("4,4,2,1,1,0".into()).split(',').map(|x| x.parse().unwrap()).collect();
        let mut kept = 0;
        let follows = |turn: u32| {
            let from = before[turn as usize];
            place[from as usize] < place[turns.leads_to(from, turn as usize) as usize]
        };
        for member in 0..members.len() {
            let own = members.turns(member);
            if !marginal {
                own.iter().for_each(|&turn| weight[turn as usize] += 1);
                continue;
            }
            let bad = own.iter().filter(|&&turn| !follows(turn)).count();
            kept += usize::from(bad == 0);
            for &turn in own {
                weight[turn as usize] += match (bad, follows(turn)) {
                    (0, _) => w[0],
                    (1, false) => w[1],
                    (1, true) => w[2],
                    (2, false) => w[3],
                    (2, true) => w[4],
                    _ => w[5],
                };
            }
        }
        let (offsets, sources, reverse) = (fabric.offsets(), fabric.sources(), fabric.reverse());
        for channel in 0..turns.num_channels() {
            let source = sources[channel];
            let first = offsets[source as usize];
            for (k, slot) in self.into_weight[self.into[channel]..self.into[channel + 1]].iter_mut().enumerate() {
                *slot = weight[turns.turn(reverse[first as usize + k], channel as u32)];
            }
        }
        kept
    }

    /// One sweep; by how much the weight that follows the order grew.
    pub fn sweep(&mut self) -> u64 {
        let (offsets, sources, reverse, targets) = (self.fabric.offsets(), self.fabric.sources(), self.fabric.reverse(), self.fabric.targets());
        let mut near: Vec<(f64, i64)> = Vec::new();
        let mut grown = 0;
        for channel in 0..self.turns.num_channels() {
            near.clear();
            let here = self.place[channel];
            let (mut first_gain, mut own) = (0i64, 0i64);
            let onward = offsets[targets[channel] as usize] as usize;
            for (k, &weight) in self.onward_weight[self.turns.out_of(channel as u32)].iter().enumerate() {
                if weight > 0 {
                    let at = self.place[onward + k];
                    first_gain += i64::from(weight);
                    if at > here { own += i64::from(weight); }
                    near.push((at, -i64::from(weight)));
                }
            }
            let first = offsets[sources[channel] as usize] as usize;
            for (k, &weight) in self.into_weight[self.into[channel]..self.into[channel + 1]].iter().enumerate() {
                if weight > 0 {
                    let at = self.place[reverse[first + k] as usize];
                    if at < here { own += i64::from(weight); }
                    near.push((at, i64::from(weight)));
                }
            }
            if near.is_empty() { continue; }
            near.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
            let (mut best, mut best_at, mut gain) = (first_gain, usize::MAX, first_gain);
            for (at, &(_, change)) in near.iter().enumerate() {
                gain += change;
                if gain > best && (at + 1 == near.len() || near[at + 1].0 > near[at].0) {
                    (best, best_at) = (gain, at);
                }
            }
            if best > own {
                grown += (best - own) as u64;
                self.place[channel] = if best_at == usize::MAX { near[0].0 - 1.0 }
                    else if best_at + 1 == near.len() { near[best_at].0 + 1.0 }
                    else { (near[best_at].0 + near[best_at + 1].0) / 2.0 };
            }
        }
        let order = self.order();
        order.iter().enumerate().for_each(|(at, &channel)| self.place[channel as usize] = at as f64);
        grown
    }

    pub fn followed(&self) -> u64 {
        (0..self.place.len()).map(|channel| self.turns.out_of(channel as u32).filter(|&turn| self.place[channel] < self.place[self.turns.leads_to(channel as u32, turn) as usize]).map(|turn| u64::from(self.onward_weight[turn])).sum::<u64>()).sum()
    }

    pub fn order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.place.len() as u32).collect();
        order.sort_by(|&a, &b| self.place[a as usize].total_cmp(&self.place[b as usize]));
        order
    }
}
