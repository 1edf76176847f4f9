//! Packs forests that have no cable in common, and finds exchanges of cables that make room for one more cable.

use std::collections::VecDeque;

use tulle_base::task;
use tulle_fabric::Fabric;

use crate::sets::Sets;

/// The value that stands for a missing cable or forest.
const NONE: u32 = u32::MAX;

/// Several forests over the switches of a fabric. No two forests have a cable in common.
pub(super) struct Packing<'a> {
    fabric: &'a Fabric,
    forests: Vec<Forest>,
    /// Per cable, the forest that contains it; [`NONE`] if no forest does. The index is the channel that represents the cable.
    held_by: Vec<u32>,
    /// The number of cables in all forests.
    held: usize,
    /// Sets of switches. The forests cannot contain any further cable between two switches of the same set, so such a cable is rejected
    /// without a search.
    closed: Sets,
    search: Search,
}

/// A forest with a root for every tree, so that the path between two switches can be found by climbing toward the root.
struct Forest {
    joined: Sets,
    /// Per switch, its cables in this forest.
    cables: Vec<Vec<u32>>,
    /// Per switch, the cable toward its parent; [`NONE`] at roots.
    up: Vec<u32>,
    parent: Vec<u32>,
    depth: Vec<u32>,
    root: Vec<u32>,
}

/// A search for exchanges. Its memory is reused for the next search.
struct Search {
    /// Per cable that the search reached, the cable that would take its place; [`NONE`] for cables that the search has not reached.
    makes_room: Vec<u32>,
    queue: VecDeque<u32>,
    reached: Vec<u32>,
    /// Per forest, the sets of switches that are connected by cables that the search reached. The climb toward the root skips these sets,
    /// so that the search reaches each cable only once.
    skip: Vec<Sets>,
    /// The switches that were joined to other switches in `skip`, each with its forest. They are needed to reset `skip`.
    skipped: Vec<(usize, u32)>,
}

impl<'a> Packing<'a> {
    /// Returns `forests` empty forests.
    pub fn new(fabric: &'a Fabric, forests: usize) -> Self {
        let switches = fabric.num_switches();
        let empty = || Forest {
            joined: Sets::new(switches),
            cables: vec![Vec::new(); switches],
            up: vec![NONE; switches],
            parent: vec![NONE; switches],
            depth: vec![0; switches],
            root: (0..switches as u32).collect(),
        };
        Self {
            fabric,
            forests: (0..forests).map(|_| empty()).collect(),
            held_by: vec![NONE; fabric.num_channels()],
            held: 0,
            closed: Sets::new(switches),
            search: Search {
                makes_room: vec![NONE; fabric.num_channels()],
                queue: VecDeque::new(),
                reached: Vec::new(),
                skip: (0..forests).map(|_| Sets::new(switches)).collect(),
                skipped: Vec::new(),
            },
        }
    }

    /// Returns whether no forest contains `cable`.
    pub fn is_free(&self, cable: u32) -> bool {
        self.held_by[cable as usize] == NONE
    }

    /// Returns whether every forest is a spanning tree.
    pub fn is_full(&self) -> bool {
        self.held == self.forests.len() * (self.fabric.num_switches() - 1)
    }

    /// Adds the free `cable` to `forest`. The cable must not close a cycle in this forest.
    pub fn put(&mut self, cable: u32, forest: usize) {
        let [a, b] = self.ends(cable);
        let joined = self.forests[forest].joined.join(a, b);
        debug_assert!(joined, "the cable would close a cycle");
        self.add(cable, forest as u32);
        self.held += 1;
    }

    /// Adds the free `cable` to the first forest in which it closes no cycle. Returns false if there is no such forest.
    pub fn place(&mut self, cable: u32) -> bool {
        let [a, b] = self.ends(cable);
        let open = (0..self.forests.len()).find(|&forest| !self.forests[forest].joined.same(a, b));
        if let Some(forest) = open {
            self.put(cable, forest);
        }
        open.is_some()
    }

    /// Computes the roots of all forests. Call it after the last [`Packing::put`] or [`Packing::place`], and before the first
    /// [`Packing::augment`].
    pub fn root_all(&mut self) {
        (0..self.forests.len()).for_each(|forest| self.root(forest));
    }

