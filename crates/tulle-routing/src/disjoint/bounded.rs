//! Computes the maximum number of disjoint paths of bounded length, by branch and bound over maximum flows.
//!
//! A flow of [`super::timed`] may contain two paths that cross the same cable. These paths are then in conflict. A maximum flow without
//! conflicts is a maximum set of disjoint paths.
//!
//! If two paths cross a cable in opposite directions, they exchange their remaining parts, unless this makes a path too long. This removes
//! the conflict. For any other conflict, the search branches: one branch forbids the first path to cross the cable, and the other branch
//! forbids the second path. The search skips branches whose maximum flow is not larger than the best set of disjoint paths found so far. If
//! paths have at most three hops, no conflicts remain.

use tulle_fabric::Fabric;

use super::ball::Ball;
use super::timed::{Step, Timed, simple};

/// Maximum number of max-flow computations per pair. If a pair needs more, the result is only a lower and an upper bound of the number of
/// disjoint paths. In low-diameter fabrics, almost all pairs need fewer than ten computations.
pub const MAX_FLOWS: usize = 256;

/// The number of disjoint paths between two sets of switches, with bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// The number of disjoint paths that were found.
    pub paths: u32,
    /// An upper bound of the number of disjoint paths. It equals `paths` if the count is exact. It is `u32::MAX` for a greedy count, which
    /// computes no bound.
    pub most: u32,
    /// The number of cables of the smallest cut that was found. The minimum cut for this path length has at least `paths` cables and at
    /// most this number. It is `u32::MAX` for a greedy count, which computes no cut.
    pub cut: u32,
}

/// A search for disjoint paths between two sets of switches. Its memory is reused for the next search.
#[derive(Debug)]
pub struct Bounded<'a> {
    fabric: &'a Fabric,
    ball: Ball,
    timed: Timed<'a>,
    /// Per cable: the number (`round`) of the last pass over the paths that found the cable, the number of the path that crosses the cable,
    /// and the step of this path at the cable.
    crossed: Vec<(u32, u32, u32)>,
    round: u32,
    /// The largest set of disjoint paths of the last search, as channels. It does not contain paths of one hop.
    best: Vec<Vec<u32>>,
}

/// Two steps, of different paths, that cross the same cable.
struct Conflict {
    first: (usize, usize),
    second: (usize, usize),
}

impl<'a> Bounded<'a> {
    /// Returns a search over `fabric`.
    pub fn new(fabric: &'a Fabric) -> Self {
        Self {
            fabric,
            ball: Ball::new(fabric),
            timed: Timed::new(fabric),
            crossed: vec![(0, 0, 0); fabric.num_channels()],
            round: 0,
            best: Vec::new(),
        }
    }

    /// Counts the disjoint paths of at most `hops` hops from the set `from` to the set `to`.
    pub fn count(&mut self, from: &[u32], to: &[u32], hops: u32) -> Count {
        let (paths, most, cut) = self.between(from, to, hops, MAX_FLOWS);
        let cut = self.narrow(paths, cut);
        let direct = self.timed.direct();
        Count { paths: direct + paths, most: direct + most.min(cut), cut: direct + cut }
    }

    /// Returns a largest set of disjoint paths of at most `hops` hops from `source` to another switch `destination`. The paths are given as
    /// channels, the shortest first. The result is `None` if `flows` max-flow computations do not suffice to prove that no larger set
    /// exists.
    pub fn paths(&mut self, source: u32, destination: u32, hops: u32, flows: usize) -> Option<Vec<Vec<u32>>> {
        let (found, most, _) = self.between(&[source], &[destination], hops, flows);
        if found < most {
            return None;
        }
        let row = self.fabric.channels_of(source).map(|channel| channel as u32);
        let direct = row.filter(|&channel| self.fabric.targets()[channel as usize] == destination);
        let mut paths: Vec<Vec<u32>> = direct.map(|channel| vec![channel]).chain(self.best.drain(..)).collect();
        paths.sort_unstable_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        Some(paths)
    }

    /// Returns the number of paths found, an upper bound of the maximum number, and the number of cables of a cut. Cables that join the two
    /// sets directly are not counted.
    fn between(&mut self, from: &[u32], to: &[u32], hops: u32, flows: usize) -> (u32, u32, u32) {
        self.ball.grow(self.fabric, to, hops.div_ceil(2));
        self.timed.build(from, &self.ball, hops);
        let flow = self.timed.solve(&[]);
        let cut = self.timed.cut();
        let (paths, most) = self.search(hops, flow, cut, flows);
        (paths, most, cut)
    }

