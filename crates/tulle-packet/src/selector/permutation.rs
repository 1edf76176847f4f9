//! A permutation of 0..n by a key, computed where it is needed and kept nowhere.

/// The image of `index` under the permutation of `0..n` that `key` names; `index < n`.
///
/// Rounds of multiplication by an odd number, addition and a xor of high bits into low ones permute the numbers of as many
/// bits as n − 1 has; an image of n or above goes through again until it is below (cycle walking), fewer than two rounds
/// trips on average.
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
            key = key.wrapping_mul(0xd134_2543_de82_ef95).rotate_left(23);
        }
        if value < n {
            return value;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tulle_fabric::random::mix;

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

    /// Over many keys every index goes everywhere equally often, and neighbours land at every distance.
    #[test]
    fn keys_spread_evenly() {
        for n in [2u32, 3, 4, 5, 8, 16, 64, 100, 256] {
            const KEYS: u64 = 40_000;
            let mut images = vec![0f64; n as usize];
            let mut distances = vec![0f64; n as usize];
            for key in 0..KEYS {
                let (a, b) = (permute(0, n, mix(key)), permute(1, n, mix(key)));
                images[a as usize] += 1.0;
                distances[((b + n - a) % n) as usize] += 1.0;
            }
            let chi2 = |counts: &[f64]| {
                let expected = KEYS as f64 / counts.len() as f64;
                counts.iter().map(|count| (count - expected).powi(2) / expected).sum::<f64>() / counts.len() as f64
            };
            // A chi-square per degree of freedom is 1 for true randomness; 4 allows a few percent of unevenness.
            assert!(chi2(&images) < 4.0, "{n}: images {}", chi2(&images));
            assert_eq!(distances[0], 0.0);
            assert!(chi2(&distances[1..]) < 40.0, "{n}: distances {}", chi2(&distances[1..]));
        }
    }
}
