//! The dependency scheduler: starts messages when the steps that they wait for have ended.
//!
//! Steps are numbered: first the messages, by flow, then the computations of the workload. A `Start` event with a step's number
//! starts a message or ends a computation. A computation that takes no time and depends on other steps ends without an event.

use tulle_traffic::{Dependencies, Workload};

/// The dependencies between steps, and the number of unfinished dependencies of each step.
pub(crate) struct DependencyScheduler<'a> {
    start: &'a [u64],
    compute: &'a [u64],
    /// Per step, the steps that wait for it.
    next: Dependencies,
    /// Per step, the number of steps that it waits for; empty if no step waits.
    unmet: Vec<u32>,
    /// Ended steps whose dependent steps must still be updated.
    ended: Vec<u32>,
}

impl<'a> DependencyScheduler<'a> {
    pub(crate) fn new(workload: &'a Workload) -> Self {
        let dependencies = &workload.dependencies;
        let steps = dependencies.num_steps().unwrap_or(0);
        Self {
            start: &workload.start,
            compute: &workload.compute,
            next: dependencies.reversed(),
            unmet: (0..steps).map(|step| dependencies.of(step).len() as u32).collect(),
            ended: Vec::new(),
        }
    }

    /// Returns whether any step waits for another.
    #[inline]
    pub(crate) fn is_needed(&self) -> bool {
        !self.unmet.is_empty()
    }

    /// Returns the messages without dependencies.
    pub(crate) fn free(&self) -> Vec<u32> {
        (0..self.start.len() as u32)
            .filter(|&flow| self.unmet.get(flow as usize).is_none_or(|&unmet| unmet == 0))
            .collect()
    }

    /// Calls `schedule` with each computation without dependencies and the time at which it ends.
    pub(crate) fn begin(&self, mut schedule: impl FnMut(u32, u64)) {
        for (step, (&time, &unmet)) in
            (self.start.len()..).zip(self.compute.iter().zip(self.unmet.iter().skip(self.start.len())))
        {
            if unmet == 0 {
                schedule(step as u32, time);
            }
        }
    }

    /// Returns whether `step` is a computation.
    #[inline]
    pub(crate) fn is_computation(&self, step: u32) -> bool {
        step as usize >= self.start.len()
    }

    /// Ends `step` at `now`. Calls `schedule` with each step whose last dependency has now ended, and with the time of its event: the
    /// start of a message or the end of a computation.
    pub(crate) fn end(&mut self, step: u32, now: u64, mut schedule: impl FnMut(u32, u64)) {
        self.ended.push(step);
        while let Some(step) = self.ended.pop() {
            for &waiting in self.next.of(step as usize) {
                let unmet = &mut self.unmet[waiting as usize];
                *unmet -= 1;
                if *unmet > 0 {
                    continue;
                }
                match (waiting as usize).checked_sub(self.start.len()).map(|place| self.compute[place]) {
                    Some(0) => self.ended.push(waiting),
                    Some(time) => schedule(waiting, now + time),
                    None => schedule(waiting, now.max(self.start[waiting as usize])),
                }
            }
        }
    }
}
