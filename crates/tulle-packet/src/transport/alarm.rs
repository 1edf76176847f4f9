//! A timer that moves: set to any time, it wakes at every time it was ever the earliest.

/// When wake-ups are pending. An event cannot be taken back, so one that comes too early sets the next.
#[derive(Debug, Clone, Default)]
pub(super) struct Alarm {
    /// Distinct times.
    pending: Vec<u64>,
}

impl Alarm {
    /// The time at which to set off another wake-up, so that there is one at `at` or before; `None` where there is.
    pub(super) fn set(&mut self, at: u64) -> Option<u64> {
        if self.pending.iter().any(|&other| other <= at) {
            return None;
        }
        self.pending.push(at);
        Some(at)
    }

    /// A wake-up is here.
    pub(super) fn fired(&mut self, now: u64) {
        self.pending.retain(|&at| at != now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_set_twice() {
        let mut alarm = Alarm::default();
        assert_eq!((alarm.set(50), alarm.set(60), alarm.set(20)), (Some(50), None, Some(20)));
        alarm.fired(20);
        assert_eq!((alarm.set(50), alarm.set(49)), (None, Some(49)));
        alarm.fired(49);
        alarm.fired(50);
        assert_eq!(alarm.set(51), Some(51));
    }
}
