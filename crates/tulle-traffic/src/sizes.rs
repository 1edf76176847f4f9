//! The sizes of messages.

use std::sync::LazyLock;

use rand::RngExt;
use tulle_base::random::Xoshiro256PlusPlus;
use tulle_spec::{parameters, words};

use crate::Error;
use crate::formats::cdf::Cdf;

words! {
    /// The distribution of sizes.
    pub enum Distribution {
        /// All messages have the same size.
        Fixed = "fixed",
        /// The web-search workload of pFabric.
        WebSearch = "websearch",
    }
}

parameters! {
    /// The sizes of messages.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct Sizes(arguments) {
        /// size of every message
        bytes: Option<u64> = bytes(), default "1MiB";
        /// distribution of sizes: one size for all messages (fixed), or random sizes from pFabric's web-search distribution, in 20 steps
        /// with a mean of 1 MB (websearch)
        sizes: Distribution = word(Distribution::WORDS), note "or cdf=FILE", implied "fixed";
        /// file with your own distribution of sizes: a row per size, with the size and the share of messages of at most this size;
        /// sizes between two rows are interpolated
        cdf: Option<String> = path("a text file"), or "none";
    }
    check {
        if sizes == Distribution::WebSearch || cdf.is_some() {
            let given = ["bytes", "sizes", "cdf"].map(|name| arguments.text(name).map(|value| format!("{name}={value}")));
            if given.iter().flatten().count() > 1 {
                let values = given.into_iter().flatten().collect::<Vec<_>>().join(", ");
                return Err(arguments.clash(values, "exclude each other", "legal: one of them"));
            }
            bytes = None;
        }
    }
}

/// The web-search distribution. Each entry is a size in packets of 1460 bytes and the fraction of flows up to that
/// size; values between entries are interpolated linearly. It was measured for DCTCP (SIGCOMM 2010, Fig. 4), and the
/// values are from pFabric (SIGCOMM 2013, §5).
const WEB_SEARCH: [(f64, f64); 12] = [
    (1.0, 0.0),
    (6.0, 0.15),
    (13.0, 0.2),
    (19.0, 0.3),
    (33.0, 0.4),
    (53.0, 0.53),
    (133.0, 0.6),
    (667.0, 0.7),
    (1333.0, 0.8),
    (3333.0, 0.9),
    (6667.0, 0.97),
    (20000.0, 1.0),
];

/// Number of steps of the discretised distribution.
const STEPS: usize = 20;

/// Mean of the distribution in bytes.
const MEAN: f64 = 1e6;

/// The sizes of the 20 steps in bytes. Each step is the mean size of one twentieth of all flows, scaled so that the
/// overall mean is 1 MB.
///
/// FatPaths §VII-A4 gives the number of steps and the mean, but not the sizes. Steps of equal probability match both
/// numbers exactly.
static STEP_BYTES: LazyLock<[u64; STEPS]> = LazyLock::new(|| {
    let share = 1.0 / STEPS as f64;
    let packets: [f64; STEPS] =
        std::array::from_fn(|step| mean_between(step as f64 * share, (step + 1) as f64 * share));
    let mean = packets.iter().sum::<f64>() / STEPS as f64;
    packets.map(|packets| (packets / mean * MEAN).round() as u64)
});

/// Returns the mean size, in packets, of the flows between two quantiles.
fn mean_between(low: f64, high: f64) -> f64 {
    let mut area = 0.0;
    for pair in WEB_SEARCH.windows(2) {
        let [(from_size, from), (to_size, to)] = [pair[0], pair[1]];
        let (start, end) = (low.max(from), high.min(to));
        if start < end {
            let size = |share: f64| from_size + (to_size - from_size) * (share - from) / (to - from);
            area += (end - start) * (size(start) + size(end)) / 2.0;
        }
    }
    area / (high - low)
}

/// A distribution of message sizes.
#[derive(Debug)]
pub enum Draw {
    /// All messages have this size in bytes.
    Fixed(u64),
    /// The web-search distribution.
    WebSearch,
    /// A distribution from a file.
    Cdf(Cdf),
}

impl Sizes {
    /// Returns the distribution of sizes.
    ///
    /// # Errors
    /// Fails if the file of a distribution cannot be read, or is not a distribution.
    pub fn load(&self) -> Result<Draw, Error> {
        match (self.bytes, &self.cdf) {
            (_, Some(path)) => Ok(Draw::Cdf(Cdf::load(path.as_ref())?)),
            (Some(bytes), None) => Ok(Draw::Fixed(bytes)),
            (None, None) => Ok(Draw::WebSearch),
        }
    }
}

impl Draw {
    /// Draws a size in bytes.
    pub fn draw(&self, rng: &mut Xoshiro256PlusPlus) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::WebSearch => STEP_BYTES[rng.random_range(0..STEPS)],
            Self::Cdf(cdf) => cdf.draw(rng),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn web_search_has_twenty_ascending_steps_of_mean_1_mb() {
        let steps = &*STEP_BYTES;
        assert!(steps.windows(2).all(|pair| pair[0] < pair[1]), "{steps:?}");
        let mean = steps.iter().sum::<u64>() as f64 / STEPS as f64;
        assert!((mean - MEAN).abs() < 1.0, "{mean}");
        // The smaller half of the flows is below 40 kB. The largest twentieth carries about half of the bytes.
        assert!(steps[9] < 40_000 && steps[19] > 8_000_000, "{steps:?}");
    }

    #[test]
    fn steps_are_the_means_of_their_twentieths() {
        // The table has a mean of 1140.605 packets. The first twentieth of the flows has 1 to 2⅔ packets, 1⅚ on average. In the last
        // twentieth, two fifths have 5714 to 6667 packets, and three fifths have up to 20,000 packets.
        let steps = &*STEP_BYTES;
        assert_eq!(steps[0], (11.0_f64 / 6.0 / 1140.605 * 1e6).round() as u64);
        let size = 3333.0 + 3334.0 * 5.0 / 7.0;
        let last: f64 = (0.02 * (size + 6667.0) / 2.0 + 0.03 * (6667.0 + 20_000.0) / 2.0) / 0.05;
        assert_eq!(steps[19], (last / 1140.605 * 1e6).round() as u64);
        assert_eq!(mean_between(0.15, 0.2), 9.5);
    }

    #[test]
    fn sizes_are_fixed_or_drawn_from_the_steps() {
        let mut rng = tulle_base::random::stream(1, "traffic/flows", 0);
        let sizes = |bytes, sizes| Sizes { bytes, sizes, cdf: None }.load().unwrap();
        assert_eq!(sizes(Some(77), Distribution::Fixed).draw(&mut rng), 77);
        let sizes = sizes(None, Distribution::WebSearch);
        let drawn: Vec<u64> = (0..4000).map(|_| sizes.draw(&mut rng)).collect();
        // Each step is chosen 200 times on average, with a standard deviation of 14.
        for step in *STEP_BYTES {
            let count = drawn.iter().filter(|&&size| size == step).count();
            assert!((130..270).contains(&count), "{step}: {count}");
        }
    }

    #[test]
    fn the_undiscretised_mean_matches_the_table() {
        let by_segments: f64 = WEB_SEARCH.windows(2).map(|p| (p[1].1 - p[0].1) * (p[0].0 + p[1].0) / 2.0).sum();
        assert!((mean_between(0.0, 1.0) - by_segments).abs() < 1e-9);
    }
}
