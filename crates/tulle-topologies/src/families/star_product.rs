//! Star products of a structure graph with a supernode. Every vertex of the structure graph becomes a copy of the supernode. Every edge
//! becomes a perfect matching between two copies (Bermond, Delorme, Farhi: Large graphs with given degree and diameter II, J. Combin.
//! Theory B 36, 1984).
//!
//! The matching uses a bijection f of the supernode's vertices. For an edge from a to b, vertex x of supernode a is connected to vertex
//! f(x) of supernode b.

use super::polarfly::polarity;
use super::slimfly::mms;
use crate::gf::{self, Field};
use tulle_fabric::FabricBuilder;

/// A supernode: a graph, and a bijection f of its vertices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Supernode {
    /// The edges.
    pub edges: Vec<[u32; 2]>,
    /// f(x) for every vertex x.
    pub image: Vec<u32>,
    /// The pairs of vertices of the supernode that a loop of the structure graph connects. A vertex is in at most one of these pairs.
    pub loops: Vec<[u32; 2]>,
}

impl Supernode {
    /// Returns the Inductive-Quad graph of `degree` (PolarStar §6.2). The degree must be at least 3, and 0 or 3 modulo 4.
    ///
    /// The graph has 2·degree + 2 vertices, which form `degree` + 1 pairs {a, f(a)}. For any two pairs, one vertex of one pair is connected
    /// to both vertices of the other pair. So for any two vertices x and y of different pairs, {x, y} or {f(x), f(y)} is an edge. This is
    /// property R*. It ensures that the star product with a polarity graph has diameter 3. The graph is regular: both vertices of a pair
    /// are connected to the same number of other pairs.
    pub fn inductive_quad(degree: u32) -> Self {
        let pairs = degree + 1;
        let mut edges = Vec::with_capacity((degree * pairs) as usize);
        // In pair i, vertex a has the number i, and vertex f(a) has the number i + pairs.
        let mut join = |center: u32, second: bool, pair: u32| {
            let center = if second { center + pairs } else { center };
            edges.extend([[center, pair], [center, pair + pairs]]);
        };
        let mut first = 0;
        while first < pairs {
            // Each pass of the loop adds four pairs of vertices. Pairs 1 to 3 each have edges to pair 0, and they are connected to each
            // other in a ring.
            for (center, second, pair) in
                [(1, false, 0), (2, false, 0), (3, true, 0), (1, true, 3), (3, false, 2), (2, true, 1)]
            {
                join(first + center, second, first + pair);
            }
            for old in 0..first {
                (0..4).for_each(|pair| join(old, pair >= 2, first + pair));
            }
            first += 4;
            if first == 4 && pairs % 4 == 1 {
                (0..4).for_each(|pair| join(4, pair >= 2, pair));
                first = 5;
            }
        }
        let image: Vec<u32> = (pairs..2 * pairs).chain(0..pairs).collect();
        let loops = (0..pairs).map(|pair| [pair, pair + pairs]).collect();
        Self { edges, image, loops }
    }

    /// Returns the Paley graph over GF(q), where q must be 1 modulo 4. Two elements are connected if their difference is a square. The
    /// bijection f multiplies by the primitive element. So for any two elements x and y, either {x, y} or {f(x), f(y)} is an edge.
    ///
    /// The star products have diameter 3 even if loops of the structure graph add no edges. Loops still add edges from x to f(x), but each
    /// element gets at most one of these edges. The generator of PolarStar's authors does the same.
    pub fn paley(q: u32) -> Self {
        let field = Field::new(q).expect("q is a prime power");
        let is_square = |a: u32| field.logarithm(a).is_some_and(|exponent| exponent.is_multiple_of(2));
        let edges = field.elements().flat_map(|a| (a + 1..q).map(move |b| [a, b]));
        let primitive = field.primitive();
        Self {
            edges: edges.filter(|&[a, b]| is_square(field.sub(b, a))).collect(),
            image: field.elements().map(|a| field.mul(a, primitive)).collect(),
            loops: (0..u64::from(q) / 2).map(|at| [field.power(2 * at), field.power(2 * at + 1)]).collect(),
        }
    }

    /// The number of vertices.
    pub fn order(&self) -> u32 {
        self.image.len() as u32
    }
}

