//! Maximum matchings of general graphs, by Edmonds' blossom algorithm (Paths, trees and flowers, 1965).

use std::collections::VecDeque;

const NONE: u32 = u32::MAX;

/// Returns a maximum matching of the graph in which `rows[v]` lists the neighbours of vertex v. The result has the partner of each vertex,
/// or `u32::MAX`.
pub fn largest(rows: &[Vec<u32>]) -> Vec<u32> {
    let mut search = Search {
        rows,
        partner: vec![NONE; rows.len()],
        parent: Vec::new(),
        base: Vec::new(),
        queued: Vec::new(),
        queue: VecDeque::new(),
    };
    // A greedy pass first matches most vertices, which saves searches.
    for vertex in 0..rows.len() as u32 {
        if search.partner[vertex as usize] == NONE {
            let free = rows[vertex as usize].iter().copied().find(|&other| search.partner[other as usize] == NONE);
            if let Some(other) = free {
                search.partner[vertex as usize] = other;
                search.partner[other as usize] = vertex;
            }
        }
    }
    for root in 0..rows.len() as u32 {
        if search.partner[root as usize] == NONE {
            search.augment(root);
        }
    }
    search.partner
}

struct Search<'a> {
    rows: &'a [Vec<u32>],
    partner: Vec<u32>,
    /// For a vertex at an odd number of steps from the root, its predecessor.
    parent: Vec<u32>,
    /// The base of the blossom that contains the vertex.
    base: Vec<u32>,
    /// Whether the vertex is an even number of steps from the root.
    queued: Vec<bool>,
    queue: VecDeque<u32>,
}

impl Search<'_> {
    fn augment(&mut self, root: u32) {
        let count = self.rows.len();
        self.parent = vec![NONE; count];
        self.base = (0..count as u32).collect();
        self.queued = vec![false; count];
        self.queue = VecDeque::from([root]);
        self.queued[root as usize] = true;
        let rows = self.rows;
        while let Some(from) = self.queue.pop_front() {
            for &to in &rows[from as usize] {
                let (at, matched) = (to as usize, self.partner[to as usize]);
                if self.base[from as usize] == self.base[at] || self.partner[from as usize] == to {
                    continue;
                }
                if to == root || matched != NONE && self.parent[matched as usize] != NONE {
                    self.contract(from, to);
                } else if self.parent[at] == NONE {
                    self.parent[at] = from;
                    if matched == NONE {
                        return self.flip(to);
                    }
                    self.enqueue(matched);
                }
            }
        }
    }

    fn enqueue(&mut self, vertex: u32) {
        if !std::mem::replace(&mut self.queued[vertex as usize], true) {
            self.queue.push_back(vertex);
        }
    }

    /// Flips the matching along the path from the root to `end`.
    fn flip(&mut self, mut end: u32) {
        while end != NONE {
            let before = self.parent[end as usize];
            let next = self.partner[before as usize];
            self.partner[end as usize] = before;
            self.partner[before as usize] = end;
            end = next;
        }
    }

    /// Contracts a blossom, the odd cycle that an edge between two even vertices closes.
    fn contract(&mut self, one: u32, other: u32) {
        let base = self.common(one, other);
        let mut inside = vec![false; self.rows.len()];
        self.mark(&mut inside, one, base, other);
        self.mark(&mut inside, other, base, one);
        for vertex in 0..self.rows.len() as u32 {
            if inside[self.base[vertex as usize] as usize] {
                self.base[vertex as usize] = base;
                self.enqueue(vertex);
            }
        }
    }

    fn mark(&mut self, inside: &mut [bool], mut vertex: u32, base: u32, mut child: u32) {
        while self.base[vertex as usize] != base {
            let matched = self.partner[vertex as usize];
            inside[self.base[vertex as usize] as usize] = true;
            inside[self.base[matched as usize] as usize] = true;
            self.parent[vertex as usize] = child;
            child = matched;
            vertex = self.parent[matched as usize];
        }
    }

    fn common(&self, mut one: u32, mut other: u32) -> u32 {
        let mut seen = vec![false; self.rows.len()];
        loop {
            one = self.base[one as usize];
            seen[one as usize] = true;
            let matched = self.partner[one as usize];
            if matched == NONE {
                break;
            }
            one = self.parent[matched as usize];
        }
        loop {
            other = self.base[other as usize];
            if seen[other as usize] {
                return other;
            }
            other = self.parent[self.partner[other as usize] as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the maximum number of pairs. Tries every edge of the first vertex, and also leaving this vertex alone.
    fn brute(rows: &[Vec<u32>], used: &mut Vec<bool>) -> usize {
        let Some(first) = used.iter().position(|&used| !used) else { return 0 };
        used[first] = true;
        let mut best = brute(rows, used);
        for &other in &rows[first] {
            if !used[other as usize] {
                used[other as usize] = true;
                best = best.max(1 + brute(rows, used));
                used[other as usize] = false;
            }
        }
        used[first] = false;
        best
    }

    proptest! {
        #[test]
        fn matchings_are_largest(count in 1usize..10, edges in prop::collection::vec((0usize..10, 0usize..10), 0..20)) {
            let mut rows = vec![Vec::new(); count];
            for (a, b) in edges {
                let (a, b) = (a % count, b % count);
                if a != b {
                    rows[a].push(b as u32);
                    rows[b].push(a as u32);
                }
            }
            let partner = largest(&rows);
            for (vertex, &other) in partner.iter().enumerate() {
                prop_assert!(other == NONE || partner[other as usize] == vertex as u32 && rows[vertex].contains(&other));
            }
            let pairs = partner.iter().filter(|&&other| other != NONE).count() / 2;
            prop_assert_eq!(pairs, brute(&rows, &mut vec![false; count]));
        }
    }
}
