//! Buffers for the flits and credits that are on the links in one block of cycles.
//!
//! One router after the other simulates the same few cycles, called a *block*. A block is at most as long as a flit takes over the shortest
//! link, so flits sent in one block are needed in the next block at the earliest. Therefore two sets of buffers suffice, one to write and
//! one to read. The result depends neither on the order of routers nor on the number of threads.

use std::hint::black_box;

use crate::flit::Flit;
use tulle_base::prefetch::prefetch;

/// The maximum number of cycles in a block, the period after which routers exchange flits.
pub(crate) const LONGEST_BLOCK: usize = 14;

/// The credits and flits on one channel in one block of cycles. The buffer occupies four cache lines; at light load
/// only the first is used.
#[derive(Debug, Clone, Default)]
#[repr(C, align(64))]
pub(crate) struct ChannelBuffer {
    /// For each cycle of a block of cycles: one bit for each VC of the opposite channel. A set bit returns a credit to
    /// that VC.
    pub credits: [u16; LONGEST_BLOCK],
    /// A bit mask of the cycles that have credits.
    pub credit_slots: u16,
    /// The number of flits.
    count: u16,
    flits: [Flit; LONGEST_BLOCK],
}

impl ChannelBuffer {
    /// Reads the first cache line of the buffer, to pull it into the CPU cache without waiting for it.
    #[inline]
    pub fn touch(&self) {
        black_box(self.count);
    }

    /// Prefetches the second cache line of the buffer.
    #[inline]
    pub fn prefetch(&self) {
        prefetch(&self.flits, 2);
    }

    /// Clears the buffer for a new block of cycles.
    #[inline]
    pub fn reset(&mut self) {
        self.credits = [0; LONGEST_BLOCK];
        self.credit_slots = 0;
        self.count = 0;
    }

    /// Sends a credit for virtual channel `vc` in cycle `slot` of the block.
    #[inline]
    pub fn credit(&mut self, slot: usize, vc: u8) {
        self.credits[slot] |= 1 << vc;
        self.credit_slots |= 1 << slot;
    }

    /// Sends `flit`. A channel carries at most one flit per cycle.
    #[inline]
    pub fn send(&mut self, flit: Flit) {
        self.flits[usize::from(self.count)] = flit;
        self.count += 1;
    }

    /// Returns the flits sent.
    #[inline]
    pub fn flits(&self) -> &[Flit] {
        &self.flits[..usize::from(self.count)]
    }
}
