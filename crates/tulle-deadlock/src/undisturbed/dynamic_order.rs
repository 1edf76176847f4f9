//! An acyclic graph to which edges are added, and a topological order of its nodes.

use crate::neighbours::Neighbours;

/// The nodes of a graph in an order that every edge follows. If a new edge violates the order, the nodes between its two ends are sorted
/// again, unless the edge closes a cycle. Source: Pearce and Kelly, A dynamic topological sort algorithm for directed acyclic graphs (JEA
/// 2006).
#[derive(Debug)]
pub(super) struct DynamicOrder {
    successors: Growing,
    predecessors: Growing,
    rank: Vec<u32>,
    /// The number of the last search that visited each node.
    visited: Vec<u32>,
    search: u32,
    /// The edges that were added after the last [`DynamicOrder::undo`], in the order of insertion.
    added: Vec<[u32; 2]>,
}

/// The neighbours of all nodes in one direction: those by the edges that the graph began with, and those by edges that were added.
#[derive(Debug)]
struct Growing {
    known: Neighbours,
    added: Vec<Vec<u32>>,
}

impl Growing {
    fn of(nodes: usize, edges: impl Iterator<Item = [u32; 2]> + Clone) -> Self {
        Self { known: Neighbours::of(nodes, edges), added: vec![Vec::new(); nodes] }
    }

    fn of_node(&self, node: u32) -> impl Iterator<Item = u32> {
        self.known.of_node(node).iter().chain(&self.added[node as usize]).copied()
    }
}

impl DynamicOrder {
    /// Returns a graph with the edges `known`. They must lead from a node of lower rank to a node of higher rank.
    /// [`DynamicOrder::undo`] does not remove these edges.
    pub fn new(ranks: &[u32], known: &[[u32; 2]]) -> Self {
        debug_assert!(
            known.iter().all(|&[from, to]| ranks[from as usize] < ranks[to as usize]),
            "edges follow the order"
        );
        let mut by_rank: Vec<u32> = (0..ranks.len() as u32).collect();
        by_rank.sort_by_key(|&node| ranks[node as usize]);
        let mut rank = vec![0; ranks.len()];
        by_rank.iter().zip(0..).for_each(|(&node, at)| rank[node as usize] = at);
        Self {
            successors: Growing::of(ranks.len(), known.iter().copied()),
            predecessors: Growing::of(ranks.len(), known.iter().map(|&[from, to]| [to, from])),
            rank,
            visited: vec![0; ranks.len()],
            search: 0,
            added: Vec::new(),
        }
    }

    /// Adds all `edges`. If they close a cycle, the graph stays unchanged. Returns whether the edges were added.
    pub fn insert_all(&mut self, edges: &[[u32; 2]]) -> bool {
        let before = self.added.len();
        for &[from, to] in edges {
            if self.successors.of_node(from).any(|next| next == to) {
                continue;
            }
            if !self.order(from, to) {
                self.shrink(before);
                return false;
            }
            self.insert(from, to);
        }
        true
    }

    /// Removes all edges except the known ones.
    pub fn undo(&mut self) {
        self.shrink(0);
    }

    fn insert(&mut self, from: u32, to: u32) {
        self.successors.added[from as usize].push(to);
        self.predecessors.added[to as usize].push(from);
        self.added.push([from, to]);
    }

    fn shrink(&mut self, count: usize) {
        // Edges are removed in reverse order of insertion, so each one is the last entry of its two lists.
        for [from, to] in self.added.drain(count..).rev() {
            self.successors.added[from as usize].pop();
            self.predecessors.added[to as usize].pop();
        }
    }

    /// Moves nodes so that `from` is before `to`. Returns false if an edge between them would close a cycle.
    fn order(&mut self, from: u32, to: u32) -> bool {
        let (first, last) = (self.rank[to as usize], self.rank[from as usize]);
        if from == to {
            return false;
        }
        if last < first {
            return true;
        }
        self.search += 1;
        let mut ahead = vec![to];
        self.visited[to as usize] = self.search;
        let mut next = 0;
        while next < ahead.len() {
            for node in self.successors.of_node(ahead[next]) {
                if node == from {
                    return false;
                }
                if self.rank[node as usize] < last && self.visited[node as usize] != self.search {
                    self.visited[node as usize] = self.search;
                    ahead.push(node);
                }
            }
            next += 1;
        }
        self.search += 1;
        let mut behind = vec![from];
        self.visited[from as usize] = self.search;
        next = 0;
        while next < behind.len() {
            for node in self.predecessors.of_node(behind[next]) {
                if self.rank[node as usize] > first && self.visited[node as usize] != self.search {
                    self.visited[node as usize] = self.search;
                    behind.push(node);
                }
            }
            next += 1;
        }
        // The nodes that the searches found are sorted again within the ranks that they had. The nodes that lead to `from` get the lower
        // ranks, and the nodes to which `to` leads get the higher ranks. Within each of these two groups, the order stays the same.
        behind.sort_by_key(|&node| self.rank[node as usize]);
        ahead.sort_by_key(|&node| self.rank[node as usize]);
        behind.append(&mut ahead);
        let mut ranks: Vec<u32> = behind.iter().map(|&node| self.rank[node as usize]).collect();
        ranks.sort_unstable();
        behind.iter().zip(ranks).for_each(|(&node, rank)| self.rank[node as usize] = rank);
        true
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns whether `to` can be reached from `from`.
    fn reaches(edges: &[[u32; 2]], from: u32, to: u32) -> bool {
        let mut found = vec![from];
        let mut next = 0;
        while next < found.len() {
            for &[a, b] in edges {
                if a == found[next] && !found.contains(&b) {
                    found.push(b);
                }
            }
            next += 1;
        }
        found.contains(&to)
    }

    proptest! {
        #[test]
        fn accepts_exactly_the_edges_that_close_no_cycle(
            known in prop::collection::vec((0u32..4, 0u32..4), 0..4),
            groups in prop::collection::vec(prop::collection::vec((0u32..8, 0u32..8), 1..4), 1..25)
        ) {
            // The known edges lead from even to odd nodes.
            let known: Vec<[u32; 2]> = known.into_iter().map(|(from, to)| [2 * from, 2 * to + 1]).collect();
            let mut order = DynamicOrder::new(&[0, 1, 0, 1, 0, 1, 0, 1], &known);
            let mut edges = known;
            for group in groups {
                let group: Vec<[u32; 2]> = group.into_iter().map(|(from, to)| [from, to]).collect();
                let mut with = edges.clone();
                let fits = group.iter().all(|&[from, to]| {
                    let fits = !reaches(&with, to, from);
                    with.push([from, to]);
                    fits
                });
                prop_assert_eq!(order.insert_all(&group), fits);
                if fits {
                    edges = with;
                }
                for &[from, to] in &edges {
                    prop_assert!(order.rank[from as usize] < order.rank[to as usize]);
                }
            }
            order.undo();
            prop_assert!(order.successors.added.iter().chain(&order.predecessors.added).all(Vec::is_empty));
        }
    }
}
