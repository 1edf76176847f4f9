//! A timer whose time can be changed. Its events cannot be cancelled, so the timer also fires at times to which it was set before.

/// The times of pending wake-ups. Events cannot be cancelled. If a wake-up comes too early, the caller sets the next one.
#[derive(Debug, Clone, Default)]
pub(super) struct Alarm {
    /// The distinct times of the pending wake-ups.
    pending: Vec<u64>,
}

impl Alarm {
    /// Makes sure that a wake-up is pending at or before `at`. Returns `at` if the caller must schedule it, `None` if a wake-up is already
    /// pending.
    pub(super) fn set(&mut self, at: u64) -> Option<u64> {
        if self.pending.iter().any(|&other| other <= at) {
            return None;
        }
        self.pending.push(at);
        Some(at)
    }

    /// Records that the wake-up at `now` has fired.
    pub(super) fn fired(&mut self, now: u64) {
        self.pending.retain(|&at| at != now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_time_is_set_once() {
        let mut alarm = Alarm::default();
        assert_eq!((alarm.set(50), alarm.set(60), alarm.set(20)), (Some(50), None, Some(20)));
        alarm.fired(20);
        assert_eq!((alarm.set(50), alarm.set(49)), (None, Some(49)));
        alarm.fired(49);
        alarm.fired(50);
        assert_eq!(alarm.set(51), Some(51));
    }
}
