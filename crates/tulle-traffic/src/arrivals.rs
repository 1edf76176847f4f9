//! Start times and sizes of messages, for patterns that define only the pairs of sender and receiver.

use rand::RngExt;
use tulle_base::memory::{self, Need, OutOfMemory};
use tulle_base::random::{Xoshiro256PlusPlus, stream};
use tulle_spec::parameters;

use crate::sizes::Sizes;
use crate::{Error, Workload};

const SECOND: f64 = 1e12;

/// Maximum number of messages in a workload. The limit comes from the packet engine, whose flow ids have 29 bits.
pub const MAX_MESSAGES: u64 = 1 << 29;

/// Checks that a workload can hold `messages` messages of `pattern`.
pub(crate) fn check_count(pattern: &str, messages: u64) -> Result<(), Error> {
    if messages > MAX_MESSAGES {
        return Err(Error::misfit(
            pattern,
            format!("{messages} messages are too many"),
            format!("up to {MAX_MESSAGES}"),
        ));
    }
    Ok(())
}

/// Poisson arrivals at every sender (FatPaths §VII-A4).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrivals {
    /// Arrival rate λ per sender, in arrivals per second.
    pub rate: f64,
    /// End of the arrivals in picoseconds: all messages start before this time.
    pub duration: u64,
}

parameters! {
    /// Optional Poisson arrivals.
    #[derive(Debug, Clone, Copy, PartialEq)]
    pub struct Poisson(arguments) {
        /// rate λ of Poisson arrivals per sender and second; each message goes to one of the sender's destinations
        rate "arrivals": Option<f64> = positive(), or "none: one message to each destination, at time 0";
        /// end of the arrivals: messages start before this time
        duration: Option<u64> = duration_of(1, tulle_spec::MAX_QUANTITY), note "with arrivals", default "10ms";
        /// The arrivals, if given.
        pub arrivals: Option<Arrivals> => rate.zip(duration).map(|(rate, duration)| Arrivals { rate, duration });
    }
    check {
        if rate.is_none() {
            if let Some(duration) = arguments.text("duration") {
                let values = format!("duration={duration}");
                return Err(arguments.clash(values, "needs arrivals=", "legal: duration= only with arrivals="));
            }
            duration = None;
        }
    }
}

impl Arrivals {
    /// Checks that the messages of `pattern` fit into a workload and into memory.
    ///
    /// # Errors
    /// Fails if `senders` senders are expected to send too many messages, or if there is too little memory.
    pub fn check(&self, pattern: &str, senders: usize) -> Result<(), Error> {
        let expected = self.rate * self.duration as f64 / SECOND * senders as f64;
        if expected > MAX_MESSAGES as f64 {
            let problem = format!("about {expected:.3e} messages are too many");
            let legal = format!("arrivals · duration · senders up to {:.3e}", MAX_MESSAGES as f64);
            return Err(Error::misfit(pattern, problem, legal));
        }
        Ok(check_memory(pattern, expected as u64)?)
    }

    /// Chooses random arrival times at one sender, in picoseconds and ascending order. Calls `then` for each arrival; `then` may draw
    /// further random numbers from the same stream.
    pub fn draw(&self, rng: &mut Xoshiro256PlusPlus, mut then: impl FnMut(u64, &mut Xoshiro256PlusPlus)) {
        let mut time = 0.0;
        loop {
            // The random number is in [0, 1), so the argument of the logarithm is above 0 and the logarithm is finite.
            time -= (1.0 - rng.random::<f64>()).ln() / self.rate * SECOND;
            if time >= self.duration as f64 {
                return;
            }
            then(time as u64, rng);
        }
    }
}

