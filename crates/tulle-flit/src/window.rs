//! The measurement window.

/// The measurement window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Window {
    /// The first cycle of the window.
    pub start: u32,
    /// The first cycle after the window.
    pub end: u32,
    /// Cycles per sample.
    pub sample: u32,
}

impl Window {
    /// Creates a window whose position will be set later.
    pub fn unknown(sample: u32) -> Self {
        Self { start: u32::MAX, end: u32::MAX, sample }
    }

    #[inline]
    pub fn contains(&self, cycle: u32) -> bool {
        (self.start..self.end).contains(&cycle)
    }

    /// Returns the number of samples; the last one may be shorter.
    #[inline]
    pub fn num_samples(&self) -> u32 {
        (self.end - self.start).div_ceil(self.sample)
    }

    /// Returns the number of cycles that lie both in the window and in the `cycles` cycles that begin with cycle
    /// `first`.
    #[inline]
    pub fn overlap(&self, first: u32, cycles: u16) -> u32 {
        (first + u32::from(cycles)).min(self.end).saturating_sub(first.max(self.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_count_their_cycles() {
        let window = Window { start: 10, end: 20, sample: 5 };
        assert_eq!([0, 7, 8, 12, 18, 20].map(|first| window.overlap(first, 3)), [0, 0, 1, 3, 2, 0]);
        assert!(window.contains(10) && !window.contains(20));
    }
}
