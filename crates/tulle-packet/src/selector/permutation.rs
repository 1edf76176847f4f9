//! A keyed permutation of 0..n, computed on demand without storing it.

/// Returns the image of `index < n` under the permutation of `0..n` with this `key`.
///
/// Each round multiplies by an odd number, adds, and xors high bits into low ones. This permutes the numbers below 2^b, where b is the
/// number of bits of n − 1. A result of n or above is permuted again until it is below n (cycle walking), which takes fewer than two passes
/// on average.
#[inline]
pub(super) fn permute(index: u32, n: u32, key: u64) -> u32 {
    debug_assert!(index < n);
    let bits = u32::BITS - (n - 1).leading_zeros();
    if bits == 0 {
        return 0;
    }
    let mask = u32::MAX >> (u32::BITS - bits);
    let shift = bits.div_ceil(2);
    let mut value = index;
    loop {
        let mut key = key;
        for _ in 0..4 {
            value = value.wrapping_mul(key as u32 | 1).wrapping_add((key >> 32) as u32) & mask;
            value ^= value >> shift;
            key = key.rotate_left(17).wrapping_mul(0xd134_2543_de82_ef95);
        }
        if value < n {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_base::random::mix;

    #[test]
    fn every_key_gives_a_permutation() {
        for n in (1..200).chain([256, 1000, 1 << 16]) {
            let mut seen = vec![false; n as usize];
            for index in 0..n {
                let image = permute(index, n, mix(u64::from(n)));
                assert!(!std::mem::replace(&mut seen[image as usize], true), "{n}: {image} comes twice");
            }
        }
    }

    /// Over many keys, every index is mapped to every position about equally often. The distance between the positions of two neighbouring
    /// indices also takes all values about equally often.
    #[test]
    fn keys_spread_evenly() {
        const KEYS: u32 = 40_000;
        /// Returns the standard deviation of the counts relative to their mean, after subtracting the variance of truly random positions.
        fn unevenness(counts: &[f64]) -> f64 {
            let expected = f64::from(KEYS) / counts.len() as f64;
            let variance = counts.iter().map(|count| (count - expected).powi(2)).sum::<f64>() / counts.len() as f64;
            ((variance - expected).max(0.0)).sqrt() / expected
        }
        for n in [2u32, 3, 4, 5, 7, 8, 16, 64, 100, 256] {
            let mut images = vec![0.0; n as usize];
            let mut distances = vec![0.0; n as usize];
            for key in 0..KEYS {
                let key = mix(key.into());
                let (a, b) = (permute(0, n, key), permute(1, n, key));
                images[a as usize] += 1.0;
                distances[((b + n - a) % n) as usize] += 1.0;
            }
            assert_eq!(distances[0], 0.0);
            let (images, distances) = (unevenness(&images), unevenness(&distances[1..]));
            assert!(images < 0.05 && distances < 0.1, "{n}: images {images}, distances {distances}");
        }
    }
}
