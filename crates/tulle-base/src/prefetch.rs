//! Prefetches memory into the processor's caches.

use std::hint::black_box;

/// Prefetches `slice[index]` into the processor's caches. If `index` is out of range, nothing happens.
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
        // SAFETY: the address belongs to a live item, and prefetching has no effect on memory.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(item).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = item;
}

/// Reads one item on about every page of `slice`, to load the address translation of the page. Some processors drop a prefetch whose page
/// is not in the translation cache (TLB). The processor does not wait for the values that it reads.
#[inline(always)]
pub fn touch<T: Copy>(slice: &[T]) {
    const PAGE: usize = 4096;
    slice.iter().step_by(PAGE / size_of::<T>()).for_each(|&item| _ = black_box(item));
}

/// Prefetches all of `slice`, which may start in the middle of a cache line.
#[inline(always)]
pub fn prefetch_all<T>(slice: &[T]) {
    const CACHE_LINE: usize = 64;
    (0..slice.len()).step_by((CACHE_LINE / size_of::<T>()).max(1)).for_each(|at| prefetch(slice, at));
    slice.last().into_iter().for_each(prefetch_item);
}
