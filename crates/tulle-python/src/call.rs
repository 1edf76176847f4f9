//! Long calls: without the interpreter's lock, on threads of their own, stopped by Ctrl-C.
//!
//! Every computation that may use several threads goes through this module, never to rayon's global pool: see [`crate::pools`].

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

/// Time between two checks for signals while a call waits.
const PERIOD: Duration = Duration::from_millis(50);

type Caught<T> = Result<T, Box<dyn Any + Send>>;

/// Returns the result of `work`, which runs on separate threads while this thread checks for signals.
///
/// On Ctrl-C the call ends at once, and `work` at its next [`tulle_base::task::check`].
///
/// # Errors
/// The exception that a signal handler raised, as `KeyboardInterrupt`; `tulle.errors.OutOfMemoryError`.
pub fn interruptible<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let lease = Lease::new(py)?;
    let (sender, receiver) = sync_channel(1);
    lease.threads.spawn(move || {
        // After Ctrl-C nobody waits for the result any more.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    });
    let (task, silent) = (Arc::clone(&lease.task), |_: Python<'_>| Ok(()));
    let ended = py.detach(move || wait(&receiver, &task, silent));
    finish(py, lease, ended)
}

/// Returns the result of a call: its value, or the exception that explains why there is none. Stopped threads end.
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

// The request of the waiting thread to the working thread.
const NOTHING: u8 = 0;
const TELL: u8 = 1;
const STOP: u8 = 2;

/// The state shared by the two threads of a simulation.
struct Line<P> {
    wish: AtomicU8,
    /// Whether the work has reached its first observation, from which on it ends by itself when requested.
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
        // A stop request may have arrived meanwhile, and must stay.
        let _ = self.wish.compare_exchange(TELL, NOTHING, Ordering::Relaxed, Ordering::Relaxed);
        ControlFlow::Continue(())
    }

    fn last(&self) -> MutexGuard<'_, Option<P>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the result of `work`, run without the interpreter's lock, and the exception of a signal handler or of `tell` that ended it.
///
/// `work` runs on separate threads and observes its progress far more often than this thread checks it. This thread checks for signals and
/// calls `tell` from time to time while `work` continues.
///
/// # Errors
/// If no thread can be started or memory is missing; the exception that ended the work before its first observation, or the second one,
/// because then there is no result.
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
    // The partial result of a stopped task is not lost: it is part of a result.
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
