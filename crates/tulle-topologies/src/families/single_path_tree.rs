//! Single-path trees, and stacks of single-path trees. OFT, MLFM and other stacked single-path trees (SSPT) are built from them.
//!
//! A single-path tree (Kathareios et al. (SC15) §2.2.2) has two levels. Lower switches have r1 cables each, and upper switches have r2
//! cables each. Any two lower switches have exactly one upper switch in common. So the tree is a Steiner system S(2, r2, R1), where
//! R1 = 1 + r1·(r2 − 1) is the number of lower switches. Its points are the lower switches, and its blocks are the upper switches. In a
//! stack, all copies of the tree share the upper switches.

mod geometry;
mod orthogonal;
mod triples;

use crate::gf;
use tulle_fabric::FabricBuilder;

/// A method to construct a single-path tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Construction {
    /// For r2 = 2: an upper switch for every pair of lower switches.
    CompleteGraph,
    /// For r1 = r2: the projective plane of order r1 − 1, laid out as the k-ML3B of Kathareios et al. (SC15) §2.2.4.
    Orthogonal,
    /// The points and lines of the affine space AG(n, r2).
    Affine(u32),
    /// The points and lines of the projective space PG(n, r2 − 1) with n ≥ 3.
    Projective(u32),
    /// For r2 = 3: a Steiner triple system.
    Triples,
}

/// A single-path tree that tulle can build.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SinglePathTree {
    r1: u32,
    r2: u32,
    construction: Construction,
}

impl SinglePathTree {
    /// Returns the tree whose lower switches have `r1` cables and whose upper switches have `r2` cables, or `None` if tulle cannot build
    /// this tree. If several constructions apply, the first one in the order of [`Construction`] is used.
    pub fn find(r1: u32, r2: u32) -> Option<Self> {
        let construction = if r2 == 2 && r1 >= 1 {
            Construction::CompleteGraph
        } else if r1 < r2 || r2 < 3 {
            // By Fisher's inequality, a Steiner system has at least as many blocks as points unless it has a single block. So a tree with
            // r1 < r2 has only one upper switch. tulle does not build such trees, except for r2 = 2.
            return None;
        } else if r1 == r2 && gf::prime_power(r2 - 1).is_some() {
            Construction::Orthogonal
        } else if let Some(dimension) = gf::prime_power(r2).and_then(|_| dimension(r2, r1)) {
            Construction::Affine(dimension)
        } else if let Some(dimension) = gf::prime_power(r2 - 1).and_then(|_| dimension(r2 - 1, r1)) {
            Construction::Projective(dimension)
        } else if r2 == 3 && r1 % 3 != 2 {
            Construction::Triples
        } else {
            return None;
        };
        Some(Self { r1, r2, construction })
    }

    /// Returns the values of r2, in ascending order, for which tulle can build a tree with `r1`.
    pub fn legal_r2(r1: u32) -> Vec<u32> {
        (2..=r1.max(2)).filter(|&r2| Self::find(r1, r2).is_some()).collect()
    }

    /// Returns the number of lower switches, R1 = 1 + r1·(r2 − 1).
    pub fn num_lower(self) -> u64 {
        1 + u64::from(self.r1) * u64::from(self.r2 - 1)
    }

    /// Returns the number of upper switches, R2 = R1·r1/r2.
    pub fn num_upper(self) -> u64 {
        self.num_lower() * u64::from(self.r1) / u64::from(self.r2)
    }

    /// Visits every cable once, as its lower switch and its upper switch. Lower and upper switches are each numbered from 0.
    pub fn cables(self, visit: impl FnMut(u32, u32)) {
        match self.construction {
            Construction::CompleteGraph => complete_graph(self.r1 + 1, visit),
            Construction::Orthogonal => orthogonal::cables(self.r1, visit),
            Construction::Affine(dimension) => geometry::affine(self.r2, dimension, visit),
            Construction::Projective(dimension) => geometry::projective(self.r2 - 1, dimension, visit),
            Construction::Triples => triples::cables(self.r1, visit),
        }
    }

