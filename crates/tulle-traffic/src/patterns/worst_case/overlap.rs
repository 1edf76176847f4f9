//! Pairs of switches at distance 2 whose only shortest paths overlap (diameter-two §4.2 and Fig. 5).
//!
//! Along a path A–B–C–D, A and C are partners over B, and B and D over C. So the cable between B and C carries the messages
//! of two pairs each way: 2p of them where every switch has p endpoints. The paper leaves the assignment open; here switches
//! are taken greedily in random order.

use std::cmp::Ordering;

use rand::seq::SliceRandom;
use tulle_fabric::Fabric;
use tulle_fabric::random::stream;

/// Per switch its partner; itself for one that is left over.
pub(super) fn partners(fabric: &Fabric, seed: u64) -> Vec<u32> {
    let mut order: Vec<u32> = (0..fabric.num_switches() as u32).collect();
    order.shuffle(&mut stream(seed, "traffic/worst-case", 0));
    let mut partner: Vec<u32> = (0..fabric.num_switches() as u32).collect();
    for &b in &order {
        if let Some([a, c, d]) = chain(fabric, &partner, b) {
            pair(&mut partner, a, c);
            pair(&mut partner, b, d);
        }
    }
    // What is left: at distance 2 where there is such a partner, and otherwise as it comes.
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

/// Switches a, c and d without partners such that a–b–c–d is a path as described above.
fn chain(fabric: &Fabric, partner: &[u32], b: u32) -> Option<[u32; 3]> {
    let free = |&switch: &u32| partner[switch as usize] == switch;
    if !free(&b) {
        return None;
    }
    let near = |switch: u32| fabric.neighbours(switch).iter().copied().filter(free);
    near(b).find_map(|c| {
        let a = near(b).find(|&a| a != c && only_over_one(fabric, a, c))?;
        let d = near(c).find(|&d| d != b && d != a && only_over_one(fabric, b, d))?;
        Some([a, c, d])
    })
}

/// Whether two switches are joined by exactly one path of two hops and by none of one.
fn only_over_one(fabric: &Fabric, one: u32, other: u32) -> bool {
    let (mut left, mut right) = (fabric.neighbours(one), fabric.neighbours(other));
    if left.binary_search(&other).is_ok() {
        return false;
    }
    // Both are ascending.
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
