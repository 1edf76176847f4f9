//! Random graphs in layers. Each layer is a random directed graph on the same nodes; the result is the union of all layers.

use std::ops::Range;

use rand::RngExt;
use rand::seq::SliceRandom;
use tulle_base::random::{Xoshiro256PlusPlus, stream};
use tulle_base::task;

use super::pairs::Pairs;

/// Returns a random graph as a list of arcs (directed edges) per layer. In each layer, every node has `degrees[layer]` outgoing arcs and as
/// many incoming arcs. Returns `None` if this attempt failed.
///
/// No arc connects a node to itself. Without `parallel`, at most one arc connects two nodes, over all layers and both directions. With
/// `parallel`, at most one arc per layer and direction connects two nodes.
///
/// In a sparse graph, tails and heads of arcs are paired at random. Illegal pairs exchange heads with random arcs of their layer until they
/// are legal. If arcs connect more than a quarter of all pairs of nodes, the construction starts instead with a circulant graph over
/// shuffled nodes, which always exists. Then 32 random exchanges per arc, but at most 2²² in total, are tried, and those that keep the
/// graph legal are made. The distribution of the results is close to uniform with both methods, but not uniform. Dense graphs remain
/// similar to the circulant graph.
///
/// With `eta`, the arcs of a layer of degree a go through 2·eta·a patch panels. Every node has 2a arc ends in this layer, at 2a different
/// panels. A panel connects about `nodes` / (2 eta) tails to as many heads (Flattened Clos (NSDI23) §3.3, virtual-layered cabling). Ends
/// are assigned to panels at random but independently of `rng`: they are physical cables, which stay in place when another graph is
/// generated. Within a panel, tails and heads are paired at random, and exchanges happen only inside the panel.
///
/// Without `parallel`, 2 Σ `degrees` must be less than `nodes`. With `parallel`, only each of `degrees` must be less than `nodes`. In
/// addition, `eta` must not exceed half of `nodes`, rounded up.
pub(crate) fn layered(
    nodes: u32,
    degrees: &[u32],
    parallel: bool,
    eta: Option<u32>,
    rng: &mut Xoshiro256PlusPlus,
) -> Option<Drawn> {
    let mut graph = Layered {
        nodes,
        parallel,
        layers: Vec::with_capacity(degrees.len()),
        panels: Vec::new(),
        joined: (0..if parallel { degrees.len() } else { 1 }).map(|_| Pairs::new(nodes)).collect(),
    };
    if let Some(eta) = eta {
        degrees.iter().try_for_each(|&degree| graph.through(degree, eta, rng))?;
        debug_assert!(graph.layers.iter().zip(&graph.panels).all(|(arcs, panels)| arcs.len() == panels.len()));
    } else if 8 * degrees.iter().map(|&degree| u64::from(degree)).sum::<u64>() > u64::from(nodes) {
        graph.circulant(degrees, rng);
        graph.mix(rng);
    } else {
        degrees.iter().try_for_each(|&degree| graph.pair(degree, rng))?;
    }
    Some(Drawn { layers: graph.layers, panels: graph.panels })
}

/// A graph in layers.
pub(crate) struct Drawn {
    /// Per layer its arcs.
    pub(crate) layers: Vec<Vec<[u32; 2]>>,
    /// For each layer, the panel of each arc; empty without panels. Panel numbers are unique across layers.
    pub(crate) panels: Vec<Vec<u32>>,
}

/// The maximum number of exchanges that are tried for an arc. Each exchange succeeds with probability at least 1/2, except inside small
/// panels.
const TRIES: u32 = 1000;

/// The number of attempts to distribute the arc ends of a layer over panels.
const DEALS: u64 = 100;

