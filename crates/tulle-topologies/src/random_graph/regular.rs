//! Random regular graphs.

use rand::RngExt;
use rand::seq::SliceRandom;
use tulle_base::random::Xoshiro256PlusPlus;
use tulle_base::task;

use super::pairs::Pairs;

/// Returns the cables of a random regular graph without parallel cables, or `None` if this attempt failed.
///
/// The function connects random pairs of free ports until several rounds in a row add no cable. It then removes existing cables and
/// reconnects their ends to the remaining free ports (Singla et al., Jellyfish, NSDI 2012, §3). For dense graphs, it generates the complement
/// graph and returns the cables that the complement lacks. The distribution of the results is close to uniform, but not uniform. For degree
/// 2, it generates a random ring, because every connected graph of degree 2 is a ring.
///
/// `degree` must be less than `switches`, and `switches · degree` must be even.
pub(crate) fn regular(switches: u32, degree: u32, rng: &mut Xoshiro256PlusPlus) -> Option<Vec<[u32; 2]>> {
    if degree == 2 {
        let mut ring: Vec<u32> = (0..switches).collect();
        ring.shuffle(rng);
        return Some((0..ring.len()).map(|at| [ring[at], ring[(at + 1) % ring.len()]]).collect());
    }
    if 2 * degree < switches {
        return Pairing::draw(switches, degree, rng).map(|pairing| pairing.cables);
    }
    let lacking = Pairing::draw(switches, switches - 1 - degree, rng)?.joined;
    let mut cables = Vec::with_capacity(switches as usize * degree as usize / 2);
    for a in 0..switches {
        cables.extend((a + 1..switches).map(|b| [a, b]).filter(|&pair| !lacking.contains(pair)));
    }
    Some(cables)
}

/// A graph under construction. Pairs of free ports are connected until none is left.
struct Pairing {
    /// The pairs of connected switches, each with the lower switch first.
    joined: Pairs,
    cables: Vec<[u32; 2]>,
}

impl Pairing {
    fn draw(switches: u32, degree: u32, rng: &mut Xoshiro256PlusPlus) -> Option<Self> {
        let cables = Vec::with_capacity(switches as usize * degree as usize / 2);
        let mut pairing = Self { joined: Pairs::new(switches), cables };
        let mut free: Vec<u32> =
            (0..switches).flat_map(|switch| std::iter::repeat_n(switch, degree as usize)).collect();
        // The number of consecutive rounds without a new cable. A round adds no cable if all free ports belong to switches that are already
        // neighbours, or to a single switch.
        let mut idle = 0;
        while !free.is_empty() && idle < 8 {
            task::check();
            free.shuffle(rng);
            let before = free.len();
            let mut left = Vec::new();
            for pair in free.chunks_exact(2) {
                if pairing.may_join(pair[0], pair[1]) {
                    pairing.join(pair[0], pair[1]);
                } else {
                    left.extend_from_slice(pair);
                }
            }
            free = left;
            idle = if free.len() == before { idle + 1 } else { 0 };
        }
        for ports in free.chunks_exact(2) {
            pairing.splice(ports[0], ports[1], rng)?;
        }
        Some(pairing)
    }

    fn may_join(&self, a: u32, b: u32) -> bool {
        a != b && !self.joined.contains([a.min(b), a.max(b)])
    }

    fn join(&mut self, a: u32, b: u32) {
        self.joined.insert([a.min(b), a.max(b)]);
        self.cables.push([a, b]);
    }

    /// Connects two free ports by splitting an existing cable: removes a random cable x–y, and connects `a` to x and `b` to y. `a` and `b`
    /// each have a free port and may be the same switch.
    fn splice(&mut self, a: u32, b: u32, rng: &mut Xoshiro256PlusPlus) -> Option<()> {
        let ways = 2 * self.cables.len() as u64;
        let start = rng.random_range(0..ways.max(1));
        let (at, [x, y]) = (0..ways).map(|step| ((start + step) % ways) as usize).find_map(|way| {
            let [x, y] = self.cables[way / 2];
            let [x, y] = if way % 2 == 0 { [x, y] } else { [y, x] };
            (self.may_join(a, x) && self.may_join(b, y)).then_some((way / 2, [x, y]))
        })?;
        self.cables.swap_remove(at);
        self.joined.remove([x.min(y), x.max(y)]);
        self.join(a, x);
        self.join(b, y);
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use tulle_base::random::stream;

    fn rng() -> Xoshiro256PlusPlus {
        stream(1, "test", 0)
    }

    #[test]
    fn regular_graphs_are_simple_and_regular() {
        for (switches, degree) in [(2, 1), (4, 1), (4, 3), (5, 2), (5, 4), (8, 3), (9, 4), (10, 7), (50, 24), (50, 25)]
        {
            let cables = regular(switches, degree, &mut rng()).unwrap();
            let mut degrees = vec![0; switches as usize];
            cables.iter().flatten().for_each(|&end| degrees[end as usize] += 1);
            assert!(
                degrees.iter().all(|&d| d == degree),
                "{switches} switches, not all with degree {degree}: {degrees:?}"
            );
            let pairs: HashSet<_> = cables.iter().map(|&[a, b]| (a.min(b), a.max(b))).collect();
            assert_eq!(pairs.len(), cables.len());
            assert!(cables.iter().all(|[a, b]| a != b));
        }
    }

    #[test]
    fn every_cable_of_a_regular_graph_is_about_as_likely() {
        // With 10 switches of degree 3, each of the 45 pairs of switches has a cable with probability 3/9.
        let mut counts = [[0u32; 10]; 10];
        let draws = 6000;
        let mut rng = rng();
        for _ in 0..draws {
            for [a, b] in regular(10, 3, &mut rng).unwrap() {
                counts[a.min(b) as usize][a.max(b) as usize] += 1;
            }
        }
        for (a, row) in counts.iter().enumerate() {
            for (b, &count) in row.iter().enumerate().skip(a + 1) {
                let share = f64::from(count) / f64::from(draws);
                assert!((share - 1.0 / 3.0).abs() < 0.03, "{a}-{b}: {share}");
            }
        }
    }
}
