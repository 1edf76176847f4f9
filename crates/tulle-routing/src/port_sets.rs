//! Collects the sets of ports (equal-cost groups of two or more ports) of one switch while its table is built. Each set is stored once.

use tulle_base::random::mix;

/// Marks the table entry of a switch toward itself, which has no next hop.
pub const NO_GROUP: u16 = u16::MAX;

/// Sets of ports, stored as bits in order of insertion, with a hash index. For example, in a random regular graph of 2880 switches with 38
/// ports, a set takes about 12 bytes, and each switch has almost one set per destination.
#[derive(Debug, Clone)]
pub(crate) struct PortSets {
    degree: u16,
    /// The bits of all sets. Each set has one bit per port of the switch, in 64-bit words.
    bits: Vec<u64>,
    /// A hash index with open addressing. An entry is the number of a set plus 1, or 0 if the slot is free. The number of slots is a power
    /// of two, and at least a quarter of them are free.
    index: Vec<u16>,
    len: usize,
}

impl PortSets {
    /// Returns an empty collection for a switch with `degree` ports.
    pub fn new(degree: u16) -> Self {
        Self { degree, bits: Vec::new(), index: Vec::new(), len: 0 }
    }

    /// Returns the number of ports of the switch.
    pub fn degree(&self) -> u16 {
        self.degree
    }

    /// Returns the number of sets.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the sum of the numbers of ports of all sets.
    pub fn num_ports(&self) -> usize {
        self.bits.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns the number of words per set.
    pub fn words(&self) -> usize {
        usize::from(self.degree).div_ceil(64)
    }

    /// Returns the ports of set number `set`, ascending.
    pub fn ports(&self, set: usize) -> impl Iterator<Item = u16> + '_ {
        let words = self.set(set).iter().enumerate();
        words.flat_map(|(at, &word)| members(word).map(move |bit| at as u16 * 64 + bit))
    }

    /// Returns the group number of `ports`, which must be ascending. For a single port, this is the port number. For several ports, it is
    /// the switch's degree plus the number of the set. If the set is new, the function adds it to the collection.
    pub fn group(&mut self, ports: &[u16]) -> u16 {
        if let [port] = ports {
            return *port;
        }
        let mut bits = vec![0; self.words()];
        ports.iter().for_each(|port| bits[usize::from(*port) / 64] |= 1 << (port % 64));
        self.group_of_bits(&bits)
    }

    /// Like [`Self::group`], for ports given as bits.
    pub fn group_of_bits(&mut self, bits: &[u64]) -> u16 {
        if let Some(port) = only(bits) {
            return port;
        }
        if self.len * 4 >= self.index.len() * 3 {
            self.grow();
        }
        let at = self.find(bits);
        if self.index[at] == 0 {
            let most = usize::from(NO_GROUP) - usize::from(self.degree);
            assert!(self.len < most, "a switch has at most one group per port and one per destination");
            self.bits.extend_from_slice(bits);
            self.len += 1;
            self.index[at] = self.len as u16;
        }
        self.degree + self.index[at] - 1
    }

    fn set(&self, set: usize) -> &[u64] {
        &self.bits[set * self.words()..][..self.words()]
    }

    /// Returns the slot of the index that holds the set `bits`, or the free slot for it.
    fn find(&self, bits: &[u64]) -> usize {
        let mask = self.index.len() - 1;
        let mut at = bits.iter().fold(0, |hash, &word| mix(hash ^ word)) as usize & mask;
        while self.index[at] != 0 && self.set(usize::from(self.index[at]) - 1) != bits {
            at = (at + 1) & mask;
        }
        at
    }

    fn grow(&mut self) {
        self.index = vec![0; (self.index.len() * 2).max(8)];
        for set in 0..self.len {
            let at = self.find(self.set(set));
            self.index[at] = set as u16 + 1;
        }
    }
}

fn members(mut word: u64) -> impl Iterator<Item = u16> {
    std::iter::from_fn(move || {
        let bit = (word != 0).then(|| word.trailing_zeros() as u16)?;
        word &= word - 1;
        Some(bit)
    })
}

/// Returns the port if `bits` contains exactly one port.
fn only(bits: &[u64]) -> Option<u16> {
    let at = bits.iter().position(|&word| word != 0)?;
    let alone = bits[at].is_power_of_two() && bits[at + 1..].iter().all(|&word| word == 0);
    alone.then(|| at as u16 * 64 + bits[at].trailing_zeros() as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_keep_their_order_and_come_once() {
        let mut sets = PortSets::new(130);
        assert_eq!(sets.group(&[129]), 129);
        // The test adds many pairs of ports, so that the index must grow several times.
        let pairs: Vec<[u16; 2]> =
            (0..130).flat_map(|first| (first + 1..130).map(move |second| [first, second])).collect();
        for round in 0..2 {
            for (number, pair) in pairs.iter().enumerate() {
                assert_eq!(usize::from(sets.group(pair)), 130 + number, "round {round}");
            }
        }
        assert_eq!((sets.len(), sets.num_ports()), (pairs.len(), 2 * pairs.len()));
        assert!(pairs.iter().enumerate().all(|(number, pair)| sets.ports(number).eq(*pair)));
        assert_eq!(sets.group_of_bits(&[0, 1 << 3, 0]), 67);
        assert_eq!(sets.group_of_bits(&[1, 0, 2]), sets.group(&[0, 129]));
    }
}
