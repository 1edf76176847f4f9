//! Long calls. They run on separate threads without the interpreter's lock, and Ctrl-C stops them.
//!
//! Every computation that may use several threads must use this module instead of rayon's global thread pool; [`crate::pools`] explains the
//! reason.

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

/// Returns the result of `work`. `work` runs on separate threads while this thread checks for signals.
///
/// On Ctrl-C, this function returns without waiting for `work`, which stops later, at its next call of [`tulle_base::task::check`].
///
/// # Errors
/// Returns the exception that a signal handler raised, for example `KeyboardInterrupt`, or `tulle.errors.OutOfMemoryError`.
pub fn interruptible<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let lease = Lease::new(py)?;
    let (sender, receiver) = sync_channel(1);
    lease.threads.spawn(move || {
        // After Ctrl-C, no thread waits for the result any more, so `send` may fail.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    });
    let (task, silent) = (Arc::clone(&lease.task), |_: Python<'_>| Ok(()));
    let ended = py.detach(move || wait(&receiver, &task, silent));
    finish(py, lease, ended)
}

/// Returns the value of a call, or the exception that ended it. After an exception other than `OutOfMemoryError`, the threads of the call
/// also end.
fn finish<T>(py: Python<'_>, lease: Lease, ended: Ended<T>) -> PyResult<T> {
    if lease.task.progress().1 > 0 {
        report(py, 0, 0, 0)?;
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

/// The reason why the wait for a call ended.
enum Ended<T> {
    /// The work returned a value or panicked.
    With(Caught<T>),
    /// Python code raised an exception.
    Raised(PyErr),
    /// The work was stopped and has no result.
    Short,
}

/// A function that receives the progress of a simulation. It stops the simulation by returning `Break`.
pub type Observe<'o, P> = &'o mut dyn FnMut(&P) -> ControlFlow<()>;

// Requests from the waiting thread to the working thread.
const NOTHING: u8 = 0;
const REPORT: u8 = 1;
const STOP: u8 = 2;

/// The state shared by the two threads of a simulation.
struct Shared<P> {
    request: AtomicU8,
    /// Whether the work has called `observe` at least once. From then on, the work ends by itself after a stop request.
    has_begun: AtomicBool,
    last: Mutex<Option<P>>,
    task: Arc<Task>,
}

impl<P: Copy> Shared<P> {
    fn new(task: Arc<Task>) -> Self {
        Self { request: AtomicU8::new(REPORT), has_begun: AtomicBool::new(false), last: Mutex::new(None), task }
    }

    fn observe(&self, state: &P) -> ControlFlow<()> {
        if self.task.is_stopped() {
            return ControlFlow::Break(());
        }
        match self.request.load(Ordering::Relaxed) {
            NOTHING => return ControlFlow::Continue(()),
            STOP => return ControlFlow::Break(()),
            _ => {}
        }
        self.has_begun.store(true, Ordering::Relaxed);
        *self.last() = Some(*state);
        // A stop request may have arrived in the meantime. It must not be overwritten.
        let _ = self.request.compare_exchange(REPORT, NOTHING, Ordering::Relaxed, Ordering::Relaxed);
        ControlFlow::Continue(())
    }

    fn last(&self) -> MutexGuard<'_, Option<P>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the result of `work`, and the exception that ended it early, if any. The exception comes from a signal handler or from `report`.
/// The work runs without the interpreter's lock.
///
/// `work` runs on separate threads, and calls its observer very often. Meanwhile, this thread checks for signals from time to time, and
/// passes the latest progress to `report`.
///
/// # Errors
/// Fails if no thread can be started, or if there is too little memory. An exception before the work first calls `observe`, or a second
/// exception, is also returned as an error, because `work` then has no result.
pub fn observed<P: Copy + Send + 'static, T: Send + 'static>(
    py: Python<'_>,
    mut report: impl FnMut(Python<'_>, &P) -> PyResult<()> + Send,
    work: impl FnOnce(Observe<P>) -> T + Send + 'static,
) -> PyResult<(T, Option<PyErr>)> {
    let lease = Lease::new(py)?;
    let shared = Arc::new(Shared::new(Arc::clone(&lease.task)));
    let (sender, receiver) = sync_channel(1);
    let (of_work, of_caller) = (Arc::clone(&shared), Arc::clone(&shared));
    lease.threads.spawn(move || {
        let run = || work(&mut |state: &P| of_work.observe(state));
        let _ = sender.send(catch_unwind(AssertUnwindSafe(run)));
    });
    let poll = move |py: Python<'_>| {
        let state = of_caller.last().take();
        of_caller.request.store(REPORT, Ordering::Relaxed);
        state.map_or(Ok(()), |state| report(py, &state))
    };
    let task = Arc::clone(&lease.task);
    let (ended, raised) = py.detach(move || match wait(&receiver, &task, poll) {
        Ended::Raised(error) if shared.has_begun.load(Ordering::Relaxed) => {
            shared.request.store(STOP, Ordering::Relaxed);
            (wait(&receiver, &task, |_| Ok(())), Some(error))
        }
        ended => (ended, None),
    });
    // If the task was stopped by `stop_calls`, its value is incomplete. It is discarded, and the call raises `KeyboardInterrupt`.
    let ended = if matches!(ended, Ended::With(Ok(_))) && lease.task.is_stopped() { Ended::Short } else { ended };
    finish(py, lease, ended).map(|result| (result, raised))
}

/// Waits until `receiver` has a result, without the interpreter's lock. From time to time, checks for signals and calls `poll`.
fn wait<T>(receiver: &Receiver<Caught<T>>, task: &Task, mut poll: impl FnMut(Python<'_>) -> PyResult<()>) -> Ended<T> {
    loop {
        match receiver.recv_timeout(PERIOD) {
            Ok(caught) => return Ended::With(caught),
            Err(RecvTimeoutError::Disconnected) => unreachable!("the work sends before it ends"),
            Err(RecvTimeoutError::Timeout) => {}
        }
        match Python::try_attach(|py| py.check_signals().and_then(|()| progress(py, task)).and_then(|()| poll(py))) {
            Some(Ok(())) => {}
            Some(Err(error)) => return Ended::Raised(error),
            // The interpreter is shutting down and does not wait for this thread. There is no caller to return to, and a request for the
            // interpreter's lock would end the process by a signal.
            None => loop {
                thread::park();
            },
        }
    }
}

/// Reports the progress to the watcher of `tulle._internal.runtime`, if there is one: steps done, steps in total, and bytes of memory
/// needed.
fn progress(py: Python<'_>, task: &Task) -> PyResult<()> {
    let (done, total) = task.progress();
    if total > 0 { report(py, done.min(total), total, task.need()) } else { Ok(()) }
}

fn report(py: Python<'_>, done: u64, total: u64, need: u64) -> PyResult<()> {
    let watcher = py.import("tulle._internal.runtime")?.getattr("watcher")?;
    if watcher.is_none() { Ok(()) } else { watcher.call1((done, total, need)).map(|_| ()) }
}
