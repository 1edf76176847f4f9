//! Random graphs that several families are made of.

use rand::RngExt;
use rand::seq::SliceRandom;

use crate::random::{Xoshiro256PlusPlus, stream};
use crate::{Error, Fabric, distances};

/// How often a random construction is drawn before it is given up.
pub(crate) const ATTEMPTS: u64 = 100;

/// Draws fabrics of `family` from the streams `fabric/<family>`, 0 to [`ATTEMPTS`] − 1, until one is connected.
///
/// # Errors
/// [`Error::Construction`] with `hint` after the last attempt, or what `draw` fails with. `draw` gives `None` where its
/// attempt came to nothing.
pub(crate) fn until_connected(
    family: &'static str,
    seed: u64,
    hint: &str,
    draw: impl Fn(&mut Xoshiro256PlusPlus) -> Result<Option<Fabric>, Error>,
) -> Result<Fabric, Error> {
    let name = format!("fabric/{family}");
    for attempt in 0..ATTEMPTS {
        if let Some(fabric) = draw(&mut stream(seed, &name, attempt))?
            && distances::is_connected(&fabric)
        {
            return Ok(fabric);
        }
    }
    Err(Error::Construction {
        name: family.to_owned(),
        problem: format!("no connected graph in {ATTEMPTS} attempts under seed {seed}"),
        hint: hint.to_owned(),
    })
}

/// The cables of a random regular graph without parallel cables; `None` where this attempt came to nothing.
///
/// Free ports are joined at random while they can be; what is left over is spliced into cables that are there (Singla et
/// al., Jellyfish, NSDI 2012, §3). Dense graphs are drawn by the cables that they lack. Close to uniform, not uniform.
/// The only connected graphs of degree 2 are rings, so of those a random ring is drawn.
///
/// Wants `degree < switches` and an even `switches · degree`.
pub(crate) fn regular(switches: u32, degree: u32, rng: &mut Xoshiro256PlusPlus) -> Option<Vec<[u32; 2]>> {
    if degree == 2 {
        let mut ring: Vec<u32> = (0..switches).collect();
        ring.shuffle(rng);
        return Some((0..ring.len()).map(|at| [ring[at], ring[(at + 1) % ring.len()]]).collect());
    }
    if 2 * degree < switches {
        return Pairing::draw(switches, degree, rng).map(|pairing| pairing.cables);
    }
    let lacking = Pairing::draw(switches, switches - 1 - degree, rng)?;
    let mut cables = Vec::with_capacity(switches as usize * degree as usize / 2);
    let mut apart = vec![false; switches as usize];
    for a in 0..switches {
        lacking.rows[a as usize].iter().for_each(|&b| apart[b as usize] = true);
        cables.extend((a + 1..switches).filter(|&b| !apart[b as usize]).map(|b| [a, b]));
        lacking.rows[a as usize].iter().for_each(|&b| apart[b as usize] = false);
    }
    Some(cables)
}

/// A graph in which free ports are paired up.
struct Pairing {
    rows: Vec<Vec<u32>>,
    cables: Vec<[u32; 2]>,
}

