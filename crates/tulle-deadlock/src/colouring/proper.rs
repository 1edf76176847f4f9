//! Proper colouring of switches.

use std::collections::BTreeSet;

use tulle_fabric::Fabric;

use crate::spread::Colours;

/// Returns a colour for every switch, and the number of colours. The two switches of every channel that is marked in `conflicts` get
/// different colours.
///
/// The algorithm is DSATUR (Brélaz: New methods to color the vertices of a graph, CACM 1979). It next colours the switch whose neighbours
/// have the largest number of different colours; ties go to the switch with the most neighbours, then to the lowest number. The switch gets
/// the lowest free colour. A returned count of 256 means that the algorithm needs more than 255 colours.
pub(super) fn colours(fabric: &Fabric, conflicts: &[bool]) -> Colours {
    let switches = fabric.num_switches();
    let mut neighbours = vec![Vec::new(); switches];
    for (channel, _) in conflicts.iter().enumerate().filter(|&(_, &conflict)| conflict) {
        let (a, b) = (fabric.sources()[channel], fabric.targets()[channel]);
        neighbours[a as usize].push(b);
        neighbours[b as usize].push(a);
    }
    for others in &mut neighbours {
        others.sort_unstable();
        others.dedup();
    }
    let mut of = vec![None; switches];
    let mut count = 1;
    let mut taken = vec![Taken::default(); switches];
    // The set is sorted by the number of colours among neighbours, then the number of neighbours, then descending switch number. Its last
    // entry is the next switch to colour.
    let key = |switch: u32, taken: &[Taken]| {
        (taken[switch as usize].len(), neighbours[switch as usize].len(), std::cmp::Reverse(switch))
    };
    let mut open: BTreeSet<_> = (0..switches as u32).map(|switch| key(switch, &taken)).collect();
    while let Some((_, _, std::cmp::Reverse(switch))) = open.pop_last() {
        let Some(colour) = taken[switch as usize].lowest_free() else {
            return Colours { of: vec![0; switches], count: 256 };
        };
        of[switch as usize] = Some(colour);
        count = count.max(u16::from(colour) + 1);
        for &other in neighbours[switch as usize].iter().filter(|&&other| of[other as usize].is_none()) {
            open.remove(&key(other, &taken));
            taken[other as usize].add(colour);
            open.insert(key(other, &taken));
        }
    }
    Colours { of: of.into_iter().map(|colour| colour.unwrap_or(0)).collect(), count }
}

/// The colours 0 to 254 that are taken.
#[derive(Debug, Clone, Copy, Default)]
struct Taken([u64; 4]);

impl Taken {
    fn add(&mut self, colour: u8) {
        self.0[usize::from(colour / 64)] |= 1 << (colour % 64);
    }

    fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    fn lowest_free(&self) -> Option<u8> {
        let word = self.0.iter().position(|&word| word != u64::MAX)?;
        let colour = word as u32 * 64 + self.0[word].trailing_ones();
        u8::try_from(colour).ok().filter(|&colour| colour < u8::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_differ_and_colours_are_few() {
        for (spec, most) in
            [("clique:degree=6", 7), ("hypercube:dimensions=4", 2), ("torus:shape=5", 3), ("slimfly:q=5", 5)]
        {
            let fabric = tulle_topologies::build(spec, 0).unwrap();
            let all = colours(&fabric, &vec![true; fabric.num_channels()]);
            assert!(all.count <= most, "{spec}: {} colours", all.count);
            for (&a, &b) in fabric.sources().iter().zip(fabric.targets()) {
                assert_ne!(all.of[a as usize], all.of[b as usize], "{spec}");
            }
            assert_eq!(colours(&fabric, &vec![false; fabric.num_channels()]).count, 1);
        }
        let clique = tulle_topologies::build("clique:degree=300", 0).unwrap();
        assert_eq!(colours(&clique, &vec![true; clique.num_channels()]).count, 256);
    }
}
