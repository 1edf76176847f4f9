//! Marks packets with "congestion experienced" (RFC 3168) if a queue is long.

/// The probability of a mark as a function of the queue length: 0 up to length `low`, then rising linearly to `chance` at length `high`,
/// and 1 beyond `high`.
///
/// With `low` = `high`, the function is DCTCP's step (RFC 8257 §3.1). Otherwise, it is the ramp of random early detection that DCQCN
/// uses (Zhu et al., SIGCOMM 2015 §3.1). The length is measured when a packet arrives and is not averaged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Marking {
    pub(super) low: u64,
    pub(super) high: u64,
    /// The probability of a mark at `high`, in (0, 1].
    pub(super) chance: f64,
}

impl Marking {
    /// Returns whether a packet that arrives at queue length `length` is marked. `draw` is called only between `low` and `high`.
    #[inline]
    pub(super) fn marks(&self, length: u64, draw: impl FnOnce() -> u64) -> bool {
        if length <= self.low {
            return false;
        }
        if length > self.high {
            return true;
        }
        let along = (length - self.low) as f64 / (self.high - self.low) as f64;
        is_below(draw(), self.chance * along)
    }
}

/// Returns whether random bits, read as a fraction in [0, 1), are below `chance`.
#[inline]
pub(super) fn is_below(bits: u64, chance: f64) -> bool {
    ((bits >> 11) as f64) < chance * (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_base::random::mix;

    #[test]
    fn a_step_is_deterministic_and_a_ramp_rises() {
        let step = Marking { low: 33, high: 33, chance: 1.0 };
        assert!(!step.marks(33, || unreachable!()) && step.marks(34, || unreachable!()));
        let ramp = Marking { low: 5, high: 205, chance: 0.5 };
        let marked = |length| (0..20_000).filter(|&i| ramp.marks(length, || mix(i))).count();
        assert_eq!((marked(5), marked(206)), (0, 20_000));
        for (length, expected) in [(25, 1000), (105, 5000), (205, 10_000)] {
            assert!(marked(length).abs_diff(expected) < 250, "{length}: {}", marked(length));
        }
    }

    #[test]
    fn chances_are_exact() {
        let half = 1 << 63;
        assert!(!is_below(0, 0.0) && !is_below(half, 0.5) && is_below(half - 1, 0.5) && is_below(u64::MAX, 1.0));
    }
}
