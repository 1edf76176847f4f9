//! Adds dependencies one at a time and keeps them acyclic.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use tulle_base::task;
use tulle_fabric::Fabric;

use super::landmarks::Landmarks;
use super::turns::Turns;

/// The landmarks are recomputed when the number of turns (pairs of consecutive channels) has grown by 1/`GROWTH` since the last time.
const GROWTH: usize = 8;

/// A channel with the data that searches need. All data of a channel is stored together to reduce cache misses.
#[derive(Debug, Clone, Copy)]
struct Node {
    /// A label that ascends along the order.
    label: u64,
    /// The number of the last forward search (`ahead`) that reached the channel, and of the last backward search (`behind`).
    ahead: u32,
    behind: u32,
}

/// The turns of one virtual channel, which form no cycle, and an order of the channels that every turn follows. A turn is a pair of
/// consecutive channels.
///
/// If a new turn is against the order, two searches run in alternating steps. The forward search starts at the second channel of the turn
/// and visits the channels that follow it, in ascending order. The backward search starts at the first channel of the turn and visits the
/// channels that precede it, in descending order. If the searches meet, the turn closes a cycle. If they pass each other in the order,
/// there is no cycle, and the channels of one search move behind the channels of the other search. Source: Haeupler, Kavitha, Mathew, Sen,
/// Tarjan: Incremental cycle detection, topological ordering, and strong component maintenance (ACM TALG 2012) §4, "compatible search".
pub(crate) struct OnlineOrder<'a> {
    fabric: &'a Fabric,
    turns: &'a Turns,
    /// `present` has one bit per turn (pair of consecutive channels); `held` is the number of set bits.
    present: Vec<u64>,
    held: usize,
    landmarks: Landmarks,
    /// `known` marks the turns that the landmarks cover. The landmarks are recomputed when the number of turns reaches `renew_at`.
    known: Vec<u64>,
    renew_at: usize,
    /// For each channel c, one bit per port of the switch that c enters. The bit is set if the turn from c to the channel out of this port
    /// is present.
    onto: Vec<u64>,
    /// For each channel c, one bit per port of the switch that c enters. The bit is set if the turn from the channel that arrives at this
    /// port to the reverse of c is present.
    from: Vec<u64>,
    /// The number of 64-bit words per channel.
    words: usize,
    /// The port by which each channel leaves its switch.
    port: Vec<u32>,
    nodes: Vec<Node>,
    /// Per channel, the next and the previous channel in the order. The last entry is a sentinel for both ends of the order.
    next: Vec<u32>,
    previous: Vec<u32>,
    searches: u32,
    workspace: Workspace,
    trails: Trails,
}

/// The working memory of [`OnlineOrder::closes`]: the channels that the forward search (`ahead`) and the backward search (`behind`) have
/// found.
#[derive(Debug)]
struct Trails {
    ahead: Vec<u32>,
    behind: Vec<u32>,
    marks: Marks,
}

/// Two bits per switch and port. The first tells whether the forward search found the channel out of this port. The second tells whether
/// the backward search found the channel into this port.
#[derive(Debug)]
struct Marks {
    words: usize,
    bits: Vec<(u64, u64)>,
    /// Per switch, the number of the last search that changed the bits of the switch. The bits of older searches are ignored.
    search: Vec<u32>,
}

impl Marks {
    #[inline]
    fn of(&mut self, switch: u32, search: u32) -> &mut [(u64, u64)] {
        let bits = &mut self.bits[switch as usize * self.words..][..self.words];
        if std::mem::replace(&mut self.search[switch as usize], search) != search {
            bits.fill((0, 0));
        }
        bits
    }

    /// Returns the bits of `switch`; `None` if `search` has not changed them.
    #[inline]
    fn get(&self, switch: u32, search: u32) -> Option<&[(u64, u64)]> {
        let own = self.search[switch as usize] == search;
        own.then(|| &self.bits[switch as usize * self.words..][..self.words])
    }
}