    /// Returns a stack of `copies` copies of the tree, which share their upper switches. Each lower switch has `concentration` endpoints.
    ///
    /// The lower switches have the lowest ids, copy by copy; the upper switches follow. Lower switches are on level 0, and upper switches
    /// on level 1. The channel classes are `up` and `down`.
    pub fn stack(self, copies: u32, concentration: u32) -> FabricBuilder {
        let (lower, upper) = (self.num_lower() as u32, self.num_upper() as u32);
        let edge = copies * lower;
        let mut builder = FabricBuilder::new(edge + upper);
        builder.classes(&["up", "down"]);
        self.cables(|low, high| {
            for copy in 0..copies {
                builder.cable_of(copy * lower + low, edge + high, 0, 1);
            }
        });
        for switch in 0..edge {
            builder.endpoints(switch, concentration as usize);
        }
        for switch in edge..edge + upper {
            builder.level(switch, 1);
        }
        builder
    }
}

/// Returns the dimension n ≥ 2 for which `r1` = (q^n − 1)/(q − 1), or `None` if there is none. This value of `r1` is the number of lines
/// through a point of AG(n, q) and of PG(n, q).
fn dimension(q: u32, r1: u32) -> Option<u32> {
    let lines = std::iter::successors(Some(1u64), |&lines| Some(lines * u64::from(q) + 1));
    let position = lines.take_while(|&lines| lines <= u64::from(r1)).position(|lines| lines == u64::from(r1))?;
    let dimension = position as u32 + 1;
    (dimension >= 2).then_some(dimension)
}

fn complete_graph(lower: u32, mut visit: impl FnMut(u32, u32)) {
    let mut upper = 0;
    for a in 0..lower {
        for b in a + 1..lower {
            visit(a, upper);
            visit(b, upper);
            upper += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that any two lower switches have exactly one upper switch in common. Also checks the number of cables per switch.
    fn check(tree: SinglePathTree) {
        let SinglePathTree { r1, r2, .. } = tree;
        let mut blocks = vec![Vec::new(); tree.num_upper() as usize];
        tree.cables(|lower, upper| blocks[upper as usize].push(lower));
        let lower = tree.num_lower() as usize;
        let mut common = vec![0u8; lower * lower];
        let mut degrees = vec![0; lower];
        for block in &blocks {
            assert_eq!(block.len(), r2 as usize, "{tree:?}");
            for &a in block {
                degrees[a as usize] += 1;
                for &b in block {
                    common[a as usize * lower + b as usize] += u8::from(a != b);
                }
            }
        }
        assert!(degrees.iter().all(|&degree| degree == r1), "{tree:?}");
        for (pair, &count) in common.iter().enumerate() {
            assert_eq!(count, u8::from(pair / lower != pair % lower), "{tree:?}: {pair}");
        }
    }

    #[test]
    fn any_two_lower_switches_have_one_upper_in_common() {
        let mut seen = Vec::new();
        for r1 in 1..=32 {
            for r2 in SinglePathTree::legal_r2(r1) {
                let tree = SinglePathTree::find(r1, r2).unwrap();
                seen.push(std::mem::discriminant(&tree.construction));
                check(tree);
            }
        }
        seen.dedup();
        let distinct: std::collections::HashSet<_> = seen.into_iter().collect();
        assert_eq!(distinct.len(), 5, "the test must use every construction");
    }

    #[test]
    fn legal_values_are_those_of_the_constructions() {
        let construction = |r1, r2| SinglePathTree::find(r1, r2).map(|tree| tree.construction);
        assert_eq!(construction(7, 2), Some(Construction::CompleteGraph));
        assert_eq!(construction(9, 9), Some(Construction::Orthogonal));
        assert_eq!(construction(6, 5), Some(Construction::Affine(2)));
        assert_eq!(construction(13, 3), Some(Construction::Affine(3)));
        assert_eq!(construction(13, 4), Some(Construction::Projective(3)));
        assert_eq!(construction(12, 3), Some(Construction::Triples));
        assert_eq!(construction(7, 7), None);
        assert_eq!(construction(3, 7), None);
        assert_eq!(construction(5, 3), None);
        assert_eq!(SinglePathTree::legal_r2(6), [2, 3, 5, 6]);
        assert_eq!(SinglePathTree::legal_r2(1), [2]);
    }
}
