//! Computes maximum flows with small integer capacities, by blocking flows in level graphs (Dinic 1970).

/// A network of arcs with a flow through it. Its memory is reused for the next network.
#[derive(Debug, Default, Clone)]
pub struct Network {
    /// Per node, its outgoing arc that was added last.
    last: Vec<u32>,
    /// Per arc, the previous outgoing arc of its node.
    before: Vec<u32>,
    /// Per arc, the node to which it leads.
    heads: Vec<u32>,
    /// The residual capacity of every arc. Arc `a ^ 1` is the reverse of arc `a`.
    left: Vec<u16>,
    levels: Vec<u32>,
    /// Per node, the next arc to try in the current phase.
    next: Vec<u32>,
    queue: Vec<u32>,
    path: Vec<u32>,
}

/// The value that stands for a missing arc, node or level.
pub(super) const NONE: u32 = u32::MAX;

impl Network {
    /// Resets the network to `nodes` nodes without arcs.
    pub fn clear(&mut self, nodes: usize) {
        self.last.clear();
        self.last.resize(nodes, NONE);
        self.before.clear();
        self.heads.clear();
        self.left.clear();
    }

    /// Adds a node, and returns its number.
    pub fn node(&mut self) -> u32 {
        self.last.push(NONE);
        self.last.len() as u32 - 1
    }

    /// Adds an arc with capacity `there`, and its reverse arc with capacity `back`. Returns the number of the arc, which is even.
    pub fn arc(&mut self, tail: u32, head: u32, there: u16, back: u16) -> u32 {
        let arc = self.heads.len() as u32;
        for (tail, head, capacity) in [(tail, head, there), (head, tail, back)] {
            self.before.push(std::mem::replace(&mut self.last[tail as usize], self.heads.len() as u32));
            self.heads.push(head);
            self.left.push(capacity);
        }
        arc
    }

    /// Returns the residual capacities of all arcs, to be restored by [`Network::restore`].
    pub fn capacities(&self) -> &[u16] {
        &self.left
    }

    /// Sets the residual capacities of all arcs.
    pub fn restore(&mut self, capacities: &[u16]) {
        self.left.copy_from_slice(capacities);
    }

    /// Sets the capacity of `arc` to 0 in both directions.
    pub fn close(&mut self, arc: u32) {
        self.left[arc as usize] = 0;
        self.left[arc as usize ^ 1] = 0;
    }

    /// Returns the residual capacity of `arc`.
    pub fn left(&self, arc: u32) -> u16 {
        self.left[arc as usize]
    }

    /// Removes one unit of flow from `arc`.
    pub fn take(&mut self, arc: u32) {
        self.left[arc as usize] += 1;
        self.left[arc as usize ^ 1] -= 1;
    }

    /// Returns the node that `arc` enters.
    pub fn head(&self, arc: u32) -> u32 {
        self.heads[arc as usize]
    }

    /// Returns the arcs that leave `node`. The arc that was added last comes first.
    pub fn arcs(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(some(self.last[node as usize]), |&arc| some(self.before[arc as usize]))
    }

    /// Sends as much flow as possible, at most `limit`, from `source` to `sink`; returns the amount.
    pub fn solve(&mut self, source: u32, sink: u32, limit: u32) -> u32 {
        let mut units = 0;
        while units < limit && self.level(source, sink) {
            self.next.clear();
            self.next.extend_from_slice(&self.last);
            while units < limit && self.augment(source, sink) {
                units += 1;
            }
        }
        units
    }

    /// Returns whether `node` is on the source's side of the minimum cut. [`Network::solve`] must have run without a limit.
    pub fn is_before_cut(&self, node: u32) -> bool {
        self.levels[node as usize] != NONE
    }

    /// Computes the levels of nodes, from `source` up to the level of `sink`. Returns whether `sink` can be reached.
    fn level(&mut self, source: u32, sink: u32) -> bool {
        self.levels.clear();
        self.levels.resize(self.last.len(), NONE);
        self.levels[source as usize] = 0;
        self.queue.clear();
        self.queue.push(source);
        let mut at = 0;
        while let Some(&node) = self.queue.get(at) {
            at += 1;
            let mut arc = self.last[node as usize];
            while arc != NONE {
                let head = self.heads[arc as usize];
                if self.left[arc as usize] > 0 && self.levels[head as usize] == NONE {
                    self.levels[head as usize] = self.levels[node as usize] + 1;
                    if head == sink {
                        return true;
                    }
                    self.queue.push(head);
                }
                arc = self.before[arc as usize];
            }
        }
        false
    }

    /// Sends one unit along arcs that lead to the next level. Returns false if no such path is left.
    fn augment(&mut self, source: u32, sink: u32) -> bool {
        self.path.clear();
        let mut node = source;
        while node != sink {
            let arc = self.next[node as usize];
            if arc == NONE {
                let Some(back) = self.path.pop() else { return false };
                node = self.heads[back as usize ^ 1];
                self.next[node as usize] = self.before[back as usize];
                continue;
            }
            let head = self.heads[arc as usize];
            if self.left[arc as usize] > 0 && self.levels[head as usize] == self.levels[node as usize].wrapping_add(1) {
                self.path.push(arc);
                node = head;
            } else {
                self.next[node as usize] = self.before[arc as usize];
            }
        }
        for &arc in &self.path {
            self.left[arc as usize] -= 1;
            self.left[arc as usize ^ 1] += 1;
        }
        true
    }
}

fn some(arc: u32) -> Option<u32> {
    (arc != NONE).then_some(arc)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_is_sent_another_way() {
        // A unit on the path 0-1-2-3 would block the paths 0-1-3 and 0-2-3. The maximum flow is 2.
        let mut network = Network::default();
        network.clear(4);
        for (tail, head) in [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)] {
            network.arc(tail, head, 1, 0);
        }
        let capacities = network.capacities().to_vec();
        assert_eq!(network.solve(0, 3, u32::MAX), 2);
        assert!(network.is_before_cut(0) && !network.is_before_cut(3));
        network.restore(&capacities);
        assert_eq!(network.solve(0, 3, 1), 1);
    }
}