/// The working memory of `reorder`. For each of the two searches, it stores the channels that the search has found but not passed yet, and
/// the channels that it has passed.
#[derive(Debug, Default)]
struct Workspace {
    ahead: BinaryHeap<(Reverse<u64>, u32)>,
    behind: BinaryHeap<(u64, u32)>,
    passed_ahead: Vec<u32>,
    passed_behind: Vec<u32>,
}

impl<'a> OnlineOrder<'a> {
    /// Returns an order without turns. Its channels are sorted by id.
    pub fn new(fabric: &'a Fabric, turns: &'a Turns) -> Self {
        let channels: Vec<u32> = (0..turns.num_channels() as u32).collect();
        Self::of(fabric, turns, &channels, |_| false)
    }

    /// Returns an order of all channels that contains the turns (pairs of consecutive channels) for which `held` is true. These turns must
    /// follow the order `channels`.
    pub fn of(fabric: &'a Fabric, turns: &'a Turns, channels: &[u32], held: impl Fn(usize) -> bool) -> Self {
        let ports = (0..fabric.num_switches() as u32).map(|switch| fabric.degree(switch)).max().unwrap_or(0);
        let words = ports.div_ceil(64).max(1);
        let port = |channel: u32| channel - fabric.offsets()[fabric.sources()[channel as usize] as usize];
        let mut order = Self {
            fabric,
            turns,
            present: vec![0; turns.len().div_ceil(64)],
            held: 0,
            landmarks: Landmarks::default(),
            known: vec![0; turns.len().div_ceil(64)],
            renew_at: channels.len() / 2,
            onto: vec![0; channels.len() * words],
            from: vec![0; channels.len() * words],
            words,
            port: (0..channels.len() as u32).map(port).collect(),
            nodes: vec![Node { label: 0, ahead: 0, behind: 0 }; channels.len()],
            next: vec![0; channels.len() + 1],
            previous: vec![0; channels.len() + 1],
            searches: 0,
            workspace: Workspace::default(),
            trails: Trails {
                ahead: Vec::new(),
                behind: Vec::new(),
                marks: Marks {
                    words,
                    bits: vec![(0, 0); fabric.num_switches() * words],
                    search: vec![0; fabric.num_switches()],
                },
            },
        };
        let ends = channels.len() as u32;
        let mut last = ends;
        for &channel in channels.iter().chain(&[ends]) {
            order.next[last as usize] = channel;
            order.previous[channel as usize] = last;
            last = channel;
        }
        order.relabel();
        for channel in 0..channels.len() as u32 {
            turns.out_of(channel).filter(|&turn| held(turn)).for_each(|turn| order.set(channel, turn, true));
        }
        order
    }

    /// Sets whether `turn` is present. `before` is the first channel of the turn.
    fn set(&mut self, before: u32, turn: usize, there: bool) {
        let onto = self.turns.leads_to(before, turn);
        let reverse = self.fabric.reverse();
        let (out, back) = (self.port[onto as usize], self.port[reverse[before as usize] as usize]);
        let bit = |words: &mut [u64], at: usize| {
            let (word, mask) = (&mut words[at / 64], 1 << (at % 64));
            if there { *word |= mask } else { *word &= !mask }
        };
        let held = self.present[turn / 64] >> (turn % 64) & 1 == 1;
        self.held = self.held + usize::from(there) - usize::from(held);
        bit(&mut self.present, turn);
        let row = |channel: u32| channel as usize * self.words * 64;
        bit(&mut self.onto, row(before) + out as usize);
        bit(&mut self.from, row(reverse[onto as usize]) + back as usize);
    }

    /// Returns whether `turn` is present.
    #[inline]
    pub fn holds(&self, turn: usize) -> bool {
        self.present[turn / 64] >> (turn % 64) & 1 == 1
    }

    /// Removes `turn`. `before` is the first channel of the turn.
    pub fn remove(&mut self, before: u32, turn: usize) {
        self.set(before, turn, false);
        if self.known[turn / 64] >> (turn % 64) & 1 == 1 {
            self.forget();
        }
    }

