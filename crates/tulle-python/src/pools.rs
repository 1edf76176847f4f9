//! Thread pools for long calls. A pool belongs to one process and serves one call at a time.
//!
//! After a fork, the child process has none of its parent's threads, so work in a pool of the parent would never run. So pools are stored
//! under the id of the process that started them, and a child process starts its own pools. It does not even read the inherited pools. A
//! thread of the parent may have held their lock during the fork, and in the child process no thread releases this lock.
//!
//! Each call has its own pool, so that an interrupt stops only this call, and no call waits for the work of another call. The first pool
//! has one thread per processor (or `RAYON_NUM_THREADS` threads). If n calls run at the same time, the pool of the last one has 1/n of this
//! number. No result depends on the number of threads.

use std::ops::Deref;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::{env, process, thread};

use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use tulle_base::task::{self, Task};

use crate::errors;

/// Stack size of a thread in bytes, as large as the stack of a main thread.
const STACK: usize = 8 << 20;

/// Threads, and the task that can stop them.
pub struct Pool {
    pub threads: ThreadPool,
    pub task: Arc<Task>,
}

impl Pool {
    /// Returns a pool with this number of `threads`, or with one thread if the system cannot start them all.
    fn start(py: Python<'_>, threads: usize) -> PyResult<Self> {
        let start = |threads| {
            let task = Arc::new(Task::default());
            let of_threads = Arc::clone(&task);
            let threads = ThreadPoolBuilder::new()
                .num_threads(threads)
                .stack_size(STACK)
                .thread_name(|number| format!("tulle-{number}"))
                .start_handler(move |_| task::set_current(Arc::clone(&of_threads)))
                .build()?;
            Ok(Self { threads, task })
        };
        let started = start(threads).or_else(|_| start(1));
        started.map_err(|error: rayon::ThreadPoolBuildError| {
            // If no thread can be started, the usual reason is too little memory for its stack.
            errors::out_of_memory(py, &format!("cannot start a thread: {error}"))
        })
    }
}

/// The pools of a process.
struct Home {
    process: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    idle: Vec<Pool>,
    /// The number of calls that use a pool.
    busy: usize,
    /// For each Python thread that waits: the id of the thread, and the task for which it waits.
    calls: Vec<(u64, Arc<Task>)>,
}

impl State {
    fn forget(&mut self, task: &Arc<Task>) {
        self.calls.retain(|(_, other)| !Arc::ptr_eq(other, task));
    }
}

static HOME: AtomicPtr<Home> = AtomicPtr::new(null_mut());

impl Home {
    /// Returns the pools of this process. Pools inherited from a parent process stay unchanged.
    fn of_this_process() -> &'static Self {
        let process = process::id();
        loop {
            let found = HOME.load(Ordering::Acquire);
            // SAFETY: a published `Home` is never freed, and it is changed only under its lock.
            if let Some(home) = unsafe { found.as_ref() }.filter(|home| home.process == process) {
                return home;
            }
            let made = Box::into_raw(Box::new(Self { process, state: Mutex::default() }));
            if HOME.compare_exchange(found, made, Ordering::AcqRel, Ordering::Acquire).is_err() {
                // SAFETY: this `Home` was not published, so no other thread can use it.
                drop(unsafe { Box::from_raw(made) });
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pool in use by a call.
pub struct Lease {
    pool: Option<Pool>,
    home: &'static Home,
}

impl Lease {
    /// Returns an idle pool for a call, or starts a new pool.
    ///
    /// # Errors
    /// Fails if the system cannot start a thread.
    pub fn new(py: Python<'_>) -> PyResult<Self> {
        let caller = py.import("_thread")?.getattr("get_ident")?.call0()?.extract()?;
        let home = Home::of_this_process();
        let mut state = home.state();
        let largest = (0..state.idle.len()).max_by_key(|&at| state.idle[at].threads.current_num_threads());
        let pool = match largest {
            Some(at) => state.idle.swap_remove(at),
            None => Pool::start(py, (processors() / (state.busy + 1)).max(1))?,
        };
        pool.task.renew();
        state.busy += 1;
        state.calls.push((caller, Arc::clone(&pool.task)));
        Ok(Self { pool: Some(pool), home })
    }

    /// Stops the work in the pool. The threads of the pool end too.
    pub fn abandon(mut self) {
        if let Some(pool) = self.pool.take() {
            pool.task.stop();
            self.home.state().forget(&pool.task);
        }
    }
}

/// Stops the calls of the Python threads with these ids. These calls raise `KeyboardInterrupt`.
#[pyfunction]
pub fn stop_calls(threads: Vec<u64>) {
    let state = Home::of_this_process().state();
    state.calls.iter().filter(|(caller, _)| threads.contains(caller)).for_each(|(_, task)| task.stop());
}

impl Deref for Lease {
    type Target = Pool;

    fn deref(&self) -> &Pool {
        self.pool.as_ref().expect("only a call that has ended has no pool")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let mut state = self.home.state();
        state.busy -= 1;
        if let Some(pool) = self.pool.take() {
            state.forget(&pool.task);
            if !pool.task.is_stopped() {
                state.idle.push(pool);
            }
        }
    }
}

/// Returns the number of threads, by the same rule as rayon: `RAYON_NUM_THREADS`, or the number of processors that this process may use.
fn processors() -> usize {
    let wanted = env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok()).filter(|&number| number > 0);
    wanted.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
}
