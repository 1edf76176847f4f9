//! Dependencies between the steps of a workload.

use tulle_base::acyclic::{self, Successors};
use tulle_base::memory;

/// The steps that each step of a workload depends on, in compressed rows.
///
/// Steps are numbered: the messages come first, by row, then the computations. If no step depends on another step,
/// there are no rows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Dependencies {
    offsets: Vec<usize>,
    on: Vec<u32>,
}

impl Dependencies {
    /// Creates the dependencies of `steps` steps. A pair is a step and a step that it depends on. Pairs may have any
    /// order and may repeat.
    ///
    /// # Errors
    /// Fails if a pair has an unknown step. The error describes the first such pair in one line.
    pub fn from_pairs(steps: usize, pairs: &[(u32, u32)]) -> Result<Self, String> {
        if let Some(&(step, on)) = pairs.iter().find(|(step, on)| *step.max(on) as usize >= steps) {
            return Err(format!("step {step} waits for step {on}; legal: steps below {steps}"));
        }
        Ok(Self::gather(steps, || pairs.iter().copied()).ascending())
    }

    /// Creates dependencies from rows: step `s` depends on `on[offsets[s]..offsets[s + 1]]`.
    pub(crate) fn from_rows(offsets: Vec<usize>, on: Vec<u32>) -> Self {
        Self { offsets, on }.ascending()
    }

    /// Sorts pairs of a step and a step that it depends on into rows.
    fn gather<I: Iterator<Item = (u32, u32)>>(steps: usize, pairs: impl Fn() -> I) -> Self {
        let mut offsets = memory::array("dependencies", 0, steps + 1);
        pairs().for_each(|(step, _)| offsets[step as usize + 1] += 1);
        for step in 0..steps {
            offsets[step + 1] += offsets[step];
        }
        let mut next = offsets.clone();
        let mut on = memory::array("dependencies", 0, offsets[steps]);
        for (step, earlier) in pairs() {
            on[next[step as usize]] = earlier;
            next[step as usize] += 1;
        }
        Self { offsets, on }
    }

    /// Sorts every row and removes duplicates. If all rows are empty, removes them.
    fn ascending(mut self) -> Self {
        if self.on.is_empty() {
            return Self::default();
        }
        let (mut start, mut kept) = (0, 0);
        for end in &mut self.offsets[1..] {
            self.on[start..*end].sort_unstable();
            let first = kept;
            for at in start..*end {
                if kept == first || self.on[kept - 1] != self.on[at] {
                    self.on[kept] = self.on[at];
                    kept += 1;
                }
            }
            (start, *end) = (*end, kept);
        }
        self.on.truncate(kept);
        self
    }

    /// Returns whether no step depends on another step.
    pub fn is_empty(&self) -> bool {
        self.on.is_empty()
    }

    /// Returns the number of dependencies: pairs of a step and a step that it depends on.
    pub fn len(&self) -> usize {
        self.on.len()
    }

    /// Returns the number of steps, or `None` if no step depends on another step.
    pub fn num_steps(&self) -> Option<usize> {
        self.offsets.len().checked_sub(1)
    }

    /// Returns the steps that `step` depends on, ascending.
    pub fn of(&self, step: usize) -> &[u32] {
        match self.offsets.get(step..step + 2) {
            Some(bounds) => &self.on[bounds[0]..bounds[1]],
            None => &[],
        }
    }

    /// Returns all pairs of a step and a step that it depends on, ordered by step.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.num_steps().unwrap_or(0)).flat_map(|step| self.of(step).iter().map(move |&on| (step as u32, on)))
    }

    /// Returns the reverse: for each step, the steps that depend on it.
    pub fn reversed(&self) -> Self {
        let steps = self.num_steps().unwrap_or(0);
        if steps == 0 { Self::default() } else { Self::gather(steps, || self.pairs().map(|(step, on)| (on, step))) }
    }

    /// Returns a step that depends on itself, directly or through other steps; `None` if there is no such step.
    pub fn in_a_cycle(&self) -> Option<u32> {
        acyclic::cycle(self).map(|steps| steps[0] as u32)
    }
}

impl Successors for Dependencies {
    fn num_nodes(&self) -> usize {
        self.num_steps().unwrap_or(0)
    }

    fn successors(&self, step: usize, visit: impl FnMut(usize)) {
        self.of(step).iter().map(|&on| on as usize).for_each(visit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_and_their_reverse() {
        let dependencies = Dependencies::from_pairs(4, &[(3, 1), (2, 0), (3, 0), (2, 0)]).unwrap();
        assert_eq!((dependencies.of(2), dependencies.of(3), dependencies.of(0)), (&[0][..], &[0, 1][..], &[][..]));
        assert_eq!(dependencies.reversed().of(0), [2, 3]);
        assert_eq!(dependencies.reversed().reversed(), dependencies);
        assert_eq!(dependencies.in_a_cycle(), None);
        assert_eq!(Dependencies::from_rows(vec![0, 0, 0, 3, 5], vec![0, 0, 0, 1, 0]), dependencies);
        assert_eq!(Dependencies::from_pairs(9, &[]).unwrap(), Dependencies::default());
        assert!(Dependencies::from_pairs(2, &[(0, 2)]).unwrap_err().contains("step 0 waits for step 2"));
    }

    #[test]
    fn counts_and_pairs() {
        let dependencies = Dependencies::from_pairs(4, &[(3, 1), (1, 0), (3, 0), (1, 0)]).unwrap();
        assert_eq!((dependencies.len(), dependencies.is_empty(), dependencies.num_steps()), (3, false, Some(4)));
        assert_eq!(dependencies.pairs().collect::<Vec<_>>(), [(1, 0), (3, 0), (3, 1)]);
        assert_eq!(dependencies.reversed().pairs().collect::<Vec<_>>(), [(0, 1), (0, 3), (1, 3)]);
        assert_eq!((dependencies.of(4), dependencies.num_nodes()), (&[][..], 4));
        let none = Dependencies::default();
        assert_eq!((none.len(), none.is_empty(), none.num_steps(), none.num_nodes()), (0, true, None, 0));
        assert_eq!((none.of(0), none.pairs().count(), none.reversed()), (&[][..], 0, Dependencies::default()));
        // The last step number is legal on both sides of a pair; the next number is illegal.
        assert!(Dependencies::from_pairs(2, &[(1, 0), (0, 1)]).is_ok());
        let error = |pair| Dependencies::from_pairs(2, &[(1, 0), pair]).unwrap_err();
        assert_eq!(error((2, 0)), "step 2 waits for step 0; legal: steps below 2");
        assert_eq!(error((0, 2)), "step 0 waits for step 2; legal: steps below 2");
    }

    #[test]
    fn cycles_are_found_from_steps_that_depend_on_them() {
        let dependencies = Dependencies::from_pairs(6, &[(0, 5), (5, 4), (4, 3), (3, 2), (2, 4), (5, 1)]).unwrap();
        assert!([2, 3, 4].contains(&dependencies.in_a_cycle().unwrap()));
        assert_eq!(Dependencies::from_pairs(1, &[(0, 0)]).unwrap().in_a_cycle(), Some(0));
    }
}