impl Pairing {
    fn draw(switches: u32, degree: u32, rng: &mut Xoshiro256PlusPlus) -> Option<Self> {
        let mut pairing = Self {
            rows: vec![Vec::with_capacity(degree as usize); switches as usize],
            cables: Vec::with_capacity(switches as usize * degree as usize / 2),
        };
        let mut free: Vec<u32> =
            (0..switches).flat_map(|switch| std::iter::repeat_n(switch, degree as usize)).collect();
        // Rounds in which nothing was joined: the few ports left may all belong to neighbours, or to one switch.
        let mut idle = 0;
        while !free.is_empty() && idle < 8 {
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
        a != b && !self.rows[a as usize].contains(&b)
    }

    fn join(&mut self, a: u32, b: u32) {
        self.rows[a as usize].push(b);
        self.rows[b as usize].push(a);
        self.cables.push([a, b]);
    }

    /// Takes a random cable x–y away and joins `a` (a port of which is free) with x, `b` with y; `a` may be `b`.
    fn splice(&mut self, a: u32, b: u32, rng: &mut Xoshiro256PlusPlus) -> Option<()> {
        let cables = self.cables.len();
        let start = rng.random_range(0..2 * cables.max(1));
        let (at, [x, y]) = (0..2 * cables).map(|step| (start + step) % (2 * cables)).find_map(|at| {
            let [x, y] = self.cables[at / 2];
            let [x, y] = if at % 2 == 0 { [x, y] } else { [y, x] };
            (self.may_join(a, x) && self.may_join(b, y)).then_some((at / 2, [x, y]))
        })?;
        self.cables.swap_remove(at);
        for (row, end) in [(x, y), (y, x)] {
            let row = &mut self.rows[row as usize];
            let position = row.iter().position(|&switch| switch == end)?;
            row.swap_remove(position);
        }
        self.join(a, x);
        self.join(b, y);
        Some(())
    }
}

/// Per layer, the arcs of a random graph in which every node has `degrees[layer]` arcs out and as many in.
///
/// No arc joins a node with itself. Without `parallel`, no two arcs of any layers join the same two nodes, in either
/// direction; with it, only arcs of one layer and direction must differ.
///
/// Starts from a circulant graph over shuffled nodes, which always exists, and makes 32 random switches per arc (two arcs
/// of a layer exchange their heads where that keeps the graph legal): the Markov chain usual for regular graphs of given
/// degrees. Close to uniform, not uniform; a graph near the complete one leaves few switches and stays near its start.
///
/// Wants 2 Σ `degrees` < `nodes`, or with `parallel` each of `degrees` < `nodes`.
pub(crate) fn layered(nodes: u32, degrees: &[u32], parallel: bool, rng: &mut Xoshiro256PlusPlus) -> Vec<Vec<[u32; 2]>> {
    const SWITCHES_PER_ARC: usize = 32;
    let mut graph = Layered::circulant(nodes, degrees, parallel, rng);
    let starts: Vec<usize> = degrees
        .iter()
        .scan(0, |total, &degree| {
            let start = *total;
            *total += nodes as usize * degree as usize;
            Some(start)
        })
        .collect();
    let arcs: usize = graph.layers.iter().map(Vec::len).sum();
    for _ in 0..SWITCHES_PER_ARC * arcs {
        let arc = rng.random_range(0..arcs);
        let layer = starts.partition_point(|&start| start <= arc) - 1;
        let other = rng.random_range(0..graph.layers[layer].len());
        graph.exchange_heads(layer, arc - starts[layer], other);
    }
    graph.layers
}

struct Layered {
    nodes: u32,
    parallel: bool,
    layers: Vec<Vec<[u32; 2]>>,
    /// Whom a node may not be joined with again: per node, or with `parallel` per layer and node the heads of its arcs.
    rows: Vec<Vec<u32>>,
}

impl Layered {
    fn circulant(nodes: u32, degrees: &[u32], parallel: bool, rng: &mut Xoshiro256PlusPlus) -> Self {
        let mut order: Vec<u32> = (0..nodes).collect();
        order.shuffle(rng);
        let rows = nodes as usize * if parallel { degrees.len() } else { 1 };
        let mut graph = Self { nodes, parallel, layers: Vec::new(), rows: vec![Vec::new(); rows] };
        // A stride t joins node i with i + t and, the other way round, is the stride nodes − t.
        let mut strides: Vec<u32> = (1..=if parallel { nodes - 1 } else { (nodes - 1) / 2 }).collect();
        strides.shuffle(rng);
        for (layer, &degree) in degrees.iter().enumerate() {
            let of_layer: Vec<u32> =
                if parallel { strides[..degree as usize].to_vec() } else { strides.drain(..degree as usize).collect() };
            let mut arcs = Vec::with_capacity(nodes as usize * degree as usize);
            for stride in of_layer {
                for at in 0..nodes {
                    let arc =
                        [order[at as usize], order[((u64::from(at) + u64::from(stride)) % u64::from(nodes)) as usize]];
                    graph.enter(layer, arc);
                    arcs.push(arc);
                }
            }
            graph.layers.push(arcs);
            if parallel {
                strides.shuffle(rng);
            }
        }
        graph
    }

