//! What crosses the links in one block of cycles.
//!
//! All routers run the same few cycles, a *block*, one router after the other. A block is never longer than the shortest
//! link: what a router sends in one block its neighbours need in the next at the earliest. So there are two sets of wires,
//! one to write and one to read, and the order in which routers run (or the threads that run them) makes no difference.

use crate::flit::Flit;

/// The most cycles in a block.
pub(crate) const LONGEST_BLOCK: usize = 14;

/// What one channel carries in one block, besides the flits themselves; half a cache line.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Head {
    /// Per cycle of the block, the virtual channels of the opposite channel that get a credit, a bit each.
    pub credits: [u16; LONGEST_BLOCK],
    /// The cycles that have credits, a bit each.
    pub credit_slots: u16,
    /// The number of flits.
    pub flits: u16,
}

impl Head {
    /// Sends a credit for virtual channel `vc` in cycle `slot`.
    #[inline]
    pub fn credit(&mut self, slot: usize, vc: u8) {
        self.credits[slot] |= 1 << vc;
        self.credit_slots |= 1 << slot;
    }
}

/// One block of all channels, by channel id; those of one switch are side by side.
#[derive(Debug)]
pub(crate) struct Wires {
    pub heads: Vec<Head>,
    /// Per channel room for one flit a cycle.
    pub flits: Vec<Flit>,
    pub block: usize,
}

impl Wires {
    pub fn new(channels: usize, block: usize) -> Self {
        Self { heads: vec![Head::default(); channels], flits: vec![Flit::default(); channels * block], block }
    }

    /// The flits of `channel`.
    #[inline]
    pub fn flits_of(&self, channel: usize) -> &[Flit] {
        &self.flits[channel * self.block..][..usize::from(self.heads[channel].flits)]
    }
}

/// The channels out of one or more switches, to be written.
#[derive(Debug)]
pub(crate) struct Outgoing<'a> {
    pub heads: &'a mut [Head],
    pub flits: &'a mut [Flit],
    pub block: usize,
}

impl<'a> Outgoing<'a> {
    pub fn all(wires: &'a mut Wires) -> Self {
        Self { heads: &mut wires.heads, flits: &mut wires.flits, block: wires.block }
    }

    /// Takes the first `channels` channels off.
    pub fn split(self, channels: usize) -> (Self, Self) {
        let (heads, other_heads) = self.heads.split_at_mut(channels);
        let (flits, other_flits) = self.flits.split_at_mut(channels * self.block);
        let block = self.block;
        (Self { heads, flits, block }, Self { heads: other_heads, flits: other_flits, block })
    }

    /// Takes the first `channels` channels for a while.
    pub fn part(&mut self, first: usize, channels: usize) -> Outgoing<'_> {
        Outgoing {
            heads: &mut self.heads[first..first + channels],
            flits: &mut self.flits[first * self.block..(first + channels) * self.block],
            block: self.block,
        }
    }

    /// Puts `flit` on `channel`.
    #[inline]
    pub fn send(&mut self, channel: usize, flit: Flit) {
        let head = &mut self.heads[channel];
        self.flits[channel * self.block + usize::from(head.flits)] = flit;
        head.flits += 1;
    }
}