/// Returns the star product of a structure graph with `supernode`. The structure graph has `vertices` vertices. `edges` must visit every
/// edge of the structure graph once, and a loop as an edge from a vertex to itself.
///
/// Vertex x of supernode a has the id a · order + x. Cables within a supernode have the class local, and cables between supernodes have the
/// class global.
fn product(vertices: u32, supernode: &Supernode, edges: impl FnOnce(&mut dyn FnMut(u32, u32))) -> FabricBuilder {
    let order = supernode.order();
    let mut builder = FabricBuilder::new(vertices * order);
    builder.classes(&["local", "global"]);
    for first in (0..vertices).map(|vertex| vertex * order) {
        supernode.edges.iter().for_each(|[a, b]| builder.cable_of(first + a, first + b, 0, 0));
    }
    edges(&mut |a, b| {
        if a == b {
            supernode.loops.iter().for_each(|[x, y]| builder.cable_of(a * order + x, a * order + y, 0, 0));
        } else {
            (0..).zip(&supernode.image).for_each(|(x, image)| builder.cable_of(a * order + x, b * order + image, 1, 1));
        }
    });
    builder.coordinates(&["supernode", "switch"], |switch| vec![switch / order, switch % order]);
    builder
}

/// Returns the star product of the polarity graph ER_q, including its loops, with `supernode`.
pub fn with_polarity_graph(q: u32, supernode: &Supernode) -> FabricBuilder {
    let field = Field::new(q).expect("q is a prime power");
    product(q * q + q + 1, supernode, |visit| polarity(&field, visit))
}

/// Returns the star product of the MMS graph over GF(q) with `supernode`.
pub fn with_mms_graph(q: u32, supernode: &Supernode) -> FabricBuilder {
    product(2 * q * q, supernode, |visit| mms(q, |a, b, _| visit(a, b)))
}

/// Returns whether there is a Paley graph with `q` vertices.
pub fn is_paley(q: u32) -> bool {
    q % 4 == 1 && gf::prime_power(q).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjacent(of: &Supernode) -> Vec<Vec<bool>> {
        let order = of.order() as usize;
        let mut matrix = vec![vec![false; order]; order];
        for &[a, b] in &of.edges {
            assert!(a != b && !matrix[a as usize][b as usize], "{a}, {b}");
            matrix[a as usize][b as usize] = true;
            matrix[b as usize][a as usize] = true;
        }
        matrix
    }

    fn is_regular(matrix: &[Vec<bool>], degree: usize) -> bool {
        matrix.iter().all(|row| row.iter().filter(|&&edge| edge).count() == degree)
    }

    #[test]
    fn inductive_quads_have_property_r_star_and_the_most_vertices() {
        for degree in [3, 4, 7, 8, 11, 12, 15, 16] {
            let quad = Supernode::inductive_quad(degree);
            assert_eq!(quad.order(), 2 * degree + 2);
            let (edge, f) = (adjacent(&quad), |x: usize| quad.image[x] as usize);
            assert!(is_regular(&edge, degree as usize), "degree {degree}");
            for x in 0..edge.len() {
                assert!(f(x) != x && f(f(x)) == x);
                for y in (0..edge.len()).filter(|&y| y != x && y != f(x)) {
                    assert!(edge[x][y] || edge[f(x)][f(y)], "degree {degree}: {x}, {y}");
                }
            }
        }
    }

    #[test]
    fn paley_graphs_and_their_images_hold_every_pair() {
        for q in [5, 9, 13, 17, 25, 29] {
            let paley = Supernode::paley(q);
            let (edge, f) = (adjacent(&paley), |x: usize| paley.image[x] as usize);
            assert!(is_regular(&edge, q as usize / 2), "q={q}");
            for x in 0..edge.len() {
                for y in 0..x {
                    assert!(edge[x][y] != edge[f(x)][f(y)], "q={q}: {x}, {y}");
                }
            }
            let mut matched: Vec<u32> = paley.loops.iter().flatten().copied().collect();
            matched.sort_unstable();
            assert_eq!(matched, (1..q).collect::<Vec<_>>(), "all but 0, once");
            assert!(paley.loops.iter().all(|&[x, y]| paley.image[x as usize] == y));
        }
    }
}
