//! Computes minimum-cost maximum flows on small graphs, by successive shortest paths.
//!
//! The method is primal–dual. Each round has two steps. A search by reduced costs finds the cost of the next unit of flow. Then a
//! depth-first search sends as many units as possible along arcs of reduced cost zero. Arcs cost 0 or 1, so there are few different path
//! costs, and few rounds. Capacities are whole numbers, so the flow is also whole (Flattened Clos (NSDI23) App. A.1, Theorem 6).

/// A graph of arcs with capacities and costs, and a flow through it. Its memory is reused for the next graph.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// Per node, its outgoing arc that was added last.
    last: Vec<u32>,
    /// Per arc, the previous outgoing arc of its node. Arc `a ^ 1` is the residual (reverse) arc of arc `a`.
    before: Vec<u32>,
    heads: Vec<u32>,
    capacities: Vec<u32>,
    costs: Vec<i32>,
    /// The potentials (dual variables) of the nodes. They keep the reduced costs of arcs non-negative.
    potentials: Vec<i32>,
    distances: Vec<i32>,
    /// Per reduced distance, the nodes that the search must still examine. Costs are small, so there are few different distances.
    waiting: Vec<Vec<u32>>,
    seen: Vec<bool>,
    stack: Vec<(u32, u32)>,
}

const NONE: u32 = u32::MAX;
const FAR: i32 = i32::MAX;

impl Flow {
    /// Resets the graph to `nodes` nodes without arcs.
    pub fn clear(&mut self, nodes: usize) {
        self.last.clear();
        self.last.resize(nodes, NONE);
        self.before.clear();
        self.heads.clear();
        self.capacities.clear();
        self.costs.clear();
    }

    /// Adds an arc with a non-negative `cost`. Returns the number of the arc.
    pub fn arc(&mut self, tail: u32, head: u32, capacity: u32, cost: i32) -> u32 {
        debug_assert!(cost >= 0);
        let arc = self.heads.len() as u32;
        for (tail, head, capacity, cost) in [(tail, head, capacity, cost), (head, tail, 0, -cost)] {
            self.before.push(std::mem::replace(&mut self.last[tail as usize], self.heads.len() as u32));
            self.heads.push(head);
            self.capacities.push(capacity);
            self.costs.push(cost);
        }
        arc
    }

    /// Returns the units of flow on `arc`.
    pub fn units(&self, arc: u32) -> u32 {
        self.capacities[arc as usize ^ 1]
    }

    /// Removes one unit of flow from `arc`.
    pub fn take(&mut self, arc: u32) {
        self.capacities[arc as usize ^ 1] -= 1;
    }

    /// Sends as many units as possible from `source` to `sink`, at minimum cost. Returns the number of units.
    pub fn solve(&mut self, source: u32, sink: u32) -> u32 {
        let nodes = self.last.len();
        self.potentials.clear();
        self.potentials.resize(nodes, 0);
        let mut units = 0;
        while self.search(source, sink) {
            let farthest = self.distances[sink as usize];
            for (potential, &distance) in self.potentials.iter_mut().zip(&self.distances) {
                *potential += distance.min(farthest);
            }
            self.seen.clear();
            self.seen.resize(nodes, false);
            while self.augment(source, sink) {
                units += 1;
            }
        }
        units
    }

    /// Computes reduced distances from `source`, up to the distance of `sink`. Returns whether `sink` can be reached.
    fn search(&mut self, source: u32, sink: u32) -> bool {
        self.distances.clear();
        self.distances.resize(self.last.len(), FAR);
        self.distances[source as usize] = 0;
        self.waiting.iter_mut().for_each(Vec::clear);
        self.wait(0, source);
        let mut distance = 0;
        while let Some(nodes) = self.waiting.get_mut(distance as usize) {
            let Some(node) = nodes.pop() else {
                distance += 1;
                continue;
            };
            if node == sink {
                return true;
            }
            if distance > self.distances[node as usize] {
                continue;
            }
            let mut arc = self.last[node as usize];
            while arc != NONE {
                let at = arc as usize;
                let head = self.heads[at];
                if self.capacities[at] > 0 {
                    let there = distance + self.reduced(node, at);
                    if there < self.distances[head as usize] {
                        self.distances[head as usize] = there;
                        self.wait(there, head);
                    }
                }
                arc = self.before[at];
            }
        }
        false
    }

    fn wait(&mut self, distance: i32, node: u32) {
        let distance = distance as usize;
        if self.waiting.len() <= distance {
            self.waiting.resize_with(distance + 1, Vec::new);
        }
        self.waiting[distance].push(node);
    }

    fn reduced(&self, tail: u32, arc: usize) -> i32 {
        self.costs[arc] + self.potentials[tail as usize] - self.potentials[self.heads[arc] as usize]
    }

    /// Sends one unit along arcs of reduced cost zero. Returns whether this was possible. If the search finds no path from a node, it does
    /// not enter this node again in the same round. It may miss a path for this reason; the next round then finds this path, at the same
    /// cost.
    fn augment(&mut self, source: u32, sink: u32) -> bool {
        self.stack.clear();
        self.stack.push((source, self.last[source as usize]));
        self.seen[source as usize] = true;
        while let Some(&(node, arc)) = self.stack.last() {
            if node == sink {
                self.stack.pop();
                // Each entry of the stack except the last holds the arc that leads to the next entry.
                for &(node, arc) in &self.stack {
                    self.capacities[arc as usize] -= 1;
                    self.capacities[arc as usize ^ 1] += 1;
                    self.seen[node as usize] = false;
                }
                self.seen[sink as usize] = false;
                return true;
            }
            let mut next = arc;
            while next != NONE {
                let at = next as usize;
                let open = self.capacities[at] > 0 && !self.seen[self.heads[at] as usize];
                if open && self.reduced(node, at) == 0 {
                    break;
                }
                next = self.before[at];
            }
            self.stack.last_mut().expect("the loop holds an entry").1 = next;
            if next == NONE {
                self.stack.pop();
            } else {
                let head = self.heads[next as usize];
                self.seen[head as usize] = true;
                self.stack.push((head, self.last[head as usize]));
            }
        }
        false
    }
}