/// Assigns the arc ends of all nodes to panels: `degree` tails and as many heads per node. All ends of a node go to different panels, and
/// each panel gets as many tails as heads. Returns the nodes of the tails and of the heads per panel, or `None` if this attempt failed.
fn deal(nodes: u32, degree: usize, panels: usize, rng: &mut Xoshiro256PlusPlus) -> Option<[Vec<Vec<u32>>; 2]> {
    let ends = nodes as usize * degree;
    // The panel of every arc end. All tails come first, then all heads, sorted by node. The tails and the heads are each divided evenly
    // over the panels.
    let mut at: Vec<u32> = Vec::with_capacity(2 * ends);
    for side in 0..2 {
        at.extend((0..ends).map(|end| (end % panels) as u32));
        at[side * ends..].shuffle(rng);
    }
    let of = |end: usize| end % ends / degree;
    let twice = |at: &[u32], end: usize| {
        let node = of(end) * degree;
        let mine = (node..node + degree).chain(ends + node..ends + node + degree);
        mine.filter(|&other| at[other] == at[end]).count() > 1
    };
    for end in 0..2 * ends {
        task::check();
        if !twice(&at, end) {
            continue;
        }
        (0..TRIES).find(|_| {
            let other = end / ends * ends + rng.random_range(0..ends as u64) as usize;
            at.swap(end, other);
            let fits = !twice(&at, end) && !twice(&at, other);
            if !fits {
                at.swap(end, other);
            }
            fits
        })?;
    }
    let mut dealt = [vec![Vec::new(); panels], vec![Vec::new(); panels]];
    for (end, &panel) in at.iter().enumerate() {
        dealt[end / ends][panel as usize].push(of(end) as u32);
    }
    Some(dealt)
}

struct Layered {
    nodes: u32,
    parallel: bool,
    layers: Vec<Vec<[u32; 2]>>,
    panels: Vec<Vec<u32>>,
    /// The pairs of nodes that arcs connect. With `parallel`, there is one set of (tail, head) pairs per layer. Without `parallel`, there
    /// is one set for all layers, in which each pair has the lower node first.
    joined: Vec<Pairs>,
}

impl Layered {
    fn key(&self, layer: usize, [tail, head]: [u32; 2]) -> (usize, [u32; 2]) {
        if self.parallel { (layer, [tail, head]) } else { (0, [tail.min(head), tail.max(head)]) }
    }

    fn legal(&self, layer: usize, arc: [u32; 2]) -> bool {
        let (set, pair) = self.key(layer, arc);
        arc[0] != arc[1] && !self.joined[set].contains(pair)
    }

    fn enter(&mut self, layer: usize, arc: [u32; 2]) {
        let (set, pair) = self.key(layer, arc);
        self.joined[set].insert(pair);
    }

    fn leave(&mut self, layer: usize, arc: [u32; 2]) {
        let (set, pair) = self.key(layer, arc);
        self.joined[set].remove(pair);
    }

    /// Adds a layer with random pairs of tails and heads.
    fn pair(&mut self, degree: u32, rng: &mut Xoshiro256PlusPlus) -> Option<()> {
        let layer = self.layers.len();
        let mut heads: Vec<u32> = (0..self.nodes).flat_map(|node| std::iter::repeat_n(node, degree as usize)).collect();
        let tails = heads.clone();
        heads.shuffle(rng);
        let mut arcs = Vec::with_capacity(tails.len());
        let mut illegal = Vec::new();
        for arc in tails.into_iter().zip(heads).map(|(tail, head)| [tail, head]) {
            task::check();
            if self.legal(layer, arc) {
                self.enter(layer, arc);
                arcs.push(arc);
            } else {
                illegal.push(arc);
            }
        }
        for arc in illegal {
            self.repair(layer, arc, &mut arcs, 0, rng)?;
        }
        self.layers.push(arcs);
        Some(())
    }

    /// Adds a layer with random pairs of tails and heads inside each panel.
    fn through(&mut self, degree: u32, eta: u32, rng: &mut Xoshiro256PlusPlus) -> Option<()> {
        let layer = self.layers.len();
        let panels = 2 * eta as usize * degree as usize;
        let deals = (0..DEALS).map(|attempt| stream(0, "fabric/panels", DEALS * layer as u64 + attempt));
        let [tails, heads] =
            deals.into_iter().find_map(|mut rng| deal(self.nodes, degree as usize, panels, &mut rng))?;
        let mut arcs = Vec::with_capacity(self.nodes as usize * degree as usize);
        let before = self.panels.iter().flatten().max().map_or(0, |&panel| panel + 1);
        let mut through = Vec::with_capacity(arcs.capacity());
        for (panel, (tails, mut heads)) in (before..).zip(tails.into_iter().zip(heads)) {
            task::check();
            through.resize(through.len() + tails.len(), panel);
            heads.shuffle(rng);
            let first = arcs.len();
            let (legal, illegal) =
                tails.into_iter().zip(heads).map(|(tail, head)| [tail, head]).partition::<Vec<_>, _>(|&arc| {
                    let legal = self.legal(layer, arc);
                    if legal {
                        self.enter(layer, arc);
                    }
                    legal
                });
            arcs.extend(legal);
            for arc in illegal {
                self.repair(layer, arc, &mut arcs, first, rng)?;
            }
        }
        self.layers.push(arcs);
        self.panels.push(through);
        Some(())
    }

