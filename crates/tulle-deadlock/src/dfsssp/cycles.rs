//! Finds an order of channels by breaking dependency cycles, as the authors of DFSSSP propose.
//!
//! One depth-first search finds all cycles of a virtual channel. If the search reaches a channel of its current trail, the dependencies of
//! the trail from this channel on form a cycle. The search removes the dependency of this cycle that has the fewest paths, together with
//! these paths. Some dependencies of the trail may then have no paths left. The search steps back to the first of them and continues.
//! Finished channels stay finished, because removing paths creates no new cycle.

use super::bits::Bits;
use super::lists::Lists;
use super::weights::Weights;
use crate::members::Members;
use crate::turns::Turns;

/// Removes, for every cycle, the paths of its weakest dependency. Returns an order of all channels that the remaining paths follow.
/// `before` holds the first channel of each turn.
pub(super) fn order(turns: &Turns, before: &[u32], members: &Members) -> Vec<u32> {
    Loads::of(turns, members).break_cycles(before)
}

/// The routes (members) of one virtual channel, indexed by turn. A turn is a pair of consecutive channels.
struct Loads<'a> {
    turns: &'a Turns,
    members: &'a Members,
    /// The removed members (routes) that have several turns. A member with a single turn counts as removed if its turn is in `gone`.
    moved: Bits,
    /// The turns (pairs of consecutive channels) whose members (routes) have been removed.
    gone: Bits,
    /// `count` is the number of members (routes) of each turn. `taken` has a bit per turn that is set if the turn has any members; these
    /// bits take far less memory to scan than the counts.
    count: Vec<u32>,
    taken: Bits,
    /// Per turn: its members (routes) that have exactly one more turn, each stored with that second turn. Most members with several turns
    /// have exactly two, so the search avoids further memory accesses for them.
    pairs: Lists<(u32, u32)>,
    /// Per turn: its members (routes) that have at least two more turns.
    longer: Lists<u32>,
}

impl<'a> Loads<'a> {
    fn of(turns: &'a Turns, members: &'a Members) -> Self {
        let mut count = vec![0u32; turns.len()];
        let (mut pairs, mut longer) = (Lists::new(turns.len()), Lists::new(turns.len()));
        for member in 0..members.len() {
            let own = members.turns(member);
            own.iter().for_each(|&turn| count[turn as usize] += 1);
            match own {
                [_] => {}
                [one, other] => [one, other].into_iter().for_each(|&turn| pairs.count(turn)),
                longest => longest.iter().for_each(|&turn| longer.count(turn)),
            }
        }
        pairs.make_room((0, 0));
        longer.make_room(0);
        for member in 0..members.len() {
            match members.turns(member) {
                [_] => {}
                &[one, other] => {
                    pairs.push(one, (member as u32, other));
                    pairs.push(other, (member as u32, one));
                }
                longest => longest.iter().for_each(|&turn| longer.push(turn, member as u32)),
            }
        }
        let mut taken = Bits::new(turns.len());
        (0..turns.len()).filter(|&turn| count[turn] > 0).for_each(|turn| taken.set(turn));
        let (moved, gone) = (Bits::new(members.len()), Bits::new(turns.len()));
        Self { turns, members, moved, gone, count, taken, pairs, longer }
    }

    /// Returns whether `member` was removed.
    #[cfg(test)]
    fn has_moved(&self, member: usize) -> bool {
        match self.members.turns(member) {
            &[turn] => self.gone.has(turn as usize),
            _ => self.moved.has(member),
        }
    }

    /// Removes members (routes) until the virtual channel has no cycle. Returns an order of all channels that the remaining members follow.
    fn break_cycles(&mut self, before: &[u32]) -> Vec<u32> {
        let mut trail = Trail::new(self.turns, before);
        for root in 0..self.turns.num_channels() as u32 {
            if trail.state[root as usize] == NEW {
                trail.push(root);
            }
            while let Some(&channel) = trail.channels.last() {
                // The search continues with the current turn of this channel. If the turn has no members (routes) left, it continues with
                // the channel's next turn that has members.
                let end = self.turns.out_of(channel).end;
                let Some(turn) = self.taken.first(trail.at[channel as usize]..end) else {
                    trail.leave(channel, end);
                    trail.finish();
                    continue;
                };
                trail.leave(channel, end);
                trail.at[channel as usize] = turn;
                let next = self.turns.leads_to(channel, turn);
                match trail.state[next as usize] {
                    DONE => trail.at[channel as usize] += 1,
                    NEW => {
                        trail.enter(turn, self.count[turn]);
                        trail.push(next);
                    }
                    _ => {
                        trail.enter(turn, self.count[turn]);
                        let cycle = trail.position[next as usize] as usize..trail.channels.len();
                        let weakest = trail.channels[trail.weights.lightest(cycle)];
                        self.take_away(trail.at[weakest as usize], &mut trail);
                    }
                }
            }
        }
        // The search finishes a channel after all channels that it leads to, so the reversed list is the order.
        trail.done.reverse();
        trail.done
    }

