//! Bit sets of small numbers, stored as arrays of 64-bit words, and round-robin choice from a bit set.

/// A set of numbers below 64·W.
pub(crate) type Bits<const W: usize> = [u64; W];

#[inline(always)]
pub(crate) fn set<const W: usize>(bits: &mut Bits<W>, at: usize) {
    bits[at >> 6] |= 1 << (at & 63);
}

#[inline(always)]
pub(crate) fn clear<const W: usize>(bits: &mut Bits<W>, at: usize) {
    bits[at >> 6] &= !(1 << (at & 63));
}

#[inline(always)]
pub(crate) fn is_empty<const W: usize>(bits: &Bits<W>) -> bool {
    bits.iter().all(|&word| word == 0)
}

/// Returns the first member of the set `bits` at or after `from`. If there is none, the search continues at 0. The set
/// must not be empty.
#[inline(always)]
pub(crate) fn next_of<const W: usize>(bits: &Bits<W>, from: usize) -> usize {
    if W == 1 {
        return next_of_word(bits[0], from);
    }
    let start = from >> 6;
    let after = bits[start] & (!0 << (from & 63));
    if after != 0 {
        return (start << 6) + after.trailing_zeros() as usize;
    }
    let mut word = start;
    loop {
        word = if word + 1 == W { 0 } else { word + 1 };
        if bits[word] != 0 {
            return (word << 6) + bits[word].trailing_zeros() as usize;
        }
    }
}

/// For a set of one 64-bit word, returns the first member at or after `from`, like [`next_of`]. `from` must be below
/// 64.
#[inline(always)]
pub(crate) fn next_of_word(bits: u64, from: usize) -> usize {
    let after = bits & (!0 << (from & 63));
    (if after != 0 { after } else { bits }).trailing_zeros() as usize
}

/// Removes and returns the smallest member of a non-empty set.
#[inline(always)]
pub(crate) fn pop(bits: &mut u64) -> usize {
    let at = bits.trailing_zeros() as usize;
    *bits &= *bits - 1;
    at
}

/// Removes and returns the smallest member of a set, or `None` if the set is empty.
#[inline(always)]
pub(crate) fn pop_first<const W: usize>(bits: &mut Bits<W>) -> Option<usize> {
    (0..W).find(|&word| bits[word] != 0).map(|word| (word << 6) + pop(&mut bits[word]))
}

/// Returns the number of members that `bits` and `others` have in common.
#[inline(always)]
pub(crate) fn count_common<const W: usize>(bits: &Bits<W>, others: &Bits<W>) -> u32 {
    bits.iter().zip(others).map(|(word, other)| (word & other).count_ones()).sum()
}

/// Returns the common member of `bits` and `others` that has exactly `rank` smaller common members. The two sets must
/// have more than `rank` members in common.
#[inline(always)]
pub(crate) fn select_common<const W: usize>(bits: &Bits<W>, others: &Bits<W>, mut rank: u32) -> usize {
    let mut word = 0;
    while word + 1 < W && rank >= (bits[word] & others[word]).count_ones() {
        rank -= (bits[word] & others[word]).count_ones();
        word += 1;
    }
    (word << 6) + select(bits[word] & others[word], rank)
}

/// The value 1 in each byte.
const EACH: u64 = 0x0101_0101_0101_0101;
/// The top bit of each byte.
const TOPS: u64 = EACH << 7;

/// Returns the member of `bits` that has exactly `rank` smaller members; `bits` has more than `rank` members.
///
/// The function has no branches, because the CPU would mispredict branches on a random rank. Prefix sums of bit counts find the byte first,
/// then the bit within the byte (Vigna: Broadword implementation of rank/select queries, WEA 2008).
#[inline(always)]
pub(crate) fn select(bits: u64, rank: u32) -> usize {
    let pairs = bits - ((bits >> 1) & (0x55 * EACH));
    let nibbles = (pairs & (0x33 * EACH)) + ((pairs >> 2) & (0x33 * EACH));
    let bytes = (nibbles + (nibbles >> 4)) & (0x0f * EACH);
    let up_to_byte = bytes.wrapping_mul(EACH);
    let first = 8 * not_above(up_to_byte, rank.into());
    let rank = u64::from(rank) - (((up_to_byte << 8) >> first) & 0xff);
    // Byte i of this word is 1 if bit i of the chosen byte is set, otherwise 0.
    let spread = (((bits >> first) & 0xff) * EACH) & 0x8040_2010_0804_0201;
    let ones = (((spread + (TOPS - EACH)) | spread) & TOPS) >> 7;
    (first + not_above(ones.wrapping_mul(EACH), rank)) as usize
}

/// Returns how many bytes of `counts` have a value of at most `rank`. The values are ascending and at most 64; `rank`
/// is below 64.
#[inline(always)]
fn not_above(counts: u64, rank: u64) -> u64 {
    let marks = (((rank * EACH) | TOPS) - counts) & TOPS;
    (marks >> 7).wrapping_mul(EACH) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_robin_is_cyclic() {
        let mut bits = [0u64; 3];
        for at in [3, 64, 130] {
            set(&mut bits, at);
        }
        let all: Vec<usize> = [0, 3, 4, 64, 65, 130, 131, 191].map(|from| next_of(&bits, from)).to_vec();
        assert_eq!(all, [3, 3, 64, 64, 130, 130, 3, 3]);
        clear(&mut bits, 64);
        assert_eq!(next_of(&bits, 5), 130);
        assert_eq!((next_of_word(0b1001, 1), next_of_word(0b1001, 4)), (3, 0));
        assert!(!is_empty(&bits));
    }

    #[test]
    fn sets_of_several_words_are_iterated_in_order() {
        let (mut bits, mut others) = ([0u64; 4], [0u64; 4]);
        let members = [0, 5, 63, 64, 127, 200, 255];
        members.iter().for_each(|&at| set(&mut bits, at));
        [5, 64, 66, 127, 255].iter().for_each(|&at| set(&mut others, at));
        assert_eq!(count_common(&bits, &others), 4);
        assert_eq!([0, 1, 2, 3].map(|rank| select_common(&bits, &others, rank)), [5, 64, 127, 255]);
        assert_eq!(std::iter::from_fn(|| pop_first(&mut bits)).collect::<Vec<_>>(), members);
    }

    #[test]
    fn select_returns_members_by_rank() {
        let words =
            [1, 1 << 63, u64::MAX, 0x8000_0000_0000_0001, 0x00ff_00f0_1234_8081, 0x0123_4567_89ab_cdef, 0xaaaa << 20];
        for word in words {
            let (mut rest, mut rank) = (word, 0);
            while rest != 0 {
                assert_eq!(select(word, rank), pop(&mut rest), "{word:#x} {rank}");
                rank += 1;
            }
        }
    }
}
