//! The neighbours of all nodes of a directed graph, in one list.

/// The neighbours of each node in one direction. One list for all nodes is faster to build than a list per node.
#[derive(Debug)]
pub(crate) struct Neighbours {
    /// The neighbours of `node` are at `first[node]..first[node + 1]` in `list`.
    first: Vec<u32>,
    list: Vec<u32>,
}

impl Neighbours {
    /// Returns the neighbours of `nodes` nodes. `edges` are pairs of a node and its neighbour; the neighbours of a node keep their order.
    pub fn of(nodes: usize, edges: impl Iterator<Item = [u32; 2]> + Clone) -> Self {
        let mut first = vec![0; nodes + 1];
        edges.clone().for_each(|[node, _]| first[node as usize + 1] += 1);
        for node in 0..nodes {
            first[node + 1] += first[node];
        }
        let (mut next, mut list) = (first.clone(), vec![0; first[nodes] as usize]);
        for [node, neighbour] in edges {
            list[next[node as usize] as usize] = neighbour;
            next[node as usize] += 1;
        }
        Self { first, list }
    }

    /// Returns the neighbours of a node.
    pub fn of_node(&self, node: u32) -> &[u32] {
        &self.list[self.first[node as usize] as usize..self.first[node as usize + 1] as usize]
    }
}