    /// Recomputes the landmarks from all present turns, in the current order.
    fn renew(&mut self) {
        task::check();
        self.renew_at = self.held + self.held / GROWTH + 1;
        self.known.copy_from_slice(&self.present);
        let ends = self.turns.num_channels() as u32;
        let following = |channel: &u32| Some(self.next[*channel as usize]).filter(|&next| next != ends);
        let order: Vec<u32> = std::iter::successors(following(&ends), following).collect();
        let (offsets, targets) = (self.fabric.offsets(), self.fabric.targets());
        self.landmarks.renew(&order, |channel| {
            let onward = offsets[targets[channel as usize] as usize];
            ports(&self.onto[channel as usize * self.words..][..self.words]).map(move |port| onward + port)
        });
    }

    /// Clears the landmarks after a turn that they cover was removed.
    fn forget(&mut self) {
        self.landmarks.clear();
        self.known.fill(0);
        self.renew_at = self.held + self.held / GROWTH + 1;
    }

    /// Returns whether `turn` follows the current order. `before` is the first channel of the turn.
    #[inline]
    pub fn allows(&self, before: u32, turn: usize) -> bool {
        self.label(before) < self.label(self.turns.leads_to(before, turn))
    }

    /// Adds `turn` unless it closes a cycle, and returns whether it was added. `before` is the first channel of the turn.
    pub fn insert(&mut self, before: u32, turn: usize) -> bool {
        let channel = self.turns.leads_to(before, turn);
        if self.label(before) > self.label(channel) && !self.reorder(before, channel) {
            return false;
        }
        self.set(before, turn, true);
        true
    }

    /// Returns whether `turn` certainly closes a cycle, according to the landmarks or to a few search steps from both of its channels. If
    /// the result is false, the turn may still close a cycle. `before` is the first channel of the turn.
    ///
    /// This check finds most turns that close a cycle. It is fast, because it needs neither the order nor a heap.
    pub fn closes(&mut self, before: u32, turn: usize) -> bool {
        const STEPS: usize = 400;
        let channel = self.turns.leads_to(before, turn);
        let (low, high) = (self.label(channel), self.label(before));
        if high < low {
            return false;
        }
        if self.held >= self.renew_at {
            self.renew();
        }
        if self.landmarks.joins(channel, before) {
            return true;
        }
        self.searches += 1;
        let (offsets, targets, reverse) = (self.fabric.offsets(), self.fabric.targets(), self.fabric.reverse());
        let (words, search) = (self.words, self.searches);
        let sources = self.fabric.sources();
        let Trails { ahead, behind, marks } = &mut self.trails;
        ahead.clear();
        behind.clear();
        ahead.push(channel);
        behind.push(before);
        // Each switch has two sets of ports, stored as bits. The forward search sets the bit of the port where a channel leaves its source
        // switch. The backward search sets the bit of the port where a channel enters its target switch.
        let bit = |port: u32| (port as usize / 64, 1u64 << (port % 64));
        let (leaves, enters) = (self.port[channel as usize], self.port[reverse[before as usize] as usize]);
        marks.of(sources[channel as usize], search)[bit(leaves).0].0 |= bit(leaves).1;
        marks.of(targets[before as usize], search)[bit(enters).0].1 |= bit(enters).1;
        let (mut next, mut last) = (0, 0);
        while next < ahead.len() && last < behind.len() && next + last < STEPS {
            if ahead.len() - next <= behind.len() - last {
                let at = ahead[next] as usize;
                next += 1;
                if self.nodes[at].label >= high {
                    continue;
                }
                let switch = targets[at];
                for word in 0..words {
                    let onto = self.onto[at * words + word];
                    let known = &mut marks.of(switch, search)[word].0;
                    let mut new = onto & !*known;
                    *known |= new;
                    while new != 0 {
                        let found = (offsets[switch as usize] + 64 * word as u32 + new.trailing_zeros()) as usize;
                        new &= new - 1;
                        if let Some(marks) = marks.get(targets[found], search) {
                            let (word, bit) = bit(self.port[reverse[found] as usize]);
                            if marks[word].1 & bit != 0 {
                                return true;
                            }
                        }
                        ahead.push(found as u32);
                    }
                }
            } else {
                let at = behind[last] as usize;
                last += 1;
                if self.nodes[at].label <= low {
                    continue;
                }
                let (row, switch) = (reverse[at] as usize * words, sources[at]);
                for word in 0..words {
                    let from = self.from[row + word];
                    let known = &mut marks.of(switch, search)[word].1;
                    let mut new = from & !*known;
                    *known |= new;
                    while new != 0 {
                        let back = (offsets[switch as usize] + 64 * word as u32 + new.trailing_zeros()) as usize;
                        new &= new - 1;
                        let found = reverse[back];
                        if let Some(marks) = marks.get(targets[back], search) {
                            let (word, bit) = bit(self.port[found as usize]);
                            if marks[word].0 & bit != 0 {
                                return true;
                            }
                        }
                        behind.push(found);
                    }
                }
            }
        }
        false
    }

