//! Long calls: without the interpreter's lock, on threads of their own, stopped by Ctrl-C.
//!
//! Everything that may run on several threads goes through here, never to rayon's pool for all: see [`crate::pools`].

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use tulle_base::memory::OutOfMemory;
use tulle_base::task::{Stopped, Task};

use crate::errors;
use crate::pools::Lease;

/// How often a waiting call looks for signals.
const PERIOD: Duration = Duration::from_millis(50);

type Caught<T> = Result<T, Box<dyn Any + Send>>;

/// The result of `work`, which runs on threads of its own while this one looks for signals.
///
/// On Ctrl-C the call ends at once, and `work` at its next [`tulle_base::task::check`].
///
/// # Errors
/// The exception that a signal handler raised, as `KeyboardInterrupt`; `tulle.errors.OutOfMemoryError`.
pub fn interruptible<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let lease = Lease::new(py)?;
    let (sender, receiver) = sync_channel(1);
    lease.threads.spawn(move || {
        // Nobody waits any more after a Ctrl-C: then there is nothing to tell.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    });
    let (task, silent) = (Arc::clone(&lease.task), |_: Python<'_>| Ok(()));
    let ended = py.detach(move || wait(&receiver, &task, silent));
    finish(py, lease, ended)
}

/// The result of a call: its value, or the exception that tells why it has none. Threads that were stopped end.
fn finish<T>(py: Python<'_>, lease: Lease, ended: Ended<T>) -> PyResult<T> {
    if lease.task.progress().1 > 0 {
        tell(py, 0, 0, 0)?;
    }
    let error = match ended {
        Ended::With(Ok(value)) => return Ok(value),
        Ended::With(Err(payload)) => match payload.downcast::<OutOfMemory>() {
            Ok(error) => return Err(errors::out_of_memory(py, &error.to_string())),
            Err(payload) if payload.is::<Stopped>() => PyKeyboardInterrupt::new_err(()),
            Err(payload) => resume_unwind(payload),
        },
        Ended::Short => PyKeyboardInterrupt::new_err(()),
        Ended::Raised(error) => error,
    };
    lease.abandon();
    Err(error)
}

/// How waiting for a call ended.
enum Ended<T> {
    /// The work returned or unwound.
    With(Caught<T>),
    /// Python raised.
    Raised(PyErr),
    /// The work was stopped and has no result.
    Short,
}

/// Is told how far a simulation is, and ends it by breaking.
pub type Observe<'o, P> = &'o mut dyn FnMut(&P) -> ControlFlow<()>;

// What the waiting thread wishes of the one that works.
const NOTHING: u8 = 0;
const TELL: u8 = 1;
const STOP: u8 = 2;

/// The state shared by the two threads of a simulation.
struct Line<P> {
    wish: AtomicU8,
    /// Whether the work has come so far that it observes, and so ends by itself when that is wished.
    begun: AtomicBool,
    last: Mutex<Option<P>>,
    task: Arc<Task>,
}

impl<P: Copy> Line<P> {
    fn new(task: Arc<Task>) -> Self {
        Self { wish: AtomicU8::new(TELL), begun: AtomicBool::new(false), last: Mutex::new(None), task }
    }

    fn observe(&self, state: &P) -> ControlFlow<()> {
        if self.task.is_stopped() {
            return ControlFlow::Break(());
        }
        match self.wish.load(Ordering::Relaxed) {
            NOTHING => return ControlFlow::Continue(()),
            STOP => return ControlFlow::Break(()),
            _ => {}
        }
        self.begun.store(true, Ordering::Relaxed);
        *self.last() = Some(*state);
        // A wish to stop may have come meanwhile, and stays.
        let _ = self.wish.compare_exchange(TELL, NOTHING, Ordering::Relaxed, Ordering::Relaxed);
        ControlFlow::Continue(())
    }

    fn last(&self) -> MutexGuard<'_, Option<P>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The result of `work`, without the interpreter's lock, and what ended it: what a signal handler or `tell` raised.
///
/// `work` runs on threads of its own and observes far more often than anyone looks. This thread asks it now and then how
/// far it is, looks for signals and calls `tell`, while `work` goes on.
///
/// # Errors
/// Where no thread can be started or memory is short; what ended the work before it observed anything, or a second time,
/// when it has no result.
pub fn observed<P: Copy + Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    mut tell: impl FnMut(Python<'_>, &P) -> PyResult<()> + Send,
    work: impl FnOnce(Observe<P>) -> T + Send + 'static,
) -> PyResult<(T, Option<PyErr>)> {
    let lease = Lease::new(py)?;
    let line = Arc::new(Line::new(Arc::clone(&lease.task)));
    let (sender, receiver) = sync_channel(1);
    let (told, asked) = (Arc::clone(&line), Arc::clone(&line));
    lease.threads.spawn(move || {
        let run = || work(&mut |state: &P| told.observe(state));
        let _ = sender.send(catch_unwind(AssertUnwindSafe(run)));
    });
    let look = move |py: Python<'_>| {
        let state = asked.last().take();
        asked.wish.store(TELL, Ordering::Relaxed);
        state.map_or(Ok(()), |state| tell(py, &state))
    };
    let task = Arc::clone(&lease.task);
    let (ended, raised) = py.detach(move || match wait(&receiver, &task, look) {
        Ended::Raised(error) if line.begun.load(Ordering::Relaxed) => {
            line.wish.store(STOP, Ordering::Relaxed);
            (wait(&receiver, &task, |_| Ok(())), Some(error))
        }
        ended => (ended, None),
    });
    // What a task that was stopped has left is part of a result.
    let ended = if matches!(ended, Ended::With(Ok(_))) && lease.task.is_stopped() { Ended::Short } else { ended };
    finish(py, lease, ended).map(|result| (result, raised))
}

/// Waits for what `receiver` gets, without the interpreter's lock; now and then looks for signals and calls `look`.
fn wait<T>(receiver: &Receiver<Caught<T>>, task: &Task, mut look: impl FnMut(Python<'_>) -> PyResult<()>) -> Ended<T> {
    loop {
        match receiver.recv_timeout(PERIOD) {
            Ok(caught) => return Ended::With(caught),
            Err(RecvTimeoutError::Disconnected) => unreachable!("the work sends before it ends"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match Python::try_attach(|py| py.check_signals().and_then(|()| progress(py, task)).and_then(|()| look(py))) {
            Some(Ok(())) => {}
            Some(Err(error)) => return Ended::Raised(error),
            // The interpreter is being taken down under a thread that it does not wait for: there is nothing to return
            // to, and to ask for its lock would end the process by a signal.
            None => loop {
                thread::park();
            },
        }
    }
}

/// Tells the watcher of `tulle._internal.runtime`, where there is one, how many steps of how many are done, and the bytes they need.
fn progress(py: Python<'_>, task: &Task) -> PyResult<()> {
    let (done, total) = task.progress();
    if total > 0 { tell(py, done.min(total), total, task.need()) } else { Ok(()) }
}

fn tell(py: Python<'_>, done: u64, total: u64, need: u64) -> PyResult<()> {
    let watcher = py.import("tulle._internal.runtime")?.getattr("watcher")?;
    if watcher.is_none() { Ok(()) } else { watcher.call1((done, total, need)).map(|_| ()) }
}
