//! An acyclic graph to which edges are added, and a topological order of its nodes.

/// The nodes of a graph in an order that every edge follows. If a new edge violates the order, the nodes between its two ends are sorted
/// again, unless the edge closes a cycle. Source: Pearce and Kelly, A dynamic topological sort algorithm for directed acyclic graphs (JEA
/// 2006).
#[derive(Debug)]
pub(super) struct DynamicOrder {
    successors: Vec<Vec<u32>>,
    predecessors: Vec<Vec<u32>>,
    rank: Vec<u32>,
    /// The number of the last search that visited each node.
    visited: Vec<u32>,
    search: u32,
    /// The edges that were added after the last [`DynamicOrder::undo`], in the order of insertion.
    added: Vec<[u32; 2]>,
}

impl DynamicOrder {
    /// Returns a graph without edges. Edges that the caller adds with [`DynamicOrder::insert_known`] must lead from a node of lower
    /// rank to a node of higher rank.
    pub fn new(ranks: &[u32]) -> Self {
        let mut by_rank: Vec<u32> = (0..ranks.len() as u32).collect();
        by_rank.sort_by_key(|&node| ranks[node as usize]);
        let mut rank = vec![0; ranks.len()];
        by_rank.iter().zip(0..).for_each(|(&node, at)| rank[node as usize] = at);
        Self {
            successors: vec![Vec::new(); ranks.len()],
            predecessors: vec![Vec::new(); ranks.len()],
            rank,
            visited: vec![0; ranks.len()],
            search: 0,
            added: Vec::new(),
        }
    }

    /// Adds an edge that follows the order. [`DynamicOrder::undo`] does not remove it.
    pub fn insert_known(&mut self, from: u32, to: u32) {
        debug_assert!(self.rank[from as usize] < self.rank[to as usize], "a known edge follows the order");
        self.successors[from as usize].push(to);
        self.predecessors[to as usize].push(from);
    }

    /// Adds all `edges`. If they close a cycle, the graph stays unchanged. Returns whether the edges were added.
    pub fn insert_all(&mut self, edges: &[[u32; 2]]) -> bool {
        let before = self.added.len();
        for &[from, to] in edges {
            if self.successors[from as usize].contains(&to) {
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

    /// Removes all edges except those from [`DynamicOrder::insert_known`].
    pub fn undo(&mut self) {
        self.shrink(0);
    }

    fn insert(&mut self, from: u32, to: u32) {
        self.successors[from as usize].push(to);
        self.predecessors[to as usize].push(from);
        self.added.push([from, to]);
    }

    fn shrink(&mut self, count: usize) {
        // Edges are removed in reverse order of insertion, so each one is the last entry of its two lists.
        for [from, to] in self.added.drain(count..).rev() {
            self.successors[from as usize].pop();
            self.predecessors[to as usize].pop();
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
            for &node in &self.successors[ahead[next] as usize] {
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
            for &node in &self.predecessors[behind[next] as usize] {
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
            groups in prop::collection::vec(prop::collection::vec((0u32..8, 0u32..8), 1..4), 1..25)
        ) {
            let mut order = DynamicOrder::new(&[0; 8]);
            let mut edges: Vec<[u32; 2]> = Vec::new();
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
            prop_assert!(order.successors.iter().chain(&order.predecessors).all(Vec::is_empty));
        }
    }
}
