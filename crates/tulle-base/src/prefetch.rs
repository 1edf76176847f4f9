//! Prefetches memory ahead of its use.

use std::hint::black_box;

/// Prefetches `slice[index]`, which may be out of range, into the processor's caches.
#[inline(always)]
pub fn prefetch<T>(slice: &[T], index: usize) {
    if let Some(item) = slice.get(index) {
        prefetch_item(item);
    }
}

/// Prefetches the first cache line of `item`.
#[inline(always)]
pub fn prefetch_item<T>(item: &T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the address is that of a live item, and prefetching has no effect on memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}

/// Reads one item on about every page of `slice`. Some processors drop prefetches whose address is not in the translation cache; a read
/// loads the translation, and the processor does not wait for its result.
#[inline(always)]
pub fn touch<T: Copy>(slice: &[T]) {
    const PAGE: usize = 4096;
    slice.iter().step_by(PAGE / size_of::<T>()).for_each(|&item| _ = black_box(item));
}

/// Asks for all of `slice`.
#[inline(always)]
pub fn prefetch_all<T>(slice: &[T]) {
    const CACHE_LINE: usize = 64;
    (0..slice.len()).step_by((CACHE_LINE / size_of::<T>()).max(1)).for_each(|at| prefetch(slice, at));
}
