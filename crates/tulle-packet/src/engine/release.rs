//! Letting messages go once what they wait for has ended.
//!
//! Steps are the messages, by their flows, and after them the computations of the workload. That a step is due is an event
//! `Start` with its number: a message starts then, a computation ends. Computations that take no time end at once.

use tulle_traffic::{Dependencies, Workload};

/// The dependencies of the steps, and how many each still waits for.
pub(crate) struct Release<'a> {
    start: &'a [u64],
    compute: &'a [u64],
    /// Per step, those that wait for it.
    next: Dependencies,
    /// Per step, how many it waits for; empty where nothing waits.
    unmet: Vec<u32>,
    /// Steps that have ended and are to be told of.
    ended: Vec<u32>,
}

impl<'a> Release<'a> {
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

    /// Whether any step waits for another.
    #[inline]
    pub(crate) fn is_needed(&self) -> bool {
        !self.unmet.is_empty()
    }

    /// The messages that wait for nothing.
    pub(crate) fn free(&self) -> Vec<u32> {
        (0..self.start.len() as u32)
            .filter(|&flow| self.unmet.get(flow as usize).is_none_or(|&unmet| unmet == 0))
            .collect()
    }

    /// Tells `schedule` of the computations that wait for nothing, and when they are due.
    pub(crate) fn begin(&self, mut schedule: impl FnMut(u32, u64)) {
        for (step, (&time, &unmet)) in
            (self.start.len()..).zip(self.compute.iter().zip(self.unmet.iter().skip(self.start.len())))
        {
            if unmet == 0 {
                schedule(step as u32, time);
            }
        }
    }

    /// Whether `step` is a computation.
    #[inline]
    pub(crate) fn is_computation(&self, step: u32) -> bool {
        step as usize >= self.start.len()
    }

    /// Step `step` has ended at `now`; tells `schedule` of steps that wait for nothing more, and when they are due.
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