    /// Exchanges the heads of an illegal arc and a random arc, so that both arcs become legal, and then adds the illegal arc to the graph.
    /// The random arc is one of `arcs` from index `first` on.
    fn repair(
        &mut self,
        layer: usize,
        [tail, head]: [u32; 2],
        arcs: &mut Vec<[u32; 2]>,
        first: usize,
        rng: &mut Xoshiro256PlusPlus,
    ) -> Option<()> {
        (0..TRIES).find(|_| {
            let at = first + rng.random_range(0..(arcs.len() - first).max(1) as u64) as usize;
            let Some(&[other_tail, other_head]) = arcs.get(at) else { return false };
            let fits = self.exchange(layer, [tail, head], [other_tail, other_head], false);
            if fits {
                arcs[at] = [other_tail, head];
                arcs.push([tail, other_head]);
            }
            fits
        })?;
        Some(())
    }

    /// Replaces the arcs x→y and u→v by x→v and u→y, if the new arcs are legal. Returns whether the arcs were replaced. `is_there` tells
    /// whether x→y is already in the graph.
    fn exchange(&mut self, layer: usize, [x, y]: [u32; 2], [u, v]: [u32; 2], is_there: bool) -> bool {
        let differ = x != u && y != v;
        if !differ || !self.legal(layer, [x, v]) || !self.legal(layer, [u, y]) {
            return false;
        }
        if is_there {
            self.leave(layer, [x, y]);
        }
        self.leave(layer, [u, v]);
        self.enter(layer, [x, v]);
        self.enter(layer, [u, y]);
        true
    }

    /// Adds all layers as circulant graphs. A stride t adds an arc from every node i to node i + t. A stride and its negative give the same
    /// arcs in opposite directions. So without `parallel`, only strides up to half the number of nodes are used.
    fn circulant(&mut self, degrees: &[u32], rng: &mut Xoshiro256PlusPlus) {
        let nodes = self.nodes;
        let mut order: Vec<u32> = (0..nodes).collect();
        order.shuffle(rng);
        let mut strides: Vec<u32> = (1..=if self.parallel { nodes - 1 } else { (nodes - 1) / 2 }).collect();
        strides.shuffle(rng);
        let mut next = 0;
        for (layer, &degree) in degrees.iter().enumerate() {
            if self.parallel {
                strides.shuffle(rng);
                next = 0;
            }
            let mine: Range<usize> = next..next + degree as usize;
            next = mine.end;
            let mut arcs = Vec::with_capacity(nodes as usize * degree as usize);
            for &stride in &strides[mine] {
                task::check();
                for at in 0..nodes {
                    let to = (u64::from(at) + u64::from(stride)) % u64::from(nodes);
                    let arc = [order[at as usize], order[to as usize]];
                    self.enter(layer, arc);
                    arcs.push(arc);
                }
            }
            self.layers.push(arcs);
        }
    }