    /// Removes all members (routes) of `turn`, and steps back to before the first turn of the trail that has no members left.
    fn take_away(&mut self, turn: usize, trail: &mut Trail<'_>) {
        let Self { members, moved, count, taken, .. } = self;
        let mut keep = trail.channels.len();
        let mut fewer = |turn: usize, by: u32| {
            count[turn] = count[turn].saturating_sub(by);
            if count[turn] == 0 {
                taken.clear(turn);
            }
            let Some(position) = trail.position_of(turn) else { return };
            trail.weights.set(position, count[turn]);
            if count[turn] == 0 {
                keep = keep.min(position + 1);
            }
        };
        // This call sets the count of `turn` to 0. The loops below remove all its members (routes).
        fewer(turn, u32::MAX);
        for &(member, other) in self.pairs.of(turn) {
            if moved.add(member as usize) {
                fewer(other as usize, 1);
            }
        }
        for &member in self.longer.of(turn) {
            if moved.add(member as usize) {
                let others = members.turns(member as usize).iter().filter(|&&other| other as usize != turn);
                others.for_each(|&other| fewer(other as usize, 1));
            }
        }
        self.gone.set(turn);
        while trail.channels.len() > keep {
            let channel = trail.channels.pop().expect("it has more");
            trail.state[channel as usize] = NEW;
            trail.leave(channel, self.turns.out_of(channel).end);
        }
    }
}

const NEW: u8 = 0;
const ON_TRAIL: u8 = 1;
const DONE: u8 = 2;

/// The state of the search. The trail is a list of channels, each of which waits for the next one.
struct Trail<'a> {
    channels: Vec<u32>,
    state: Vec<u8>,
    /// The position of each channel on the trail.
    position: Vec<u32>,
    /// The current turn of each channel; earlier turns of the channel lead to finished channels. The turn stays current when the search
    /// steps back.
    at: Vec<usize>,
    /// The set of turns between consecutive channels of the trail.
    here: Bits,
    /// For each position of the trail, the number of members (routes) that take the turn at this position.
    weights: Weights,
    /// Per turn, the channel before it.
    before: &'a [u32],
    /// The finished channels, in the order in which the search finished them.
    done: Vec<u32>,
}

impl<'a> Trail<'a> {
    fn new(turns: &Turns, before: &'a [u32]) -> Self {
        let channels = turns.num_channels();
        Self {
            channels: Vec::new(),
            state: vec![NEW; channels],
            position: vec![0; channels],
            at: (0..channels as u32).map(|channel| turns.out_of(channel).start).collect(),
            here: Bits::new(turns.len()),
            weights: Weights::new(channels),
            before,
            done: Vec::with_capacity(channels),
        }
    }

    fn push(&mut self, channel: u32) {
        self.state[channel as usize] = ON_TRAIL;
        self.position[channel as usize] = self.channels.len() as u32;
        self.channels.push(channel);
    }

    fn finish(&mut self) {
        let channel = self.channels.pop().expect("the trail has an end");
        self.state[channel as usize] = DONE;
        self.done.push(channel);
    }

    /// Records `turn` as the current turn of the trail's last channel; `count` members (routes) take this turn.
    fn enter(&mut self, turn: usize, count: u32) {
        self.here.set(turn);
        self.weights.set(self.channels.len() - 1, count);
    }

    /// Removes the current turn of `channel` from the trail if the turn's number is below `end`.
    fn leave(&mut self, channel: u32, end: usize) {
        let at = self.at[channel as usize];
        if at < end {
            self.here.clear(at);
        }
    }

