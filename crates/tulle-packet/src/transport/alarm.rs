//! A timer that can be moved. It wakes at every time that was ever its earliest.

/// Times of pending wake-ups. Events cannot be cancelled, so a wake-up that comes too early schedules the next one.
#[derive(Debug, Clone, Default)]
pub(super) struct Alarm {
    /// Distinct times.
    pending: Vec<u64>,
}

impl Alarm {
    /// Returns the time of another wake-up to schedule, so that there is one at or before `at`; `None` if there is one already.
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