    /// Exchanges the heads of random pairs of arcs in the same layer, if the result is legal. This is the usual Markov chain for graphs
    /// with given degrees.
    fn mix(&mut self, rng: &mut Xoshiro256PlusPlus) {
        const PER_ARC: u64 = 32;
        const MAX_SWAPS: u64 = 1 << 22;
        let ends: Vec<u64> = self
            .layers
            .iter()
            .scan(0, |end, arcs| {
                *end += arcs.len() as u64;
                Some(*end)
            })
            .collect();
        let arcs = *ends.last().unwrap_or(&0);
        for _ in 0..(PER_ARC * arcs).min(MAX_SWAPS) {
            let arc = rng.random_range(0..arcs);
            let layer = ends.partition_point(|&end| end <= arc);
            let count = self.layers[layer].len() as u64;
            let (first, second) = ((ends[layer] - 1 - arc) as usize, rng.random_range(0..count) as usize);
            let (a, b) = (self.layers[layer][first], self.layers[layer][second]);
            if self.exchange(layer, a, b, true) {
                self.layers[layer][first] = [a[0], b[1]];
                self.layers[layer][second] = [b[0], a[1]];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn layered_graphs_keep_their_degrees() {
        let mut rng = stream(1, "test", 0);
        for (nodes, degrees, parallel) in [
            (5, &[1, 1][..], false),
            (4, &[1, 1], true),
            (50, &[3, 3, 3], false),
            (21, &[2, 3, 2], true),
            (300, &[7, 6, 7], false),
            (300, &[7, 6, 7], true),
            (17_000, &[1, 2], false),
        ] {
            let layers = layered(nodes, degrees, parallel, None, &mut rng).unwrap().layers;
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
    fn panels_join_as_many_tails_as_heads_of_different_nodes() {
        let mut rng = stream(1, "test", 2);
        for (nodes, degree, eta) in [(500, 7, 4), (101, 3, 2), (40, 1, 20), (3000, 5, 19)] {
            let panels = 2 * degree * eta;
            let dealt = (0..9).find_map(|_| deal(nodes, degree, panels, &mut rng)).unwrap();
            let mut seen = HashSet::new();
            for (panel, (tails, heads)) in dealt[0].iter().zip(&dealt[1]).enumerate() {
                assert_eq!(tails.len(), heads.len());
                assert!(tails.len() <= (nodes as usize).div_ceil(2 * eta));
                assert!(tails.iter().chain(heads).all(|&node| seen.insert((panel, node))), "a node twice at a panel");
            }
            assert_eq!(seen.len(), 2 * nodes as usize * degree);
        }
        for (nodes, degrees, eta) in [(500, &[7, 6, 7][..], 4), (60, &[2, 2, 2], 2), (144, &[4, 4, 4], 3)] {
            let Drawn { layers, panels } =
                (0..9).find_map(|_| layered(nodes, degrees, false, Some(eta), &mut rng)).unwrap();
            // Each panel has the same nodes in every random graph, because the cables to panels are physical cables.
            let other = (0..9).find_map(|_| layered(nodes, degrees, false, Some(eta), &mut rng)).unwrap();
            assert_ne!(layers, other.layers);
            let ends = |layers: &[Vec<[u32; 2]>], panels: &[Vec<u32>]| {
                let mut ends: Vec<[u32; 3]> = Vec::new();
                for (&[tail, head], &panel) in layers.iter().flatten().zip(panels.iter().flatten()) {
                    ends.extend([[panel, 0, tail], [panel, 1, head]]);
                }
                ends.sort_unstable();
                ends
            };
            let mine = ends(&layers, &panels);
            assert_eq!(mine, ends(&other.layers, &other.panels));
            let used: HashSet<u32> = panels.iter().flatten().copied().collect();
            assert_eq!(used.len() as u32, 2 * eta * degrees.iter().sum::<u32>());
            let at: HashSet<[u32; 2]> = mine.iter().map(|&[panel, _, node]| [panel, node]).collect();
            assert_eq!(at.len(), mine.len(), "a node twice at a panel");
            let mut pairs = HashSet::new();
            for (arcs, &degree) in layers.iter().zip(degrees) {
                assert_eq!(arcs.len() as u32, nodes * degree);
                let (mut out, mut into) = (vec![0; nodes as usize], vec![0; nodes as usize]);
                for &[tail, head] in arcs {
                    out[tail as usize] += 1;
                    into[head as usize] += 1;
                    assert!(tail != head && pairs.insert([tail.min(head), tail.max(head)]));
                }
                assert!(out.iter().chain(&into).all(|&d| d == degree));
            }
        }
    }

    #[test]
    fn every_arc_of_a_layered_graph_is_about_as_likely() {
        // The graph with 9 nodes starts from a circulant graph; the graph with 40 nodes starts from random pairs.
        for (nodes, draws, tolerance) in [(9u32, 8000u32, 0.02), (40, 20_000, 0.008)] {
            let mut counts = vec![vec![vec![0u32; nodes as usize]; nodes as usize]; 2];
            let mut rng = stream(1, "test", 1);
            for _ in 0..draws {
                for (layer, arcs) in
                    layered(nodes, &[1, 1], false, None, &mut rng).unwrap().layers.into_iter().enumerate()
                {
                    arcs.iter().for_each(|&[tail, head]| counts[layer][tail as usize][head as usize] += 1);
                }
            }
            for layer in &counts {
                for (tail, row) in layer.iter().enumerate() {
                    for (head, &count) in row.iter().enumerate().filter(|&(head, _)| head != tail) {
                        let share = f64::from(count) / f64::from(draws);
                        let expected = 1.0 / f64::from(nodes - 1);
                        assert!((share - expected).abs() < tolerance, "{nodes} nodes: {tail}→{head} {share}");
                    }
                }
            }
        }
    }
}
