//! Sets of small numbers as words of bits, and round-robin choice from them.

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

/// The first member at or after `from`, cyclically. Some number is a member.
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

/// The same for a set of one word; `from` is below 64.
#[inline(always)]
pub(crate) fn next_of_word(bits: u64, from: usize) -> usize {
    let after = bits & (!0 << (from & 63));
    (if after != 0 { after } else { bits }).trailing_zeros() as usize
}

/// Takes the least member out of a set that has one.
#[inline(always)]
pub(crate) fn pop(bits: &mut u64) -> usize {
    let at = bits.trailing_zeros() as usize;
    *bits &= *bits - 1;
    at
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
}