    /// Adds the free `cable` by a shortest chain of exchanges. Returns false if the forests can never contain it.
    ///
    /// The search starts at `cable`. From each cable, it continues with all cables on the cycle that this cable would close in the next
    /// forest. The first forest follows the last. With this fixed order of forests, the search reaches all cables that exchanges in any
    /// order could reach. If the search fails, the reached cables connect the same switches in every forest, so no further cable between
    /// these switches fits.
    pub fn augment(&mut self, cable: u32) -> bool {
        task::check();
        let [a, b] = self.ends(cable);
        if self.closed.same(a, b) {
            return false;
        }
        let Search { makes_room, queue, reached, skip, skipped } = &mut self.search;
        skipped.drain(..).for_each(|(forest, switch)| skip[forest].part(switch));
        queue.clear();
        queue.push_back(cable);
        reached.clear();
        reached.push(cable);
        let mut last = None;
        while let Some(entering) = queue.pop_front() {
            let forest = self.held_by[entering as usize].wrapping_add(1) as usize % self.forests.len();
            let Forest { up, parent, depth, root, .. } = &self.forests[forest];
            let [mut a, mut b] = ends(self.fabric, entering);
            if root[a as usize] != root[b as usize] {
                last = Some((entering, forest));
                break;
            }
            let skip = &mut skip[forest];
            (a, b) = (skip.top(a), skip.top(b));
            while a != b {
                if depth[a as usize] < depth[b as usize] {
                    std::mem::swap(&mut a, &mut b);
                }
                let leaving = up[a as usize];
                makes_room[leaving as usize] = entering;
                queue.push_back(leaving);
                reached.push(leaving);
                skip.under(a, parent[a as usize]);
                skipped.push((forest, a));
                a = skip.top(a);
            }
        }
        let found = last.is_some();
        match last {
            Some((entering, forest)) => self.exchange(cable, entering, forest as u32),
            None => {
                for &reached in &self.search.reached {
                    let [c, d] = ends(self.fabric, reached);
                    self.closed.join(a, c);
                    self.closed.join(a, d);
                }
            }
        }
        self.search.reached.iter().for_each(|&reached| self.search.makes_room[reached as usize] = NONE);
        found
    }

    /// Moves `entering` into `forest`. The cable that needs the old place of `entering` moves there, and so on, until the cable `new` is
    /// placed.
    fn exchange(&mut self, new: u32, mut entering: u32, mut forest: u32) {
        let mut changed = vec![forest];
        loop {
            let left = self.held_by[entering as usize];
            if left != NONE {
                for switch in self.ends(entering) {
                    let cables = &mut self.forests[left as usize].cables[switch as usize];
                    cables.retain(|&cable| cable != entering);
                }
            }
            self.add(entering, forest);
            if entering == new {
                break;
            }
            forest = left;
            changed.push(left);
            entering = self.search.makes_room[entering as usize];
        }
        self.held += 1;
        changed.sort_unstable();
        changed.dedup();
        changed.into_iter().for_each(|forest| self.root(forest as usize));
    }

    fn add(&mut self, cable: u32, forest: u32) {
        self.held_by[cable as usize] = forest;
        for switch in self.ends(cable) {
            self.forests[forest as usize].cables[switch as usize].push(cable);
        }
    }

    /// Computes the parents, depths and roots of `forest` again.
    fn root(&mut self, forest: usize) {
        let Forest { cables, up, parent, depth, root, .. } = &mut self.forests[forest];
        root.fill(NONE);
        let mut stack = Vec::new();
        for start in 0..root.len() as u32 {
            if root[start as usize] != NONE {
                continue;
            }
            (root[start as usize], depth[start as usize], up[start as usize]) = (start, 0, NONE);
            stack.push(start);
            while let Some(switch) = stack.pop() {
                for &cable in &cables[switch as usize] {
                    let [a, b] = ends(self.fabric, cable);
                    let next = if a == switch { b } else { a } as usize;
                    if root[next] == NONE {
                        (root[next], depth[next], up[next]) = (start, depth[switch as usize] + 1, cable);
                        parent[next] = switch;
                        stack.push(next as u32);
                    }
                }
            }
        }
    }

    /// Returns the cables of each forest, ascending.
    pub fn trees(&self) -> Vec<Vec<u32>> {
        let mut trees = vec![Vec::new(); self.forests.len()];
        for cable in self.fabric.cables().filter(|&cable| !self.is_free(cable)) {
            trees[self.held_by[cable as usize] as usize].push(cable);
        }
        trees
    }

    fn ends(&self, cable: u32) -> [u32; 2] {
        ends(self.fabric, cable)
    }
}

fn ends(fabric: &Fabric, cable: u32) -> [u32; 2] {
    [fabric.sources()[cable as usize], fabric.targets()[cable as usize]]
}
