//! Sets of ordered pairs of nodes.

use std::collections::HashSet;

/// A set of ordered pairs of nodes. If there are few nodes, the set uses one bit per possible pair; otherwise, it uses a hash table.
pub enum Pairs {
    Bits { nodes: u64, words: Vec<u64> },
    Entries(HashSet<[u32; 2]>),
}

/// The maximum number of nodes for which the set uses one bit per pair. The bits then take 32 MiB.
const MAX_BITS: u32 = 1 << 14;

impl Pairs {
    /// No pairs of `nodes` nodes.
    pub fn new(nodes: u32) -> Self {
        if nodes > MAX_BITS {
            return Self::Entries(HashSet::new());
        }
        let nodes = u64::from(nodes);
        Self::Bits { nodes, words: vec![0; (nodes * nodes).div_ceil(64) as usize] }
    }

    /// Whether the pair is in the set.
    pub fn contains(&self, pair: [u32; 2]) -> bool {
        match self {
            Self::Bits { nodes, words } => {
                let (word, bit) = place(*nodes, pair);
                words[word] & bit != 0
            }
            Self::Entries(entries) => entries.contains(&pair),
        }
    }

    /// Adds the pair.
    pub fn insert(&mut self, pair: [u32; 2]) {
        match self {
            Self::Bits { nodes, words } => {
                let (word, bit) = place(*nodes, pair);
                words[word] |= bit;
            }
            Self::Entries(entries) => {
                entries.insert(pair);
            }
        }
    }

    /// Takes the pair out.
    pub fn remove(&mut self, pair: [u32; 2]) {
        match self {
            Self::Bits { nodes, words } => {
                let (word, bit) = place(*nodes, pair);
                words[word] &= !bit;
            }
            Self::Entries(entries) => {
                entries.remove(&pair);
            }
        }
    }
}

fn place(nodes: u64, [a, b]: [u32; 2]) -> (usize, u64) {
    let bit = u64::from(a) * nodes + u64::from(b);
    ((bit / 64) as usize, 1 << (bit % 64))
}
