//! A fixed-size array indexed by VC or port. The array is part of its router, which saves one memory access through a pointer. Bounds
//! checks compare with constants.

use std::ops::{Index, IndexMut};

/// An array of 64·W items, one per VC or port; trailing items may be unused.
#[derive(Debug, Clone)]
pub(crate) struct VcArray<T, const W: usize>([[T; 64]; W]);

impl<T: Copy, const W: usize> VcArray<T, W> {
    /// Creates an array filled with `item`.
    pub fn new(item: T) -> Self {
        Self([[item; 64]; W])
    }

    /// Returns the first `count` items.
    #[inline]
    pub fn first(&self, count: usize) -> &[T] {
        &self.0.as_flattened()[..count]
    }
}

impl<T, const W: usize> Index<usize> for VcArray<T, W> {
    type Output = T;

    #[inline(always)]
    fn index(&self, at: usize) -> &T {
        &self.0[at >> 6][at & 63]
    }
}

impl<T, const W: usize> IndexMut<usize> for VcArray<T, W> {
    #[inline(always)]
    fn index_mut(&mut self, at: usize) -> &mut T {
        &mut self.0[at >> 6][at & 63]
    }
}
