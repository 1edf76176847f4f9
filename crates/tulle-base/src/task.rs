//! Lets the caller of a long computation stop it and read its progress.
//!
//! A caller that wants to stop a computation runs it on threads that have set a [`Task`] with [`set_current`]. The computation calls
//! [`check`] (or [`step`], if it counts its work) once per piece of work that takes a microsecond or more. After [`Task::stop`], the next
//! of these calls unwinds with [`Stopped`], and the caller catches it where it started the computation. On threads without a task, the calls
//! do nothing. Functions therefore need no parameter and no return value for stopping.
//!
//! Limitation: between two calls of [`check`], a computation cannot be stopped.

use std::cell::OnceCell;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The panic payload of a stopped computation. Its panic prints no message.
#[derive(Debug)]
pub struct Stopped;

/// The state that a computation shares with its caller.
#[derive(Debug, Default)]
pub struct Task {
    stopped: AtomicBool,
    total: AtomicU64,
    done: AtomicU64,
    need: AtomicU64,
}

impl Task {
    /// Stops the computation: on all threads that follow this task, the next [`check`] unwinds. A stop cannot be undone.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
    }

    /// Returns the number of finished steps and the total number of steps in the current counted part of the computation. Before the first
    /// counted part, both numbers are 0.
    pub fn progress(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Returns whether the task has been stopped.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Returns the largest number of bytes that the computation has announced with [`need`]; 0 before the first announcement.
    pub fn need(&self) -> u64 {
        self.need.load(Ordering::Relaxed)
    }

    /// Resets the numbers of steps and bytes, so that the task can be used for the next computation.
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
    static CURRENT: OnceCell<Arc<Task>> = const { OnceCell::new() };
}

/// Makes this thread follow `task`. A thread can follow only one task.
pub fn set_current(task: Arc<Task>) {
    CURRENT.with(|current| {
        let _ = current.set(task);
    });
}

/// Returns the task of this thread, so that threads started by it can set the same task.
pub fn current() -> Option<Arc<Task>> {
    CURRENT.with(|current| current.get().cloned())
}

/// Announces how many bytes of memory the computation needs.
pub fn need(bytes: u64) {
    CURRENT.with(|current| current.get().map(|task| task.need.fetch_max(bytes, Ordering::Relaxed)));
}

/// Unwinds with [`Stopped`] if this thread's task has been stopped.
#[inline]
pub fn check() {
    with(|_| {});
}

/// Starts a counted part of the computation with `total` steps.
pub fn begin(total: usize) {
    with(|task| task.begin(total as u64));
}

/// Counts one finished step. It also checks for a stop, like [`check`].
#[inline]
pub fn step() {
    with(|task| {
        task.done.fetch_add(1, Ordering::Relaxed);
    });
}

#[inline]
fn with(update: impl FnOnce(&Task)) {
    CURRENT.with(|current| {
        if let Some(task) = current.get() {
            if task.stopped.load(Ordering::Relaxed) {
                resume_unwind(Box::new(Stopped));
            }
            update(task);
        }
    });
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use rayon::prelude::*;

    use super::*;

    #[test]
    fn stops_on_every_thread_with_the_task() {
        let task = Arc::new(Task::default());
        let of_threads = Arc::clone(&task);
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .start_handler(move |_| set_current(Arc::clone(&of_threads)))
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
        // This thread follows no task, so `check` must return.
        check();
    }
}
