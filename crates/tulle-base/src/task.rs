//! A long computation as its caller sees it: whether it is to stop, and how far it is.
//!
//! Whoever runs a computation on threads of its own lets these [`follow`] a [`Task`]. The computation calls [`check`] (or
//! [`step`], where it counts its work) once per piece of work that takes microseconds or more: once the task has been
//! stopped, the next such call unwinds with [`Stopped`], which the caller catches where the computation began. On threads
//! that follow no task nothing happens, so no function needs a parameter or a return value for it.
//!
//! Limitation: between two calls of [`check`] nothing stops.

use std::cell::{Cell, OnceCell};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;

/// The panic payload of a stopped computation. No message is printed for it.
#[derive(Debug)]
pub struct Stopped;

/// The state shared between a computation and its caller.
#[derive(Debug, Default)]
pub struct Task {
    stopped: AtomicBool,
    total: AtomicU64,
    done: AtomicU64,
    need: AtomicU64,
    refused: AtomicUsize,
    halted: AtomicBool,
}

impl Task {
    /// Lets the computation unwind at its next [`check`], on all threads that follow this task; it cannot be taken back.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Steps done and their total in the part of the computation that counts them last begun; (0, 0) before any.
    pub fn progress(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Whether it has been stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// The most bytes that a part of the computation has said it needs; 0 before any.
    pub fn need(&self) -> u64 {
        self.need.load(Ordering::Relaxed)
    }

    /// The bytes of an allocation that failed on a thread of this task, which has been stopped since; 0 where none did.
    pub fn refused(&self) -> usize {
        self.refused.load(Ordering::Relaxed)
    }

    /// Whether a thread of this task stands still for ever, for want of memory.
    pub fn is_halted(&self) -> bool {
        self.halted.load(Ordering::Relaxed)
    }

    /// Forgets the steps and the bytes, for the next computation.
    pub fn renew(&self) {
        self.begin(0);
        self.need.store(0, Ordering::Relaxed);
    }

    fn begin(&self, total: u64) {
        self.done.store(0, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }
}

thread_local! {
    static FOLLOWED: OnceCell<Arc<Task>> = const { OnceCell::new() };
    static MAY_BE_REFUSED: Cell<bool> = const { Cell::new(false) };
}

/// Lets this thread follow `task` from now on; the first task of a thread is its only one.
pub fn follow(task: Arc<Task>) {
    FOLLOWED.with(|followed| {
        let _ = followed.set(task);
    });
}

/// The task that this thread follows, for threads that it starts.
pub fn followed() -> Option<Arc<Task>> {
    FOLLOWED.with(|followed| followed.get().cloned())
}

/// Runs `ask`, whose allocations may fail: then it has an answer to that.
pub fn permit_refusal<T>(ask: impl FnOnce() -> T) -> T {
    MAY_BE_REFUSED.set(true);
    let answer = ask();
    MAY_BE_REFUSED.set(false);
    answer
}

/// Whether the allocation that is tried may fail, within [`permit_refusal`].
pub fn may_be_refused() -> bool {
    MAY_BE_REFUSED.get()
}

/// To be told by an allocator that an allocation of `size` bytes failed: the task of this thread, if it follows one, is
/// stopped, and knows why by [`Task::refused`].
///
/// An allocator must not unwind, and the standard library ends the process where it gets nothing. So the allocator should
/// have something in reserve on which the thread reaches its next [`check`], and unwinds there.
pub fn refused(size: usize) {
    with_followed(|task| {
        task.refused.store(size.max(1), Ordering::Relaxed);
        task.stop();
    });
}

/// For an allocator with nothing in reserve: this thread stops here for ever, and what it holds is lost; whoever waits for its
/// task learns that by [`Task::is_halted`]. Returns on threads that follow no task.
pub fn halt() {
    with_followed(|task| {
        task.halted.store(true, Ordering::Relaxed);
        loop {
            thread::park();
        }
    });
}

/// The computation needs so many bytes.
pub fn need(bytes: u64) {
    with_followed(|task| {
        task.need.fetch_max(bytes, Ordering::Relaxed);
    });
}

/// Also where a thread ends, and its task is gone.
fn with_followed(tell: impl FnOnce(&Task)) {
    let _ = FOLLOWED.try_with(|followed| followed.get().map(|task| tell(task)));
}

/// Unwinds with [`Stopped`] where the task that this thread follows has been stopped.
#[inline]
pub fn check() {
    with(|_| {});
}

/// Says that `total` steps follow.
pub fn begin(total: usize) {
    with(|task| task.begin(total as u64));
}

/// One step is done; a [`check`], too.
#[inline]
pub fn step() {
    with(|task| {
        task.done.fetch_add(1, Ordering::Relaxed);
    });
}

#[inline]
fn with(tell: impl FnOnce(&Task)) {
    FOLLOWED.with(|followed| {
        if let Some(task) = followed.get() {
            if task.stopped.load(Ordering::Relaxed) {
                resume_unwind(Box::new(Stopped));
            }
            tell(task);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use rayon::prelude::*;

    use super::*;

    #[test]
    fn stops_on_every_thread_that_follows() {
        let task = Arc::new(Task::default());
        let of_threads = Arc::clone(&task);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .start_handler(move |_| follow(Arc::clone(&of_threads)))
            .build()
            .unwrap();
        let count = || {
            begin(100);
            (0..100).into_par_iter().map(|_| step()).count()
        };
        assert_eq!(pool.install(count), 100);
        assert_eq!(task.progress(), (100, 100));
        task.stop();
        let ended = catch_unwind(AssertUnwindSafe(|| pool.install(count)));
        assert!(ended.unwrap_err().is::<Stopped>());
        // A thread that follows nothing goes on.
        check();
    }
}
