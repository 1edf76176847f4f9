//! Long calls: without the interpreter's lock, and stopped by Ctrl-C.

use std::ops::ControlFlow;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// How often a waiting call looks for signals.
pub const PERIOD: Duration = Duration::from_millis(50);

/// As much stack as a main thread has.
const STACK: usize = 8 << 20;

/// The result of `work`, which runs on a thread of its own while this one looks for signals.
///
/// On Ctrl-C the call ends at once; `work` cannot be stopped from outside, it goes on to its end and its result is
/// dropped.
///
/// # Errors
/// What a signal handler raised, as `KeyboardInterrupt`.
pub fn interruptible<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let (sender, receiver) = sync_channel(1);
    let run = move || {
        // Nobody waits any more after a Ctrl-C: then there is nothing to tell.
        let _ = sender.send(work());
    };
    let worker = thread::Builder::new()
        .name("tulle".to_owned())
        .stack_size(STACK)
        .spawn(run)
        .map_err(|error| PyRuntimeError::new_err(format!("no thread to run on: {error}")))?;
    py.detach(move || {
        loop {
            match receiver.recv_timeout(PERIOD) {
                Ok(value) => return Ok(value),
                Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals())?,
                Err(RecvTimeoutError::Disconnected) => match worker.join() {
                    Err(panic) => resume_unwind(panic),
                    Ok(()) => unreachable!("the worker sends before it ends"),
                },
            }
        }
    })
}

/// Is told how far a simulation is, and ends it by breaking.
pub type Observe<'o, P> = &'o mut dyn FnMut(&P) -> ControlFlow<()>;

/// The result of `work`, without the interpreter's lock, and what ended it: what a signal handler or `tell` raised.
///
/// `work` observes far more often than anyone looks; only now and then is the lock taken, are signals looked for and is
/// `tell` called.
pub fn observed<P, T: Send>(
    py: Python<'_>,
    mut tell: impl FnMut(Python<'_>, &P) -> PyResult<()> + Send,
    work: impl FnOnce(Observe<P>) -> T + Send,
) -> (T, Option<PyErr>) {
    let mut stopped = None;
    let result = py.detach(|| {
        let mut looked = Instant::now();
        work(&mut |state| {
            if stopped.is_some() {
                return ControlFlow::Break(());
            }
            if looked.elapsed() < PERIOD {
                return ControlFlow::Continue(());
            }
            looked = Instant::now();
            match Python::attach(|py| py.check_signals().and_then(|()| tell(py, state))) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    stopped = Some(error);
                    ControlFlow::Break(())
                }
            }
        })
    });
    (result, stopped)
}
