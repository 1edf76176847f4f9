//! The channel-dependency graph. Its nodes are pairs of a channel and a virtual channel.
//!
//! A packet holds a buffer of one channel while it requests a buffer of the next channel, so the first channel depends on the second. A
//! routing cannot deadlock if these dependencies have no cycle (Dally and Seitz: Deadlock-free message routing in multiprocessor
//! interconnection networks, IEEE ToC 1987; Flattened Clos (NSDI23) App. A.2, Theorem 7).

use tulle_base::acyclic::Successors;

use super::turns::Turns;

/// The channel dependencies of all routes of a routing. Channel `channel` on virtual channel `vc` is the node with number `channel * vcs +
/// vc`.
#[derive(Debug, Clone)]
pub(crate) struct Dependencies<'a> {
    turns: &'a Turns,
    vcs: usize,
    /// For each pair of virtual channels, at index `from * vcs + to`: the index of its bit set in `planes`, or [`NO_PLANE`] if no
    /// dependency leads from virtual channel `from` to `to`.
    plane_of: Vec<u32>,
    /// A bit per turn.
    planes: Vec<Vec<u64>>,
}

const NO_PLANE: u32 = u32::MAX;

impl<'a> Dependencies<'a> {
    /// No dependencies yet.
    pub fn new(turns: &'a Turns, vcs: usize) -> Self {
        Self { turns, vcs, plane_of: vec![NO_PLANE; vcs * vcs], planes: Vec::new() }
    }

    /// The turns of the fabric.
    pub fn turns(&self) -> &'a Turns {
        self.turns
    }

    /// The number of virtual channels.
    pub fn vcs(&self) -> usize {
        self.vcs
    }

    /// Adds a dependency: channel `before` on virtual channel `from` waits for `channel` on virtual channel `to`.
    #[inline]
    pub fn insert(&mut self, before: u32, from: u8, channel: u32, to: u8) {
        self.insert_turn(self.turns.turn(before, channel), from, to);
    }

    /// Adds a dependency: the first channel of `turn` on virtual channel `from` waits for its second channel on virtual channel `to`.
    #[inline]
    pub fn insert_turn(&mut self, turn: usize, from: u8, to: u8) {
        self.plane(usize::from(from), usize::from(to))[turn / 64] |= 1 << (turn % 64);
    }

    /// Adds all dependencies of `other`. Both graphs must have the same turns and virtual channels.
    pub fn join(&mut self, other: &Self) {
        for from in 0..self.vcs {
            for to in 0..self.vcs {
                if let Some(theirs) = other.existing(from, to) {
                    for (ours, theirs) in self.plane(from, to).iter_mut().zip(theirs) {
                        *ours |= theirs;
                    }
                }
            }
        }
    }

    /// Adds all dependencies of `other`. This graph must have at least the virtual channels of `other`. `channel` maps channel ids of
    /// `other` to ids of this graph. If it maps a channel to `None`, the dependencies of this channel are omitted.
    pub fn add(&mut self, other: &Dependencies<'_>, channel: impl Fn(u32) -> Option<u32>) {
        for node in 0..other.num_nodes() {
            let Some(before) = channel((node / other.vcs) as u32) else { continue };
            other.successors(node, |next| {
                if let Some(next_channel) = channel((next / other.vcs) as u32) {
                    self.insert(before, (node % other.vcs) as u8, next_channel, (next % other.vcs) as u8);
                }
            });
        }
    }

    /// Returns whether some dependency takes `turn` from virtual channel `from` to virtual channel `to`.
    pub fn has(&self, turn: usize, from: u8, to: u8) -> bool {
        self.existing(from.into(), to.into()).is_some_and(|plane| plane[turn / 64] >> (turn % 64) & 1 == 1)
    }

    fn existing(&self, from: usize, to: usize) -> Option<&[u64]> {
        let plane = self.plane_of[from * self.vcs + to];
        (plane != NO_PLANE).then(|| &self.planes[plane as usize][..])
    }

    #[inline]
    fn plane(&mut self, from: usize, to: usize) -> &mut [u64] {
        let plane = &mut self.plane_of[from * self.vcs + to];
        if *plane == NO_PLANE {
            *plane = self.planes.len() as u32;
            self.planes.push(vec![0; self.turns.len().div_ceil(64)]);
        }
        &mut self.planes[*plane as usize]
    }
}

impl Successors for Dependencies<'_> {
    fn num_nodes(&self) -> usize {
        self.turns.num_channels() * self.vcs
    }

    /// Visits the nodes that `node` depends on, by ascending virtual channel, then ascending channel.
    fn successors(&self, node: usize, mut visit: impl FnMut(usize)) {
        let (channel, from) = ((node / self.vcs) as u32, node % self.vcs);
        let turns = self.turns.out_of(channel);
        for to in 0..self.vcs {
            let Some(plane) = self.existing(from, to) else { continue };
            let mut at = turns.start;
            while at < turns.end {
                let bits = plane[at / 64] >> (at % 64);
                if bits == 0 {
                    at = (at / 64 + 1) * 64;
                    continue;
                }
                at += bits.trailing_zeros() as usize;
                if at < turns.end {
                    visit(self.turns.leads_to(channel, at) as usize * self.vcs + to);
                }
                at += 1;
            }
        }
    }
}
