//! An allocator under which a lack of memory ends a call and not the process.
//!
//! The standard library aborts where an allocation fails. Large arrays are asked for by [`tulle_base::memory`], which
//! says what they need. For all others there is a reserve: where an allocation fails, the task of its thread is stopped, the
//! allocation is served from the reserve, and the thread unwinds at its next check, freeing all it held; its caller raises
//! `MemoryError`. The reserve also serves threads of Python's own, to raise.
//!
//! Limitation: where the reserve cannot serve an allocation either, the thread of a call stands still for ever, and what it
//! holds is lost to the process ([`tulle_base::task::halt`]); the caller raises all the same. On a thread of Python's own the
//! process ends: so nothing large is made there but by [`crate::arrays`].

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

use tulle_base::task;

/// Address space, not memory, until it is needed.
const RESERVE: Layout = match Layout::from_size_align(32 << 20, 64) {
    Ok(layout) => layout,
    Err(_) => unreachable!(),
};

struct Refusing;

#[global_allocator]
static ALLOCATOR: Refusing = Refusing;

static RESERVED: AtomicPtr<u8> = AtomicPtr::new(null_mut());

/// Sets the reserve aside where that is not done.
pub fn reserve() {
    if RESERVED.load(Ordering::Relaxed).is_null() {
        // SAFETY: the layout is not empty.
        let fresh = unsafe { System.alloc(RESERVE) };
        if RESERVED.compare_exchange(null_mut(), fresh, Ordering::AcqRel, Ordering::Relaxed).is_err() {
            free(fresh);
        }
    }
}

fn free(reserve: *mut u8) {
    if !reserve.is_null() {
        // SAFETY: it is from `reserve`, of that layout, and taken out of its place once.
        unsafe { System.dealloc(reserve, RESERVE) };
    }
}

/// After an allocation of `size` bytes failed: `again` with the reserve given up, where that may help.
#[cold]
fn refused(size: usize, again: impl Fn() -> *mut u8) -> *mut u8 {
    if task::may_be_refused() {
        return null_mut();
    }
    task::refused(size);
    if size <= RESERVE.size() {
        free(RESERVED.swap(null_mut(), Ordering::AcqRel));
        let found = again();
        if !found.is_null() {
            return found;
        }
    }
    task::halt();
    null_mut()
}

// SAFETY: every call goes to the system's allocator, whose results are handed on.
unsafe impl GlobalAlloc for Refusing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those that the system's allocator asks for; here and below.
        let again = || unsafe { System.alloc(layout) };
        let found = again();
        if found.is_null() { refused(layout.size(), again) } else { found }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        let again = || unsafe { System.alloc_zeroed(layout) };
        let found = again();
        if found.is_null() { refused(layout.size(), again) } else { found }
    }

    unsafe fn realloc(&self, place: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above; where it fails, what is at `place` is as it was.
        let again = || unsafe { System.realloc(place, layout, size) };
        let found = again();
        if found.is_null() { refused(size, again) } else { found }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(place, layout) };
    }
}
