//! Checks whether a graph has a cycle. Returns ranks that rise along every edge, or a cycle.

/// A directed graph whose nodes are numbered from 0.
pub trait Successors {
    /// Returns the number of nodes.
    fn num_nodes(&self) -> usize;

    /// Calls `visit` with the target of every edge from `node`, once per edge, always in the same order.
    fn successors(&self, node: usize, visit: impl FnMut(usize));
}

impl Successors for [Vec<u32>] {
    fn num_nodes(&self) -> usize {
        self.len()
    }

    fn successors(&self, node: usize, visit: impl FnMut(usize)) {
        self[node].iter().map(|&next| next as usize).for_each(visit);
    }
}

/// Returns the rank of each node: the length of the longest path that ends at the node. Ranks rise along every edge.
///
/// # Errors
/// Returns a cycle if the graph has one: a list of nodes, each with an edge to the next node; the last node has an edge to the first. It is
/// a shortest cycle through its first node.
pub fn ranks<G: Successors + ?Sized>(graph: &G) -> Result<Vec<u32>, Vec<usize>> {
    // Kahn's algorithm removes nodes without incoming edges repeatedly. Only nodes that are on a cycle or reachable from a cycle remain.
    let mut before = vec![0u32; graph.num_nodes()];
    for node in 0..graph.num_nodes() {
        graph.successors(node, |next| before[next] += 1);
    }
    let mut ranks = vec![0u32; graph.num_nodes()];
    let mut ready: Vec<usize> = (0..graph.num_nodes()).filter(|&node| before[node] == 0).collect();
    let mut left = graph.num_nodes();
    while let Some(node) = ready.pop() {
        left -= 1;
        let rank = ranks[node] + 1;
        graph.successors(node, |next| {
            ranks[next] = ranks[next].max(rank);
            before[next] -= 1;
            if before[next] == 0 {
                ready.push(next);
            }
        });
    }
    if left == 0 { Ok(ranks) } else { Err(through(graph, &before, on_a_cycle(graph, &before))) }
}

/// Returns a cycle of `graph`, in the form that [`ranks`] documents; `None` if the graph has no cycle.
pub fn cycle<G: Successors + ?Sized>(graph: &G) -> Option<Vec<usize>> {
    ranks(graph).err()
}

/// Returns a shortest cycle through `start`. `start` must be on a cycle. The search visits only nodes that Kahn's algorithm did not remove.
fn through<G: Successors + ?Sized>(graph: &G, before: &[u32], start: usize) -> Vec<usize> {
    // The search is breadth-first, so the first path that returns to `start` is a shortest one.
    let mut parent = vec![usize::MAX; graph.num_nodes()];
    let mut queue = vec![start];
    let mut at = 0;
    let mut last = None;
    while last.is_none() {
        let node = queue[at];
        at += 1;
        graph.successors(node, |next| {
            if next == start {
                last = last.or(Some(node));
            } else if before[next] > 0 && parent[next] == usize::MAX {
                parent[next] = node;
                queue.push(next);
            }
        });
    }
    let back = std::iter::successors(last, |&node| Some(parent[node]));
    let mut nodes: Vec<usize> = back.take_while(|&node| node != start).collect();
    nodes.push(start);
    nodes.reverse();
    nodes
}

/// Returns a node on a cycle. Every node that Kahn's algorithm did not remove has a predecessor that it did not remove either. So following
/// predecessors ends in a cycle.
fn on_a_cycle<G: Successors + ?Sized>(graph: &G, before: &[u32]) -> usize {
    let mut predecessor = vec![usize::MAX; graph.num_nodes()];
    for node in (0..graph.num_nodes()).filter(|&node| before[node] > 0) {
        graph.successors(node, |next| {
            if predecessor[next] == usize::MAX {
                predecessor[next] = node;
            }
        });
    }
    let mut node = (0..graph.num_nodes()).find(|&node| before[node] > 0).expect("some node stayed");
    let mut seen = vec![false; graph.num_nodes()];
    while !std::mem::replace(&mut seen[node], true) {
        node = predecessor[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn cycles_run_forward_and_are_short() {
        assert_eq!(ranks(&[vec![1, 2], vec![2], vec![]][..]), Ok(vec![0, 1, 2]));
        assert_eq!(cycle::<[Vec<u32>]>(&[]), None);
        assert_eq!(cycle(&[vec![0]][..]), Some(vec![0]));
        // A cycle of three nodes (0, 1, 3) shares node 1 with a cycle of two nodes (1, 2). Node 4 is on no cycle.
        let mut found = cycle(&[vec![1], vec![2, 3], vec![1], vec![4, 0], vec![]][..]).unwrap();
        found.sort_unstable();
        assert!(found == [1, 2] || found == [0, 1, 3], "{found:?}");
    }

    proptest! {
        #[test]
        fn ranks_rise_or_a_cycle_is_one(edges in prop::collection::vec((0u32..12, 0u32..12), 0..30)) {
            let mut graph = vec![Vec::new(); 12];
            edges.iter().for_each(|&(from, to)| graph[from as usize].push(to));
            // Reachability by brute force.
            let mut reaches = [[false; 12]; 12];
            edges.iter().for_each(|&(from, to)| reaches[from as usize][to as usize] = true);
            for (k, i, j) in (0..12).flat_map(|k| (0..12).flat_map(move |i| (0..12).map(move |j| (k, i, j)))) {
                reaches[i][j] |= reaches[i][k] && reaches[k][j];
            }
            let cyclic = (0..12).any(|node| reaches[node][node]);
            match ranks(&graph[..]) {
                Ok(ranks) => {
                    prop_assert!(!cyclic);
                    prop_assert!(edges.iter().all(|&(from, to)| ranks[from as usize] < ranks[to as usize]));
                }
                Err(cycle) => {
                    prop_assert!(cyclic);
                    for (at, &node) in cycle.iter().enumerate() {
                        prop_assert!(graph[node].contains(&(cycle[(at + 1) % cycle.len()] as u32)));
                    }
                }
            }
        }
    }
}
