//! Long calls: without the interpreter's lock, on threads of their own, and stopped by Ctrl-C.
//!
//! Everything that may run on several threads goes through here, never to rayon's pool for all: see [`crate::pools`].

use std::any::Any;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;
use tulle_fabric::task::Stopped;

use crate::pools::Lease;

/// How often a waiting call looks for signals.
const PERIOD: Duration = Duration::from_millis(50);

type Caught<T> = Result<T, Box<dyn Any + Send>>;

/// The result of `work`, which runs on threads of its own while this one looks for signals.
///
/// On Ctrl-C the call ends at once, and `work` at its next [`tulle_fabric::task::check`].
///
/// # Errors
/// What a signal handler raised, as `KeyboardInterrupt`.
pub fn interruptible<T: Send + 'static>(py: Python<'_>, work: impl FnOnce() -> T + Send + 'static) -> PyResult<T> {
    let lease = Lease::new()?;
    let (sender, receiver) = sync_channel(1);
    lease.threads.spawn(move || {
        // Nobody waits any more after a Ctrl-C: then there is nothing to tell.
        let _ = sender.send(catch_unwind(AssertUnwindSafe(work)));
    });
    let ended = py.detach(move || wait(&receiver, |_| Ok(())));
    match ended {
        Ok(caught) => Ok(caught.unwrap_or_else(|panic| resume_unwind(panic))),
        Err(error) => {
            lease.abandon();
            Err(error)
        }
    }
}

/// Is told how far a simulation is, and ends it by breaking.
pub type Observe<'o, P> = &'o mut dyn FnMut(&P) -> ControlFlow<()>;

// What the waiting thread wishes of the one that works.
const NOTHING: u8 = 0;
const TELL: u8 = 1;
const STOP: u8 = 2;

/// What the two threads of a simulation tell each other.
struct Line<P> {
    wish: AtomicU8,
    /// Whether the work has come so far that it observes, and so ends by itself when that is wished.
    begun: AtomicBool,
    last: Mutex<Option<P>>,
}

impl<P: Copy> Line<P> {
    fn observe(&self, state: &P) -> ControlFlow<()> {
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
/// Where no thread can be started; what ended the work before it observed anything, when it has no result.
pub fn observed<P: Copy + Send, T: Send>(
    py: Python<'_>,
    mut tell: impl FnMut(Python<'_>, &P) -> PyResult<()> + Send,
    work: impl FnOnce(Observe<P>) -> T + Send,
) -> PyResult<(T, Option<PyErr>)> {
    let lease = Lease::new()?;
    let line = Line { wish: AtomicU8::new(TELL), begun: AtomicBool::new(false), last: Mutex::new(None) };
    let (sender, receiver) = sync_channel(1);
    let (pool, line) = (&*lease, &line);
    let (caught, stopped) = py.detach(move || {
        pool.threads.in_place_scope(move |scope| {
            scope.spawn(move |_| {
                let run = || work(&mut |state: &P| line.observe(state));
                let _ = sender.send(catch_unwind(AssertUnwindSafe(run)));
            });
            let look = |py: Python<'_>| {
                let state = line.last().take();
                line.wish.store(TELL, Ordering::Relaxed);
                state.map_or(Ok(()), |state| tell(py, &state))
            };
            match wait(&receiver, look) {
                Ok(caught) => (caught, None),
                Err(error) => {
                    line.wish.store(STOP, Ordering::Relaxed);
                    if !line.begun.load(Ordering::Relaxed) {
                        pool.task.stop();
                    }
                    (receiver.recv().expect("the work sends before it ends"), Some(error))
                }
            }
        })
    });
    match (caught, stopped) {
        (Ok(result), stopped) => {
            if stopped.is_some() {
                lease.abandon();
            }
            Ok((result, stopped))
        }
        (Err(panic), Some(error)) if panic.is::<Stopped>() => {
            lease.abandon();
            Err(error)
        }
        (Err(panic), _) => resume_unwind(panic),
    }
}

/// Waits for what `receiver` gets, without the interpreter's lock; now and then looks for signals and calls `look`.
fn wait<T>(receiver: &Receiver<Caught<T>>, mut look: impl FnMut(Python<'_>) -> PyResult<()>) -> PyResult<Caught<T>> {
    loop {
        match receiver.recv_timeout(PERIOD) {
            Ok(caught) => return Ok(caught),
            Err(RecvTimeoutError::Timeout) => {
                match Python::try_attach(|py| py.check_signals().and_then(|()| look(py))) {
                    Some(looked) => looked?,
                    // The interpreter is being taken down under a thread that it does not wait for: there is nothing to
                    // return to, and to ask for its lock would end the process by a signal.
                    None => loop {
                        thread::park();
                    },
                }
            }
            Err(RecvTimeoutError::Disconnected) => unreachable!("the work sends before it ends"),
        }
    }
}