    /// Returns the position of `turn` on the trail, if any.
    #[inline]
    fn position_of(&self, turn: usize) -> Option<usize> {
        self.here.has(turn).then(|| self.position[self.before[turn] as usize] as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_fabric::Fabric;
    use tulle_routing::{Routes, Routing, SourcePaths};

    /// Builds a routing for tests: each entry of `walks` is a list of switches and the number of paths along these switches.
    fn along(fabric: &Fabric, walks: &[(&[u32], usize)]) -> Routing {
        let switches = fabric.num_switches() as u32;
        let port = |from: u32, to: u32| fabric.neighbours(from).iter().position(|&next| next == to).unwrap() as u16;
        let sources = (0..switches).map(|source| {
            let mut paths = SourcePaths::default();
            for destination in 0..switches {
                let own = walks.iter().filter(|(walk, _)| [walk[0], walk[walk.len() - 1]] == [source, destination]);
                let ports: Vec<Vec<u16>> = own
                    .flat_map(|&(walk, count)| {
                        let path = walk.windows(2).map(|hop| port(hop[0], hop[1])).collect();
                        std::iter::repeat_n(path, count)
                    })
                    .collect();
                paths.destination(ports.iter().map(|path| &path[..]));
            }
            paths
        });
        Routing::new("along".to_owned(), Routes::Paths(SourcePaths::join(sources.collect())))
    }

    /// Returns paths of two hops in ascending order around a ring of five switches; `counts[s]` paths start at switch s.
    fn around(fabric: &Fabric, counts: [usize; 5]) -> Routing {
        let walks: Vec<[u32; 3]> = (0..5).map(|source| [source, (source + 1) % 5, (source + 2) % 5]).collect();
        let walks: Vec<(&[u32], usize)> = walks.iter().map(|walk| &walk[..]).zip(counts).collect();
        along(fabric, &walks)
    }

    #[test]
    fn the_paths_of_the_weakest_dependency_move() {
        let fabric = tulle_topologies::build("torus:shape=5,p=1", 0).unwrap();
        let turns = Turns::of(&fabric);
        let before = turns.channels_before();
        for weakest in 0..5 {
            let mut counts = [5, 4, 6, 5, 4];
            counts[weakest] = 3;
            let routing = around(&fabric, counts);
            let members = Members::of(&fabric, &turns, &routing, false).unwrap();
            let mut loads = Loads::of(&turns, &members);
            loads.break_cycles(&before);
            let first: usize = counts[..weakest].iter().sum();
            let moved: Vec<usize> = (0..members.len()).filter(|&member| loads.has_moved(member)).collect();
            assert_eq!(moved, (first..first + 3).collect::<Vec<_>>(), "{counts:?}");
        }
    }

    #[test]
    fn paths_that_moved_weigh_no_more() {
        // Two rings share switches 0, 1 and 2. They separate at switch 2 and join again at switch 0.
        let mut builder = tulle_fabric::FabricBuilder::new(5);
        [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 0)].into_iter().for_each(|(a, b)| builder.cable(a, b));
        builder.endpoints_each(1);
        let fabric = builder.finish("edges", Default::default()).unwrap();
        let turns = Turns::of(&fabric);
        let walks: [(&[u32], usize); 7] = [
            (&[0, 1, 2, 3], 2),
            (&[0, 1, 2], 3),
            (&[2, 3, 0], 9),
            (&[3, 0, 1], 9),
            (&[1, 2, 4], 4),
            (&[2, 4, 0], 5),
            (&[4, 0, 1], 5),
        ];
        let members = Members::of(&fabric, &turns, &along(&fabric, &walks), false).unwrap();
        let mut loads = Loads::of(&turns, &members);
        let channel = |from: u32, to: u32| {
            fabric.channels_of(from).find(|&channel| fabric.targets()[channel] == to).unwrap() as u32
        };
        let turn = |at: [u32; 3]| turns.turn(channel(at[0], at[1]), channel(at[1], at[2]));
        let count = |loads: &Loads<'_>| {
            [[0, 1, 2], [1, 2, 3], [2, 3, 0], [3, 0, 1], [1, 2, 4], [2, 4, 0], [4, 0, 1]]
                .map(|at| loads.count[turn(at)])
        };
        assert_eq!(count(&loads), [5, 2, 9, 9, 4, 5, 5]);
        loads.break_cycles(&turns.channels_before());
        // In the first ring, the turn at switch 2 has the fewest paths. Removing its two paths leaves 3 of 5 paths on the turn at switch 1,
        // which both rings contain. So this turn is the weakest of the second ring, and its paths are removed too.
        assert_eq!(count(&loads), [0, 0, 9, 9, 4, 5, 5]);
    }
}