impl Arrivals {
    /// Repeats the messages of `once`: every arrival at a sender sends a copy of the sender's message. A sender may have at most one
    /// message in `once`. The result is ordered by start, then by the row in `once`.
    ///
    /// # Errors
    /// Fails if there are too many messages, or if there is too little memory. The error names `pattern`.
    pub fn repeat(&self, pattern: &str, once: &Workload, seed: u64) -> Result<Workload, Error> {
        self.check(pattern, once.len())?;
        let mut starts = Vec::new();
        for (row, &source) in once.source.iter().enumerate() {
            let mut rng = stream(seed, "traffic/flows", u64::from(source));
            self.draw(&mut rng, |time, _| memory::push("messages", &mut starts, (time, row)));
        }
        starts.sort_unstable();
        let mut workload = Workload::default();
        for (start, row) in starts {
            workload.push(once.source[row], once.destination[row], once.bytes[row], start);
        }
        Ok(workload)
    }
}

parameters! {
    /// The sizes and arrivals of the messages of a pattern.
    #[derive(Debug, Clone, PartialEq)]
    pub struct Flows {
        sizes: Sizes;
        poisson: Poisson;
    }
}

impl Flows {
    /// Checks that a workload can hold one message of `pattern` for each of `pairs` pairs, and that the list of pairs fits into memory.
    ///
    /// # Errors
    /// Fails if there are too many pairs, or if there is too little memory for their list.
    pub fn check(&self, pattern: &str, pairs: u64) -> Result<(), Error> {
        check_count(pattern, pairs)?;
        // This check covers the list of pairs; `send` checks the memory for messages.
        let need = Need::default().of::<(u32, u32)>(pairs);
        Ok(need.require(|| format!("the workload {pattern} between {pairs} pairs"))?)
    }

    /// Creates the messages of `pattern` over `pairs` of source and destination. Pairs with the same source must be consecutive. Without
    /// arrivals, every pair gets one message at time 0. With arrivals, each arrival at a source creates one message over a random pair of
    /// this source. The result is ordered by start, then by the place of the source in `pairs`.
    ///
    /// # Errors
    /// Fails if there are too many messages, if there is too little memory, or if the file of a distribution of sizes is not legal.
    pub fn send(&self, pattern: &str, pairs: &[(u32, u32)], seed: u64) -> Result<Workload, Error> {
        let sizes = self.sizes.load()?;
        let mut messages: Vec<Drawn> = Vec::new();
        let senders = || pairs.chunk_by(|a, b| a.0 == b.0);
        if let Some(arrivals) = &self.poisson.arrivals {
            arrivals.check(pattern, senders().count())?;
        } else {
            check_count(pattern, pairs.len() as u64)?;
            check_memory(pattern, pairs.len() as u64)?;
        }
        for (place, pairs) in senders().enumerate() {
            // Each sender has its own random stream, so its messages do not depend on the other senders.
            let mut rng = stream(seed, "traffic/flows", u64::from(pairs[0].0));
            match &self.poisson.arrivals {
                None => {
                    for &pair in pairs {
                        memory::push("messages", &mut messages, (0, place as u32, pair, sizes.draw(&mut rng)));
                    }
                }
                Some(arrivals) => arrivals.draw(&mut rng, |time, rng| {
                    let pair = pairs[rng.random_range(0..pairs.len())];
                    memory::push("messages", &mut messages, (time, place as u32, pair, sizes.draw(rng)));
                }),
            }
        }
        // The sort is stable, so messages of one sender with the same start keep their order.
        messages.sort_by_key(|&(start, place, ..)| (start, place));
        let mut workload = Workload::default();
        for (start, _, (source, destination), bytes) in messages {
            workload.push(source, destination, bytes, start);
        }
        Ok(workload)
    }
}

/// A random message: its start, the position of its source in the list of senders, its source and destination, and its size in bytes.
type Drawn = (u64, u32, (u32, u32), u64);

/// Checks that there is enough memory for the messages of `pattern`, both as the list to sort and as columns.
fn check_memory(pattern: &str, messages: u64) -> Result<(), OutOfMemory> {
    Workload::need(messages).of::<Drawn>(messages).require(|| format!("the workload {pattern} of {messages} messages"))
}

#[cfg(test)]
mod tests;
