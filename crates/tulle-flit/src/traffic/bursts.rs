//! On-off Markov sources.

use crate::flit::Generator;

/// The value 1 in the fixed-point fractions of this module.
const ONE: f64 = 4_294_967_296.0;

/// The state of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// The initial state of the source is not chosen yet.
    New,
    On,
    Off,
}

/// An on-off Markov source: its probabilities, as multiples of 2⁻³².
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bursts {
    /// Stationary probability that a source is on.
    share: u64,
    /// Probability that a burst ends after a cycle (`ends`), and that a pause ends after a cycle (`starts`).
    ends: u64,
    starts: u64,
}

impl Bursts {
    /// Creates sources whose bursts last `length` cycles on average and fill the fraction `load` (0 to 1) of the time.
    pub fn new(length: u32, load: f64) -> Self {
        // The load is starts/(starts + ends). With `starts` = 1, every pause has one cycle, which is the minimum. So a high load is
        // possible only if bursts are longer than `length`.
        let longest = load / (1.0 - load);
        let length = f64::from(length).max(longest);
        let starts = if load < 1.0 { longest / length } else { 1.0 };
        let whole = |probability: f64| (probability * ONE).round() as u64;
        Self { share: whole(load), ends: whole(1.0 / length), starts: whole(starts) }
    }

    /// Returns whether a source in `state` is on in this cycle, and advances the state.
    #[inline]
    pub fn step(&self, state: &mut State, generator: &mut Generator) -> bool {
        if *state == State::New {
            *state = if generator.draw() >> 32 < self.share { State::On } else { State::Off };
        }
        let is_on = *state == State::On;
        let changes = generator.draw() >> 32 < if is_on { self.ends } else { self.starts };
        if changes {
            *state = if is_on { State::Off } else { State::On };
        }
        is_on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates one source. Returns the fraction of its cycles inside bursts, and the mean length of a burst.
    fn run(length: u32, load: f64) -> (f64, f64) {
        let bursts = Bursts::new(length, load);
        let mut generator = Generator::new(3, 1);
        let mut state = State::New;
        let (mut on, mut begun, mut before) = (0u32, 0u32, false);
        const CYCLES: u32 = 400_000;
        for _ in 0..CYCLES {
            let now = bursts.step(&mut state, &mut generator);
            on += u32::from(now);
            begun += u32::from(now && !before);
            before = now;
        }
        (f64::from(on) / f64::from(CYCLES), f64::from(on) / f64::from(begun.max(1)))
    }

    #[test]
    fn bursts_have_the_given_load_and_length() {
        for (length, load, expected) in [(10, 0.3, 10.0), (1, 0.2, 1.0), (40, 0.5, 40.0), (4, 0.95, 19.0)] {
            let (share, mean) = run(length, load);
            assert!((share - load).abs() < 0.02, "{length} {load}: {share}");
            assert!((mean / expected - 1.0).abs() < 0.06, "{length} {load}: {mean}");
        }
        assert_eq!(run(10, 1.0).0, 1.0);
        assert_eq!(run(10, 0.0).0, 0.0);
    }
}
