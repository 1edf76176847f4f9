//! Flits and credits on the links in one block of cycles.
//!
//! All routers run the same few cycles, a *block*, one router after the other. A block is never longer than the shortest
//! link: what a router sends in one block its neighbours need in the next at the earliest. So there are two sets of wires,
//! one to write and one to read, and the order in which routers run (or the threads that run them) makes no difference.

use std::hint::black_box;

use crate::flit::Flit;
use tulle_base::prefetch::prefetch;

/// The most cycles in a block.
pub(crate) const LONGEST_BLOCK: usize = 14;

/// The credits and flits on one channel in one block: four cache lines, of which light loads touch only the first.
#[derive(Debug, Clone, Default)]
#[repr(C, align(64))]
pub(crate) struct Line {
    /// Per cycle of the block, the virtual channels of the opposite channel that get a credit, a bit each.
    pub credits: [u16; LONGEST_BLOCK],
    /// The cycles that have credits, a bit each.
    pub credit_slots: u16,
    /// The number of flits.
    count: u16,
    flits: [Flit; LONGEST_BLOCK],
}

impl Line {
    /// Reads the first cache line, which does not wait.
    #[inline]
    pub fn touch(&self) {
        black_box(self.count);
    }

    /// Asks for the second cache line.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.flits, 2);
    }

    /// Begins a new block.
    #[inline]
    pub fn reset(&mut self) {
        self.credits = [0; LONGEST_BLOCK];
        self.credit_slots = 0;
        self.count = 0;
    }

    /// Sends a credit for virtual channel `vc` in cycle `slot`.
    #[inline]
    pub fn credit(&mut self, slot: usize, vc: u8) {
        self.credits[slot] |= 1 << vc;
        self.credit_slots |= 1 << slot;
    }

    /// Sends `flit`; at most one a cycle.
    #[inline]
    pub fn send(&mut self, flit: Flit) {
        self.flits[usize::from(self.count)] = flit;
        self.count += 1;
    }

    /// The flits sent.
    #[inline]
    pub fn flits(&self) -> &[Flit] {
        &self.flits[..usize::from(self.count)]
    }
}