    #[inline]
    fn label(&self, channel: u32) -> u64 {
        self.nodes[channel as usize].label
    }

    /// Moves `before` in front of `channel` in the order. Returns false if `channel` leads to `before`, because this would be a cycle.
    fn reorder(&mut self, before: u32, channel: u32) -> bool {
        task::check();
        self.searches += 1;
        let search = self.searches;
        let (low, high) = (self.label(channel), self.label(before));
        let (fabric, reverse) = (self.fabric, self.fabric.reverse());
        let Workspace { ahead, behind, passed_ahead, passed_behind } = &mut self.workspace;
        passed_ahead.clear();
        passed_behind.clear();
        ahead.clear();
        behind.clear();
        ahead.push((Reverse(low), channel));
        behind.push((high, before));
        self.nodes[channel as usize].ahead = search;
        self.nodes[before as usize].behind = search;
        while let (Some(&(Reverse(up), next)), Some(&(down, last))) = (ahead.peek(), behind.peek()) {
            if up > down {
                break;
            }
            ahead.pop();
            behind.pop();
            passed_ahead.push(next);
            passed_behind.push(last);
            let onward = fabric.offsets()[fabric.targets()[next as usize] as usize];
            for port in ports(&self.onto[next as usize * self.words..][..self.words]) {
                let found = onward + port;
                let node = &mut self.nodes[found as usize];
                if node.behind == search {
                    return false;
                }
                if node.label < high && std::mem::replace(&mut node.ahead, search) != search {
                    ahead.push((Reverse(node.label), found));
                }
            }
            let first = fabric.offsets()[fabric.sources()[last as usize] as usize];
            for port in ports(&self.from[reverse[last as usize] as usize * self.words..][..self.words]) {
                let found = reverse[(first + port) as usize];
                let node = &mut self.nodes[found as usize];
                if node.ahead == search {
                    return false;
                }
                if node.label > low && std::mem::replace(&mut node.behind, search) != search {
                    behind.push((node.label, found));
                }
            }
        }
        // All channels that the forward search has found but not passed now come after all channels that the backward search has found but
        // not passed. `cut` lies between these two groups.
        let ends = self.turns.num_channels() as u32;
        let cut = match (ahead.peek(), behind.peek()) {
            (None, _) => self.next[before as usize],
            (_, None) => channel,
            (Some(&(_, next)), _) => next,
        };
        let at = if cut == ends { u64::MAX } else { self.nodes[cut as usize].label };
        // `passed_ahead` is sorted by ascending label, and `passed_behind` by descending label.
        let label = |channel: &u32| self.nodes[*channel as usize].label;
        passed_behind.retain(|channel| label(channel) > at);
        passed_behind.reverse();
        passed_behind.extend(passed_ahead.iter().filter(|&channel| label(channel) < at));
        let moved = std::mem::take(passed_behind);
        self.put_before(cut, &moved);
        self.workspace.passed_behind = moved;
        true
    }

