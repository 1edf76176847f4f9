//! Named streams of random numbers.
//!
//! Every function that draws random numbers has its own stream, named after its purpose. So a new function never changes the random numbers
//! of other functions, and the order in which threads run has no effect.

use rand::SeedableRng;
pub use rand_xoshiro::Xoshiro256PlusPlus;

/// Returns the random stream called `name` for `seed`. `index` distinguishes the streams of a family, for example one stream per flow.
pub fn stream(seed: u64, name: &str, index: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(mix(mix(seed) ^ fnv1a(name.as_bytes())).wrapping_add(mix(index ^ INDEX)))
}

/// Returns a 64-bit hash of `word`. It serves for random choices that must not depend on the order in which they are made.
///
/// The hash is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
#[inline]
pub const fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// A constant that is combined with the index of a stream by XOR. It separates indices from seeds, so that the stream of seed 1 and index 0
/// differs from the stream of seed 0 and index 1.
const INDEX: u64 = 0x5851_f42d_4c95_7f2d;

/// Returns the 64-bit Fowler–Noll–Vo hash (FNV-1a) of `bytes`.
pub fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn streams_are_stable_and_apart() {
        let first = |seed, name, index| stream(seed, name, index).next_u64();
        assert_eq!(first(1, "fabric", 0), first(1, "fabric", 0));
        assert_ne!(first(1, "fabric", 0), first(2, "fabric", 0));
        assert_ne!(first(1, "fabric", 0), first(1, "routing", 0));
        assert_ne!(first(1, "fabric", 0), first(1, "fabric", 1));
        assert_ne!(first(0, "fabric", 1), first(1, "fabric", 0));
    }

    #[test]
    fn fnv_matches_its_published_vectors() {
        assert_eq!(fnv1a(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a"), 0xaf63_dc4c_8601_ec8c);
    }
}
