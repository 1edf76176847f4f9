//! Stores one list of values per number, all in a single array.

/// One list of values for each number below a bound. The caller first counts all values, then pushes them.
#[derive(Debug)]
pub(super) struct Lists<T> {
    /// After all pushes, item `n` is the end of the list of `n`. While values are counted, item `n + 1` is the length of this list. While
    /// values are pushed, item `n` is the position of the list's next value.
    ends: Vec<usize>,
    values: Vec<T>,
}

impl<T: Copy> Lists<T> {
    /// Returns empty lists for the numbers below `bound`.
    pub fn new(bound: usize) -> Self {
        Self { ends: vec![0; bound + 1], values: Vec::new() }
    }

    /// Counts a value that will be pushed to the list of `number`.
    pub fn count(&mut self, number: u32) {
        self.ends[number as usize + 1] += 1;
    }

    /// Allocates memory for all counted values, and fills it with `value` until values are pushed.
    pub fn make_room(&mut self, value: T) {
        // A list starts where the previous list ends.
        let mut total = 0;
        for end in &mut self.ends {
            total += *end;
            *end = total;
        }
        self.values = vec![value; total];
    }

    /// Pushes `value` to the list of `number`.
    pub fn push(&mut self, number: u32, value: T) {
        let end = &mut self.ends[number as usize];
        self.values[*end] = value;
        *end += 1;
    }

    /// Returns the list of `number`. All counted values must have been pushed.
    #[inline]
    pub fn of(&self, number: usize) -> &[T] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.values[start..self.ends[number]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn hold_what_was_pushed(pushes in prop::collection::vec((0u32..9, any::<u16>()), 0..60)) {
            let mut lists = Lists::new(9);
            pushes.iter().for_each(|&(number, _)| lists.count(number));
            lists.make_room(0);
            pushes.iter().for_each(|&(number, value)| lists.push(number, value));
            for number in 0..9 {
                let own: Vec<u16> = pushes.iter().filter(|push| push.0 == number).map(|push| push.1).collect();
                prop_assert_eq!(lists.of(number as usize), own);
            }
        }
    }
}