    /// Moves `channels` to the positions directly before `cut`, in the same sequence.
    fn put_before(&mut self, cut: u32, channels: &[u32]) {
        for &channel in channels {
            let (previous, next) = (self.previous[channel as usize], self.next[channel as usize]);
            self.next[previous as usize] = next;
            self.previous[next as usize] = previous;
        }
        let ends = self.turns.num_channels() as u32;
        let before = self.previous[cut as usize];
        let low = if before == ends { 0 } else { self.label(before) };
        let high = if cut == ends { u64::MAX } else { self.label(cut) };
        let step = (high - low) / (channels.len() as u64 + 1);
        let mut last = before;
        for (at, &channel) in channels.iter().enumerate() {
            self.next[last as usize] = channel;
            self.previous[channel as usize] = last;
            self.nodes[channel as usize].label = low + step * (at as u64 + 1);
            last = channel;
        }
        self.next[last as usize] = cut;
        self.previous[cut as usize] = last;
        if step == 0 {
            self.relabel();
        }
    }

    /// Gives all channels new labels (positions in the order) at equal distances, in the current order.
    fn relabel(&mut self) {
        let ends = self.turns.num_channels();
        let step = u64::MAX / (ends as u64 + 1);
        let mut channel = self.next[ends] as usize;
        let mut label = 0;
        while channel != ends {
            label += step;
            self.nodes[channel].label = label;
            channel = self.next[channel] as usize;
        }
    }
}

/// Returns the numbers of the bits that are set in `words`, in ascending order. Each bit stands for a port.
#[inline]
fn ports(words: &[u64]) -> impl Iterator<Item = u32> {
    (0..).step_by(64).zip(words).flat_map(|(first, &word)| {
        let mut left = word;
        std::iter::from_fn(move || {
            let port = (left != 0).then(|| first + left.trailing_zeros());
            left &= left.wrapping_sub(1);
            port
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns whether the turns of `held` have a cycle. The test repeatedly removes channels that lead to no remaining channel; the
    /// channels of a cycle always remain.
    fn cyclic(turns: &Turns, held: &[(u32, u32)]) -> bool {
        let mut alive = vec![true; turns.num_channels()];
        for _ in 0..turns.num_channels() {
            for channel in 0..turns.num_channels() as u32 {
                alive[channel as usize] &= held.iter().any(|&(before, next)| before == channel && alive[next as usize]);
            }
        }
        alive.contains(&true)
    }

    proptest! {
        #[test]
        fn takes_every_turn_that_closes_no_cycle(tries in prop::collection::vec((0usize..36, 0usize..3, any::<bool>()), 1..150)) {
            let fabric = tulle_topologies::build("clique:degree=3", 0).unwrap();
            let turns = Turns::of(&fabric);
            let mut order = OnlineOrder::new(&fabric, &turns);
            let mut held: Vec<(u32, u32)> = Vec::new();
            for (before, port, remove) in tries {
                if remove && !held.is_empty() {
                    let (before, channel) = held.swap_remove(port % held.len());
                    order.remove(before, turns.turn(before, channel));
                    continue;
                }
                let before = before as u32 % 12;
                let channel = turns.leads_to(before, turns.out_of(before).start + port);
                if held.contains(&(before, channel)) {
                    prop_assert!(order.holds(turns.turn(before, channel)));
                    continue;
                }
                held.push((before, channel));
                let closes = cyclic(&turns, &held);
                if order.closes(before, turns.turn(before, channel)) {
                    prop_assert!(closes);
                }
                prop_assert_eq!(order.insert(before, turns.turn(before, channel)), !closes);
                if closes {
                    held.pop();
                }
                for &(before, channel) in &held {
                    prop_assert!(order.label(before) < order.label(channel));
                }
            }
        }
    }
}