    /// Returns the number of cables of the smallest cut found, at most `cut`. No cut can have fewer than `paths` cables.
    ///
    /// The maximum flow counts a cable once per hop at which the flow crosses it. Its minimum cut therefore avoids cables that the flow
    /// crosses at several hops. This function adds such cables to the cut one by one. Each time, it adds the cable after whose removal the
    /// maximum flow is smallest.
    fn narrow(&mut self, paths: u32, cut: u32) -> u32 {
        let (mut best, mut flows) = (cut, 0);
        let mut closed: Vec<u32> = Vec::new();
        while best > paths && flows < MAX_FLOWS {
            self.timed.solve(&closed);
            let mut chosen: Option<(u32, Vec<u32>)> = None;
            for crossings in self.timed.crossings() {
                if flows == MAX_FLOWS {
                    break;
                }
                flows += 1;
                let tried = [&closed[..], &crossings].concat();
                let flow = self.timed.solve(&tried);
                // The cut also counts the removed cables that lead from its source side to its sink side.
                best = best.min(self.timed.cut());
                if best == paths {
                    return best;
                }
                if chosen.as_ref().is_none_or(|(least, _)| flow < *least) {
                    chosen = Some((flow, tried));
                }
            }
            let Some((_, tried)) = chosen else { break };
            closed = tried;
        }
        best
    }

    /// Returns the number of paths found, and an upper bound of the maximum number. The search starts with the maximum flow `flow` and its
    /// cut `cut`, and computes at most `most_flows` maximum flows.
    fn search(&mut self, hops: u32, flow: u32, cut: u32, most_flows: usize) -> (u32, u32) {
        let (mut best, mut flows) = (0, 1);
        self.best.clear();
        // The branches that the search must still examine. Each branch has its list of forbidden crossings and an upper bound: the maximum
        // flow before the last crossing was forbidden.
        let mut open: Vec<(Vec<u32>, u32)> = Vec::new();
        let mut closed = Vec::new();
        let mut value = flow;
        loop {
            if value > best {
                let mut paths = self.timed.paths();
                let conflict = self.settle(&mut paths, hops);
                best = self.keep_disjoint(best, &paths);
                if let Some((one, other)) = conflict
                    && best < value.min(cut)
                {
                    for crossing in [other, one] {
                        let mut more = closed.clone();
                        more.push(crossing);
                        open.push((more, value));
                    }
                }
            }
            open.retain(|&(_, bound)| bound > best);
            if flows == most_flows || best == cut {
                break;
            }
            let Some((next, _)) = open.pop() else { break };
            value = self.timed.solve(&next);
            closed = next;
            flows += 1;
        }
        let most = open.iter().map(|&(_, bound)| bound).max().unwrap_or(best).max(best);
        (best, most.min(cut))
    }

    /// Removes conflicts between paths that cross a cable in opposite directions: the paths exchange their remaining parts. Returns the two
    /// crossings of one remaining conflict, or `None` if no conflict remains.
    fn settle(&mut self, paths: &mut [Vec<Step>], hops: u32) -> Option<(u32, u32)> {
        loop {
            let mut left = None;
            let mut parted = false;
            for Conflict { first, second } in self.conflicts(paths) {
                let (one, other) = (paths[first.0][first.1], paths[second.0][second.1]);
                let lengths =
                    [first.1 + paths[second.0].len() - second.1 - 1, second.1 + paths[first.0].len() - first.1 - 1];
                if one.1 != other.1 && lengths.iter().all(|&length| length <= hops as usize) {
                    let tail_one = paths[first.0].split_off(first.1);
                    let tail_other = paths[second.0].split_off(second.1);
                    paths[first.0].extend_from_slice(&tail_other[1..]);
                    paths[second.0].extend_from_slice(&tail_one[1..]);
                    for at in [first.0, second.0] {
                        paths[at] = simple(self.fabric, std::mem::take(&mut paths[at]));
                    }
                    parted = true;
                    break;
                }
                left.get_or_insert((one.0, other.0));
            }
            if !parted {
                return left;
            }
        }
    }

    /// Returns all conflicts: pairs of steps that cross the same cable.
    fn conflicts(&mut self, paths: &[Vec<Step>]) -> Vec<Conflict> {
        self.round += 1;
        let mut found = Vec::new();
        for (path, steps) in paths.iter().enumerate() {
            for (step, &(_, channel)) in steps.iter().enumerate() {
                let cable = channel.min(self.fabric.reverse()[channel as usize]) as usize;
                let (round, earlier, at) = self.crossed[cable];
                if round == self.round {
                    found.push(Conflict { first: (earlier as usize, at as usize), second: (path, step) });
                } else {
                    self.crossed[cable] = (self.round, path as u32, step as u32);
                }
            }
        }
        found
    }

    /// Goes through the paths in order, and selects each path that shares no cable with the paths selected before it. If the selection has
    /// more than `best` paths, it becomes the best set. Returns the size of the best set.
    fn keep_disjoint(&mut self, best: u32, paths: &[Vec<Step>]) -> u32 {
        self.round += 1;
        let cable = |channel: u32| channel.min(self.fabric.reverse()[channel as usize]) as usize;
        let mut taken = Vec::with_capacity(paths.len());
        for path in paths {
            if path.iter().all(|&(_, channel)| self.crossed[cable(channel)].0 != self.round) {
                path.iter().for_each(|&(_, channel)| self.crossed[cable(channel)].0 = self.round);
                taken.push(path);
            }
        }
        if taken.len() as u32 <= best {
            return best;
        }
        self.best.clear();
        self.best.extend(taken.iter().map(|path| path.iter().map(|&(_, channel)| channel).collect()));
        self.best.len() as u32
    }
}
