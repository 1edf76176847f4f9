//! Runs one simulation on several threads, each with a partition of the network.
//!
//! A packet reaches another partition at the earliest after the latency of a link plus the transmission time of a header. This time is the
//! *horizon*. All partitions simulate one time window independently. The window starts at the next event in any partition and is one
//! horizon long (conservative windows; Chandy and Misra, 1979; Lubachevsky, 1989). Then the partitions exchange the packets that left them,
//! agree on the time of the next event, and continue. The order of events is fixed, and every port, endpoint and end of a flow belongs to
//! one partition. The result is therefore the same for any number of partitions.

use std::ops::ControlFlow;
use std::thread;
use std::time::Instant;

use tulle_base::memory::{must, no_thread};
use tulle_base::task;

use super::partition_outbox::BarrierMailbox;
use super::{Engine, Observe};
use crate::outcome::NEVER;

/// Runs all partitions of a simulation until no events are left, the time limit is reached, or `observe` returns `Break`. A deadlock also
/// ends a simulation, but only with lossless queues, and then there is only one partition. The calling thread runs the first partition.
pub(crate) fn run(parts: &mut [Engine], until: u64, observe: Observe) {
    let mailbox = BarrierMailbox::new(parts.len());
    let Some((first, others)) = parts.split_first_mut() else { return };
    if others.is_empty() {
        return first.run(until, observe);
    }
    std::thread::scope(|scope| {
        for (part, engine) in (1..).zip(others) {
            let (mailbox, task) = (&mailbox, task::current());
            let run = move || {
                task.into_iter().for_each(task::set_current);
                run_part(engine, part, mailbox, until, &mut |_| ControlFlow::Continue(()));
            };
            if thread::Builder::new().spawn_scoped(scope, run).is_err() {
                // If this thread panics, the guard releases the other threads.
                let _guard = mailbox.barrier.guard();
                must(Err(no_thread()))
            }
        }
        run_part(first, 0, &mailbox, until, observe);
    });
}

fn run_part(engine: &mut Engine, part: usize, mailbox: &BarrierMailbox, until: u64, observe: Observe) {
    let _guard = mailbox.barrier.guard();
    let horizon = engine.horizon;
    engine.begin();
    let (mut turn, mut next) = (0, 0);
    loop {
        mailbox.hand_over(turn, part, engine, next);
        let came = engine.meter.is_some().then(Instant::now);
        mailbox.barrier.wait();
        if let (Some(meter), Some(came)) = (&mut engine.meter, came) {
            meter.waiting += came.elapsed();
        }
        mailbox.take_in(turn, part, engine);
        if mailbox.is_to_stop(turn) {
            break;
        }
        let (start, progress) = (mailbox.next(turn), mailbox.progress(turn, engine));
        if progress.finished == progress.flows {
            engine.sampling.stop();
        }
        if start > until || start == NEVER {
            engine.idle_until(start, until);
            break;
        }
        if observe(&progress).is_break() {
            mailbox.ask_to_stop(1 - turn);
        }
        next = engine.simulate_window((start + horizon - 1).min(until));
        turn = 1 - turn;
    }
    engine.count_in_flight();
}
