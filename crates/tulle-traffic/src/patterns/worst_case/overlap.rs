//! Pairs of switches at distance 2 whose unique shortest paths overlap (Kathareios et al. (SC15) §4.2 and Fig. 5).
//!
//! On a path A–B–C–D, A and C are partners through B, and B and D are partners through C. So the cable between B and C carries the messages
//! of two pairs in each direction: 2p messages if every switch has p endpoints. Kathareios et al. (SC15) say only that the assignment is
//! greedy. This module first assigns switches greedily in random order, which leaves about one switch in seven unassigned (on a Slim Fly
//! with q = 13). Then random swaps between paths and unassigned switches find more paths, until fewer than four switches are unassigned or
//! the maximum number of swaps is reached.

use std::cmp::Ordering;

use rand::RngExt;
use rand::seq::SliceRandom;
use tulle_base::random::stream;
use tulle_fabric::Fabric;

/// Returns the partner of each switch, or the switch itself if it has no partner.
pub(super) fn partners(fabric: &Fabric, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..fabric.num_switches() as u32).collect();
    order.shuffle(&mut stream(seed, "traffic/worst-case", 0));
    let mut chains = Chains { fabric, at: vec![None; order.len()], all: Vec::new() };
    for &b in &order {
        chains.add(b);
    }
    chains.improve(seed);
    let mut partner: Vec<u32> = (0..fabric.num_switches() as u32).collect();
    for &[a, b, c, d] in &chains.all {
        pair(&mut partner, a, c);
        pair(&mut partner, b, d);
    }
    // Pair the unassigned switches with each other: at distance 2 if possible, otherwise arbitrarily.
    let alone = |partner: &[u32], switch: u32| partner[switch as usize] == switch;
    for wanted in [true, false] {
        for (at, &switch) in order.iter().enumerate() {
            if !alone(&partner, switch) {
                continue;
            }
            let fits = |&&other: &&u32| alone(&partner, other) && (!wanted || only_over_one(fabric, switch, other));
            if let Some(&other) = order[at + 1..].iter().find(fits) {
                pair(&mut partner, switch, other);
            }
        }
    }
    partner
}

fn pair(partner: &mut [u32], one: u32, other: u32) {
    partner[one as usize] = other;
    partner[other as usize] = one;
}

/// A set of disjoint chains. A chain is a path A–B–C–D of switches in which A and C are partners, and B and D are partners.
struct Chains<'a> {
    fabric: &'a Fabric,
    /// The chain of each switch; `None` for a free switch, which is in no chain.
    at: Vec<Option<u32>>,
    all: Vec<[u32; 4]>,
}

impl Chains<'_> {
    /// Adds a chain of free switches with `b` as its second switch, if such a chain exists. Returns whether it exists.
    fn add(&mut self, b: u32) -> bool {
        let Some(chain) = self.find(b) else { return false };
        chain.iter().for_each(|&switch| self.at[switch as usize] = Some(self.all.len() as u32));
        self.all.push(chain);
        true
    }

    fn find(&self, b: u32) -> Option<[u32; 4]> {
        let free = |&switch: &u32| self.at[switch as usize].is_none();
        if !free(&b) {
            return None;
        }
        let near = |switch: u32| self.fabric.neighbours(switch).iter().copied().filter(free);
        near(b).find_map(|c| {
            let a = near(b).find(|&a| a != c && only_over_one(self.fabric, a, c))?;
            let d = near(c).find(|&d| d != b && d != a && only_over_one(self.fabric, b, d))?;
            Some([a, b, c, d])
        })
    }

    /// Swaps free switches with the ends of chains at random, and adds a new chain whenever free switches form one.
    fn improve(&mut self, seed: u64) {
        const SWAPS: usize = 200;
        let mut generator = stream(seed, "traffic/worst-case", 1);
        let mut free: Vec<u32> =
            (0..self.at.len() as u32).filter(|&switch| self.at[switch as usize].is_none()).collect();
        for _ in 0..SWAPS * self.at.len() {
            if free.len() < 4 {
                return;
            }
            let at = generator.random_range(0..free.len());
            let near = self.fabric.neighbours(free[at]);
            let next = near[generator.random_range(0..near.len())];
            let Some(out) = self.swap(free[at], next) else { continue };
            free[at] = out;
            if self.add(out) || self.fabric.neighbours(out).iter().any(|&b| self.find(b).is_some() && self.add(b)) {
                free.retain(|&switch| self.at[switch as usize].is_none());
            }
        }
    }

    /// Puts the free switch `new` at an end of a chain, next to its neighbour `next`, and returns the switch that leaves the chain. Returns
    /// `None` and changes nothing if the result would not be a chain.
    fn swap(&mut self, new: u32, next: u32) -> Option<u32> {
        let number = self.at[next as usize]?;
        let mut chain = self.all[number as usize];
        if chain[2] == next || chain[3] == next {
            chain.reverse();
        }
        let [a, b, c, d] = chain;
        let (changed, out) = if next == b { ([new, b, c, d], a) } else { ([new, a, b, c], d) };
        let [first, second, third, fourth] = changed;
        if !only_over_one(self.fabric, first, third) || !only_over_one(self.fabric, second, fourth) {
            return None;
        }
        self.all[number as usize] = changed;
        self.at[new as usize] = Some(number);
        self.at[out as usize] = None;
        Some(out)
    }
}

/// Returns whether two switches are not adjacent and exactly one path of two hops connects them.
fn only_over_one(fabric: &Fabric, one: u32, other: u32) -> bool {
    let (mut left, mut right) = (fabric.neighbours(one), fabric.neighbours(other));
    if left.binary_search(&other).is_ok() {
        return false;
    }
    // Both lists are ascending.
    let mut common = 0;
    while let (Some(a), Some(b)) = (left.first(), right.first()) {
        common += usize::from(a == b);
        match a.cmp(b) {
            Ordering::Less => left = &left[1..],
            Ordering::Greater => right = &right[1..],
            Ordering::Equal => (left, right) = (&left[1..], &right[1..]),
        }
    }
    common == 1
}