    /// Arcs x→y and u→v become x→v and u→y, where that is legal.
    fn exchange_heads(&mut self, layer: usize, first: usize, second: usize) {
        let ([x, y], [u, v]) = (self.layers[layer][first], self.layers[layer][second]);
        let distinct = x != u && y != v && x != v && u != y;
        if !distinct || self.joined(layer, [x, v]) || self.joined(layer, [u, y]) {
            return;
        }
        self.leave(layer, [x, y]);
        self.leave(layer, [u, v]);
        self.enter(layer, [x, v]);
        self.enter(layer, [u, y]);
        self.layers[layer][first] = [x, v];
        self.layers[layer][second] = [u, y];
    }

    fn row(&self, layer: usize, node: u32) -> usize {
        node as usize + if self.parallel { layer * self.nodes as usize } else { 0 }
    }

    fn joined(&self, layer: usize, [tail, head]: [u32; 2]) -> bool {
        self.rows[self.row(layer, tail)].contains(&head)
    }

    /// The entries of `rows` that an arc makes, as (node, whom it may not be joined with again).
    fn entries(&self, [tail, head]: [u32; 2]) -> impl Iterator<Item = [u32; 2]> + use<> {
        [[tail, head], [head, tail]].into_iter().take(if self.parallel { 1 } else { 2 })
    }

    fn enter(&mut self, layer: usize, arc: [u32; 2]) {
        for [node, other] in self.entries(arc) {
            let row = self.row(layer, node);
            self.rows[row].push(other);
        }
    }

    fn leave(&mut self, layer: usize, arc: [u32; 2]) {
        for [node, other] in self.entries(arc) {
            let row = self.row(layer, node);
            let at = self.rows[row].iter().position(|&entry| entry == other).expect("an arc enters before it leaves");
            self.rows[row].swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

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
            assert!(degrees.iter().all(|&d| d == degree), "{switches} of degree {degree}: {degrees:?}");
            let pairs: HashSet<_> = cables.iter().map(|&[a, b]| (a.min(b), a.max(b))).collect();
            assert_eq!(pairs.len(), cables.len());
            assert!(cables.iter().all(|[a, b]| a != b));
        }
    }

    #[test]
    fn every_cable_of_a_regular_graph_is_about_as_likely() {
        // Each of the 45 pairs of 10 switches is a cable with probability 3/9.
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

    #[test]
    fn layered_graphs_keep_their_degrees() {
        for (nodes, degrees, parallel) in
            [(5, &[1, 1][..], false), (4, &[1, 1], true), (50, &[3, 3, 3], false), (21, &[2, 3, 2], true)]
        {
            let layers = layered(nodes, degrees, parallel, &mut rng());
            let mut pairs = HashSet::new();
            for (layer, (arcs, &degree)) in layers.iter().zip(degrees).enumerate() {
                let (mut out, mut into) = (vec![0; nodes as usize], vec![0; nodes as usize]);
                for &[tail, head] in arcs {
                    assert_ne!(tail, head);
                    out[tail as usize] += 1;
                    into[head as usize] += 1;
                    let key = if parallel { (layer, tail, head) } else { (0, tail.min(head), tail.max(head)) };
                    assert!(pairs.insert(key), "{key:?} twice");
                }
                assert!(out.iter().chain(&into).all(|&d| d == degree));
            }
        }
    }

    #[test]
    fn every_arc_of_a_layered_graph_is_about_as_likely() {
        // A node has one of 8 others at the head of its arc in either layer.
        let mut counts = [[[0u32; 9]; 9]; 2];
        let draws = 8000;
        let mut rng = rng();
        for _ in 0..draws {
            for (layer, arcs) in layered(9, &[1, 1], false, &mut rng).into_iter().enumerate() {
                arcs.iter().for_each(|&[tail, head]| counts[layer][tail as usize][head as usize] += 1);
            }
        }
        for (tail, row) in counts.iter().flatten().enumerate() {
            for (head, &count) in row.iter().enumerate().filter(|&(head, _)| head != tail % 9) {
                let share = f64::from(count) / f64::from(draws);
                assert!((share - 1.0 / 8.0).abs() < 0.02, "{tail}→{head}: {share}");
            }
        }
    }
}
